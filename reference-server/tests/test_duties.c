#include "kit.h"

#include "base/count.h"
#include "inference/duties.h"

static struct repository *repository;

static int open_kit(void **state)
{
    make_arena(state);
    repository = kit_open("kit", "broken");
    return 0;
}

static int close_kit(void **state)
{
    kit_close(repository);
    return drop_arena(state);
}

/* After each test nobody may hold a model, whether the request was refused or answered. */
static int nobody_holds(void **state)
{
    (void)state;
    return repository_holders(repository) > 0 ? -1 : 0;
}

static const int32_t counting[17] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const int32_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int64_t row[2] = {1, 16};

/* Makes a valid request; each test changes one thing in it. */
static struct asked *ask_simple(void)
{
    struct asked *asked = kit_ask(repository, "simple");
    kit_input(asked, "INPUT0", DATATYPE_INT32, row, 2, counting, 16);
    kit_input(asked, "INPUT1", DATATYPE_INT32, row, 2, ones, 16);
    return asked;
}

static void assert_refused(struct asked *asked, enum status_code code, const char *slug, const char *const *words)
{
    struct status status = kit_infer(asked);
    assert_broken(status, code, slug);
    assert_says(status, words);
    kit_free(asked);
}

/* With the duty off, the same request must be answered with these INT32 values in its first output. */
static void assert_accepted(struct asked *asked, const char *slug, const int32_t *expected, size_t count)
{
    const char *off[] = {whole_key("v2-rest", slug, &asked->arena).data};
    const struct switches switches = {"v2-rest", off, 1};
    asked->request.switches = &switches;
    assert_ok(kit_infer(asked));
    assert_true(asked->response.output_count > 0);
    const struct tensor *output = &asked->response.outputs[0].tensor;
    assert_int_equal(output->count, count);
    assert_memory_equal(output->data, expected, count * sizeof(*expected));
    kit_free(asked);
}

static const int32_t sum[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static void test_a_right_request_is_accepted(void **state)
{
    (void)state;
    assert_accepted(ask_simple(), "no such duty", sum, 16);
}

static void test_an_unknown_model_is_refused(void **state)
{
    (void)state;
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

static void test_without_model_known_the_model_that_fits_best_answers(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    asked->request.model_name = STR("no_such");
    assert_accepted(asked, "model-known", sum, 16);
}

static void test_an_unknown_version_is_refused(void **state)
{
    (void)state;
    static const char *const versions[] = {"2", "01", "1 ", "latest", "-1"};
    for (size_t i = 0; i < COUNT_OF(versions); i++) {
        struct asked *asked = ask_simple();
        asked->request.model_version = str_of(versions[i]);
        assert_refused(asked, STATUS_NOT_FOUND, "version-known", SAYS("simple", versions[i], "'1'"));
    }
}

static void test_without_version_known_another_version_answers(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    asked->request.model_version = STR("7");
    assert_accepted(asked, "version-known", sum, 16);
}

static void test_a_model_that_did_not_load_is_refused_with_the_reason(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    asked->request.model_name = STR("does_not_load");
    assert_refused(asked, STATUS_FAILED_PRECONDITION, "model-ready", SAYS("does_not_load", "NoSuchOperator"));
}

static void test_model_ready_cannot_be_switched_off(void **state)
{
    (void)state;
    const char *off[] = {"v2-rest.model-ready"};
    const struct switches switches = {"v2-rest", off, 1};
    struct asked *asked = ask_simple();
    asked->request.model_name = STR("does_not_load");
    asked->request.switches = &switches;
    assert_refused(asked, STATUS_FAILED_PRECONDITION, "model-ready", SAYS("does_not_load", "NoSuchOperator"));
}

static void test_a_request_without_inputs_is_refused(void **state)
{
    (void)state;
    struct asked *asked = kit_ask(repository, "simple");
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "inputs-required", SAYS("simple", "INPUT0", "INPUT1"));
}

static void test_without_inputs_required_inputs_are_zeros(void **state)
{
    (void)state;
    static const int32_t zeros[16];
    assert_accepted(kit_ask(repository, "simple"), "inputs-required", zeros, 16);
}

static void test_an_input_given_twice_is_refused(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_input(asked, "INPUT0", DATATYPE_INT32, row, 2, ones, 16);
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "input-once", SAYS("INPUT0"));
}

