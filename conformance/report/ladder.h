/* The ladder: how far one can rely on a server, in one word, for each profile and for the run. It is about what the
 * documents demand of the server; what HTTP, HTTP/2 and gRPC demand of its libraries has a conclusion of its own. */
#pragma once

#include "report/rows.h"

enum rung {
    RUNG_NOT_JUDGED,        /* nothing of it was judged */
    RUNG_NOT_INTEROPERABLE, /* a MUST about answers is broken: right clients break */
    RUNG_NOT_CONFORMANT, /* a MUST about refusals is broken, and too little was tried to say that answers are right */
    RUNG_INTEROPERABLE,  /* a MUST about refusals is broken, none about answers */
    RUNG_PARTIAL,        /* no MUST is broken, but the user left something out */
    RUNG_WAIVED,         /* no MUST is broken but where a waiver excuses it */
    RUNG_CONFORMANT,     /* no MUST is broken */
    RUNG_CERTIFIED       /* no MUST is broken, and every MUST requirement was tried and holds */
};

/* MUST requirements of the ledger that bind servers and have cases, by what became of them. */
struct row_counts {
    size_t asked;
    size_t met, failed, waived, partly, untried; /* these sum up to `asked` */
};

/* What a rung is decided from. */
struct footing {
    size_t judged;
    size_t broken[LAYERS]; /* results that break a requirement */
    bool whole;            /* nothing was left out, and the run came to its end */
    bool waived;           /* something is waived */
    struct row_counts must;
};

enum rung rung_of(const struct footing *footing);

const char *rung_name(enum rung rung);    /* "not interoperable" */
const char *rung_meaning(enum rung rung); /* what the word means, for a person; no sentence */
