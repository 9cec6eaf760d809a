/* An inference, from the request to its outputs: what clients cannot see, or what depends on threads. The suite judges
 * the rest. */
#include "base/search.h"
#include "kit.h"

static struct repository *repository;

static int close_kit(void **state)
{
    if (repository)
        kit_close(repository);
    return drop_arena(state);
}

/* After each test every request was refused or answered. All are freed. */
static int nobody_holds(void **)
{
    bool is_released = !repository || kit_is_released(repository);
    kit_free_all();
    return is_released ? 0 : -1;
}

#define RELEASING_TEST(name) TEST_WITH(name, NULL, nobody_holds)

static const int64_t row[2] = {1, 16};
static const int32_t counting[17] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const int32_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int32_t *const sum = counting + 1; /* of the inputs of ask_simple */

/* Makes a request for the sum and the difference of two rows of 16 numbers. */
static struct asked *ask_simple(void)
{
    struct asked *asked = kit_ask(repository, "simple");
    kit_input(asked, "INPUT0", DATATYPE_INT32, row, 2, counting, 16);
    kit_input(asked, "INPUT1", DATATYPE_INT32, row, 2, ones, 16);
    return asked;
}

static int open_kit(void **state)
{
    make_arena(state);
    repository = kit_open("kit", "builtin");
    return 0;
}

/* Checks an output of 16 numbers. */
static void assert_numbers(const struct asked *asked, size_t position, const char *name, const int32_t *expected)
{
    assert_true(position < asked->response.output_count);
    const struct tensor *output = &asked->response.outputs[position].tensor;
    assert_true(str_is(output->name, name));
    assert_int_equal(output->datatype, DATATYPE_INT32);
    assert_int_equal(output->count, 16);
    assert_int_equal(output->size, 16 * sizeof(*expected));
    assert_memory_equal(output->data, expected, 16 * sizeof(*expected));
}

static const int32_t difference[16] = {-1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14};

const struct unit_group unit_group = {open_kit, close_kit};

RELEASING_TEST(outputs_come_in_the_order_asked_for)
{
    struct asked *asked = ask_simple();
    kit_request_output(asked, "OUTPUT1");
    kit_request_output(asked, "OUTPUT0");
    assert_ok(kit_infer(asked));
    assert_numbers(asked, 0, "OUTPUT1", difference);
    assert_numbers(asked, 1, "OUTPUT0", sum);
    asked = ask_simple();
    kit_request_output(asked, "OUTPUT1");
    assert_ok(kit_infer(asked));
    assert_int_equal(asked->response.output_count, 1);
    assert_numbers(asked, 0, "OUTPUT1", difference);
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

static bool has_left(const struct infer_request *)
{
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

static void *infer_often(void *)
{
    for (int i = 0; i < 2000; i++) {
        struct asked *asked = ask_simple();
        assert_ok(kit_infer(asked));
        assert_numbers(asked, 0, "OUTPUT0", sum);
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

static const struct parameter open_gate = {.name = {"open", 4}, .kind = PARAMETER_BOOL, .boolean = true};

/* `name` is an element of BYTES with one letter. */
static struct asked *ask_gate(struct repository *of, const char *name, bool opens)
{
    static const int64_t shape[1] = {1};
    struct asked *asked = kit_ask(of, "gate");
    kit_input(asked, "INPUT0", DATATYPE_BYTES, shape, 1, name, 1)->size = 5;
    if (opens)
        asked->request.parameters = (struct parameters){&open_gate, 1};
    return asked;
}

RELEASING_TEST(a_gate_lets_the_longest_waiting_request_of_its_name_pass)
{
    struct asked *first = ask_gate(repository, "\1\0\0\0a", false);
    struct asked *second = ask_gate(repository, "\1\0\0\0a", false);
    struct asked *other = ask_gate(repository, "\1\0\0\0b", false);
    infer(&first->request);
    infer(&second->request);
    infer(&other->request);
    assert_int_equal(first->answers + second->answers + other->answers, 0);
    assert_int_equal(repository_holders(repository), 3);

    for (int round = 0; round < 3; round++) {
        struct asked *opener = ask_gate(repository, "\1\0\0\0a", true);
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

    struct asked *opener = ask_gate(repository, "\1\0\0\0b", true);
    assert_ok(kit_infer(opener));
    assert_int_equal(other->answers, 1);
}

RELEASING_TEST(closing_the_repository_fails_who_waits_at_a_gate)
{
    struct repository *own = kit_open("builtin", NULL);
    struct asked *waiting = ask_gate(own, "\1\0\0\0a", false);
    infer(&waiting->request);
    assert_int_equal(waiting->answers, 0);
    assert_int_equal(repository_close(own), 0);
    assert_int_equal(waiting->answers, 1);
    assert_int_equal(waiting->responses, 0);
    assert_int_equal(waiting->request.status.code, STATUS_UNAVAILABLE);
}

RELEASING_TEST(who_waits_for_longer_than_its_timeout_is_refused)
{
    struct parameter patient_for, short_time;
    struct asked *patient = ask_gate(repository, "\1\0\0\0p", false);
    struct asked *late = ask_gate(repository, "\1\0\0\0p", false);
    patient->request.parameters = one_parameter("timeout", INT64_MAX, &patient_for);
    late->request.parameters = one_parameter("timeout", 1000, &short_time);
    infer(&patient->request);
    assert_int_equal(kit_infer(late).code, STATUS_UNAVAILABLE);
    assert_says(late->request.status, SAYS("timeout"));
    assert_int_equal(patient->answers, 0);
    struct asked *opener = ask_gate(repository, "\1\0\0\0p", true);
    assert_ok(kit_infer(opener));
    assert_int_equal(patient->answers, 1);
}

static struct asked *ask_parameters(void)
{
    static const int64_t shape[1] = {2};
    static const int32_t values[2] = {1, 2};
    struct asked *asked = kit_ask(repository, "parameters");
    kit_input(asked, "INPUT0", DATATYPE_INT32, shape, 1, values, 2);
    return asked;
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
            assert_numbers(asked, 0, "OUTPUT0", sum);
    }
}

/* This must be the last test, because nothing is answered after it. */
RELEASING_TEST(a_drain_refuses_new_requests_and_lets_the_others_finish)
{
    struct asked *waiting = ask_gate(repository, "\1\0\0\0d", false);
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
