/* Strings with a length. */
#include "base/search.h"
#include "base/str.h"
#include "tests/unit.h"

TEST(shorter_sorts_first_on_a_tie)
{
    assert_true(str_compare(STR("ab"), STR("abc")) < 0);
    assert_true(str_compare(STR("abc"), STR("ab")) > 0);
    assert_true(str_compare(STR("b"), STR("abc")) > 0);
    assert_true(str_compare(STR("a\0b"), STR("a\0c")) < 0);
    assert_true(str_compare((struct str){0}, STR("a")) < 0);
    assert_int_equal(str_compare((struct str){0}, STR("")), 0);
}

TEST(bytes_order_as_unsigned)
{
    assert_true(str_compare(STR("\x7f"), STR("\x80")) < 0);
}

TEST(header_names_compare_without_case_and_only_letters_fold)
{
    assert_true(str_equal_ignoring_case(STR("Content-Type"), STR("content-TYPE")));
    assert_false(str_equal_ignoring_case(STR("a"), STR("ab")));
    assert_false(str_equal_ignoring_case(STR("@"), STR("`")));
    assert_false(str_equal_ignoring_case(STR("["), STR("{")));
    assert_true(str_equal_ignoring_case((struct str){0}, STR("")));
}

/* The bounds of the table in RFC 3629, section 4. */
TEST(well_formed_utf8_is_accepted_up_to_its_borders)
{
    EACH(text, "", "a", "\x7f", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xEC\xBF\xBF", "\xED\x80\x80", "\xED\x9F\xBF",
         "\xEE\x80\x80", "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF3\xBF\xBF\xBF", "\xF4\x8F\xBF\xBF",
         "eight ascii bytes, then \xE2\x82\xAC and eight more")
        assert_true(str_is_utf8(str_of(text)));
    assert_true(str_is_utf8(STR("a\0b")));
}

TEST(overlong_surrogate_and_cut_sequences_are_no_utf8)
{
    EACH(text, "\x80", "\xBF", "\xC0\x80", "\xC1\xBF", "\xC2", "\xC2\x7F", "\xC2\xC0", "\xE0\x9F\xBF", "\xE0\xA0",
         "\xED\xA0\x80", "\xED\xBF\xBF", "\xF0\x8F\xBF\xBF", "\xF0\x90\x80", "\xF4\x90\x80\x80", "\xF5\x80\x80\x80",
         "\xFE", "\xFF", "eight ascii bytes, then \xE2\x82")
        assert_false(str_is_utf8(str_of(text)));
}

TEST(first_character_has_its_length)
{
    assert_int_equal(str_utf8_first((struct str){0}), 0);
    assert_int_equal(str_utf8_first(STR("ab")), 1);
    assert_int_equal(str_utf8_first(STR("\xC3\xA9 ")), 2);
    assert_int_equal(str_utf8_first(STR("\xE2\x82\xAC ")), 3);
    assert_int_equal(str_utf8_first(STR("\xF0\x9F\x98\x80 ")), 4);
    assert_int_equal(str_utf8_first(STR("\xA9")), 0);
}

TEST(whole_numbers_are_read_strictly)
{
    unsigned long long value = 7;
    assert_true(str_to_uint64(STR("0"), &value));
    assert_true(value == 0);
    assert_true(str_to_uint64(STR("18446744073709551615"), &value));
    assert_true(value == UINT64_MAX);
    EACH(text, "", "00", "01", "+1", "-0", " 1", "1 ", "0x1", "1.0", "18446744073709551616", "99999999999999999999999")
        assert_false(str_to_uint64(str_of(text), &value));
    assert_false(str_to_uint64(STR("1\0"), &value));
    assert_true(str_digits_to_uint64(STR("00000000000000000000042"), &value));
    assert_true(value == 42);
    EACH(text, "", "+1", "1 ", "0x1", "018446744073709551616")
        assert_false(str_digits_to_uint64(str_of(text), &value));
}
