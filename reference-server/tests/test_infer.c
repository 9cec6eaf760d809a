/* An inference, from the request to its outputs and statistics. */
#include "simple.h"

#include "base/count.h"
#include "models/compute.h"
#include "models/statistics.h"
#include "tree/tree.h"
#include "json/number.h"
#include <stdlib.h>
#include <time.h>

static int open_kit(void **state)
{
    make_arena(state);
    repository = kit_open("kit", "builtin");
    return 0;
}

static void assert_int32_output(const struct asked *asked, size_t position, const char *name, const int32_t *expected,
                                size_t count)
{
    assert_true(position < asked->response.output_count);
    const struct tensor *output = &asked->response.outputs[position].tensor;
    assert_true(str_is(output->name, name));
    assert_int_equal(output->datatype, DATATYPE_INT32);
    assert_int_equal(output->count, count);
    assert_int_equal(output->size, count * sizeof(*expected));
    assert_memory_equal(output->data, expected, count * sizeof(*expected));
}

static const int32_t difference[16] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

const struct unit_group unit_group = {open_kit, close_kit};

RELEASING_TEST(all_outputs_come_in_the_models_order)
{
    struct asked *asked = ask_simple();
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.output_count, 2);
    assert_int32_output(asked, 0, "OUTPUT0", sum, 16);
    assert_int32_output(asked, 1, "OUTPUT1", difference, 16);
    assert_int_equal(asked->response.outputs[0].tensor.rank, 2);
    assert_int_equal(asked->response.outputs[0].tensor.shape[1], 16);
    assert_int_equal(asked->response.parameters.count, 0);
}

static struct statistics_sum statistics_of_simple(void)
{
    return statistics_sum(kit_find(repository, "simple", "1")->statistics);
}

RELEASING_TEST(requests_are_counted)
{
    struct statistics_sum before = statistics_of_simple();
    for (int i = 0; i < 2; i++) {
        struct asked *asked = ask_simple();
        assert_ok(kit_infer(asked));
    }
    struct asked *refused = ask_simple();
    kit_request_output(refused, "NO_SUCH");
    assert_int_equal(kit_infer(refused).code, STATUS_INVALID_ARGUMENT);
    struct statistics_sum after = statistics_of_simple();
    assert_int_equal(after.succeeded, before.succeeded + 2);
    assert_int_equal(after.inferences, before.inferences + 2);
    assert_int_equal(after.failed, before.failed + 1);
    assert_true(after.failed_ns > before.failed_ns);
    assert_true(after.ns[PART_INFER] > before.ns[PART_INFER]);
    assert_true(after.last_ms >= before.last_ms && after.last_ms > 0);
}

RELEASING_TEST(outputs_come_in_the_order_asked_for)
{
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT1");
    kit_request_output(asked, "OUTPUT0");
    assert_ok(kit_infer(asked));
    assert_int32_output(asked, 0, "OUTPUT1", difference, 16);
    assert_int32_output(asked, 1, "OUTPUT0", sum, 16);
    asked = ask_simple();
    kit_request_output(asked, "OUTPUT1");
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.output_count, 1);
    assert_int32_output(asked, 0, "OUTPUT1", difference, 16);
}

RELEASING_TEST(inputs_may_come_in_any_order)
{
    struct asked *asked = kit_ask(repository, "simple");
    kit_input(asked, "INPUT1", DATATYPE_INT32, row, 2, ones, 16);
    kit_input(asked, "INPUT0", DATATYPE_INT32, row, 2, counting, 16);
    assert_ok(kit_infer(asked));
    assert_int32_output(asked, 1, "OUTPUT1", difference, 16);
}

RELEASING_TEST(integers_wrap_and_are_exact)
{
    int32_t a[16] = {16777217, INT32_MAX, INT32_MIN}, b[16] = {1, 1, 1};
    const int32_t sums[16] = {16777218, INT32_MIN, INT32_MIN + 1},
                  differences[16] = {16777216, INT32_MAX - 1, INT32_MAX};
    struct asked *asked = ask_rows(row, a, row, b);
    assert_ok(kit_infer(asked));
    assert_int32_output(asked, 0, "OUTPUT0", sums, 16);
    assert_int32_output(asked, 1, "OUTPUT1", differences, 16);
}

