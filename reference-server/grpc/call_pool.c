/* Each queue has a pool of its own, so that the memory of a call stays with the processor that serves the queue. The
 * pools outlive the server, because a handler may release its call after the stop. */
#include "grpc/call.h"

#include <grpc/support/alloc.h>

#define POOLS         16
#define POOLED_CALLS  256 /* calls that a pool keeps; further ones are freed */
#define METADATA_KEPT 64  /* rows of metadata for which a call keeps memory */

struct call_pool {
    _Alignas(64) pthread_mutex_t lock;
    struct server_call *calls;
    size_t count;
};

static struct call_pool pools[POOLS] = {[0 ... POOLS - 1] = {.lock = PTHREAD_MUTEX_INITIALIZER}};

struct call_pool *call_pool_of(size_t queue)
{
    return &pools[queue % POOLS];
}

struct server_call *call_take(struct call_pool *pool, size_t arena_budget)
{
    pthread_mutex_lock(&pool->lock);
    struct server_call *call = pool->calls;
    if (call) {
        pool->calls = call->next;
        pool->count--;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!call) {
        call = gpr_zalloc(sizeof(*call)); /* gpr_zalloc never returns NULL */
        call->pool = pool;
        call->arena = arena_new(arena_budget);
        grpc_metadata_array_init(&call->metadata);
        grpc_call_details_init(&call->details);
    }
    call->next = NULL;
    call->arena.budget = call->arena.left = arena_budget;
    return call;
}

static void free_call(struct server_call *call)
{
    grpc_metadata_array_destroy(&call->metadata);
    arena_free(&call->arena);
    gpr_free(call);
}

void call_give_back(struct server_call *call)
{
    arena_reset(&call->arena, 0);
    call->metadata.count = 0;
    if (call->metadata.capacity > METADATA_KEPT) {
        grpc_metadata_array_destroy(&call->metadata);
        grpc_metadata_array_init(&call->metadata);
    }
    call->trailing_count = 0;
    call->rpc = (struct rpc_call){0};
    struct call_pool *pool = call->pool;
    pthread_mutex_lock(&pool->lock);
    bool is_kept = pool->count < POOLED_CALLS;
    if (is_kept) {
        call->next = pool->calls;
        pool->calls = call;
        pool->count++;
    }
    pthread_mutex_unlock(&pool->lock);
    if (!is_kept)
        free_call(call);
}

static void empty_pool(struct call_pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    struct server_call *next, *call = pool->calls;
    pool->calls = NULL;
    pool->count = 0;
    pthread_mutex_unlock(&pool->lock);
    for (; call; call = next) {
        next = call->next;
        free_call(call);
    }
}

void call_pools_empty(void)
{
    for (size_t i = 0; i < POOLS; i++)
        empty_pool(&pools[i]);
}
