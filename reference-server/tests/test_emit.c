/* Tests how responses travel from a backend to the caller. The backend here makes as many responses as the parameter
 * `responses` says; with `fails` it fails after them. It answers on a thread of its own. */
#include "folder.h"

#define RESPONSES_MAX 4

static pthread_t thread;

/* --- The backend --- */

static const int64_t one[1] = {1};
static struct tensor_spec output = {.name = {"OUTPUT0", 7}, .datatype = DATATYPE_INT32, .shape = one, .rank = 1};

static struct status load(struct model *model)
{
    model->outputs = &output;
    model->output_count = 1;
    return STATUS_IS_OK;
}

static void *respond(void *argument)
{
    struct execution *execution = argument;
    const struct parameter *responses = parameters_find(&execution->parameters, "responses");
    bool fails = parameters_find(&execution->parameters, "fails");
    for (int32_t i = 0; i < responses->int64; i++) {
        int64_t shape[1] = {1};
        struct parameter index = {.name = STR("index"), .kind = PARAMETER_INT64, .int64 = i};
        int32_t *data = arena_alloc(execution->arena, sizeof(*data));
        struct tensor *tensor = &execution->outputs[0].tensor;
        *data = 100 + i;
        tensor->shape = shape;
        tensor->rank = 1;
        tensor->count = 1;
        tensor->data = data;
        tensor->size = sizeof(*data);
        execution->answer_parameters = (struct parameters){&index, 1};
        execution->emit(execution);
        shape[0] = -1; /* nobody may read the shape any more; the data stays valid */
        index.int64 = -1;
    }
    execution->done(execution, fails ? status_error(execution->arena, STATUS_INTERNAL, "it fails behind its responses")
                                     : STATUS_IS_OK);
    return NULL;
}

static void execute(struct model *, struct execution *execution)
{
    assert_int_equal(pthread_create(&thread, NULL, respond, execution), 0);
}

static const struct backend scripted = {.name = "scripted", .without_files = true, .load = load, .execute = execute};

static int open_scripted(void **state)
{
    static const struct backend *const table[] = {&scripted, NULL};
    const char *path = folder;
    const struct repository_options options = {.paths = &path, .path_count = 1, .backends = table};
    if (make_folder(state) != 0)
        return -1;
    make_directory("model");
    assert_ok(repository_open(&options, &arena, &repository));
    kit_load(repository);
    return 0;
}

/* --- The caller --- */

/* The responses that came, in their order. */
struct seen {
    struct asked *asked;
    int64_t indices[RESPONSES_MAX];
    const int32_t *data[RESPONSES_MAX];
    size_t count, holders;
    size_t fails_at; /* the response that cannot be encoded, counted from 1; 0 means none */
};

static struct seen seen;

static struct status see(struct infer_request *request, const struct infer_response *response)
{
    kit_responded(request, response);
    assert_true(str_is(response->model->name, "model"));
    assert_int_equal(response->output_count, 1);
    assert_int_equal(response->outputs[0].tensor.shape[0], 1);
    seen.indices[seen.count] = parameters_find(&response->parameters, "index")->int64;
    seen.data[seen.count++] = response->outputs[0].tensor.data;
    seen.holders += repository_holders(repository);
    return seen.count == seen.fails_at ? status_error(request->arena, STATUS_OUT_OF_RANGE, "response %zu", seen.count)
                                       : STATUS_IS_OK;
}

static struct status ask(int64_t responses, bool fails, size_t fails_at)
{
    const struct parameter parameters[] = {
        {.name = STR("responses"), .kind = PARAMETER_INT64, .int64 = responses},
        {.name = STR("fails"), .kind = PARAMETER_BOOL, .boolean = true},
    };
    seen = (struct seen){.asked = kit_ask(repository, "model"), .fails_at = fails_at};
    seen.asked->request.parameters = (struct parameters){parameters, fails ? 2 : 1};
    seen.asked->request.emit = see;
    infer(&seen.asked->request);
    kit_wait(seen.asked);
    pthread_join(thread, NULL);
    assert_int_equal(repository_holders(repository), 0);
    return seen.asked->request.status;
}

static void assert_seen(size_t count)
{
    assert_int_equal(seen.count, count);
    assert_int_equal(seen.holders, count); /* the model was held once for each */
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(seen.indices[i], i);
        assert_int_equal(*seen.data[i], 100 + i);
    }
    kit_free(seen.asked);
}

const struct unit_group unit_group = {open_scripted, drop_folder};

TEST(each_response_comes_in_its_order_and_then_done)
{
    assert_ok(ask(3, false, 0));
    assert_seen(3);
}

TEST(a_model_may_be_done_without_a_response)
{
    assert_ok(ask(0, false, 0));
    assert_seen(0);
}

TEST(a_model_may_fail_behind_its_responses)
{
    assert_fails(ask(2, true, 0), STATUS_INTERNAL, "behind its responses");
    assert_seen(2);
}

TEST(a_response_that_cannot_be_encoded_ends_the_request)
{
    assert_fails(ask(3, false, 2), STATUS_OUT_OF_RANGE, "response 2");
    assert_seen(2); /* and no further one is asked for */
}
