/* The duties of an inference request, one by one. */
#include "simple.h"

#include "base/count.h"
#include "inference/duties.h"

static int open_kit(void **state)
{
    make_arena(state);
    repository = kit_open("kit", "broken");
    return 0;
}

static void assert_refused(struct asked *asked, enum status_code code, const char *slug, const char *const *words)
{
    struct status status = kit_infer(asked);
    assert_broken(status, code, slug);
    assert_says(status, words);
    kit_free(asked);
}

const struct unit_group unit_group = {open_kit, close_kit};

RELEASING_TEST(a_right_request_is_accepted)
{
    struct asked *asked = ask_simple();
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.output_count, 2);
    assert_int_equal(asked->response.outputs[0].tensor.count, 16);
    assert_memory_equal(asked->response.outputs[0].tensor.data, sum, 16 * sizeof(int32_t));
    kit_free(asked);
}

RELEASING_TEST(an_unknown_model_is_refused)
{
    struct asked *asked = ask_simple();
    asked->request.model_name = STR("no_such");
    assert_refused(asked, STATUS_NOT_FOUND, "model-known", SAYS("no_such"));
    asked = ask_simple();
    asked->request.model_name = STR("Simple");
    assert_refused(asked, STATUS_NOT_FOUND, "model-known", SAYS("Simple"));
    asked = ask_simple();
    asked->request.model_name = (struct str){"simple\0", 7};
    assert_refused(asked, STATUS_NOT_FOUND, "model-known", SAYS("simple\\x00"));
}

RELEASING_TEST(an_unknown_version_is_refused)
{
    static const char *const versions[] = {"2", "01", "1 ", "latest", "-1"};
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        struct asked *asked = ask_simple();
        asked->request.model_version = str_of(versions[i]);
        assert_refused(asked, STATUS_NOT_FOUND, "version-known", SAYS("simple", versions[i], "'1'"));
    }
}

RELEASING_TEST(a_model_that_did_not_load_is_refused_with_the_reason)
{
    struct asked *asked = ask_simple();
    asked->request.model_name = STR("does_not_load");
    assert_refused(asked, STATUS_FAILED_PRECONDITION, "model-ready", SAYS("does_not_load", "NoSuchOperator"));
}

RELEASING_TEST(a_request_without_inputs_is_refused)
{
    struct asked *asked = kit_ask(repository, "simple");
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "inputs-required", SAYS("simple", "INPUT0", "INPUT1"));
}

RELEASING_TEST(an_input_given_twice_is_refused)
{
    struct asked *asked = ask_simple();
    kit_input(asked, "INPUT0", DATATYPE_INT32, row, 2, ones, 16);
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "input-once", SAYS("INPUT0"));
}

RELEASING_TEST(an_unknown_input_is_refused)
{
    struct asked *asked = ask_simple();
    kit_input(asked, "INPUT2", DATATYPE_INT32, row, 2, ones, 16);
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "input-known", SAYS("INPUT2", "simple", "INPUT0", "INPUT1"));
    asked = ask_simple();
    asked->inputs[1].tensor.name = STR("input1"); /* so INPUT1 is missing, and this duty comes first */
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "all-inputs", SAYS("INPUT1"));
}

RELEASING_TEST(a_million_inputs_of_one_name_are_refused_soon)
{
    struct asked *asked = ask_simple();
    size_t count = 1000000;
    struct infer_input *inputs = malloc(count * sizeof(*inputs));
    assert_non_null(inputs);
    for (size_t i = 0; i < count; i++) {
        inputs[i] = asked->inputs[0];
        inputs[i].tensor.name = STR("unknown");
    }
    asked->request.inputs = inputs;
    asked->request.input_count = count;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "input-once", SAYS("unknown"));
    free(inputs);
}

RELEASING_TEST(a_missing_input_is_refused)
{
    struct asked *asked = ask_simple();
    asked->request.input_count = 1;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "all-inputs", SAYS("INPUT1", "simple"));
}

RELEASING_TEST(another_datatype_is_refused)
{
    static const float floats[16];
    struct asked *asked = ask_simple();
    asked->request.input_count = 1;
    kit_input(asked, "INPUT1", DATATYPE_FP32, row, 2, floats, 16);
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "datatype-matches", SAYS("INPUT1", "INT32", "FP32"));
}

RELEASING_TEST(a_negative_dimension_is_refused)
{
    static const int64_t shape[2] = {-1, 16};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.shape = shape;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "shape-not-negative", SAYS("INPUT0", "[-1,16]", "-1"));
}

RELEASING_TEST(a_shape_of_another_rank_or_size_is_refused)
{
    static const int64_t flat[1] = {16}, square[2] = {4, 4}, deep[3] = {1, 1, 16};
    struct asked *asked = ask_simple();
    asked->inputs[1].tensor.shape = flat;
    asked->inputs[1].tensor.rank = 1;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "shape-matches", SAYS("INPUT1", "[16]", "[-1,16]"));
    asked = ask_simple();
    asked->inputs[1].tensor.shape = square;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "shape-matches", SAYS("INPUT1", "[4,4]", "[-1,16]"));
    asked = ask_simple();
    asked->inputs[1].tensor.shape = deep;
    asked->inputs[1].tensor.rank = 3;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "shape-matches", SAYS("INPUT1", "[1,1,16]"));
}

RELEASING_TEST(more_or_fewer_elements_than_the_shape_holds_are_refused)
{
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.count = 15;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "15", "[1,16]", "16"));
    asked = ask_simple();
    asked->inputs[0].tensor.count = 17;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "17", "[1,16]", "16"));
}

RELEASING_TEST(a_shape_that_overflows_is_refused)
{
    static const int64_t huge[2] = {INT64_MAX, 16};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.shape = huge;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "9223372036854775807"));
}

RELEASING_TEST(an_output_asked_for_twice_is_refused)
{
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT1");
    kit_request_output(asked, "OUTPUT1");
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "output-once", SAYS("OUTPUT1"));
}

RELEASING_TEST(an_unknown_output_is_refused)
{
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT2");
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "output-known", SAYS("OUTPUT2", "simple", "OUTPUT0", "OUTPUT1"));
}

RELEASING_TEST(the_first_broken_duty_of_the_table_answers)
{
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT2");
    asked->inputs[0].tensor.count = 15;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0"));
}
