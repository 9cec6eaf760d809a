/* Watchers: cases that send nothing and hold every answer of the run against a rule. */
#ifndef JUDGE_WATCH_H
#define JUDGE_WATCH_H

#include "judge/exchange.h"

struct watch;

/* Of all watchers of the plan, which must outlive it. In the arena. */
struct watch *watch_new(const struct plan *plan, bool strict, struct arena *arena);
void watch_free(struct watch *watch);

/* Looks at an exchange of `play`; from any thread. */
void watch_exchange(struct watch *watch, const struct play *play, const struct exchange *exchange);

/* The verdicts of a watcher's assertions: the gravest of all answers that it looked at. One that saw none is not
 * applicable. */
void watch_decide(const struct watch *watch, const struct play *watcher, struct arena *arena, struct result *results);

/* Plays at whose answers the watcher looked: of each family the first, at most `room`. */
size_t watch_seen(const struct watch *watch, const struct play *watcher, const struct play **plays, size_t room);

/* Decides one watcher's assertions on one exchange of `play`; false if the watcher does not look at it. */
bool watch_judge(const struct play *watcher, const struct play *play, const struct exchange *exchange, bool strict,
                 struct arena *arena, struct result *results);

#endif
