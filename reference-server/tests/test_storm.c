/* A storm: clients infer all the time, while others load, load again and unload the same models. Every request is
 * answered rightly or refused because the model is not ready, and no model is freed while it is used, which the
 * sanitizers see: `make storm` runs this test under the thread sanitizer.
 *
 *     [ROUNDS=N] test_storm     how often each of the changers changes each model; 30 unless told */
#include "base/search.h"
#include "orders.h"

#define CLIENTS  6
#define CHANGERS 3
#define MODELS   2

static int rounds = 30;
static atomic_int changers_left;
static const char *const names[MODELS] = {"ab", "cd"};

struct client {
    pthread_t thread;
    size_t answered, not_ready;
};

/* Asks a model for the sum of two tensors. It may be ready or not. */
static void ask(struct client *client, const char *name)
{
    static const int64_t shape[] = {1, 16};
    int32_t ones[16], twos[16];
    for (int i = 0; i < 16; i++) {
        ones[i] = 1;
        twos[i] = 2;
    }
    struct asked *asked = kit_ask(repository, name);
    kit_input(asked, "INPUT0", DATATYPE_INT32, shape, 2, ones, 16);
    kit_input(asked, "INPUT1", DATATYPE_INT32, shape, 2, twos, 16);
    struct status status = kit_infer(asked);
    if (is_ok(status)) {
        const int32_t *sum = asked->outputs[0].tensor.data;
        for (int i = 0; i < 16; i++)
            assert_int_equal(sum[i], 3);
        client->answered++;
    } else {
        assert_broken(status, STATUS_FAILED_PRECONDITION, "model-ready");
        client->not_ready++;
    }
    kit_free(asked);
}

/* Whoever is told that a model is ready can ask what it is, as long as it holds it. */
static void describe(const char *name)
{
    struct arena own = arena_new((size_t)1 << 20);
    struct model_hold held;
    struct model_row *rows;
    struct str *versions;
    size_t count;
    assert_ok(repository_find(repository, str_of(name), STR("1"), &own, &held));
    if (atomic_load(&held.model->state) == MODEL_READY)
        assert_true(held.model->input_count == 2 && str_is(held.model->inputs[1].name, "INPUT1"));
    model_release(&held);
    assert_true(repository_versions(repository, str_of(name), &own, &versions) <= 1);
    assert_ok(repository_list(repository, &own, &rows, &count));
    assert_int_equal(count, MODELS);
    (void)repository_ready(repository);
    arena_free(&own);
}

static void *be_a_client(void *argument)
{
    struct client *client = argument;
    for (size_t i = 0; atomic_load(&changers_left) > 0; i++) {
        ask(client, names[i % MODELS]);
        describe(names[i % MODELS]);
    }
    return NULL;
}

static void *be_a_changer(void *)
{
    static const enum order_kind kinds[] = {ORDER_LOAD, ORDER_UNLOAD, ORDER_LOAD, ORDER_INDEX};
    for (int i = 0; i < rounds; i++)
        for (size_t j = 0; j < COUNT_OF(kinds) * MODELS; j++) {
            struct given *given = new_order(kinds[j / MODELS], names[j % MODELS]);
            repository_order(repository, &given->order);
            assert_ok(answered(given));
            free_order(given);
        }
    atomic_fetch_sub(&changers_left, 1);
    return NULL;
}

FOLDER_TEST(models_change_under_the_hands_of_their_clients)
{
    static struct client clients[CLIENTS];
    pthread_t changers[CHANGERS];
    const char *told = getenv("ROUNDS");
    if (told)
        rounds = (int)strtol(told, NULL, 10);
    for (size_t i = 0; i < MODELS; i++)
        put_model(arena_printf(&arena, "one/%s/1", names[i]).data, "simple");
    open_loaded(in_folder("one"), NULL, NULL);
    atomic_store(&changers_left, CHANGERS);
    for (size_t i = 0; i < CLIENTS; i++)
        assert_int_equal(pthread_create(&clients[i].thread, NULL, be_a_client, &clients[i]), 0);
    for (size_t i = 0; i < CHANGERS; i++)
        assert_int_equal(pthread_create(&changers[i], NULL, be_a_changer, NULL), 0);
    for (size_t i = 0; i < CHANGERS; i++)
        pthread_join(changers[i], NULL);
    size_t answered_ones = 0, refused = 0;
    for (size_t i = 0; i < CLIENTS; i++) {
        pthread_join(clients[i].thread, NULL);
        answered_ones += clients[i].answered;
        refused += clients[i].not_ready;
    }
    printf("%zu requests were answered and %zu found their model not ready, during %d changes\n", answered_ones,
           refused, CHANGERS * rounds * 4 * MODELS);
    assert_true(answered_ones > 0);
    for (size_t i = 0; i < MODELS; i++)
        assert_ok(give(ORDER_LOAD, names[i]));
    assert_true(repository_ready(repository));
    assert_int_equal(repository_holders(repository), 0);
}