RELEASING_TEST(identity_forwards_its_input_without_a_copy)
{
    static const int64_t shape[2] = {2, 2};
    for (int type = DATATYPE_NONE + 1; type < DATATYPE_COUNT; type++) {
        char name[32] = "identity_", data[64] = {0}; /* BYTES data of empty strings */
        size_t length = strlen(name);
        for (const char *at = datatype_name((enum datatype)type); *at; at++)
            name[length++] = (char)(*at | ' ' | (*at >= '0' && *at <= '9' ? *at : 0));
        struct asked *asked = kit_ask(repository, name);
        struct tensor *input = kit_input(asked, "INPUT0", (enum datatype)type, shape, 2, data, 4);
        if (type == DATATYPE_BYTES)
            input->size = 16;
        assert_ok(kit_infer(asked));
        const struct tensor *output = &asked->response.outputs[0].tensor;
        assert_ptr_equal(output->data, data);
        assert_int_equal(output->datatype, type);
        assert_int_equal(output->size, input->size);
        assert_int_equal(output->shape[0] * output->shape[1], 4);
    }
}

RELEASING_TEST(an_empty_tensor_goes_through)
{
    static const int64_t empty[2] = {0, 16};
    struct asked *asked = ask_rows(empty, NULL, empty, NULL);
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.outputs[0].tensor.count, 0);
    assert_int_equal(asked->response.outputs[0].tensor.shape[0], 0);
}

RELEASING_TEST(rows_broadcast_where_the_model_lets_them)
{
    static const int64_t two[2] = {2, 16};
    int32_t data[32], expected[32];
    for (int32_t i = 0; i < 32; i++) {
        data[i] = i * 100;
        expected[i] = i * 100 + 1;
    }
    struct asked *asked = ask_rows(two, data, row, ones);
    assert_ok(kit_infer(asked));
    assert_int32_output(asked, 0, "OUTPUT0", expected, 32);
}

RELEASING_TEST(shapes_that_do_not_fit_each_other_are_refused_by_the_node)
{
    static const int64_t two[2] = {2, 16}, three[2] = {3, 16};
    static const int32_t data[48];
    assert_fails(kit_infer(ask_rows(two, data, three, data)), STATUS_INVALID_ARGUMENT, "sum", "[2,16]", "[3,16]");
}

RELEASING_TEST(each_version_answers_for_itself_and_the_highest_by_default)
{
    static const int64_t shape[2] = {1, 4};
    static const int32_t data[4] = {0, 1, -100, 1000}, first[4] = {100, 101, 0, 1100},
                         second[4] = {200, 201, 100, 1200};
    static const struct {
        const char *version, *answers;
        const int32_t *expected;
    } cases[] = {{"1", "1", first}, {"2", "2", second}, {"", "2", second}};
    EACH_ROW(one, cases, one->version) {
        struct asked *asked = kit_ask(repository, "versioned");
        asked->request.model_version = str_of(one->version);
        kit_input(asked, "INPUT0", DATATYPE_INT32, shape, 2, data, 4);
        assert_ok(kit_infer(asked));
        assert_true(str_is(asked->response.model->version, one->answers));
        assert_int32_output(asked, 0, "OUTPUT0", one->expected, 4);
    }
}

RELEASING_TEST(a_scalar_has_rank_0)
{
    static const float value = 1.25F;
    struct asked *asked = kit_ask(repository, "scalar");
    kit_input(asked, "INPUT0", DATATYPE_FP32, NULL, 0, &value, 1);
    assert_ok(kit_infer(asked));
    const struct tensor *output = &asked->response.outputs[0].tensor;
    assert_int_equal(output->rank, 0);
    assert_int_equal(output->count, 1);
    assert_true(*(const float *)output->data == 2.5F);
}

