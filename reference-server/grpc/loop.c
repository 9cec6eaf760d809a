#include "grpc/loop.h"

#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define EVENTS 256

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

static void take_posts(struct loop_source *source, uint32_t)
{
    struct loop *loop = (struct loop *)source;
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
        post->take(post);
    }
}

bool loop_watch(struct loop *loop, int fd, struct loop_source *source, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = source};
    return epoll_ctl(loop->epoll, EPOLL_CTL_ADD, fd, &event) == 0 ||
           epoll_ctl(loop->epoll, EPOLL_CTL_MOD, fd, &event) == 0;
}

void loop_unwatch(struct loop *loop, int fd)
{
    epoll_ctl(loop->epoll, EPOLL_CTL_DEL, fd, NULL);
}

static int milliseconds_to_timer(const struct timers *timers)
{
    if (timers->count == 0)
        return -1;
    int64_t wait = timers->heap[0]->at - clock_now();
    return wait <= 0 ? 0 : wait > 3600 * (int64_t)CLOCK_SECOND ? 3600000 : (int)((wait + 999999) / 1000000);
}

static void *run(void *argument)
{
    struct loop *loop = argument;
    struct epoll_event events[EVENTS];
    for (int wait = LOOP_WAITS; wait != LOOP_ENDS; wait = loop->turn(loop)) {
        int count =
            epoll_wait(loop->epoll, events, EVENTS, wait == LOOP_WAITS ? milliseconds_to_timer(&loop->timers) : wait);
        loop->now = clock_now();
        for (int i = 0; i < count; i++) {
            struct loop_source *source = events[i].data.ptr;
            source->happened(source, events[i].events);
        }
        timers_run(&loop->timers, loop->now);
    }
    return NULL;
}

struct status loop_open(struct loop *loop, int (*turn)(struct loop *loop), struct arena *arena)
{
    loop->wake.happened = take_posts;
    loop->turn = turn;
    loop->last_post = &loop->posts;
    loop->now = clock_now();
    pthread_mutex_init(&loop->lock, NULL);
    loop->epoll = epoll_create1(EPOLL_CLOEXEC);
    loop->wake_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
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
    timers_free(&loop->timers);
    if (loop->epoll >= 0)
        close(loop->epoll);
    if (loop->wake_fd >= 0)
        close(loop->wake_fd);
    pthread_mutex_destroy(&loop->lock);
}
