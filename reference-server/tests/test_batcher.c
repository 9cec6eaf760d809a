/* Dynamic batching: who is joined with whom, and what becomes of them. Nothing here depends on how fast it runs: who
 * shall not wait out a delay is given one of an hour, and who shall be found waiting waits after a thread that is
 * held.
 */
#include "orders.h"

#include "base/search.h"

/* --- A backend whose executions are noted --- */

/* OUTPUT0 is INPUT0 plus 1, WORDS are the numbers of INPUT0 as texts. A row that begins with one of these does more. */
enum { FAILS = -1, LACKS_MEMORY = -2, LOSES_ROWS = -3 };

static pthread_mutex_t noting = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int64_t size;
    int32_t first; /* element */
} noted[1024];
static size_t noted_count;

static void note(const struct tensor *input)
{
    pthread_mutex_lock(&noting);
    size_t at = noted_count++ % COUNT_OF(noted);
    noted[at].size = input->shape[0];
    noted[at].first = ((const int32_t *)input->data)[0];
    pthread_mutex_unlock(&noting);
}

static struct status load(struct model *model)
{
    static const int64_t open[2] = {-1, -1};
    static const struct tensor_spec specs[] = {
        {.name = {"INPUT0", 6}, .datatype = DATATYPE_INT32, .shape = open, .rank = 2},
        {.name = {"OUTPUT0", 7}, .datatype = DATATYPE_INT32, .shape = open, .rank = 2},
        {.name = {"WORDS", 5}, .datatype = DATATYPE_BYTES, .shape = open, .rank = 2}};
    model->inputs = arena_alloc_zero(&model->arena, 3, sizeof(specs[0]));
    memcpy(model->inputs, specs, sizeof(specs));
    model->outputs = model->inputs + 1;
    model->input_count = 1;
    model->output_count = 2;
    model->platform = STR("rows");
    model->implementation = model;
    return STATUS_IS_OK;
}

static bool has_row(const struct tensor *input, int32_t first)
{
    return ANY(row, (size_t)input->shape[0], ((const int32_t *)input->data)[row * (size_t)input->shape[1]] == first);
}

static struct tensor words_of(const struct tensor *input, struct arena *of)
{
    struct buf words = {0};
    for (size_t i = 0; i < input->count; i++) {
        char text[16];
        uint32_t size = (uint32_t)snprintf(text, sizeof(text), "%d", (int)((const int32_t *)input->data)[i]);
        buf_append(&words, &size, sizeof(size));
        buf_append(&words, text, size);
    }
    struct str bytes = arena_take(of, &words);
    return (struct tensor){.name = {"WORDS", 5},
                           .datatype = DATATYPE_BYTES,
                           .shape = input->shape,
                           .rank = 2,
                           .count = input->count,
                           .data = kit_data(bytes.data),
                           .size = bytes.size};
}

static void execute(struct model *, struct execution *execution)
{
    static const int64_t one_row[2] = {1, 1};
    const struct tensor *input = &execution->inputs[0];
    struct tensor *sum = &execution->outputs[0].tensor;
    note(input);
    if (has_row(input, FAILS) || (has_row(input, LACKS_MEMORY) && input->shape[0] > 1)) {
        execution->done(execution, has_row(input, FAILS)
                                       ? status_error(execution->arena, STATUS_INTERNAL, "a row of %d fails", FAILS)
                                       : status_no_memory());
        return;
    }
    struct str name = sum->name;
    *sum = *input;
    sum->name = name;
    if (has_row(input, LOSES_ROWS))
        sum->shape = one_row;
    int32_t *to = sum->data = arena_alloc(execution->arena, input->size);
    for (size_t i = 0; i < input->count; i++)
        to[i] = ((const int32_t *)input->data)[i] + 1;
    execution->outputs[1].tensor = words_of(input, execution->arena);
    execution->emit(execution);
    execution->done(execution, STATUS_IS_OK);
}

static void unload(struct model *)
{
}

static const struct backend rows = {
    .name = "rows", .without_files = true, .is_rowwise = true, .load = load, .execute = execute, .unload = unload};
static const struct backend *const table[] = {&rows, NULL};

/* --- A repository with the model `rows`, and requests to it --- */

