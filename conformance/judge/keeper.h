/* Restores the models of a server after a case that changed them (needs.allow). The index of the model repository is
 * read before and after the case; models that differ are loaded or unloaded, until none differs. Normally there is
 * nothing to do, because a case undoes its changes in `finally`; but a case may fail half-way, be interrupted, or not
 * be allowed to undo them. The keeper ignores an interruption of the run. */
#pragma once

#include "plan/plan.h"
#include "protocols/prober.h"

struct keeper {
    struct prober prober;
    const struct profile *profile; /* it is asked over this profile */
    struct tree *before;           /* the index before the case */
    double load_timeout;           /* seconds */
};

/* Reads the index of the server that the group is played against, by the client. If the model of the group could not be
 * restored, because the index does not list it, returns why, in the arena; then the group must not be played. Otherwise
 * returns an empty text, and keeper_close must be called. */
struct str keeper_open(struct keeper *keeper, const struct registry *registry, const struct group *group,
                       struct client *client, double load_timeout, struct arena *arena);

/* Whether the target says that it still loads or unloads models. */
bool keeper_settles(struct keeper *keeper);

/* Restores the models, for at most 30 seconds, or `load_timeout` while the target still loads. Returns which models
 * could not be restored, each with the request that would restore it, in the arena; or an empty text. */
struct str keeper_close(struct keeper *keeper);

/* Whether models may still differ from before, so that a run must not end yet. From any thread. */
bool keeper_is_open(void);
