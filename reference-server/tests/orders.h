/* What tests of orders to the model repository share: repositories in a folder of their own, and orders that are waited
 * for. */
#pragma once

#include "tests/folder.h"

#include <semaphore.h>

/* Puts a model of a built-in kind into the folder. */
static inline void put_builtin(const char *root, const char *name, const char *kind)
{
    struct str config = arena_printf(&arena,
                                     "backend: 'oip' parameters { key: 'kind' value { string_value: '%s' } }"
                                     "input { name: 'INPUT0' data_type: TYPE_STRING dims: 1 }"
                                     "output { name: 'OUTPUT0' data_type: TYPE_STRING dims: 1 }",
                                     kind);
    put(arena_printf(&arena, "%s/%s/config.pbtxt", root, name).data, config);
}

/* --- Orders --- */

struct given {
    struct order order;
    struct arena arena;
    sem_t answers;
    struct status status;
};

static inline void order_done(struct order *order, struct status status)
{
    struct given *given = order->context;
    given->status = status;
    sem_post(&given->answers);
}

static inline struct given *new_order(enum order_kind kind, const char *model)
{
    struct given *given = calloc(1, sizeof(*given));
    assert_non_null(given);
    given->arena = arena_new((size_t)64 << 20);
    sem_init(&given->answers, 0, 0);
    given->order = (struct order){.kind = kind, .arena = &given->arena, .done = order_done, .context = given};
    given->order.model = str_of(model);
    return given;
}

/* Waits for the answer to an order that was given, which must be the only one. */
static inline struct status answered(struct given *given)
{
    int more;
    sem_wait(&given->answers);
    sem_getvalue(&given->answers, &more);
    assert_int_equal(more, 0);
    return given->status;
}

static inline void free_order(struct given *given)
{
    arena_free(&given->arena);
    sem_destroy(&given->answers);
    free(given);
}

/* Gives an order, waits for it, and copies its message into the arena of the test. */
static inline struct status carried_out(struct given *given)
{
    repository_order(repository, &given->order);
    struct status status = answered(given);
    status.message = arena_copy(&arena, status.message);
    return status;
}

static inline struct status give(enum order_kind kind, const char *model)
{
    struct given *given = new_order(kind, model);
    struct status status = carried_out(given);
    free_order(given);
    return status;
}
