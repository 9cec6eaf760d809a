/* Status values: code, sentence and broken requirement. */
#include "base/status.h"
#include "tests/unit.h"

TEST(an_error_stays_one_without_memory)
{
    struct arena arena = arena_new(0);
    struct status status = status_error(&arena, STATUS_INTERNAL, "a sentence");
    assert_int_equal(status.code, STATUS_INTERNAL);
    assert_true(status.message.size > 0);
    status = status_no_memory();
    assert_int_equal(status.code, STATUS_RESOURCE_EXHAUSTED);
    assert_true(status.message.size > 0);
}

TEST(codes_have_the_names_and_numbers_of_google_rpc_code)
{
    static const char *const names[] = {
        "OK",        "CANCELLED",       "UNKNOWN",           "INVALID_ARGUMENT",   "DEADLINE_EXCEEDED",
        "NOT_FOUND", "ALREADY_EXISTS",  "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION",
        "ABORTED",   "OUT_OF_RANGE",    "UNIMPLEMENTED",     "INTERNAL",           "UNAVAILABLE",
        "DATA_LOSS", "UNAUTHENTICATED",
    };
    for (int i = 0; i < 17; i++) {
        enum status_code code;
        assert_string_equal(status_code_name((enum status_code)i), names[i]);
        assert_true(status_code_from_name(str_of(names[i]), &code));
        assert_int_equal(code, i);
    }
}

TEST(unknown_codes_and_names_have_no_other)
{
    enum status_code code;
    assert_null(status_code_name((enum status_code)17));
    assert_null(status_code_name((enum status_code) - 1));
    EACH(text, "ok", "", "INTERNAL ")
        assert_false(status_code_from_name(str_of(text), &code));
}
