/* A run in numbers. Everything that several reports count is counted here. */
#ifndef REPORT_SUMMARY_H
#define REPORT_SUMMARY_H

#include "report/report.h"

struct profile_counts {
    struct str prefix; /* prefix of the requirement keys: a profile, or a text that the documents build on */
    size_t counts[VERDICT_COUNT];
    double seconds;
};

/* One name of one open or may row, and how often it was observed. */
struct sighting {
    const struct requirement *requirement;
    struct str name;
    size_t count;
};

struct summary {
    struct profile_counts *profiles; /* sorted by prefix */
    size_t profile_count;
    size_t totals[VERDICT_COUNT];
    size_t failing;         /* results that make the run fail */
    size_t must_rows;       /* MUST rows that are tested and bind servers, of the profiles that are asked for */
    size_t must_rows_met;   /* how many of those passed at least once and never failed */
    struct sighting *atlas; /* sorted by key, then name */
    size_t atlas_count;
    const char *conclusion; /* "certified", "conformant", "partial", "not conformant" or "not judged" */
};

struct summary summarize(const struct report *report, struct arena *arena);

#endif
