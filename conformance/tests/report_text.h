/* A report of the sample run, for the tests of the forms of reports. Each has a function `write_report`. */
#pragma once

#include "sample_run.h"

static struct sample sample;
static struct buf text;
static char output[4000]; /* of the last command */

/* Defined by the test: appends its report of the sample to the text. */
static void write_report(void);

/* What a test calls that has changed the sample. */
static inline void write_again(void)
{
    buf_clear(&text);
    write_report();
}

/* Makes the report of a run with these results alone. */
static inline void write_results(struct result *results, size_t count)
{
    sample.run.results = results;
    sample.run.result_count = count;
    write_again();
}

static inline int make_report(void **state)
{
    (void)state;
    sample_make(&sample);
    write_again();
    return 0;
}

#define REPORT_TEST(name) TEST_WITH(name, make_report, NULL)

/* Returns how often the text has the part. */
static inline size_t times(const char *part)
{
    size_t count = 0, size = strlen(part);
    for (size_t i = 0; i + size <= text.size; i++)
        count += memcmp(text.data + i, part, size) == 0;
    return count;
}

static inline void assert_times(size_t count, const char *part)
{
    if (times(part) != count)
        fail_msg("%zu times, not %zu: %s", times(part), count, part);
}

/* Of a text that is XML. */
static inline void assert_well_formed(void)
{
    if (sample_pipe(&text, "xmllint --noout $FILE", output, sizeof(output)) != 0)
        fail_msg("%s", output);
}

static inline void assert_xpath(const char *expression, const char *expected)
{
    char command[500];
    snprintf(command, sizeof(command), "xmllint --xpath \"%s\" $FILE", expression);
    sample_pipe(&text, command, output, sizeof(output));
    output[strcspn(output, "\n")] = '\0';
    if (strcmp(output, expected) != 0)
        fail_msg("%s is %s instead of %s", expression, output, expected);
}
