/* Reads what --claim names. */
#pragma once

#include "flags/options.h"
#include "probe/discovery.h"

/* Fills `claims`, which lies in the arena, one for each value of --claim: "EXTENSION", or "TRANSPORT:EXTENSION" for one
 * transport. Returns a sentence about the first that no profile is claimed by, or an empty text. */
struct str claimed_read(const struct registry *registry, const struct values *values, struct arena *arena,
                        struct claim **claims);
