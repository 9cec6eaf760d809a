/* Tests http/document.c: what it writes, and what it does without memory. */
#include "http/document.h"
#include "tests/scratch.h"

#include <cjson/cJSON.h>
#include <stdlib.h>

/* How many allocations of cJSON succeed before all others fail. If it is negative, all succeed. */
static int granted = -1;

static void *grant(size_t size)
{
    if (granted == 0)
        return NULL;
    granted -= granted > 0;
    return malloc(size);
}

static struct status write_one(struct buf *out)
{
    struct document document = document_begin();
    document_add_string(&document, document.root, "name", STR("a\0\"\xff\xc3\xa9"));
    struct cJSON *list = document_add_array(&document, document.root, "list");
    struct cJSON *object = document_add_object(&document, list, NULL);
    document_add_bool(&document, object, "yes", true);
    document_add_bool(&document, object, "no", false);
    document_add_string(&document, list, NULL, STR(""));
    buf_append_literal(document_text(&document), "18446744073709551615");
    document_add_text(&document, document.root, "number");
    document_add_array(&document, document.root, "none");
    struct status status = document_write(&document, out);
    document_free(&document);
    return status;
}

static void test_members_come_in_order_and_strings_whole(void **state)
{
    struct buf out = {0};
    (void)state;
    buf_append_byte(&out, ' ');
    assert_true(is_ok(write_one(&out)));
    struct str wanted = STR(" {\"name\":\"a\\u0000\\\"\\ufffd\xc3\xa9\",\"list\":[{\"yes\":true,\"no\":false},\"\"],"
                            "\"number\":18446744073709551615,\"none\":[]}");
    if (!str_equal(buf_str(&out), wanted))
        fail_msg("%.*s", STR_ARG(buf_str(&out)));
    buf_free(&out);
}

static void test_a_document_is_whole_or_fails(void **state)
{
    (void)state;
    bool is_written = false;
    for (int count = 0; !is_written; count++) {
        struct buf out = {0};
        granted = count;
        struct status status = write_one(&out);
        is_written = is_ok(status);
        granted = -1;
        if (!is_written) {
            assert_int_equal(status.code, STATUS_RESOURCE_EXHAUSTED);
            assert_int_equal(out.size, 0);
        }
        buf_free(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_members_come_in_order_and_strings_whole),
        cmocka_unit_test(test_a_document_is_whole_or_fails),
    };
    cJSON_InitHooks(&(cJSON_Hooks){.malloc_fn = grant, .free_fn = free});
    return cmocka_run_group_tests(tests, NULL, NULL);
}