RELEASING_TEST(one_input_becomes_four_datatypes)
{
    static const int64_t shape[2] = {1, 4};
    static const int32_t data[4] = {0, -1, 16777217, INT32_MIN};
    static const int64_t int64s[4] = {0, -1, 16777217, INT32_MIN};
    static const float floats[4] = {0.0F, -1.0F, 16777216.0F, -2147483648.0F};
    struct asked *asked = kit_ask(repository, "many_outputs");
    kit_input(asked, "INPUT0", DATATYPE_INT32, shape, 2, data, 4);
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.output_count, 4);
    const struct model_output *outputs = asked->response.outputs;
    assert_memory_equal(outputs[0].tensor.data, data, sizeof(data));
    assert_int_equal(outputs[1].tensor.datatype, DATATYPE_INT64);
    assert_memory_equal(outputs[1].tensor.data, int64s, sizeof(int64s));
    assert_int_equal(outputs[2].tensor.datatype, DATATYPE_FP32);
    assert_memory_equal(outputs[2].tensor.data, floats, sizeof(floats));
    assert_int_equal(outputs[3].tensor.datatype, DATATYPE_BOOL);
    assert_memory_equal(outputs[3].tensor.data, "\0\1\1\1", 4);
}

RELEASING_TEST(names_outside_ascii_are_names)
{
    static const int64_t shape[1] = {2};
    static const int32_t a[2] = {1, 2}, b[2] = {10, 20}, both[2] = {11, 22};
    struct asked *asked = kit_ask(repository, "unicode");
    kit_input(asked, "größe", DATATYPE_INT32, shape, 1, a, 2);
    kit_input(asked, "数量", DATATYPE_INT32, shape, 1, b, 2);
    assert_ok(kit_infer(asked));
    assert_int32_output(asked, 0, "итог", both, 2);
    assert_int32_output(asked, 1, "🙂", a, 2);
}

/* --- Float models: what onnxruntime computed (fixtures/models/expected.py) --- */

static double value_of(const struct tree *number)
{
    double value;
    assert_true(number_read_double(number->text, &value));
    return value;
}

static float *read_floats(const struct tree *list)
{
    float *data = calloc(list->count, sizeof(*data));
    size_t i = 0;
    for (const struct tree *item = list->first; item; item = item->next)
        data[i++] = (float)value_of(item);
    return data;
}

static void assert_expected(const struct tree *expected)
{
    const struct tree *input = tree_member(expected, "input"), *output = tree_member(expected, "output");
    const struct tree *values = tree_member(input, "data"), *results = tree_member(output, "data");
    int64_t shape[8];
    size_t rank = 0;
    for (const struct tree *item = tree_member(input, "shape")->first; item; item = item->next)
        assert_true(tree_to_int64(item, &shape[rank++]));
    float *data = read_floats(values), *wanted = read_floats(results);
    struct asked *asked = kit_ask(repository, arena_copy(&arena, tree_text(expected, "model")).data);
    kit_input(asked, "INPUT0", DATATYPE_FP32, shape, rank, data, values->count);
    kit_request_output(asked, arena_copy(&arena, tree_text(output, "name")).data);
    assert_ok(kit_infer(asked));
    const struct tensor *result = &asked->response.outputs[0].tensor;
    assert_int_equal(result->count, results->count);
    bool exact = str_is(asked->request.model_name, "convnet"); /* its weights leave nothing to round */
    for (size_t i = 0; i < results->count; i++)
        assert_float_equal(((const float *)result->data)[i], wanted[i], exact ? 0 : 1e-5F);
    free(data);
    free(wanted);
}

RELEASING_TEST(float_models_compute_what_onnxruntime_computes)
{
    FILE *file = fopen("fixtures/models/expected.json", "rb");
    assert_non_null(file);
    static char text[1 << 16];
    size_t size = fread(text, 1, sizeof(text) - 1, file);
    fclose(file);
    struct tree *all;
    assert_ok(tree_parse((struct str){text, size}, &arena, &all));
    assert_true(all->count >= 12);
    for (const struct tree *expected = all->first; expected; expected = expected->next)
        assert_expected(expected);
}

/* --- Threads --- */

static struct asked *ask_classifier(void)
{
    static const int64_t shape[2] = {1, 4};
    static const float data[4] = {1, 2, 3, 4};
    struct asked *asked = kit_ask(repository, "classifier");
    kit_input(asked, "INPUT0", DATATYPE_FP32, shape, 2, data, 4);
    return asked;
}

