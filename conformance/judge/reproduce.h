/* Commands that show again what was judged, for a person who reads a failure.
 *
 * One request that curl can send on a connection of its own is sent by curl: everybody has it, and can paste it into a
 * report of a bug. Whatever needs more is played by our own command `replay`: several requests, bytes that are no
 * request, streams, and requests that fail only after others on their connection. */
#pragma once

#include "judge/exchange.h"
#include "judge/play_options.h"
#include "judge/retry.h"

/* Sets in each result that does not pass what was sent, the commands and, if the options ask for it, the transcript of
 * the exchange, all in the arena of the options. Does nothing if these ask for no commands. `play` is the play of the
 * exchange, or of its step; `base` as for exchange_judge. The results may belong to a watcher. */
void reproduce_add(const struct play_options *options, const struct play *play, const struct tree *base,
                   const struct exchange *exchange, struct result *results, size_t count);

/* Returns the command that plays the ID, which may have a key, after what `retry` says must be sent before it (NULL:
 * nothing), in the arena of the options. Empty if the options do not say how the program was called. */
struct str reproduce_replay(const struct play_options *options, struct str id, const struct retry *retry);

/* Returns the transcript of the exchange, if the options ask for it, in their arena. If it is long, only its first
 * lines are kept. */
struct str reproduce_transcript(const struct play_options *options, const struct play *play,
                                const struct exchange *exchange);
