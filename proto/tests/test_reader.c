/* The reader of JSON. */
#include "base/buf.h"
#include "base/search.h"
#include "tests/scratch.h"
#include "json/reader.h"

static struct json_reader *reader;
static int set_up(void **)
{
    reader = json_reader_create(NULL);
    arena = arena_new(ARENA_NO_BUDGET);
    return reader ? 0 : 1;
}

static int tear_down(void **state)
{
    json_reader_destroy(reader);
    return drop_arena(state);
}

/* Starts on a copy with exactly the padding that is promised, so that a sanitizer sees every read beyond it. The bytes
 * after the NUL are quotes: a string that is not closed must not end at one of them. */
static struct str begin(struct str text)
{
    char *copy = arena_alloc(&arena, text.size + JSON_PADDING);
    assert_non_null(copy);
    if (text.data)
        memcpy(copy, text.data, text.size);
    memset(copy + text.size, '"', JSON_PADDING);
    copy[text.size] = '\0';
    json_begin(reader, (struct str){copy, text.size});
    return (struct str){copy, text.size};
}

static void assert_sound(void)
{
    assert_ok(json_end(reader, &arena));
}

static void assert_fault(const char *expected)
{
    struct status status = json_end(reader, &arena);
    assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
    assert_true(json_failed(reader));
    assert_string_equal(status.message.data, expected);
}

static struct status skip_all(struct str text)
{
    begin(text);
    json_skip(reader, NULL);
    return json_end(reader, &arena);
}

static void assert_refused(struct str text)
{
    struct status status = skip_all(text);
    if (is_ok(status))
        fail_msg("accepted: %s", str_printable(&arena, text));
    assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
    assert_true(str_starts(status.message, STR("byte ")));
}

#define READER_TEST(name) TEST_WITH(name, set_up, tear_down)

static void assert_member(const char *expected, enum json_type type)
{
    struct str name;
    assert_true(json_next_member(reader, &name));
    assert_true(str_is(name, expected));
    assert_int_equal(json_type(reader), type);
}

READER_TEST(a_request_is_read_member_by_member)
{
    begin(STR(" {\"id\" : \"a\\u00e9\\n\", \"n\":-1.50e+3 ,\"ok\":true,\"no\":false,\"nil\":null,\"list\":[ 1,[],{ "
              "},\"x\" ] } \n"));
    struct str name, text;
    bool flag;
    assert_int_equal(json_type(reader), JSON_OBJECT);
    assert_true(json_enter_object(reader));
    assert_member("id", JSON_STRING);
    assert_true(json_read_string(reader, &text) && str_is(text, "a\xC3\xA9\n"));
    assert_member("n", JSON_NUMBER);
    assert_true(json_read_number(reader, &text) && str_is(text, "-1.50e+3"));
    assert_member("ok", JSON_BOOL);
    assert_true(json_read_bool(reader, &flag) && flag);
    assert_member("no", JSON_BOOL);
    assert_true(json_read_bool(reader, &flag) && !flag);
    assert_member("nil", JSON_NULL);
    assert_true(json_read_null(reader));
    assert_member("list", JSON_ARRAY);
    assert_true(json_enter_array(reader));
    assert_true(json_next_element(reader) && json_read_number(reader, &text));
    assert_true(json_next_element(reader) && json_enter_array(reader));
    assert_false(json_next_element(reader));
    assert_true(json_next_element(reader) && json_enter_object(reader));
    assert_false(json_next_member(reader, &name));
    assert_true(json_next_element(reader) && json_read_string(reader, &text));
    assert_false(json_next_element(reader));
    assert_false(json_failed(reader));
    assert_false(json_next_member(reader, &name));
    assert_sound();
}

READER_TEST(strings_keep_nul_and_every_escape)
{
    struct str text;
    begin(STR("\"\\u0000a\\\"\\\\\\/\\b\\f\\n\\r\\t\\uD83D\\uDe00\\u20AC\""));
    assert_true(json_read_string(reader, &text));
    assert_true(str_equal(text, STR("\0a\"\\/\b\f\n\r\t\xF0\x9F\x98\x80\xE2\x82\xAC")));
    assert_sound();
}

