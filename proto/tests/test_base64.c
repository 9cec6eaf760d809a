/* Base64: reading and writing. */
#include "base/base64.h"
#include "base/search.h"
#include "tests/scratch.h"

static void assert_reads(const char *text, const char *wanted)
{
    struct str bytes;
    assert_true(base64_read(str_of(text), &arena, &bytes));
    if (!str_is(bytes, wanted))
        fail_msg("%s is read as '%.*s'", text, STR_ARG(bytes));
    assert_true(str_is(base64_write(bytes, &arena), text));
}

const struct unit_group unit_group = {make_arena, drop_arena};

/* The test vectors of RFC 4648, 10. */
TEST(the_vectors_of_the_standard_are_read_and_written)
{
    assert_reads("", "");
    assert_reads("Zg==", "f");
    assert_reads("Zm8=", "fo");
    assert_reads("Zm9v", "foo");
    assert_reads("Zm9vYg==", "foob");
    assert_reads("Zm9vYmE=", "fooba");
    assert_reads("Zm9vYmFy", "foobar");
}

TEST(every_digit_has_its_value)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    struct str bytes;
    for (int i = 0; i < 64; i++) {
        const char text[] = {'A', 'A', 'A', digits[i]};
        assert_true(base64_read((struct str){text, 4}, &arena, &bytes));
        assert_int_equal(bytes.size, 3);
        assert_memory_equal(bytes.data, ((const char[]){0, 0, (char)i}), 3);
        assert_true(str_equal(base64_write(bytes, &arena), (struct str){text, 4}));
    }
}

TEST(what_is_not_base64_is_refused)
{
    static const struct str texts[] = {
        STR("Z"),    STR("Zg"),   STR("Zg="),  STR("Zg=a"), STR("="),     STR("=="),       STR("===="),
        STR("Z==="), STR("Zm 9"), STR("Zm9-"), STR("Zm9_"), STR("Zm9\0"), STR("Zg==Zg=="), STR("\xff\xff\xff\xff")};
    struct str bytes;
    for (size_t i = 0; i < COUNT_OF(texts); i++) {
        if (base64_read(texts[i], &arena, &bytes))
            fail_msg("%s is read", str_printable(&arena, texts[i]));
        assert_null(bytes.data);
    }
}
