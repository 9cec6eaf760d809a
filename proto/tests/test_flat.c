#include "scratch.h"

#include <stdio.h>

#include "flat/message.h"
#include "flat/writer.h"
#include "schema/graphpipe.h"

static struct str bytes_of(const char *hex)
{
    char *bytes = arena_alloc(&arena, strlen(hex));
    size_t size = 0;
    for (; *hex; hex++) {
        if (*hex == ' ')
            continue;
        unsigned byte;
        assert_int_equal(sscanf(hex, "%2x", &byte), 1);
        bytes[size++] = (char)byte;
        hex++;
    }
    return (struct str){bytes, size};
}

static void expect_tree(const struct flat_table *root, struct str message, const char *json)
{
    struct tree *tree = NULL;
    struct buf text = {0};
    struct status status = flat_to_tree(root, message, &arena, &tree, NULL);
    if (!is_ok(status))
        fail_msg("%.*s", STR_ARG(status.message));
    tree_write(tree, &text);
    if (!tree_equal(tree, parse(json)))
        fail_msg("%.*s is not %s", STR_ARG(buf_str(&text)), json);
    buf_free(&text);
}

/* The two forms of one request, from flatbuffers' Python library and from flatc. */
static void test_forms(void **state)
{
    (void)state;
    const char *json = "{\"req_type\": \"MetadataRequest\", \"req\": {}}";
    expect_tree(&graphpipe_request, bytes_of("0c000000 08000c000b000400 08000000 0c000000 000000 02 04000400 04000000"),
                json);
    expect_tree(&graphpipe_request, bytes_of("0c000000 08000c0007000800 08000000 00000002 08000000 04000400 04000000"),
                json);
}

static void round_trip(const struct flat_table *root, const char *json)
{
    struct buf out = {0};
    struct status status = flat_from_tree(root, parse(json), &out, &arena);
    if (!is_ok(status))
        fail_msg("%.*s", STR_ARG(status.message));
    expect_tree(root, buf_str(&out), json);
    buf_free(&out);
}

static void test_round_trips(void **state)
{
    (void)state;
    round_trip(&graphpipe_request, "{\"req_type\": \"NONE\"}");
    round_trip(&graphpipe_request, "{\"req_type\": 200}");
    round_trip(&graphpipe_request,
               "{\"req_type\": \"InferRequest\", \"req\": {\"config\": \"\", \"input_names\": [\"a\", \"\"], "
               "\"input_tensors\": [{\"type\": \"Float32\", \"shape\": [1, -2, 9223372036854775807], \"data\": "
               "\"abcdefg\"}, {\"type\": \"String\", \"shape\": [], \"string_val\": [\"a\\u0000b\", \"\"]}, {\"type\": "
               "\"Null\"}, {\"type\": 13, \"data\": \"\"}], \"output_names\": []}}");
    round_trip(&graphpipe_infer_response, "{\"output_tensors\": [], \"errors\": [{\"code\": -7, \"message\": \"no\"}, "
                                          "{\"code\": 0}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_forms, make_arena, drop_arena),
        cmocka_unit_test_setup_teardown(test_round_trips, make_arena, drop_arena),
    };
    return cmocka_run_group_tests_name("flat", tests, NULL, NULL);
}