READER_TEST(strings_stay_until_the_next_text)
{
    struct buf text = {0};
    buf_append_literal(&text, "[");
    for (int i = 0; i < 3000; i++)
        buf_printf(&text, "%s\"\\u0041%d\"", i ? "," : "", i);
    buf_append_literal(&text, "]");
    begin(buf_str(&text));
    struct str strings[3000];
    json_enter_array(reader);
    for (int i = 0; json_next_element(reader); i++)
        json_read_string(reader, &strings[i]);
    assert_sound();
    for (int i = 0; i < 3000; i++)
        assert_true(str_equal(strings[i], arena_printf(&arena, "A%d", i)));
    buf_free(&text);
}

/* Each text is refused by RFC 8259, by its section 8.1 (UTF-8, no byte order mark) or 8.2 (surrogates), or by our
 * limits. */
READER_TEST(whatever_is_no_json_is_refused_even_where_nobody_looks)
{
    static const struct str with_nul[] = {STR("\"a\0b\""),   STR("\0"),       STR("1\0"),
                                          STR("[1\0]"),      STR("[1,\0 2]"), STR("\xFF\xFE[\0]\0"),
                                          STR("{\"a\":1}\0")};
    EACH(text, "", " ", "nul", "nulll", "True", "NaN", "[NaN]", "Infinity", "-", "01", "-01", "1.", ".5", "+1", "1e",
         "0x10", "1 2", "1,", ",", ":", "[", "]", "{", "}", "[1", "[1,", "[1,]", "[,1]", "[,]", "[1 2]", "[1}", "{]",
         "[1]]", "[1] x", "{\"a\":1} x", "{\"a\":1}{}", "{\"a\":1},", "{\"a\"}", "{\"a\":}", "{\"a\" 1}", "{\"a\":1,}",
         "{,\"a\":1}", "{\"a\":1 \"b\":2}", "{a:1}", "{1:1}", "{null:1}", "{\"a\":1:2}", "{\"a\",1}", "[1:2]",
         "{\"a\":nope,\"b\":1}", "{\"a\":[1,2,}", "'a'", "{'a':1}", "\"a", "\"", "\"a\\", "\"a\\\"", "[\"a]", "\"a\"b",
         "a\"b\"", "1\"a\"", "\"a\"\"b\"", "[\"a\"\"b\"]", "\"a\"1", "tru\"e\"", "\"\\x\"", "\"\\u12\"", "\"\\u12g4\"",
         "\"\\U0041\"", "\"\\\n\"", "\"\\'\"", "\"\\ud800\"", "\"\\udc00\"", "\"\\ud800\\ud800\"", "\"\\ud800x\"",
         "\"\\ud83d\\n\"", "\"\\udc00\\ud800\"", "\"\\ud83d\\u0041\"", "{\"\\ud800\":1}", "{\"\\q\":1}", "\"a\nb\"",
         "\"a\tb\"", "\"\x1f\"", "\f1", "[1\f]", "[1\x1a 2]", "\v", "\xEF\xBB\xBF{}", "[\xEF\xBB\xBF 1]", "\xC2\xA0 1",
         "\xE2\x80\xA8", "\"\xff\"", "\"\xC0\xAF\"", "\"\xED\xA0\x80\"", "\"\xC3\"", "{} \xC3", "/**/1", "[1]//", "#",
         "1_0", "1e5e5", "1.2.3", "--1", "1-", "truefalse", "true false", "[true false]", "null,null", "\\u0031", "[[]",
         "{\"a\":{}", "[{]}", "\\", "[\\]", "{\"a\"\"b\":1}", "{\"a\"::1}", "[1,,2]", "{\"a\":1,,\"b\":2}", "byte ")
        assert_refused(str_of(text));
    for (size_t i = 0; i < COUNT_OF(with_nul); i++)
        assert_refused(with_nul[i]);
}

READER_TEST(unusual_json_is_accepted)
{
    EACH(text, "{}", "[]", "\"\"", "-0", "0e0", "-0.0E-0", "1e99999999999999999999",
         "123456789012345678901234567890.123456789", "{\"a\":1,\"a\":2}", "{\"\":{\"\":[]}}", "\"\\u0000\"", "\"\x7f\"",
         "\"\xC2\x80\xE2\x80\xA8\xEF\xBF\xBF\xF4\x8F\xBF\xBF\"", "\"\\uFFFF\\uDBFF\\uDFFF\"", "\"\xEF\xBB\xBF\"",
         " \t\r\n[ \t\r\n1 \t\r\n, \t\r\n2 \t\r\n] \t\r\n", "\"\\\\\"", "\"\\\\\\\"\"", "[\"\\\\\",\"\\\"\"]",
         "\"/\\/\"", "[\"{}[]:,\",\"\\\"{\"]") {
        assert_ok(skip_all(str_of(text)));
    }
}

