/* A run in numbers. Everything that several reports count is counted here. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "report/report.h"

struct profile_counts {
    struct str prefix; /* prefix of the requirement keys: a profile, or a text that the documents build on */
    bool is_text;
    size_t counts[VERDICT_COUNT];
    size_t failing; /* results that make the run fail */
    double seconds;
};

/* One name of one open or may row, and how often it was observed. */
struct sighting {
    const struct requirement *requirement;
    struct str name;
    size_t count;
};

/* MUST rows of the ledger that bind servers and have cases. */
struct row_counts {
    size_t asked;
    size_t met; /* how many of those passed at least once and never failed */
};

/* The MUST rows of a text that the asked profiles build on, such as "http". */
struct text_counts {
    struct str prefix;
    struct row_counts rows;
};

/* A MUST row of the asked profiles that neither passed nor failed. */
struct untried {
    const struct requirement *requirement;
    struct str why; /* why, and where it can be helped, how; for a person */
    bool left_out;  /* the user left it out */
};

struct summary {
    struct profile_counts *profiles; /* sorted by prefix */
    size_t profile_count;
    size_t totals[VERDICT_COUNT];
    size_t failing;              /* results that make the run fail */
    struct row_counts must_rows; /* of the profiles that are asked for */
    struct untried *untried;     /* in the ledger's order */
    size_t untried_count;
    struct text_counts *texts;
    size_t text_count;
    bool values_checked;    /* an inference of a model of the kit was judged, so that its values were compared */
    struct sighting *atlas; /* sorted by key, then name */
    size_t atlas_count;
    const char *conclusion; /* "certified", "conformant", "waived", "partial", "not conformant" or "not judged" */
    const char *meaning;    /* of that word, for a person; no sentence */
};

/* The kit's model for want of which the result is not applicable; empty if there is another reason. (must_rows.c) */
struct str missing_model(const struct report *report, const struct result *result);

/* Whether the profile of that name is asked for, or an asked profile builds on the text of that name. (must_rows.c) */
bool prefix_is_asked(const struct report *report, struct str prefix, struct arena *arena);

/* Fills in must_rows, untried and texts. (must_rows.c) */
void count_must_rows(const struct report *report, struct summary *summary, struct arena *arena);

/* Whether an earlier one of summary->untried has the same reason. (must_rows.c) */
bool untried_repeats(const struct summary *summary, size_t index);

/* Counts the whole run. What the summary points to lies in the arena or belongs to the report. */
struct summary summarize(const struct report *report, struct arena *arena);

#endif
