/* `walk`: what `replay` plays, step by step for a person who learns. */
#pragma once

#include "targets/target.h"

struct walk {
    const struct target *target;
    size_t exchanges; /* that were shown */
};

/* Shows one exchange: what was sent and what came, as it reads and as bytes, and each expectation with its verdict and
 * what its requirement says. On a terminal it then waits for Enter. Suits run_options.on_exchange; `context` is the
 * walk. */
void walk_exchange(void *context, const struct play *play, const struct exchange *exchange,
                   const struct result *results);
