/* The writer of JSON. */
#include "tests/unit.h"
#include "json/writer.h"

static void assert_writes(struct str s, struct str expected)
{
    struct buf out = {0};
    json_write_string(&out, s);
    assert_int_equal(out.size, expected.size);
    assert_memory_equal(out.data, expected.data, expected.size);
    buf_free(&out);
}

TEST(strings_are_escaped_where_json_demands_it)
{
    assert_writes(STR("plain"), STR("\"plain\""));
    assert_writes((struct str){0}, STR("\"\""));
    assert_writes(STR("a\"b\\c/d"), STR("\"a\\\"b\\\\c/d\""));
    assert_writes(STR("\b\f\n\r\t"), STR("\"\\b\\f\\n\\r\\t\""));
    assert_writes(STR("\0\x01\x1f\x7f"), STR("\"\\u0000\\u0001\\u001f\x7f\""));
}

TEST(utf8_stays_and_other_bytes_become_replacements)
{
    assert_writes(STR("\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80"), STR("\"\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80\""));
    assert_writes(STR("a\xffz"), STR("\"a\\ufffdz\""));
    assert_writes(STR("\xED\xA0\x80"), STR("\"\\ufffd\\ufffd\\ufffd\""));
    assert_writes(STR("a\xC3"), STR("\"a\\ufffd\""));
}
