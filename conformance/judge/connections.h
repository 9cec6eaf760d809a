/* The connections of a play, each under its name. Steps write bytes there and read answers. The play ends them. */
#pragma once

#include "client/limit.h"
#include "judge/exchange.h"
#include "judge/play_options.h"

struct connection;

struct connections {
    struct connection *last; /* NULL: there is none */
    struct limit *limit;     /* how long the play has waited for a target that limits requests */
    bool again;              /* the target limited a step: the whole play must be played again */
};

/* Plays a step of bytes, whose act is that of `own`: writes them and, if the step expects something, reads the answer
 * and makes its tree; else the answer is ANSWERED and there is no tree. The exchange gets as its request all bytes of
 * the connection so far; `sent` gets those of the step alone. */
void connections_step(struct connections *connections, const struct play_options *options, const struct step *step,
                      const struct play *own, struct exchange *exchange, struct request *sent);

/* Closes all connections and frees what belongs to them. */
void connections_close(struct connections *connections);
