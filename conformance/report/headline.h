/* The head of a report for people, in words. */
#pragma once

#include "report/summary.h"

/* The one thing to do next: what blocks most, else what fails first, else what keeps most rows from being tried. */
struct next {
    struct str sentence; /* without a full stop */
    struct str command;  /* of a shell, which shows it; or empty */
};

/* Returns it, in the arena of the summary. */
struct next next_of(const struct summary *summary);

struct headline {
    struct look look;
    const char *words;    /* the conclusion with a capital letter */
    struct str sentences; /* what the conclusion rests on */
    struct str transport; /* what the run says of the transport; or empty */
    struct str next;      /* the one thing to do next */
    struct str server;    /* name and version, printable; or empty */
    struct str when;      /* "2026-11-22 12:00:00 UTC" */
};

/* Returns it, in the arena of the summary. */
struct headline headline_of(const struct summary *summary);

/* Returns the number with a comma between thousands, in the arena, with a NUL after it. */
struct str number_text(size_t number, struct arena *arena);