READER_TEST(faults_name_the_byte_and_what_was_expected)
{
    static const struct {
        const char *text, *fault;
    } rows[] = {
        {"", "byte 0: expected a value, found the end of the text"},
        {"  ", "byte 2: expected a value, found the end of the text"},
        {"{} x", "byte 3: expected nothing more after the value, found something that is not JSON"},
        {"{\"a\":1,}", "byte 7: expected a member name in quotes, found '}'"},
        {"[1 2]", "byte 3: expected ',' or ']', found a number"},
        {"[1,02]", "byte 3: a number that is not written as JSON writes numbers"},
        {"[nul]", "byte 1: a word other than true, false and null"},
        {"[\"ab\\q\"]", "byte 4: a backslash before a character that JSON does not escape"},
        {"[\"\\ud800\"]", "byte 2: half of a surrogate pair, which is not a character"},
        {"[\"a\\\"\",\"b]", "byte 7: a string that is not closed"},
        {"[\"a\nb\"]", "byte 3: a control character in a string; it must be written with a backslash"},
        {"[\"a\xff\"]", "byte 3: bytes that are not UTF-8"},
        {"\xEF\xBB\xBF{}", "byte 0: a byte order mark, which JSON must not start with"},
        {"[1", "byte 2: expected ',' or ']', found the end of the text"},
    };
    struct str text;
    EACH_ROW(row, rows, row->text) {
        begin(str_of(row->text));
        json_skip(reader, NULL);
        assert_fault(row->fault);
    }
    begin(STR("{\"id\":5}"));
    json_enter_object(reader);
    json_next_member(reader, &text);
    assert_false(json_read_string(reader, &text));
    assert_fault("byte 6: expected a string, found a number");
}

READER_TEST(a_fault_is_sticky)
{
    struct str text = STR("old");
    bool flag = true;
    begin(STR("[1,true,\"x\",{}]"));
    assert_true(json_enter_array(reader));
    assert_true(json_next_element(reader));
    assert_false(json_read_null(reader));
    assert_true(json_failed(reader));
    assert_false(json_read_number(reader, &text));
    assert_int_equal(text.size, 0);
    assert_false(json_next_element(reader));
    assert_false(json_next_member(reader, &text));
    assert_false(json_read_bool(reader, &flag));
    assert_false(flag);
    assert_false(json_enter_array(reader));
    assert_false(json_enter_object(reader));
    assert_false(json_read_string(reader, &text));
    assert_false(json_skip(reader, &text));
    assert_int_equal(json_type(reader), JSON_NONE);
    assert_int_equal(json_offset(reader), 1);
    assert_fault("byte 1: expected null, found a number");
    begin(STR("1"));
    assert_true(json_skip(reader, NULL));
    assert_sound();
}

READER_TEST(a_caller_out_of_order_gets_a_fault)
{
    struct str text;
    begin(STR("[1,2]"));
    json_enter_array(reader);
    json_next_element(reader);
    assert_false(json_next_element(reader)); /* the value was not read */
    assert_true(json_failed(reader));
    begin(STR("[1,2]"));
    json_enter_array(reader);
    json_next_element(reader);
    json_read_number(reader, &text);
    assert_false(json_read_number(reader, &text)); /* it was read already */
    assert_true(json_failed(reader));
    begin(STR("[1,2]"));
    json_enter_array(reader);
    assert_false(json_next_member(reader, &text)); /* it is no object */
    assert_true(json_failed(reader));
    begin(STR("[1,2]"));
    assert_false(json_next_element(reader)); /* the array was not entered */
    assert_true(json_failed(reader));
    begin(STR("[1]"));
    json_enter_array(reader);
    assert_false(is_ok(json_end(reader, &arena))); /* the array was not left */
    begin(STR("1"));
    assert_false(is_ok(json_end(reader, &arena))); /* the value was not read */
    begin(STR("[]"));
    json_skip(reader, NULL);
    assert_false(json_skip(reader, NULL));
    assert_true(json_failed(reader));
}

static struct str nested(struct buf *text, size_t depth, bool objects)
{
    for (size_t i = 0; i < depth; i++)
        buf_append_str(text, objects ? STR("{\"a\":") : STR("["));
    buf_append_literal(text, "1");
    for (size_t i = 0; i < depth; i++)
        buf_append_byte(text, objects ? '}' : ']');
    return buf_str(text);
}

