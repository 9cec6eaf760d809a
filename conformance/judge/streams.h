/* The streams of a play: gRPC calls that stay open from step to step, each under the name of its connection and over a
 * connection of its own. A step sends messages, says that no more follow, cancels, and reads, in this order. */
#pragma once

#include "judge/exchange.h"
#include "judge/play_options.h"

struct named_stream;

struct streams {
    struct named_stream *last; /* NULL: there is none */
};

/* Plays a step of a stream, whose act is that of `own`. The exchange gets the request with all messages that the stream
 * sent so far and, if the step reads, the answer and its tree; else the answer is ANSWERED and there is no tree. */
void streams_step(struct streams *streams, const struct play_options *options, const struct step *step,
                  const struct play *own, struct exchange *exchange);

/* Cancels what has not ended, and frees everything. */
void streams_close(struct streams *streams);