static void open_as(const char *config)
{
    put_text("models/rows/config.pbtxt", config);
    const char *path = in_folder("models");
    const struct repository_options options = {.paths = &path, .path_count = 1, .backends = table};
    assert_ok(repository_open(&options, &arena, &repository));
    kit_load(repository);
}

static void open_with(const char *batching)
{
    noted_count = 0;
    open_as(arena_printf(&arena, "backend: 'rows' max_batch_size: 4 dynamic_batching { %s }", batching).data);
    assert_true(repository_ready(repository));
}

#define AN_HOUR "max_queue_delay_microseconds: 3600000000"

#define WIDTH_MAX 4

/* A request of `size` rows of `width` numbers, which count up from `first`. */
static struct asked *ask_wide(int32_t first, int64_t size, int64_t width)
{
    struct asked *asked = kit_ask(repository, "rows");
    int64_t *shape = arena_alloc(&asked->arena, 2 * sizeof(*shape));
    int32_t *data = arena_alloc(&asked->arena, (size_t)(size * width) * sizeof(*data));
    shape[0] = size;
    shape[1] = width;
    for (int64_t i = 0; i < size * width; i++)
        data[i] = first + (int32_t)i;
    kit_input(asked, "INPUT0", DATATYPE_INT32, shape, 2, data, (size_t)(size * width));
    return asked;
}

static struct asked *ask(int32_t first, int64_t size)
{
    struct asked *asked = ask_wide(first, size, 2);
    infer(&asked->request);
    return asked;
}

/* Waits for the answer, which must be its own. */
static void assert_answer(struct asked *asked)
{
    kit_wait(asked);
    assert_ok(asked->request.status);
    assert_int_equal(asked->responses, 1);
    const struct tensor *input = &asked->inputs[0].tensor, *sum = &asked->outputs[0].tensor,
                        *words = &asked->outputs[1].tensor;
    assert_true(str_is(sum->name, "OUTPUT0") && str_is(words->name, "WORDS"));
    assert_int_equal(sum->count, input->count);
    assert_int_equal(sum->size, input->size);
    assert_memory_equal(sum->shape, input->shape, 2 * sizeof(int64_t));
    for (size_t i = 0; i < input->count; i++)
        assert_int_equal(((const int32_t *)sum->data)[i], ((const int32_t *)input->data)[i] + 1);
    struct tensor expected = words_of(input, &asked->arena);
    assert_int_equal(words->count, input->count);
    assert_int_equal(words->size, expected.size);
    assert_memory_equal(words->data, expected.data, expected.size);
    kit_free(asked);
}

static void assert_answers(struct asked *const *asked, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_answer(asked[i]);
}

static struct status outcome(struct asked *asked)
{
    kit_wait(asked);
    struct status status = asked->request.status;
    assert_int_equal(asked->responses, 0);
    status.message = arena_copy(&arena, status.message);
    kit_free(asked);
    return status;
}

/* The executions so far, by the sizes of their batches. */
#define assert_executions(...)                                                                                         \
    do {                                                                                                               \
        static const int64_t sizes_[] = {__VA_ARGS__};                                                                 \
        assert_int_equal(noted_count, COUNT_OF(sizes_));                                                               \
        for (size_t i_ = 0; i_ < COUNT_OF(sizes_); i_++)                                                               \
            assert_int_equal(noted[i_].size, sizes_[i_]);                                                              \
    } while (0)

static struct kit_plug plug;

/* From here on requests wait, since the only compute thread is held, until they are released. */
static void hold_thread(void)
{
    kit_plug(&plug);
}

static void release_thread(void)
{
    atomic_store(&plug.released, true);
}

static int begin(void **state)
{
    int made = make_folder(state);
    assert_ok(compute_start(1, &arena));
    return made;
}

static int end(void **state)
{
    if (repository)
        close_repository();
    compute_stop();
    return drop_folder(state);
}

/* --- Who is joined --- */

#define IN_FOLDER(name) TEST_WITH(name, begin, end)

IN_FOLDER(requests_that_reach_a_preferred_size_are_one_execution)
{
    open_with("preferred_batch_size: 4 " AN_HOUR);
    struct asked *asked[3] = {ask(10, 1), ask(20, 2)};
    assert_int_equal(asked[0]->answers + asked[1]->answers, 0);
    asked[2] = ask(30, 1);
    assert_answers(asked, 3);
    assert_executions(4);
}

