/* Holds the flags of a command against the suite: its profiles, endpoints, models, states, editions and extensions. */
#pragma once

#include "targets/target.h"

/* Sets the addresses, the profiles that are asked for and the claims, from the options, which the target has in
 * `known`, too. Returns a sentence about what the suite does not know, in the arena; empty: nothing. */
struct str target_flags_take(struct target *target);

/* Fills `claims`, which lies in the arena, one for each value of --claim: "EXTENSION", or "TRANSPORT:EXTENSION" for one
 * transport. Returns a sentence about the first that no profile is claimed by, or an empty text. */
struct str claimed_read(const struct registry *registry, const struct values *values, struct arena *arena,
                        struct claim **claims);