RELEASING_TEST(models_on_onednn_run_on_compute_threads_and_others_do_not)
{
    assert_ok(compute_start(2, &arena));
    struct asked *asked[16];
    for (size_t i = 0; i < 16; i++) {
        asked[i] = ask_classifier();
        infer(&asked[i]->request);
    }
    for (size_t i = 0; i < 16; i++) {
        kit_wait(asked[i]);
        assert_ok(asked[i]->request.status);
        assert_false(pthread_equal(asked[i]->answered_by, pthread_self()));
    }
    struct asked *small = ask_simple();
    assert_ok(kit_infer(small));
    assert_true(pthread_equal(small->answered_by, pthread_self()));
    compute_stop();
}

RELEASING_TEST(stopping_the_compute_threads_answers_what_is_queued)
{
    assert_ok(compute_start(1, &arena));
    struct asked *asked[64];
    for (size_t i = 0; i < 64; i++) {
        asked[i] = ask_classifier();
        infer(&asked[i]->request);
    }
    compute_stop();
    for (size_t i = 0; i < 64; i++) {
        assert_int_equal(asked[i]->answers, 1);
        assert_ok(asked[i]->request.status);
    }
}

/* Requests in the order in which they were done. */
static const struct asked *done_order[8];
static atomic_size_t done_count;

static void note_order(struct infer_request *request)
{
    struct asked *asked = request->context;
    done_order[atomic_fetch_add(&done_count, 1)] = asked;
    kit_answered(request);
}

RELEASING_TEST(compute_threads_take_jobs_by_priority_and_refuse_who_is_late)
{
    static const struct {
        const char *name;
        int64_t value;
        enum status_code code;
    } rows[] = {{"priority", 0, STATUS_OK}, {"priority", 2, STATUS_OK},        {"timeout", 1, STATUS_UNAVAILABLE},
                {"priority", 1, STATUS_OK}, {"timeout", INT64_MAX, STATUS_OK}, {"priority", 1, STATUS_OK}};
    enum { COUNT = COUNT_OF(rows) };
    static const int order[COUNT] = {3, 5, 1, 0, 2, 4};
    struct kit_plug plug;
    struct parameter parameters[COUNT];
    struct asked *asked[COUNT];
    assert_ok(compute_start(1, &arena));
    kit_plug(&plug);
    atomic_store(&done_count, 0);
    for (size_t i = 0; i < COUNT; i++) {
        asked[i] = ask_classifier();
        asked[i]->request.parameters = one_parameter(rows[i].name, rows[i].value, &parameters[i]);
        asked[i]->request.done = note_order;
        infer(&asked[i]->request);
    }
    while (!turn_is_late(&asked[2]->request.turn))
        sched_yield();
    atomic_store(&plug.released, true);
    compute_stop();
    for (int i = 0; i < COUNT; i++) {
        assert_ptr_equal(done_order[i], asked[order[i]]);
        assert_int_equal(asked[order[i]]->request.status.code, rows[order[i]].code);
    }
}

static bool has_left(const struct infer_request *request)
{
    (void)request;
    return false;
}

RELEASING_TEST(compute_threads_leave_out_whose_client_has_left)
{
    struct kit_plug plug;
    struct asked *left = ask_classifier(), *stays = ask_classifier();
    left->request.is_awaited = has_left;
    assert_ok(compute_start(1, &arena));
    kit_plug(&plug);
    infer(&left->request);
    infer(&stays->request);
    nanosleep(&(struct timespec){.tv_nsec = 10 * 1000 * 1000}, NULL);
    atomic_store(&plug.released, true);
    compute_stop();
    assert_int_equal(left->request.status.code, STATUS_CANCELLED);
    assert_ok(stays->request.status);
}

RELEASING_TEST(models_on_onednn_run_where_they_are_without_compute_threads)
{
    struct asked *asked = ask_classifier();
    assert_ok(kit_infer(asked));
    assert_true(pthread_equal(asked->answered_by, pthread_self()));
}

