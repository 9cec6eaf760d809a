/* Holds the flags of a command against the suite: its profiles, endpoints, models, states, editions and extensions. */
#pragma once

#include "targets/target.h"

/* Sets the addresses, the profiles that are asked for and the claims, from the options, which the target has in
 * `known`, too. Returns a sentence about what the suite does not know, in the arena; empty: nothing. */
struct str target_flags_take(struct target *target);
