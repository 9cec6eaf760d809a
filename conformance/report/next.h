/* The one thing to do next: what blocks most, else what fails first, else what keeps most rows from being tried. */
#pragma once

#include "report/findings.h"
#include "report/summary.h"

struct next {
    struct str sentence; /* without a full stop */
    struct str command;  /* of a shell, which shows it; or empty */
};

/* Returns it, in the arena. `failures` are those of the run. */
struct next next_of(const struct report *report, const struct summary *summary, const struct findings *failures,
                    struct arena *arena);