static void test_without_input_once_the_first_counts(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_input(asked, "INPUT0", DATATYPE_INT32, row, 2, ones, 16);
    assert_accepted(asked, "input-once", sum, 16);
}

static void test_an_unknown_input_is_refused(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_input(asked, "INPUT2", DATATYPE_INT32, row, 2, ones, 16);
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "input-known", SAYS("INPUT2", "simple", "INPUT0", "INPUT1"));
    asked = ask_simple();
    asked->inputs[1].tensor.name = STR("input1"); /* so INPUT1 is missing, and this duty comes first */
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "all-inputs", SAYS("INPUT1"));
}

static void test_without_input_known_it_is_ignored(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_input(asked, "INPUT2", DATATYPE_INT32, row, 2, ones, 16);
    assert_accepted(asked, "input-known", sum, 16);
}

static void test_a_million_inputs_of_one_name_are_refused_soon(void **state)
{
    (void)state;
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

static void test_a_missing_input_is_refused(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    asked->request.input_count = 1;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "all-inputs", SAYS("INPUT1", "simple"));
}

static void test_without_all_inputs_a_missing_one_is_zeros_of_a_fitting_shape(void **state)
{
    (void)state;
    static const int64_t two_rows[2] = {2, 16};
    int32_t data[32];
    for (int32_t i = 0; i < 32; i++)
        data[i] = i;
    struct asked *asked = kit_ask(repository, "simple");
    kit_input(asked, "INPUT0", DATATYPE_INT32, two_rows, 2, data, 32);
    assert_accepted(asked, "all-inputs", data, 32);
}

static void test_another_datatype_is_refused(void **state)
{
    (void)state;
    static const float floats[16];
    struct asked *asked = ask_simple();
    asked->request.input_count = 1;
    kit_input(asked, "INPUT1", DATATYPE_FP32, row, 2, floats, 16);
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "datatype-matches", SAYS("INPUT1", "INT32", "FP32"));
}

static void test_without_datatype_matches_elements_are_cast(void **state)
{
    (void)state;
    static const double doubles[16] = {1, 1.9, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    struct asked *asked = ask_simple();
    asked->request.input_count = 1;
    kit_input(asked, "INPUT1", DATATYPE_FP64, row, 2, doubles, 16);
    assert_accepted(asked, "datatype-matches", sum, 16);
}

static void test_without_datatype_matches_text_becomes_zeros(void **state)
{
    (void)state;
    static const char text[16 * 5] = "\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a"
                                     "\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a\1\0\0\0a";
    struct asked *asked = ask_simple();
    asked->request.input_count = 1;
    struct tensor *tensor = kit_input(asked, "INPUT1", DATATYPE_BYTES, row, 2, text, 16);
    tensor->size = sizeof(text);
    assert_accepted(asked, "datatype-matches", counting, 16);
}

static void test_a_negative_dimension_is_refused(void **state)
{
    (void)state;
    static const int64_t shape[2] = {-1, 16};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.shape = shape;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "shape-not-negative", SAYS("INPUT0", "[-1,16]", "-1"));
}

static void test_without_shape_not_negative_the_sign_is_dropped(void **state)
{
    (void)state;
    static const int64_t shape[2] = {-1, 16};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.shape = shape;
    assert_accepted(asked, "shape-not-negative", sum, 16);
}

