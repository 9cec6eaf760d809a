/* Plays one play from its first byte to its verdicts: one exchange, or the steps of a case that has them. */
#pragma once

#include "judge/exchange.h"
#include "judge/play_options.h"

/* Sends the play and judges it. `results` has room for assertion_count results. `base` is the tree of the base's
 * answer, or NULL in a base. `exchange` gets the only exchange, or the one of the last step that was answered (if none
 * was, that of the last step). If several steps expect a key, it gets the gravest of their verdicts. If
 * exchange->not_applicable or ->fault is set, nothing was judged. */
void play_and_judge(const struct play_options *options, const struct play *play, const struct tree *base,
                    struct exchange *exchange, struct result *results);