static void *infer_often(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2000; i++) {
        struct asked *asked = ask_simple();
        assert_ok(kit_infer(asked));
        assert_int32_output(asked, 0, "OUTPUT0", sum, 16);
        kit_free(asked);
    }
    return NULL;
}

RELEASING_TEST(threads_do_not_disturb_each_other)
{
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, infer_often, NULL), 0);
    for (size_t i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* --- Holding --- */

static size_t holders_when_done;

static void count_holders(struct infer_request *request)
{
    holders_when_done = repository_holders(repository);
    kit_answered(request);
}

RELEASING_TEST(a_model_is_held_until_its_request_is_done_and_no_longer)
{
    struct asked *asked = ask_simple();
    asked->request.done = count_holders;
    assert_ok(kit_infer(asked));
    assert_int_equal(holders_when_done, 1);
    assert_int_equal(repository_holders(repository), 0);

    asked = ask_simple();
    asked->request.input_count = 1; /* a duty refuses this */
    asked->request.done = count_holders;
    assert_int_equal(kit_infer(asked).code, STATUS_INVALID_ARGUMENT);
    assert_int_equal(holders_when_done, 1);
    assert_int_equal(repository_holders(repository), 0);
}

/* --- Built-in models --- */

RELEASING_TEST(the_failing_model_fails_with_internal)
{
    static const int64_t shape[1] = {1};
    static const float value = 1;
    struct asked *asked = kit_ask(repository, "failing");
    kit_input(asked, "INPUT0", DATATYPE_FP32, shape, 1, &value, 1);
    struct status status = kit_infer(asked);
    assert_int_equal(status.code, STATUS_INTERNAL);
    assert_null(status.broken);
    assert_says(status, SAYS("failing"));
}

static const struct parameter open_gate = {.name = {"open", 4}, .kind = PARAMETER_BOOL, .boolean = true};

static struct asked *ask_gate(struct repository *of, const char *bytes, size_t size, bool opens)
{
    static const int64_t shape[1] = {1};
    struct asked *asked = kit_ask(of, "gate");
    kit_input(asked, "INPUT0", DATATYPE_BYTES, shape, 1, bytes, 1)->size = size;
    if (opens)
        asked->request.parameters = (struct parameters){&open_gate, 1};
    return asked;
}

RELEASING_TEST(a_gate_lets_the_longest_waiting_request_of_its_name_pass)
{
    struct asked *first = ask_gate(repository, "\1\0\0\0a", 5, false);
    struct asked *second = ask_gate(repository, "\1\0\0\0a", 5, false);
    struct asked *other = ask_gate(repository, "\1\0\0\0b", 5, false);
    infer(&first->request);
    infer(&second->request);
    infer(&other->request);
    assert_int_equal(first->answers + second->answers + other->answers, 0);
    assert_int_equal(repository_holders(repository), 3);

    for (int round = 0; round < 3; round++) {
        struct asked *opener = ask_gate(repository, "\1\0\0\0a", 5, true);
        assert_ok(kit_infer(opener));
        const struct parameter *released = parameters_find(&opener->response.parameters, "released");
        assert_non_null(released);
        assert_int_equal(released->int64, round < 2);
        assert_memory_equal(opener->response.outputs[0].tensor.data, "\1\0\0\0a", 5);
        assert_int_equal(first->answers, 1);
        assert_int_equal(second->answers, round > 0);
        assert_int_equal(other->answers, 0);
    }
    assert_ok(first->request.status);
    assert_int_equal(first->response.outputs[0].tensor.size, 5);
    assert_memory_equal(first->response.outputs[0].tensor.data, "\1\0\0\0a", 5);

    struct asked *opener = ask_gate(repository, "\1\0\0\0b", 5, true);
    assert_ok(kit_infer(opener));
    assert_int_equal(other->answers, 1);
}

RELEASING_TEST(who_sees_at_a_gate_passes_when_a_request_waits_there)
{
    const struct parameter see = {.name = STR("see"), .kind = PARAMETER_BOOL, .boolean = true};
    struct asked *early = ask_gate(repository, "\1\0\0\0s", 5, false),
                 *late = ask_gate(repository, "\1\0\0\0s", 5, false);
    struct asked *waits = ask_gate(repository, "\1\0\0\0s", 5, false),
                 *opener = ask_gate(repository, "\1\0\0\0s", 5, true);
    early->request.parameters = late->request.parameters = (struct parameters){&see, 1};
    infer(&early->request);
    assert_int_equal(early->answers, 0);
    infer(&waits->request);
    assert_int_equal(early->answers, 1);
    assert_ok(kit_infer(late));
    assert_int_equal(waits->answers, 0);
    assert_ok(kit_infer(opener));
    assert_int_equal(waits->answers, 1);
    assert_ok(waits->request.status);
}

RELEASING_TEST(closing_the_repository_fails_who_waits_at_a_gate)
{
    struct repository *own = kit_open("builtin", NULL);
    struct asked *waiting = ask_gate(own, "\1\0\0\0a", 5, false);
    infer(&waiting->request);
    assert_int_equal(waiting->answers, 0);
    assert_int_equal(repository_close(own), 0);
    assert_int_equal(waiting->answers, 1);
    assert_int_equal(waiting->responses, 0);
    assert_int_equal(waiting->request.status.code, STATUS_UNAVAILABLE);
}

static struct asked *ask_gate_with(const struct parameter *list, size_t count)
{
    struct asked *asked = ask_gate(repository, "\1\0\0\0p", 5, false);
    asked->request.parameters = (struct parameters){list, count};
    return asked;
}

static int64_t turn_of(const struct asked *asked)
{
    const struct parameter *turn = parameters_find(&asked->response.parameters, "turn");
    assert_non_null(turn);
    return turn->int64;
}

RELEASING_TEST(who_waits_passes_by_priority_and_then_by_age)
{
    static const struct {
        int64_t priority, turn;
    } rows[] = {{0, 5}, {3, 3}, {1, 1}, {3, 4}, {2, 2}};
    struct parameter priorities[5], count = {.name = {"count", 5}, .kind = PARAMETER_INT64, .int64 = 5};
    struct asked *asked[5];
    for (size_t i = 0; i < 5; i++) {
        asked[i] = ask_gate_with(priorities + i, 1);
        asked[i]->request.parameters = one_parameter("priority", rows[i].priority, &priorities[i]);
        infer(&asked[i]->request);
    }
    struct asked *opener = ask_gate_with((const struct parameter[]){open_gate, count}, 2);
    assert_ok(kit_infer(opener));
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(asked[i]->answers, 1);
        assert_int_equal(turn_of(asked[i]), rows[i].turn);
    }
}

