/* A loop: one thread, which waits for sockets, timers and posts. Nothing that it does may block. */
#include "grpc/server.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS      256
#define RETRY_AFTER (10 * 1000000) /* nanoseconds until calls that wait for memory are looked at again */

void loop_post(struct loop *loop, struct post *post)
{
    const uint64_t one = 1;
    post->next = NULL;
    pthread_mutex_lock(&loop->lock);
    bool was_empty = !loop->posts;
    *loop->last_post = post;
    loop->last_post = &post->next;
    /* The lock is held: once the loop has this post, it may end, and its file be closed. */
    if (was_empty && write(loop->wake_fd, &one, sizeof(one)) < 0)
        abort(); /* an eventfd that takes no more has been written to 2^64 times */
    pthread_mutex_unlock(&loop->lock);
}

static void take_posts(struct loop *loop)
{
    uint64_t count;
    pthread_mutex_lock(&loop->lock);
    struct post *post = loop->posts, *next;
    loop->posts = NULL;
    loop->last_post = &loop->posts;
    if (post && read(loop->wake_fd, &count, sizeof(count)) < 0)
        abort();
    pthread_mutex_unlock(&loop->lock);
    for (; post; post = next) {
        next = post->next;
        post->take(loop, post);
    }
}

static void woken(struct source *source, uint32_t events)
{
    (void)events;
    take_posts((struct loop *)source);
}

bool loop_watch(struct loop *loop, int fd, struct source *source, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ||
           epoll_ctl(loop->epoll, EPOLL_CTL_MOD, fd, &event) == 0;
}

void loop_unwatch(struct loop *loop, int fd)
{
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
}

static void retry(struct timer *timer)
{
    struct loop *loop = (struct loop *)((char *)timer - offsetof(struct loop, retry));
    bool some_wait = false;
    for (struct connection *connection = loop->connections; connection; connection = connection->next) {
        some_wait |= calls_admit(connection);
        connection_mark(connection);
    }
    if (some_wait)
        timer_set(&loop->timers, timer, loop->now + RETRY_AFTER);
}

static void stop(struct loop *loop, struct post *post)
{
    (void)post;
    loop->is_stopping = true;
    if (loop->server->listener.loop == loop)
        listener_close(loop->server);
    for (struct connection *next, *connection = loop->connections; connection; connection = next) {
        next = connection->next;
        nghttp2_session_terminate_session(connection->session, NGHTTP2_NO_ERROR);
        connection_flush(connection);
        connection_close(connection);
    }
}

static void drain(struct loop *loop, struct post *post)
{
    (void)post;
    loop->is_draining = true;
    for (struct connection *connection = loop->connections; connection; connection = connection->next)
        connection_drain(connection);
}

static void flush_dirty(struct loop *loop)
{
    while (loop->dirty) {
        struct connection *connection = loop->dirty;
        loop->dirty = connection->next_dirty;
        connection->is_dirty = false;
        connection_flush(connection);
    }
}

static void free_closed(struct loop *loop)
{
    while (loop->closed) {
        struct connection *connection = loop->closed;
        loop->closed = connection->next_closed;
        free(connection);
    }
}

static int milliseconds_to_wait(const struct loop *loop)
{
    const struct timers *timers = &loop->timers;
    if (loop->heavy.first)
        return loop->heavy.is_blocked;
    if (timers->count == 0)
        return -1;
    int64_t wait = timers->heap[0]->at - timer_now();
    return wait <= 0 ? 0 : wait > 3600 * (int64_t)SECOND ? 3600000 : (int)((wait + 999999) / 1000000);
}

static void *run(void *argument)
{
    struct loop *loop = argument;
    struct epoll_event events[EVENTS];
    while (!loop->is_stopping || loop->owed > 0) {
        int count = epoll_wait(loop->epoll, events, EVENTS, milliseconds_to_wait(loop));
        loop->now = timer_now();
        for (int i = 0; i < count; i++) {
            struct source *source = events[i].data.ptr;
            source->happened(source, events[i].events);
        }
        timers_run(&loop->timers, loop->now);
        if (loop->heavy.first)
            heavy_attend(loop);
        flush_dirty(loop);
        free_closed(loop);
    }
    return NULL;
}

struct status loop_open(struct loop *loop, struct rpc_server *server, struct arena *arena)
{
    loop->server = server;
    loop->wake.happened = woken;
    loop->retry.due = retry;
    loop->stop.take = stop;
    loop->drain.take = drain;
    heavy_open(loop);
    loop->purse.budget = &server->budget;
    loop->large_purse.budget = &server->large_budget;
    loop->last_post = &loop->posts;
    loop->now = timer_now();
    blocks_open(&loop->blocks);
    pthread_mutex_init(&loop->lock, NULL);
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    loop->buffer = malloc(READ_SIZE);
    loop->free_outputs = calloc(1, sizeof(struct output));
    if (!loop->buffer || !loop->free_outputs)
        return status_no_memory();
    if (loop->epoll < 0 || loop->wake_fd < 0 || !loop_watch(loop, loop->wake_fd, &loop->wake, EPOLLIN))
        return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "gRPC cannot wait for sockets: %m");
    return STATUS_IS_OK;
}

bool loop_start(struct loop *loop)
{
    return pthread_create(&loop->thread, NULL, run, loop) == 0;
}

void loop_close(struct loop *loop)
{
    free_closed(loop);
    calls_free(loop);
    blocks_close(&loop->blocks);
    timers_free(&loop->timers);
    for (struct output *next, *output = loop->free_outputs; output; output = next) {
        next = output->next;
        free(output);
    }
    free(loop->buffer);
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->wake_fd >= 0)
        close(loop->wake_fd);
    pthread_mutex_destroy(&loop->lock);
}