static void test_a_shape_of_another_rank_or_size_is_refused(void **state)
{
    (void)state;
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

static void test_without_shape_matches_data_takes_the_models_shape(void **state)
{
    (void)state;
    static const int64_t square[2] = {4, 4}, short_row[2] = {1, 15};
    static const int32_t padded[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.shape = square;
    assert_accepted(asked, "shape-matches", sum, 16);
    asked = ask_simple();
    asked->inputs[0].tensor.shape = short_row;
    asked->inputs[0].tensor.count = 15;
    asked->inputs[0].tensor.size = 15 * sizeof(int32_t);
    assert_accepted(asked, "shape-matches", padded, 16);
}

static void test_more_or_fewer_elements_than_the_shape_holds_are_refused(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.count = 15;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "15", "[1,16]", "16"));
    asked = ask_simple();
    asked->inputs[0].tensor.count = 17;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "17", "[1,16]", "16"));
}

static void test_a_shape_that_overflows_is_refused(void **state)
{
    (void)state;
    static const int64_t huge[2] = {INT64_MAX, 16};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.shape = huge;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "9223372036854775807"));
}

static void test_without_data_count_data_is_filled_or_cut(void **state)
{
    (void)state;
    static const int32_t padded[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 1};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.count = 15;
    asked->inputs[0].tensor.size = 15 * sizeof(int32_t);
    assert_accepted(asked, "data-count", padded, 16);
    asked = ask_simple();
    asked->inputs[0].tensor.count = 17;
    asked->inputs[0].tensor.size = 17 * sizeof(int32_t);
    assert_accepted(asked, "data-count", sum, 16);
}

static void test_the_data_count_of_another_profile_leaves_this_one_alone(void **state)
{
    (void)state;
    const char *off[] = {"x.data-count"};
    const struct switches switches = {"v2-rest", off, 1};
    struct asked *asked = ask_simple();
    asked->inputs[0].tensor.count = 15;
    asked->request.switches = &switches;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0", "15 elements", "16"));
}

static void test_without_data_count_a_shape_beyond_memory_is_an_error_and_no_crash(void **state)
{
    (void)state;
    static const int64_t huge[2] = {INT64_MAX, 16}, large[2] = {(int64_t)1 << 40, 16};
    const char *off[] = {"v2-rest.data-count"};
    const struct switches switches = {"v2-rest", off, 1};
    for (int i = 0; i < 2; i++) {
        struct asked *asked = ask_simple();
        asked->inputs[0].tensor.shape = i ? huge : large;
        asked->request.switches = &switches;
        assert_int_equal(kit_infer(asked).code, STATUS_RESOURCE_EXHAUSTED);
        kit_free(asked);
    }
}

static void test_without_data_count_strings_are_filled_and_cut_whole(void **state)
{
    (void)state;
    static const char text[] = "\2\0\0\0ab\0\0\0\0\1\0\0\0c";
    static const int64_t longer[2] = {1, 5}, shorter[2] = {1, 2};
    const char *off[] = {"v2-rest.data-count"};
    const struct switches switches = {"v2-rest", off, 1};
    struct asked *asked = kit_ask(repository, "identity_bytes");
    kit_input(asked, "INPUT0", DATATYPE_BYTES, longer, 2, text, 3)->size = sizeof(text) - 1;
    asked->request.switches = &switches;
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.outputs[0].tensor.size, sizeof(text) - 1 + 8);
    assert_memory_equal(asked->response.outputs[0].tensor.data, "\2\0\0\0ab\0\0\0\0\1\0\0\0c\0\0\0\0\0\0\0\0",
                        sizeof(text) - 1 + 8);
    kit_free(asked);
    asked = kit_ask(repository, "identity_bytes");
    kit_input(asked, "INPUT0", DATATYPE_BYTES, shorter, 2, text, 3)->size = sizeof(text) - 1;
    asked->request.switches = &switches;
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.outputs[0].tensor.size, 10);
    kit_free(asked);
}

static void test_an_output_asked_for_twice_is_refused(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT1");
    kit_request_output(asked, "OUTPUT1");
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "output-once", SAYS("OUTPUT1"));
}