READER_TEST(nesting_is_limited_exactly)
{
    for (int objects = 0; objects < 2; objects++) {
        struct buf text = {0};
        assert_ok(skip_all(nested(&text, JSON_DEPTH, objects)));
        buf_clear(&text);
        struct status status = skip_all(nested(&text, JSON_DEPTH + 1, objects));
        assert_true(str_is(status.message, objects ? "byte 320: arrays and objects nested too deep"
                                                   : "byte 64: arrays and objects nested too deep"));
        buf_clear(&text);
        assert_false(is_ok(skip_all(nested(&text, 1000, objects))));
        buf_free(&text);
    }
}

READER_TEST(a_skipped_span_is_a_text_for_a_second_reader)
{
    struct json_reader *second = json_reader_create(NULL);
    assert_non_null(second);
    struct str name, span, text;
    begin(STR("{\"a\": [1, {\"b\":\"c\\n\"} ] , \"d\":  7 }"));
    json_enter_object(reader);
    json_next_member(reader, &name);
    assert_true(json_skip(reader, &span));
    assert_true(str_is(span, "[1, {\"b\":\"c\\n\"} ]"));

    json_begin(second, span);
    assert_true(json_enter_array(second));
    assert_true(json_next_element(second));
    assert_true(json_read_number(second, &text));
    assert_true(json_next_element(second));
    assert_true(json_enter_object(second));
    assert_true(json_next_member(second, &name));
    assert_true(json_read_string(second, &text));
    assert_true(str_is(text, "c\n"));
    assert_false(json_next_member(second, &name));
    assert_false(json_next_element(second));
    assert_ok(json_end(second, &arena));

    json_next_member(reader, &name);
    assert_true(json_skip(reader, &span));
    assert_true(str_is(span, "7"));
    json_next_member(reader, &name);
    assert_sound();
    json_reader_destroy(second);
}

/* Returns a text of digits of one sign, read as a run of elements. */
static const char *run_of_digits(size_t most)
{
    static char got[16];
    struct json_run run = json_run_begin(reader, most);
    for (const char *text; (text = json_run_element(&run));) {
        got[run.count] = *text;
        if (!json_run_take(&run, *text >= '0' && *text <= '9' ? text + 1 : NULL))
            break;
    }
    got[json_run_end(reader, run)] = '\0';
    return got;
}

READER_TEST(a_run_is_read_up_to_what_it_does_not_take)
{
    static const struct {
        const char *text, *taken;
        size_t most;
        bool more;
    } table[] = {
        {"[]", "", 9, false},
        {"[ ]", "", 9, false},
        {"[1]", "1", 9, false},
        {"[1,2,3]", "123", 9, false},
        {" [ 1 ,\n2\t, 3 ] ", "123", 9, false},
        {"[1,2,3]", "12", 2, true},
        {"[1,2,x]", "12", 9, true},
        {"[1,2,34]", "12", 9, true},
        {"[1,2,[3]]", "12", 9, true},
        {"[1,2 3]", "1", 9, true},
        {"[1,2", "1", 9, true},
        {"[1,\"2\"]", "1", 9, true},
        {"[1 \"2\"]", "", 9, true},
        {"[1:2]", "", 9, true},
        {"[[1]]", "", 9, true},
        {"[1,2,]", "12", 9, true},
        {"[", "", 9, true},
        {"[1}", "", 9, true},
    };
    EACH_ROW(row, table, row->text) {
        begin(str_of(row->text));
        assert_true(json_enter_array(reader));
        assert_string_equal(run_of_digits(row->most), row->taken);
        assert_string_equal(run_of_digits(0), "");
        assert_int_equal(json_next_element(reader), row->more);
    }
    begin(STR("{\"a\":1}"));
    struct str name;
    assert_true(json_enter_object(reader));
    assert_string_equal(run_of_digits(9), "");
    assert_true(json_next_member(reader, &name));
    assert_string_equal(run_of_digits(9), "");
}

READER_TEST(texts_of_4_gigabytes_are_refused_unread)
{
    json_begin(reader, (struct str){"", (size_t)4 << 30});
    assert_false(json_skip(reader, NULL));
    assert_int_equal(json_end(reader, &arena).code, STATUS_INVALID_ARGUMENT);
}