IN_FOLDER(without_a_delay_those_are_joined_who_wait_for_a_thread)
{
    struct asked *asked[6];
    open_with("");
    for (int i = 0; i < 2; i++)
        assert_answer(ask(i, 1));
    assert_executions(1, 1);
    hold_thread();
    for (int i = 0; i < 6; i++)
        asked[i] = ask(10 * i, 1);
    release_thread();
    assert_answers(asked, 6);
    assert_executions(1, 1, 4, 2);
}

IN_FOLDER(a_preferred_size_is_taken_rather_than_all)
{
    struct asked *asked[6];
    open_with("preferred_batch_size: [ 1, 3 ]");
    hold_thread();
    for (int i = 0; i < 5; i++)
        asked[i] = ask(10 * i, 1);
    asked[5] = ask(50, 2);
    release_thread();
    assert_answers(asked, 6);
    assert_executions(3, 1, 3);
}

IN_FOLDER(a_batch_ends_before_what_does_not_fit_in_size_or_shape)
{
    static const int64_t shapes[][2] = {{1, 2}, {2, 2}, {2, 2}, {1, 3}, {1, 3}, {1, 2}, {4, 2}};
    struct asked *asked[COUNT_OF(shapes)];
    open_with(AN_HOUR);
    hold_thread();
    for (size_t i = 0; i < COUNT_OF(shapes); i++) {
        asked[i] = ask_wide(10 * (int32_t)i, shapes[i][0], shapes[i][1]);
        infer(&asked[i]->request);
    }
    release_thread();
    assert_answers(asked, COUNT_OF(shapes));
    assert_executions(3, 2, 2, 1, 4);
}

IN_FOLDER(nobody_waits_for_longer_than_the_delay)
{
    open_with("preferred_batch_size: 4 max_queue_delay_microseconds: 1000");
    assert_answers((struct asked *[]){ask(1, 1), ask(2, 1)}, 2);
}

IN_FOLDER(a_lower_priority_is_joined_first)
{
    static const int64_t priorities[] = {0, 2, 1, 2, 1, 1};
    struct parameter rooms[COUNT_OF(priorities)];
    struct asked *asked[COUNT_OF(priorities)];
    open_with("preferred_batch_size: 3");
    hold_thread();
    for (size_t i = 0; i < COUNT_OF(priorities); i++) {
        asked[i] = ask_wide(10 * (int32_t)i, 1, 2);
        asked[i]->request.parameters = one_parameter("priority", priorities[i], &rooms[i]);
        infer(&asked[i]->request);
    }
    release_thread();
    assert_answers(asked, COUNT_OF(priorities));
    assert_executions(3, 3);
    assert_int_equal(noted[0].first, 20);
    assert_int_equal(noted[1].first, 10);
}

IN_FOLDER(streams_and_empty_batches_wait_for_nobody)
{
    open_with(AN_HOUR);
    struct asked *stream = ask_wide(1, 1, 2);
    stream->request.is_streamed = true;
    infer(&stream->request);
    assert_answer(stream);
    struct asked *empty = kit_ask(repository, "rows");
    static const int64_t shape[2] = {0, 2};
    static const int32_t nothing[1];
    kit_input(empty, "INPUT0", DATATYPE_INT32, shape, 2, nothing, 0);
    assert_ok(kit_infer(empty));
    assert_int_equal(empty->outputs[0].tensor.shape[0], 0);
    kit_free(empty);
    assert_executions(1, 0);
}

IN_FOLDER(other_models_have_no_batcher)
{
    EACH(text, "max_batch_size: 4", "dynamic_batching { }", "max_batch_size: 1 dynamic_batching { }",
         "max_batch_size: 4 dynamic_batching { } model_transaction_policy { decoupled: true }") {
        open_as(arena_printf(&arena, "backend: 'rows' %s", text).data);
        const struct model *model = kit_find(repository, "rows", "");
        assert_int_equal(model->state, MODEL_READY);
        assert_null(model->batcher);
        close_repository();
    }
}

/* --- Who leaves --- */

