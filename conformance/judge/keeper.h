/* Puts the models of a server back as they were before a case changed them (needs.allow). The index of the model
 * repository is read before and after the case; what differs is loaded or unloaded again, until nothing does. A case
 * itself undoes what it did in `finally`, which finds nothing here to do; a case that failed half-way, or was
 * interrupted, or whose undoing was refused, does. Nothing here looks at the interruption of the run. */
#pragma once

#include "plan/plan.h"
#include "protocols/prober.h"

struct keeper {
    struct prober prober;
    const struct profile *profile; /* it is asked over this profile */
    struct tree *before;           /* the index before the case */
    double load_timeout;           /* seconds */
};

/* Reads the index of the server that the group is played against, which the client asks. Returns why its model could
 * not be put back (the index does not have it: it came from elsewhere), so that the group must not be played, in the
 * arena; or empty. Then keeper_close must be called. */
struct str keeper_open(struct keeper *keeper, const struct registry *registry, const struct group *group,
                       struct client *client, double load_timeout, struct arena *arena);

/* Whether the target says that it still loads or unloads models. */
bool keeper_settles(struct keeper *keeper);

/* Puts the models back: for 30 seconds, or `load_timeout` while the target still loads. Returns which could not be,
 * with the order that would do it, in the arena; or empty. */
struct str keeper_close(struct keeper *keeper);

/* Whether models may differ from what they were, so that a run must not end yet. From any thread. */
bool keeper_is_open(void);
