/* Commands that send the request of an exchange again, for a person who reads a failure. */
#ifndef JUDGE_AGAIN_H
#define JUDGE_AGAIN_H

#include "judge/exchange.h"
#include "judge/play_options.h"

/* How the request of an exchange is sent again, what it says (sent.h), and what went to and fro, if the options ask for
 * that; each is empty if there is none. */
struct again {
    struct str sent, command, grpcurl, transcript;
};

/* Returns that, in the arena of the options. `name` is the name of the file for a body that the command cannot hold. */
struct again again_make(const struct play_options *options, const struct play *play, const struct exchange *exchange,
                        struct str name);

/* Gives that to each result that does not pass, if the options ask for commands. */
void again_add(const struct play_options *options, const struct exchange *exchange, struct str name,
               struct result *results, size_t count);

#endif