IN_FOLDER(who_breaks_a_duty_is_refused_alone)
{
    open_with("preferred_batch_size: 2 " AN_HOUR);
    struct asked *first = ask(1, 1), *wrong = ask_wide(2, 1, 2);
    wrong->inputs[0].tensor.count = 1;
    infer(&wrong->request);
    assert_broken(outcome(wrong), STATUS_INVALID_ARGUMENT, "data-count");
    assert_int_equal(first->answers, 0);
    assert_answers((struct asked *[]){first, ask(3, 1)}, 2);
    assert_executions(2);
}

IN_FOLDER(who_waits_for_longer_than_its_timeout_is_refused_alone)
{
    struct parameter room;
    open_with("preferred_batch_size: 3 " AN_HOUR);
    struct asked *first = ask(1, 1), *late = ask_wide(2, 1, 2);
    late->request.parameters = one_parameter("timeout", 1000, &room);
    infer(&late->request);
    assert_fails(outcome(late), STATUS_UNAVAILABLE, "rows", "timeout");
    assert_int_equal(first->answers, 0);
    assert_answers((struct asked *[]){first, ask(3, 2)}, 2);
    assert_executions(3);
}

static atomic_bool has_left;

static bool is_awaited(const struct infer_request *)
{
    return !atomic_load(&has_left);
}

IN_FOLDER(whose_client_has_left_is_not_executed)
{
    open_with("preferred_batch_size: 2 " AN_HOUR);
    struct asked *left = ask_wide(1, 1, 2);
    atomic_store(&has_left, false);
    left->request.is_awaited = is_awaited;
    infer(&left->request);
    assert_int_equal(left->answers, 0);
    atomic_store(&has_left, true);
    struct asked *first = ask(2, 1);
    assert_int_equal(outcome(left).code, STATUS_CANCELLED);
    assert_int_equal(first->answers, 0);
    assert_answers((struct asked *[]){first, ask(3, 1)}, 2);
    assert_executions(2);
    assert_int_equal(noted[0].first, 2);
}

IN_FOLDER(a_full_line_takes_nobody)
{
    open_with("default_queue_policy { max_queue_size: 2 }");
    hold_thread();
    struct asked *first = ask(1, 1), *second = ask(2, 1), *third = ask(3, 1);
    assert_fails(outcome(third), STATUS_UNAVAILABLE, "rows", "max_queue_size");
    release_thread();
    assert_answer(first);
    assert_answer(second);
    assert_executions(2);
}

/* --- What fails --- */

IN_FOLDER(all_fail_whose_execution_fails_and_no_others)
{
    open_with("preferred_batch_size: 2");
    hold_thread();
    struct asked *asked[4] = {ask(1, 1), ask(FAILS, 1), ask(3, 1), ask(4, 1)};
    release_thread();
    for (size_t i = 0; i < 2; i++)
        assert_fails(outcome(asked[i]), STATUS_INTERNAL, "a row of -1 fails");
    assert_answer(asked[2]);
    assert_answer(asked[3]);
    assert_executions(2, 2);
}

IN_FOLDER(a_batch_without_memory_is_executed_one_by_one)
{
    open_with("preferred_batch_size: 2 " AN_HOUR);
    assert_answers((struct asked *[]){ask(1, 1), ask(LACKS_MEMORY, 1)}, 2);
    assert_executions(2, 1, 1);

    struct asked *poor = ask_wide(5, 1, 2), *other;
    poor->arena.left = 2000; /* enough for itself, not for the joined outputs */
    infer(&poor->request);
    other = ask_wide(7, 1, 2);
    infer(&other->request);
    assert_answer(poor);
    assert_answer(other);
}

IN_FOLDER(outputs_without_a_row_for_each_are_told)
{
    open_with("preferred_batch_size: 2 " AN_HOUR);
    struct asked *first = ask(1, 1), *second = ask(LOSES_ROWS, 1);
    for (int i = 0; i < 2; i++)
        assert_fails(outcome(i ? second : first), STATUS_INTERNAL, "OUTPUT0", "rows", "[1,1]");
}

/* --- What ends while requests wait --- */

