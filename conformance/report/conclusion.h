/* The conclusion says in one word how far one can rely on a server, for each profile and for the run. It is about what
 * the documents demand of the server; what HTTP, HTTP/2 and gRPC demand of its libraries has a conclusion of its
 * own. */
#pragma once

#include "report/rows.h"

enum conclusion {
    CONCLUSION_NOT_JUDGED,        /* nothing of it was judged */
    CONCLUSION_NOT_INTEROPERABLE, /* a MUST about answers is broken: right clients break */
    CONCLUSION_NOT_CONFORMANT,    /* a MUST about refusals is broken, and too little was tried to say that answers are
                                     right */
    CONCLUSION_INTEROPERABLE,     /* a MUST about refusals is broken, none about answers */
    CONCLUSION_PARTIAL,           /* no MUST is broken, but the user left something out */
    CONCLUSION_WAIVED,            /* no MUST is broken but where a waiver excuses it */
    CONCLUSION_CONFORMANT,        /* no MUST is broken */
    CONCLUSION_CERTIFIED          /* no MUST is broken, and every MUST requirement was tried and holds */
};

/* MUST requirements of the ledger that bind servers and have cases, by what became of them. */
struct row_counts {
    size_t asked;
    size_t met, failed, waived, partly, untried; /* these sum up to `asked` */
};

/* What a conclusion is drawn from. */
struct conclusion_basis {
    size_t judged;
    size_t broken[LAYERS]; /* results that break a requirement */
    bool whole;            /* nothing was left out, and the run came to its end */
    bool waived;           /* something is waived */
    struct row_counts must;
};

enum conclusion conclusion_of(const struct conclusion_basis *basis);

/* How a conclusion looks: never a colour alone. */
struct look {
    const char *tone; /* "good", "part" or "bad" */
    const char *mark; /* a sign in UTF-8 */
};

struct look look_of(enum conclusion conclusion);
const char *conclusion_name(enum conclusion conclusion);    /* "not interoperable" */
const char *conclusion_meaning(enum conclusion conclusion); /* what the word means, for a person; no sentence */
