/* A report of the sample run, for the tests of the forms of reports. Each has a function `write_report`. */
#pragma once

#include "sample_run.h"
#include "shell.h"

#include <stdlib.h>
#include <unistd.h>

static struct sample sample;
static struct buf text;

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

/* Returns a result with that verdict on another row. */
static inline struct result result_of(enum verdict verdict, size_t row)
{
    struct result result = sample.results[verdict];
    struct assertion *assertion = arena_new_of(&arena, struct assertion);
    *assertion = *result.assertion;
    assertion->requirement = &sample.rows[row];
    result.assertion = assertion;
    return result;
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

/* No byte of what a server says hides, or turns what stands beside it. */
static inline void assert_harmless(void)
{
    for (size_t i = 0; i < text.size; i++)
        if ((unsigned char)text.data[i] < 0x20 && text.data[i] != '\n')
            fail_msg("byte %02x at %zu", (unsigned char)text.data[i], i);
    assert_true(str_is_utf8(buf_str(&text)));
    static const char override[] = {'\xe2', '\x80', '\xae', '\0'};
    assert_int_equal(times("\xc2\x9b") + times(override), 0);
}

static inline void assert_times(size_t count, const char *part)
{
    if (times(part) != count)
        fail_msg("%zu times, not %zu: %s", times(part), count, part);
}

/* Returns what a command of the shell prints that gets the text as the file $FILE. */
static inline struct str piped(const char *command)
{
    char path[] = "/tmp/oip-report-XXXXXX";
    int file = mkstemp(path);
    assert_int_equal(write(file, text.data, text.size), text.size);
    close(file);
    struct str said = shell_says("FILE=%s; %s", path, command);
    unlink(path);
    return said;
}

/* Of a text that is XML; one that is not well-formed has no expression. */
static inline void assert_xpath(const char *expression, const char *expected)
{
    struct str said = piped(arena_printf(&arena, "xmllint --xpath \"%s\" $FILE 2>&1", expression).data);
    said.size = strcspn(said.data, "\n");
    assert_text(said, expected);
}
