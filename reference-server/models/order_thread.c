/* This thread changes the catalog. It carries out the orders, and frees generations that nobody holds
 * any more. It never waits for a load or for a holder: the loaders give their generations back to it, and it looks at
 * the holders of retired generations from time to time. */
#include "models/inside.h"

#include "base/clock.h"
#include <errno.h>

#define GLANCE_NS 10000000L /* the time between two looks at the holders */

static struct generation *loading_of(const struct repository *repository, struct str name)
{
    struct generation *generation = repository->loading;
    while (generation && !str_equal(generation->name, name))
        generation = generation->next_loading;
    return generation;
}

/* Returns false if the order must wait, because its model is loading. To unload a model whose load does not end by
 * itself ends that load. */
static bool carry_out(struct repository *repository, struct order *order)
{
    if (order->is_awaited && !order->is_awaited(order)) {
        order->done(order, status_plain(STATUS_CANCELLED, "the client has left"));
        return true;
    }
    struct generation *loading = order->kind == ORDER_INDEX ? NULL : loading_of(repository, order->model);
    if (loading && order->kind == ORDER_UNLOAD)
        loaders_cancel(loading);
    if (loading)
        return false;
    struct status status = order->kind == ORDER_INDEX  ? order_index(repository, order)
                           : order->kind == ORDER_LOAD ? order_begin_load(repository, order)
                                                       : order_unload(repository, order);
    if (order->kind != ORDER_LOAD || !is_ok(status))
        order->done(order, status);
    return true;
}

static void carry_out_all(struct repository *repository)
{
    for (struct order **at = &repository->waiting; *at;) {
        struct order *order = *at, *next = order->next;
        if (carry_out(repository, order))
            *at = next;
        else
            at = &order->next;
    }
}

static void take_back(struct repository *repository, struct generation *generation)
{
    *generation->at_loading = generation->next_loading;
    if (generation->next_loading)
        generation->next_loading->at_loading = generation->at_loading;
    order_finish_load(repository, generation);
}

/* Waits for orders and loaded generations, or, if there are retired generations, for the next look at them. Returns
 * false when the repository closes. */
static bool next_news(struct repository *repository, struct generation **loaded)
{
    struct order **last = &repository->waiting;
    int64_t until = clock_now() + GLANCE_NS;
    int fault = 0;
    while (*last)
        last = &(*last)->next;
    pthread_mutex_lock(&repository->mutex);
    while (!repository->closing && !repository->orders && !repository->loaded && fault != ETIMEDOUT)
        fault = repository->retired ? clock_wait(&repository->news, &repository->mutex, until)
                                    : pthread_cond_wait(&repository->news, &repository->mutex);
    *last = repository->orders;
    repository->orders = NULL;
    repository->last_order = &repository->orders;
    *loaded = repository->loaded;
    repository->loaded = NULL;
    bool goes_on = !repository->closing;
    pthread_mutex_unlock(&repository->mutex);
    return goes_on;
}

static void *run(void *argument)
{
    struct repository *repository = argument;
    struct generation *loaded;
    while (next_news(repository, &loaded)) {
        while (loaded) {
            struct generation *next = loaded->next;
            take_back(repository, loaded);
            loaded = next;
        }
        carry_out_all(repository);
        catalog_free_retired(repository);
    }
    return NULL;
}

static void refuse(struct order *order)
{
    order->done(order, status_plain(STATUS_UNAVAILABLE, "the server is shutting down"));
}

void repository_order(struct repository *repository, struct order *order)
{
    order->next = NULL;
    pthread_mutex_lock(&repository->mutex);
    bool closing = repository->closing;
    if (!closing) {
        *repository->last_order = order;
        repository->last_order = &order->next;
        pthread_cond_signal(&repository->news);
    }
    pthread_mutex_unlock(&repository->mutex);
    if (closing)
        refuse(order);
}

/* --- Start and end --- */

struct status order_thread_start(struct repository *repository)
{
    const struct catalog *catalog = atomic_load(&repository->catalog);
    for (size_t i = 0; i < catalog->count; i++)
        if (catalog->generations[i]->is_wanted)
            order_give_to_loaders(repository, catalog->generations[i], NULL);
    int fault = pthread_create(&repository->order_thread, NULL, run, repository);
    repository->has_order_thread = fault == 0;
    return fault ? status_error(&repository->arena, STATUS_RESOURCE_EXHAUSTED,
                                "cannot start the thread that keeps the models: %s", strerror(fault))
                 : STATUS_IS_OK;
}

/* Frees or refuses what the order thread leaves behind. */
static void drop_unfinished(struct repository *repository)
{
    struct order *waiting = repository->waiting;
    repository->waiting = NULL;
    while (waiting) {
        struct order *order = waiting;
        waiting = order->next;
        refuse(order);
    }
    while (repository->loading) {
        struct generation *generation = repository->loading;
        repository->loading = generation->next_loading;
        if (generation->order)
            refuse(generation->order);
        if (!generation->is_listed)
            generation_free(generation);
    }
}

void order_thread_join(struct repository *repository)
{
    if (repository->has_order_thread)
        pthread_join(repository->order_thread, NULL);
    repository->has_order_thread = false;
    for (struct generation *generation = repository->loading; generation; generation = generation->next_loading)
        loaders_cancel(generation);
    loaders_join(repository);
    drop_unfinished(repository);
}