RELEASING_TEST(who_waits_for_longer_than_its_timeout_is_refused)
{
    struct parameter patient_for, short_time;
    struct asked *patient = ask_gate_with(NULL, 0), *late = ask_gate_with(NULL, 0);
    patient->request.parameters = one_parameter("timeout", INT64_MAX, &patient_for);
    late->request.parameters = one_parameter("timeout", 1000, &short_time);
    infer(&patient->request);
    assert_int_equal(kit_infer(late).code, STATUS_UNAVAILABLE);
    assert_says(late->request.status, SAYS("timeout"));
    assert_int_equal(patient->answers, 0);
    struct asked *opener = ask_gate(repository, "\1\0\0\0p", 5, true);
    assert_ok(kit_infer(opener));
    assert_int_equal(patient->answers, 1);
}

RELEASING_TEST(priorities_and_timeouts_are_whole_numbers)
{
    static const struct parameter wrong[] = {
        {.kind = PARAMETER_INT64, .int64 = -1},
        {.kind = PARAMETER_DOUBLE, .number = 1},
        {.kind = PARAMETER_BOOL, .boolean = true},
        {.kind = PARAMETER_STRING, .string = {"1", 1}},
    };
    static const char *const names[] = {"priority", "timeout"};
    for (size_t i = 0; i < 8; i++) {
        struct parameter parameter = wrong[i / 2];
        parameter.name = str_of(names[i % 2]);
        struct asked *asked = ask_simple();
        asked->request.parameters = (struct parameters){&parameter, 1};
        assert_int_equal(kit_infer(asked).code, STATUS_INVALID_ARGUMENT);
        assert_says(asked->request.status, SAYS(names[i % 2]));
    }
    struct parameter largest = {.name = STR("timeout"), .kind = PARAMETER_UINT64, .uint64 = UINT64_MAX};
    struct asked *asked = ask_simple();
    asked->request.parameters = (struct parameters){&largest, 1};
    assert_ok(kit_infer(asked));
    assert_true(asked->request.turn.deadline == TURN_NO_DEADLINE);
}

