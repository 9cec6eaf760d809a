/* What is found while traffic passes: told when it is found, and once more at the end, with how often. */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "suite/ledger.h"
#include "support/memory.h"
#include "watch/relay.h"

#include <stdio.h>

#define FINDINGS_MAX 1000 /* that are told apart; all are counted */

struct traffic_finding {
    enum side side; /* whose fault it is */
    const struct requirement *row;
    struct str asked;    /* "POST /v2/models/add/infer" or the name of the rpc */
    struct str why;      /* what is wrong, and where */
    struct str received; /* what was answered, of a server's fault */
    size_t count;
};

struct traffic_findings {
    FILE *console;
    struct arena arena;
    struct list list;     /* struct traffic_finding, in the order of their first time */
    struct list unjudged; /* struct unjudged */
    size_t exchanges, judged;
    size_t faults[SIDES][LEVEL_OPEN + 1]; /* how often rows of each level were broken by each side */
};

struct unjudged {
    struct str why;
    size_t count;
};

/* Counts a finding; its first time at that request, it is printed and kept. Texts are copied. */
void findings_add(struct traffic_findings *findings, const struct traffic_finding *finding);

/* Counts what is not judged. The reason is copied. */
void findings_add_unjudged(struct traffic_findings *findings, struct str why);

/* Whether a MUST was broken. */
bool findings_fail(const struct traffic_findings *findings);

/* Append the summary for a person, and the report as JSON. */
void findings_write(const struct traffic_findings *findings, struct buf *out);
void findings_json(const struct traffic_findings *findings, struct buf *out);
