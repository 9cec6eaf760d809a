/* A group as it is played: its base, then each neighbour and the base again, in order, on one connection. */
#ifndef JUDGE_GROUP_H
#define JUDGE_GROUP_H

#include "judge/session.h"
#include "judge/worker.h"

/* Plays what the session wants of the group, whose controls are decided; every result is then in the session, but those
 * of a watcher. */
void group_play(struct session *session, struct worker *worker, const struct group *group);

#endif
