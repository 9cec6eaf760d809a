/* Plays a group: its base, then each neighbour followed by a replay of the base, in order, on one connection. */
#pragma once

#include "judge/session.h"
#include "judge/worker.h"

/* Plays those plays of the group that the session wants; the controls of the group are decided before. Afterwards the
 * session has every result, except those of a watcher. */
void group_play(struct session *session, struct worker *worker, const struct group *group);
