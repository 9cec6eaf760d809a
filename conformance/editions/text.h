/* A document as the fixtures know it: every sentence, line of a schema or table, and comment, in order, as
 * fingerprints. Each of these is a unit. */
#pragma once

#include "base/str.h"

struct unit {
    struct str section;         /* as the ledger names it */
    struct str sentence;        /* its fingerprint, which no other unit of the section has that rows are based on */
    struct str angles;          /* fingerprint of what is in angle brackets; empty: nothing */
    bool lost_angles;           /* something stood there in the published document; nobody knows what */
    bool optional;              /* belongs to the page around the document, and may be missing */
    const unsigned char *words; /* the first byte of the digest of each word */
    size_t count;               /* words; above 0 */
    struct str why;             /* why no requirement is based on it; empty: one is */
};

#define NO_UNIT ((size_t)-1)

struct text {
    struct str name; /* "000" */
    struct unit *units;
    size_t count;
};
