#include "commands/reports.h"

#include "base/search.h"
#include "commands/commands.h"
#include "report/summary.h"
#include "support/task.h"
#include "targets/interruption.h"
#include "waivers/waivers.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define PIECE ((size_t)64 << 10) /* bytes that are printed at once */

static void render_waivers(const struct summary *summary, struct buf *out)
{
    waivers_write(summary->report->run, summary->report->started, out);
}

static const struct {
    const char *flag;
    size_t offset; /* of its file in struct options */
    void (*render)(const struct summary *summary, struct buf *out);
} kinds[] = {
    {"--json", offsetof(struct options, files.json), report_json},
    {"--junit", offsetof(struct options, files.junit), report_junit},
    {"--html", offsetof(struct options, files.html), report_html},
    {"--markdown", offsetof(struct options, files.markdown), report_markdown},
    {"--badge", offsetof(struct options, files.badge), report_badge},
    {"--write-waivers", offsetof(struct options, files.write_waivers), render_waivers},
};

/* Returns the file of the kind in that row; NULL if it was not asked for. */
static const char *file_of(const struct options *options, size_t row)
{
    return *(const char *const *)((const char *)options + kinds[row].offset);
}

static bool is_printed(const struct options *options, size_t row)
{
    const char *file = file_of(options, row);
    return file && strcmp(file, "-") == 0;
}

FILE *reports_console(const struct options *options)
{
    return FIRST(i, COUNT_OF(kinds), is_printed(options, i), stderr, stdout);
}

/* Whether two names are of one file, though it may have other names, too. */
static bool are_one_file(const char *left, const char *right)
{
    struct stat one, other;
    return strcmp(left, right) == 0 || (stat(left, &one) == 0 && stat(right, &other) == 0 && S_ISREG(one.st_mode) &&
                                        one.st_dev == other.st_dev && one.st_ino == other.st_ino);
}

/* Returns the file of the output of that number, and its flag: that of a report, and after all of them the tape. */
static const char *output(const struct options *options, size_t number, const char **flag)
{
    bool is_report = number < COUNT_OF(kinds);
    *flag = is_report ? kinds[number].flag : "--record";
    return is_report ? file_of(options, number) : options->record;
}

struct status reports_check(const struct options *options, struct arena *arena)
{
    const char *one, *other;
    for (size_t i = 0; i <= COUNT_OF(kinds); i++)
        for (size_t k = 0; k < i; k++) {
            const char *file = output(options, i, &other), *earlier = output(options, k, &one);
            if (file && earlier && are_one_file(earlier, file))
                return status_invalid(arena, "%s and %s cannot both be %s", one, other,
                                      strcmp(file, "-") == 0 ? "standard output" : file);
        }
    return STATUS_IS_OK;
}

struct status reports_try(const struct options *options, struct arena *arena)
{
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i <= COUNT_OF(kinds) && is_ok(status); i++) {
        const char *flag, *file = output(options, i, &flag);
        if (file)
            status = report_try(file, arena);
    }
    return status;
}

/* Prints a report. Nobody knows when it is read, so a signal now ends the program, and one that came before gives each
 * piece a moment. */
static struct status print(const struct buf *text, int code, struct arena *arena)
{
    struct status status = STATUS_IS_OK;
    bool hurries = interruption_let_go();
    for (size_t at = 0; at < text->size && is_ok(status); at += PIECE) {
        size_t left = text->size - at;
        const struct buf piece = {.data = text->data + at, .size = left < PIECE ? left : PIECE};
        if (hurries)
            task_hurry(code);
        status = report_save(&piece, "-", arena);
    }
    return text->failed ? status_no_memory() : status;
}

/* Notes whether a report was written. If it was not, the run is no success. */
static void note(struct report *report, struct status status)
{
    if (complain_of(status) && report->exit_code == EXIT_CONFORMANT) {
        report->exit_code = EXIT_SUITE;
        report->reason = status.message;
    }
}

/* Render every report before writing any: if memory gives out, no report has named another exit code. Write all files
 * before printing: a report that cannot be written changes the verdict, and what is printed may be read late. */
void reports_write(const struct options *options, struct report *report, struct arena *arena)
{
    struct buf texts[COUNT_OF(kinds)] = {0}, console = {0};
    FILE *out = reports_console(options);
    bool colors = isatty(fileno(out)) && !getenv("NO_COLOR");
    int code = report->exit_code;
    const struct summary summary = summarize(report, arena);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (file_of(options, i))
            kinds[i].render(&summary, &texts[i]);
    if (report->plan->assertion_count)
        report_console(&summary, colors, &console);
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (file_of(options, i) && !is_printed(options, i))
            note(report, report_save(&texts[i], file_of(options, i), arena));
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (is_printed(options, i))
            note(report, print(&texts[i], report->exit_code, arena));
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        buf_free(&texts[i]);
    if (report->exit_code != code) {
        buf_free(&console);
        report_console(&summary, colors, &console);
    }
    interruption_let_go();
    if (report->run->left)
        task_hurry(report->exit_code);
    if (console.size)
        fwrite(console.data, 1, console.size, out);
    buf_free(&console);
}
