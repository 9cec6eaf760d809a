/* The summary of a run: its findings, and everything that reports count. It is computed once; the writers of reports
 * only print it. */
#pragma once

#include "base/search.h"
#include "report/conclusion.h"
#include "report/findings.h"
#include "report/flakes.h"
#include "report/waits.h"
#include "support/listing.h"

/* What is counted under one name: a profile, or a text about the transport, such as "http". */
struct name_counts {
    struct str name;
    bool is_text;
    enum conclusion conclusion; /* of a profile */
    size_t counts[VERDICT_COUNT];
    size_t broken[LAYERS]; /* results that break a requirement; failed replays too */
    struct row_counts must;
};

/* An observation of an open or may row, by its name, and how often it was made. */
struct sighting {
    const struct requirement *requirement;
    struct str name;
    size_t count;
};

/* A MUST requirement of the asked profiles that was not tried. */
struct untried {
    const struct requirement *requirement;
    struct str why;   /* why, and what would help, if anything; for a person */
    struct str model; /* the kit's model that it lacks; or empty */
    bool left_out;    /* the user left it out */
};

/* An extension that the target claims, but nothing of it was judged under these profiles, for the same reason. That is
 * a finding, because the conclusion of the run says nothing about the extension. */
struct unjudged_claim {
    struct str claim;
    const struct profile **profiles; /* at least one */
    size_t profile_count;
    struct str why;
};

/* Encodings of a profile that the target does not offer, for one reason. */
struct unoffered {
    const struct profile *profile;
    struct str why;
    struct listing encodings;
};

/* Why MUST requirements were not tried. */
struct reason {
    const struct untried *first; /* the first of the rows with this reason; its `why` holds for all of them */
    size_t count;                /* of these rows */
};

struct summary {
    const struct report *report;
    struct arena *arena; /* everything lies there, and so do the texts that writers make of it */
    struct findings failures, warnings, waived;
    struct flakes flakes;
    struct rows rows;
    struct waits waits;
    struct name_counts *names; /* the profiles, then the texts, each sorted by name */
    size_t name_count;
    size_t totals[VERDICT_COUNT]; /* of the assertions of the plan */
    size_t replays;               /* failed replays, which are not among these */
    struct row_counts must_rows;  /* of the asked profiles */
    struct row_counts transport;  /* of the texts that they build on */
    size_t broken[LAYERS];        /* results that break a requirement of the layer */
    struct untried *untried;      /* in the order of the rows */
    size_t untried_count;
    struct reason *reasons; /* why these were not tried, in the order of their first rows */
    size_t reason_count;
    struct unoffered *unoffered;
    size_t unoffered_count;
    struct unjudged_claim *claims;
    size_t claim_count;
    bool values_checked;    /* outputs were compared with known values */
    struct sighting *atlas; /* sorted by key, then name */
    size_t atlas_count;
    enum conclusion conclusion; /* of the run */
};

/* The kit's model whose absence makes the result not applicable; empty if there is another reason. (untried.c) */
struct str missing_model(const struct report *report, const struct result *result);

/* Returns the result that shows that the extension with that prefix is not served at all: its first failure, if none of
 * its assertions passes and the user left none out; otherwise NULL. (untried.c) */
const struct result *unserved_by(const struct report *report, struct str prefix);

/* Fills in `untried` and `reasons`. (untried.c) */
void find_untried(struct summary *summary);

/* Fills in `claims`. (untried.c) */
void find_unjudged_claims(struct summary *summary);

/* Returns the conclusion about the profile of that name; CONCLUSION_NOT_JUDGED if nothing is counted under it. */
static inline enum conclusion summary_conclusion(const struct summary *summary, struct str profile)
{
    return FIRST(i, summary->name_count, str_equal(summary->names[i].name, profile), summary->names[i].conclusion,
                 CONCLUSION_NOT_JUDGED);
}

/* Sums the whole run up. What the summary points to lies in the arena or belongs to the report. */
struct summary summarize(const struct report *report, struct arena *arena);
