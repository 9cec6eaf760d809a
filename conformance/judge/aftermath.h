/* What a neighbour leaves behind. A wrong request must leave no trace, so after each neighbour the base is played
 * again. It must be answered as before: assertions that passed must pass again, and an inference must have the same
 * values. */
#pragma once

#include "judge/session.h"

struct aftermath {
    const struct play *neighbour;    /* that was played */
    const struct exchange *exchange; /* its exchange */
    const struct exchange *first;    /* the first exchange of the base */
    bool was_harmed;                 /* an earlier neighbour harmed the server, which is reported already */
};

/* Plays the base again with these options, which are those of the base. If the answer shows harm, adds a failed replay
 * to the results of the neighbour. Returns whether the server is harmed; was_harmed if the base was not sent or the
 * target limits requests. */
bool aftermath_is_harmful(struct session *session, struct server *server, const struct play_options *options,
                          const struct aftermath *aftermath);
