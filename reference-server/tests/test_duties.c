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

/* A test that a right request, once it is changed, is refused for that duty, in a sentence that has these words. */
#define REFUSED(name, code, slug, words, change)                                                                       \
    RELEASING_TEST(name)                                                                                               \
    {                                                                                                                  \
        struct asked *asked = ask_simple();                                                                            \
        change;                                                                                                        \
        assert_refused(asked, STATUS_##code, slug, words);                                                             \
    }

#define INPUT(i)   (asked->inputs[i].tensor)
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__})

RELEASING_TEST(a_right_request_is_accepted)
{
    struct asked *asked = ask_simple();
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.output_count, 2);
    assert_int_equal(asked->response.outputs[0].tensor.count, 16);
    assert_memory_equal(asked->response.outputs[0].tensor.data, sum, 16 * sizeof(int32_t));
    kit_free(asked);
}

REFUSED(an_unknown_model_is_refused, NOT_FOUND, "model-known", SAYS("no_such"),
        asked->request.model_name = STR("no_such"))
REFUSED(a_model_in_other_letters_is_refused, NOT_FOUND, "model-known", SAYS("Simple"),
        asked->request.model_name = STR("Simple"))
REFUSED(a_model_with_a_nul_is_refused, NOT_FOUND, "model-known", SAYS("simple\\x00"),
        asked->request.model_name = STR("simple\0"))

RELEASING_TEST(an_unknown_version_is_refused)
{
    EACH(text, "2", "01", "1 ", "latest", "-1") {
        struct asked *asked = ask_simple();
        asked->request.model_version = str_of(text);
        assert_refused(asked, STATUS_NOT_FOUND, "version-known", SAYS("simple", text, "'1'"));
    }
}

REFUSED(a_model_that_did_not_load_is_refused_with_the_reason, FAILED_PRECONDITION, "model-ready",
        SAYS("does_not_load", "NoSuchOperator"), asked->request.model_name = STR("does_not_load"))
REFUSED(a_request_without_inputs_is_refused, INVALID_ARGUMENT, "inputs-required", SAYS("simple", "INPUT0", "INPUT1"),
        asked->request.input_count = 0)
REFUSED(an_input_given_twice_is_refused, INVALID_ARGUMENT, "input-once", SAYS("INPUT0"),
        kit_input(asked, "INPUT0", DATATYPE_INT32, row, 2, ones, 16))
REFUSED(an_unknown_input_is_refused, INVALID_ARGUMENT, "input-known", SAYS("INPUT2", "simple", "INPUT0", "INPUT1"),
        kit_input(asked, "INPUT2", DATATYPE_INT32, row, 2, ones, 16))
REFUSED(a_missing_input_is_told_before_an_unknown_one, INVALID_ARGUMENT, "all-inputs", SAYS("INPUT1"),
        INPUT(1).name = STR("input1"))
REFUSED(a_missing_input_is_refused, INVALID_ARGUMENT, "all-inputs", SAYS("INPUT1", "simple"),
        asked->request.input_count = 1)

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

REFUSED(another_datatype_is_refused, INVALID_ARGUMENT, "datatype-matches", SAYS("INPUT1", "INT32", "FP32"),
        INPUT(1).datatype = DATATYPE_FP32)
REFUSED(a_negative_dimension_is_refused, INVALID_ARGUMENT, "shape-not-negative", SAYS("INPUT0", "[-1,16]", "-1"),
        INPUT(0).shape = SHAPE(-1, 16))
REFUSED(a_shape_of_a_lower_rank_is_refused, INVALID_ARGUMENT, "shape-matches", SAYS("INPUT1", "[16]", "[-1,16]"),
        (INPUT(1).shape = SHAPE(16), INPUT(1).rank = 1))
REFUSED(a_shape_of_another_size_is_refused, INVALID_ARGUMENT, "shape-matches", SAYS("INPUT1", "[4,4]", "[-1,16]"),
        INPUT(1).shape = SHAPE(4, 4))
REFUSED(a_shape_of_a_higher_rank_is_refused, INVALID_ARGUMENT, "shape-matches", SAYS("INPUT1", "[1,1,16]"),
        (INPUT(1).shape = SHAPE(1, 1, 16), INPUT(1).rank = 3))
REFUSED(fewer_elements_than_the_shape_holds_are_refused, INVALID_ARGUMENT, "data-count",
        SAYS("INPUT0", "15", "[1,16]", "16"), INPUT(0).count = 15)
REFUSED(more_elements_than_the_shape_holds_are_refused, INVALID_ARGUMENT, "data-count",
        SAYS("INPUT0", "17", "[1,16]", "16"), INPUT(0).count = 17)
REFUSED(a_shape_that_overflows_is_refused, INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "9223372036854775807"),
        INPUT(0).shape = SHAPE(INT64_MAX, 16))
REFUSED(an_output_asked_for_twice_is_refused, INVALID_ARGUMENT, "output-once", SAYS("OUTPUT1"),
        (kit_request_output(asked, "OUTPUT1"), kit_request_output(asked, "OUTPUT1")))
REFUSED(an_unknown_output_is_refused, INVALID_ARGUMENT, "output-known", SAYS("OUTPUT2", "simple", "OUTPUT0", "OUTPUT1"),
        kit_request_output(asked, "OUTPUT2"))
REFUSED(the_first_broken_duty_of_the_table_answers, INVALID_ARGUMENT, "data-count", SAYS("INPUT0"),
        (kit_request_output(asked, "OUTPUT2"), INPUT(0).count = 15))
