/* The one thing to do next: what blocks most, else what fails first, else what keeps most rows from being tried. */
#pragma once

#include "report/summary.h"

struct next {
    struct str sentence; /* without a full stop */
    struct str command;  /* of a shell, which shows it; or empty */
};

/* Returns it, in the arena of the summary. */
struct next next_of(const struct summary *summary);
