/* A loop: one thread, which waits for sockets, timers and posts, and calls those who asked for them. It is the lowest
 * layer. Nothing that it calls may block.
 *
 * All fields belong to its thread but those under `lock`. Other threads only post. */
#pragma once

#include "base/arena.h"
#include "base/clock.h"
#include "base/status.h"
#include "base/timer.h"
#include <pthread.h>

/* What epoll_wait tells about; it lies first in its owner. */
struct loop_source {
    void (*happened)(struct loop_source *source, uint32_t events);
};

/* Something that a loop shall take on its own thread; it lies in its owner. */
struct post {
    struct post *next;
    void (*take)(struct post *post);
};

/* What a turn may return instead of milliseconds. */
#define LOOP_WAITS (-1) /* for anything to happen */
#define LOOP_ENDS  (-2)

struct loop {
    struct loop_source wake; /* somebody has posted */
    int epoll, wake_fd;      /* -1: not open */
    int64_t now;             /* when this turn began */
    struct timers timers;
    int (*turn)(struct loop *loop); /* ends each turn; returns how many milliseconds the loop may wait for the next */
    pthread_t thread;

    pthread_mutex_t lock; /* for what follows */
    struct post *posts, **last_post;
};

/* All of the loop must be zero. loop_close is due also when this fails. */
struct status loop_open(struct loop *loop, int (*turn)(struct loop *loop), struct arena *arena);
bool loop_start(struct loop *loop);
void loop_close(struct loop *loop); /* its thread must have ended, or not begun */

/* Makes the loop take the post soon. May be called on any thread. */
void loop_post(struct loop *loop, struct post *post);
bool loop_watch(struct loop *loop, int fd, struct loop_source *source, uint32_t events);

/* Must be called before a watched file is closed: while another thread asks the system about the file, as
 * civetweb/sockets.c does if the number was a connection of its own, closing does not end it, and its events would
 * still come. */
void loop_unwatch(struct loop *loop, int fd);
