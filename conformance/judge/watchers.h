/* Watchers: cases that send nothing, and check every answer of the run that they look at. */
#pragma once

#include "judge/exchange.h"
#include "judge/play_options.h"

struct watchers;

/* Makes the watchers of the plan, in the arena. The plan must live as long as they do. */
struct watchers *watchers_new(const struct plan *plan, bool strict, struct arena *arena);
void watchers_free(struct watchers *watchers);

/* Lets all watchers look at an exchange of `play`. What they find gets the command that sends its request again, by the
 * client_options and evidence of `options`. From any thread. */
void watchers_look(struct watchers *watchers, const struct play *play, const struct exchange *exchange,
                   const struct play_options *options);

/* Sets the results of a watcher's assertions: for each the gravest over all answers that it looked at. A watcher that
 * saw no answer is not applicable. Texts are copied into the arena. */
void watchers_decide(struct watchers *watchers, const struct play *watcher, struct arena *arena,
                     struct result *results);

/* Lists at most `room` plays whose answers the watcher looked at: the first of each family, beginning with plays of the
 * watcher's own profile. Returns their number. */
size_t watchers_seen(const struct watchers *watchers, const struct play *watcher, const struct play **plays,
                     size_t room);

/* Decides a watcher's assertions on one exchange of `play`. False if the watcher does not look at it. */
bool watchers_judge(const struct play *watcher, const struct play *play, const struct exchange *exchange, bool strict,
                    struct arena *arena, struct result *results);