static void test_without_output_once_it_is_given_once(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT0");
    kit_request_output(asked, "OUTPUT0");
    assert_accepted(asked, "output-once", sum, 16);
}

static void test_an_unknown_output_is_refused(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT2");
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "output-known", SAYS("OUTPUT2", "simple", "OUTPUT0", "OUTPUT1"));
}

static void test_without_output_known_it_is_left_out(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT2");
    kit_request_output(asked, "OUTPUT0");
    assert_accepted(asked, "output-known", sum, 16);
}

static void test_the_first_broken_duty_of_the_table_answers(void **state)
{
    (void)state;
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT2");
    asked->inputs[0].tensor.count = 15;
    assert_refused(asked, STATUS_INVALID_ARGUMENT, "data-count", SAYS("INPUT0"));
}

#define HOLDING_NOTHING(test) cmocka_unit_test_teardown(test, nobody_holds)

int main(void)
{
    const struct CMUnitTest tests[] = {
        HOLDING_NOTHING(test_a_right_request_is_accepted),
        HOLDING_NOTHING(test_an_unknown_model_is_refused),
        HOLDING_NOTHING(test_without_model_known_the_model_that_fits_best_answers),
        HOLDING_NOTHING(test_an_unknown_version_is_refused),
        HOLDING_NOTHING(test_without_version_known_another_version_answers),
        HOLDING_NOTHING(test_a_model_that_did_not_load_is_refused_with_the_reason),
        HOLDING_NOTHING(test_model_ready_cannot_be_switched_off),
        HOLDING_NOTHING(test_a_request_without_inputs_is_refused),
        HOLDING_NOTHING(test_without_inputs_required_inputs_are_zeros),
        HOLDING_NOTHING(test_an_input_given_twice_is_refused),
        HOLDING_NOTHING(test_without_input_once_the_first_counts),
        HOLDING_NOTHING(test_an_unknown_input_is_refused),
        HOLDING_NOTHING(test_without_input_known_it_is_ignored),
        HOLDING_NOTHING(test_a_million_inputs_of_one_name_are_refused_soon),
        HOLDING_NOTHING(test_a_missing_input_is_refused),
        HOLDING_NOTHING(test_without_all_inputs_a_missing_one_is_zeros_of_a_fitting_shape),
        HOLDING_NOTHING(test_another_datatype_is_refused),
        HOLDING_NOTHING(test_without_datatype_matches_elements_are_cast),
        HOLDING_NOTHING(test_without_datatype_matches_text_becomes_zeros),
        HOLDING_NOTHING(test_a_negative_dimension_is_refused),
        HOLDING_NOTHING(test_without_shape_not_negative_the_sign_is_dropped),
        HOLDING_NOTHING(test_a_shape_of_another_rank_or_size_is_refused),
        HOLDING_NOTHING(test_without_shape_matches_data_takes_the_models_shape),
        HOLDING_NOTHING(test_more_or_fewer_elements_than_the_shape_holds_are_refused),
        HOLDING_NOTHING(test_a_shape_that_overflows_is_refused),
        HOLDING_NOTHING(test_without_data_count_data_is_filled_or_cut),
        HOLDING_NOTHING(test_the_data_count_of_another_profile_leaves_this_one_alone),
        HOLDING_NOTHING(test_without_data_count_a_shape_beyond_memory_is_an_error_and_no_crash),
        HOLDING_NOTHING(test_without_data_count_strings_are_filled_and_cut_whole),
        HOLDING_NOTHING(test_an_output_asked_for_twice_is_refused),
        HOLDING_NOTHING(test_without_output_once_it_is_given_once),
        HOLDING_NOTHING(test_an_unknown_output_is_refused),
        HOLDING_NOTHING(test_without_output_known_it_is_left_out),
        HOLDING_NOTHING(test_the_first_broken_duty_of_the_table_answers),
    };
    return cmocka_run_group_tests_name("duties", tests, open_kit, close_kit);
}