IN_FOLDER(who_waits_in_a_model_that_is_unloaded_or_loaded_anew_is_answered)
{
    static const enum order_kind orders[] = {ORDER_LOAD, ORDER_UNLOAD};
    open_with("preferred_batch_size: 4 " AN_HOUR);
    for (size_t i = 0; i < COUNT_OF(orders); i++) {
        struct asked *first = ask(1, 1), *second = ask(2, 1);
        assert_int_equal(first->answers + second->answers, 0);
        assert_ok(give(orders[i], "rows"));
        assert_answer(first);
        assert_answer(second);
    }
    assert_executions(2, 2);
}

IN_FOLDER(closing_the_repository_fails_who_waits)
{
    open_with("preferred_batch_size: 4 " AN_HOUR);
    struct asked *first = ask(1, 1), *second = ask(2, 1);
    assert_int_equal(repository_close(repository), 0);
    repository = NULL;
    assert_int_equal(outcome(first).code, STATUS_UNAVAILABLE);
    assert_int_equal(outcome(second).code, STATUS_UNAVAILABLE);
    assert_int_equal(noted_count, 0);
}

IN_FOLDER(stopping_the_compute_threads_answers_who_waits)
{
    open_with("preferred_batch_size: 4 " AN_HOUR);
    struct asked *first = ask(1, 1), *second = ask(2, 1);
    compute_stop();
    assert_int_equal(first->answers + second->answers, 2);
    assert_answer(first);
    assert_answer(second);
    assert_answer(ask(3, 1)); /* on this thread */
    assert_executions(2, 1);
}

/* --- Many at once --- */

static void *ask_often(void *seed)
{
    for (int32_t i = 0; i < 500; i++) {
        int32_t number = 1 + i * 7 + *(const int32_t *)seed;
        struct asked *asked = ask_wide(number, 1 + number % 3, 1 + number % 2);
        infer(&asked->request);
        assert_answer(asked);
    }
    return NULL;
}

IN_FOLDER(each_of_many_threads_gets_its_own_answers_while_the_model_is_loaded_anew)
{
    static const int32_t seeds[8] = {0, 1000, 2000, 3000, 4000, 5000, 6000, 7000};
    compute_stop();
    assert_ok(compute_start(3, &arena));
    EACH(text, "", "preferred_batch_size: [ 2, 4 ] max_queue_delay_microseconds: 200") {
        pthread_t threads[8];
        open_with(text);
        for (size_t i = 0; i < 8; i++)
            assert_int_equal(pthread_create(&threads[i], NULL, ask_often, kit_data(&seeds[i])), 0);
        for (int i = 0; i < 10; i++)
            assert_ok(give(ORDER_LOAD, "rows"));
        for (size_t i = 0; i < 8; i++)
            pthread_join(threads[i], NULL);
        close_repository();
    }
}

/* --- Configurations --- */

IN_FOLDER(a_preferred_size_that_cannot_be_is_told)
{
    static const char *const configs[] = {
        "max_batch_size: 4 dynamic_batching { preferred_batch_size: 5 }",
        "max_batch_size: 4 dynamic_batching { preferred_batch_size: [ 2, 0 ] }",
        "max_batch_size: 4 dynamic_batching { preferred_batch_size: -1 }",
        "dynamic_batching { preferred_batch_size: 1 }",
    };
    static const char *const words[] = {"5", "0", "-1", "1"};
    for (size_t i = 0; i < COUNT_OF(configs); i++) {
        open_as(arena_printf(&arena, "backend: 'rows' %s", configs[i]).data);
        const struct model *model = kit_find(repository, "rows", "");
        assert_int_equal(model->state, MODEL_UNAVAILABLE);
        assert_says((struct status){STATUS_INTERNAL, model->reason, NULL},
                    SAYS("config.pbtxt", "preferred_batch_size", words[i], "max_batch_size"));
        close_repository();
    }
}

/* This must be the last test, because nothing is answered after it. */
IN_FOLDER(a_drain_answers_who_waits)
{
    open_with("preferred_batch_size: 4 " AN_HOUR);
    struct asked *first = ask(1, 1), *second = ask(2, 1);
    assert_int_equal(first->answers + second->answers, 0);
    infer_drain();
    assert_answer(first);
    assert_answer(second);
    assert_executions(2);
}
