/* Makes a loop attend to something that any thread may change: at least once after the last change, but not once for
 * each change.
 *
 *     RESTS ---> POSTED ---> RESTS             somebody asked for it; the loop takes the post
 *     RESTS ---> ATTENDED <---> AGAIN          the loop attends; somebody asked meanwhile, so it does once more
 *     ATTENDED ---> RESTS ---> OVER
 *
 * If the loop attends while the state is POSTED, the state stays POSTED, and the loop attends again when it takes the
 * post. */
#pragma once

#include "grpc/loop.h"

#include <stdatomic.h>

enum attention_state { ATTENTION_RESTS, ATTENTION_POSTED, ATTENTION_ATTENDED, ATTENTION_AGAIN, ATTENTION_OVER };

struct attention {
    struct post post; /* its `take` must call attention_taken */
    struct loop *loop;
    _Atomic enum attention_state state;
};

/* May be called on any thread; all that follow are called on the loop's. */
void attention_ask(struct attention *attention);
void attention_taken(struct attention *attention);

/* The loop calls these before and after it attends. If attention_leave returns false, it must attend once more. */
void attention_enter(struct attention *attention);
bool attention_leave(struct attention *attention);

/* Prevents further posts. Returns false if a post is on its way: then this must be called again when the post is
 * taken. */
bool attention_end(struct attention *attention);