static struct asked *ask_parameters(void)
{
    static const int64_t shape[1] = {2};
    static const int32_t values[2] = {1, 2};
    struct asked *asked = kit_ask(repository, "parameters");
    kit_input(asked, "INPUT0", DATATYPE_INT32, shape, 1, values, 2);
    return asked;
}

RELEASING_TEST(a_request_without_parameters_has_those_of_the_metadata)
{
    struct asked *asked = ask_parameters();
    assert_ok(kit_infer(asked));
    const struct infer_response *response = &asked->response;
    assert_int_equal(response->parameters.count, 3);
    assert_int_equal(parameters_find(&response->parameters, "count")->int64, 3);
    assert_int_equal(response->outputs[0].parameters.count, 3);
    assert_int_equal(parameters_find(&response->outputs[0].parameters, "offset")->int64, -1);
    assert_int_equal(response->outputs[1].parameters.count, 3);
    assert_int_equal(parameters_find(&response->outputs[1].parameters, "top")->int64, 5);
}

RELEASING_TEST(parameters_of_a_request_stand_before_those_of_the_metadata)
{
    struct parameter rooms[3];
    struct asked *asked = ask_parameters();
    asked->request.parameters = one_parameter("count", 4, &rooms[0]);
    asked->inputs[0].parameters = one_parameter("offset", 0, &rooms[1]);
    kit_request_output(asked, "OUTPUT1");
    kit_request_output(asked, "OUTPUT0");
    asked->requested[0].parameters = one_parameter("top", 6, &rooms[2]);
    assert_ok(kit_infer(asked));
    const struct infer_response *response = &asked->response;
    assert_int_equal(response->parameters.count, 3);
    assert_int_equal(parameters_find(&response->parameters, "count")->int64, 4);
    assert_true(parameters_find(&response->parameters, "verbose")->boolean);
    assert_int_equal(parameters_find(&response->outputs[1].parameters, "offset")->int64, 0);
    assert_true(str_is(parameters_find(&response->outputs[1].parameters, "unit")->string, "mm"));
    assert_int_equal(parameters_find(&response->outputs[0].parameters, "top")->int64, 6);
    assert_true(str_is(parameters_find(&response->outputs[0].parameters, "unit")->string, "m"));
}

/* --- Limits --- */

RELEASING_TEST(an_arena_that_gives_out_is_an_error)
{
    for (size_t budget = 0; budget < 4096; budget += 64) {
        struct asked *asked = ask_simple();
        asked->arena = arena_new(budget);
        struct status status = kit_infer(asked);
        if (!is_ok(status))
            assert_int_equal(status.code, STATUS_RESOURCE_EXHAUSTED);
        else
            assert_int32_output(asked, 0, "OUTPUT0", sum, 16);
    }
}

/* This must be the last test, because nothing is answered after it. */
RELEASING_TEST(a_drain_refuses_new_requests_and_lets_the_others_finish)
{
    struct asked *waiting = ask_gate(repository, "\1\0\0\0d", 5, false);
    infer(&waiting->request);
    assert_false(infer_draining());
    infer_drain();
    assert_true(infer_draining());
    struct asked *late = ask_simple();
    assert_fails(kit_infer(late), STATUS_UNAVAILABLE, "shutting down");
    assert_null(late->request.hold.model);
    assert_int_equal(waiting->answers, 0);

    assert_int_equal(repository_close(repository), 0); /* as after a drain that ran out of time */
    assert_int_equal(waiting->answers, 1);
    assert_int_equal(waiting->request.status.code, STATUS_UNAVAILABLE);
    repository = NULL;
}
