/* Which edition of the documents the target follows. Internal to probe/. */
#pragma once

#include "probe/probing.h"

/* Returns the name of an edition of the registry: the one that the user names, or the first of whose
 * `shown_by` every question is answered as it hopes, or the first of all. A note says which, unless it is the first of
 * all. */
struct str editions_find(struct probing *probing);
