/* `verify`, `rejudge` and `merge`: judge a server again without it, by what runs recorded. All play the tape in the
 * place of the target, with the flags of the run; `verify` demands the same report, `rejudge` tells what another suite
 * says, `merge` makes one report of the parts of a run, or of its tape alone. */
#include "commands/commands.h"
#include "commands/compare/diff.h"
#include "commands/places.h"

#include "base/disk.h"
#include "base/search.h"
#include "client/tape.h"
#include "support/printable.h"
#include "tree/tree.h"

#include <stdio.h>
#include <unistd.h>

#define SHOWN       100 /* bytes of a value that are shown */
#define PRINTED_MAX 20  /* differences that are told one by one */

struct again {
    const struct options *options;
    struct arena *arena;
    const char *report;   /* its file */
    struct past_run told; /* the report */
    const char *file;     /* of the tape */
    struct tape *tape;
    struct buf recomputed;     /* the report that the tape gives */
    struct past_run recounted; /* the same, read */
};

/* --- The tape --- */

/* Returns the file of the tape: that of --tape, else the one of the report, beside it or where it was written. */
static const char *find_file(const struct again *again, const char *named)
{
    const char *report = again->report, *slash = strrchr(report, '/'), *base = strrchr(named, '/');
    struct str folder = {report, slash ? (size_t)(slash + 1 - report) : 0};
    const char *beside = arena_printf(again->arena, "%.*s%s", STR_ARG(folder), base ? base + 1 : named).data;
    if (again->options->tape_file)
        return again->options->tape_file;
    return access(beside, R_OK) == 0 ? beside : named;
}

static struct status open_tape(struct again *again)
{
    const struct tree *named = tree_member(again->told.report, "tape");
    struct str file = tree_text(named, "file"), digest = tree_text(named, "digest"), found;
    if (!file.size)
        return status_invalid(again->arena,
                              "'%s' names no tape, because the run was not recorded: give --record FILE to a run",
                              str_printable(again->arena, str_of(again->report)));
    again->file = find_file(again, arena_copy(again->arena, file).data);
    struct status status = tape_read(again->file, again->arena, &again->tape);
    if (is_ok(status))
        status = tape_digest(again->file, again->arena, &found);
    if (is_ok(status) && !str_equal(found, digest))
        status = status_invalid(
            again->arena, "the tape '%s' is not the one of the report: its digest is %.*s, but the report says '%s'",
            str_printable(again->arena, str_of(again->file)), STR_ARG(found), str_printable(again->arena, digest));
    return status;
}

/* --- Judging again --- */

/* Reads the flags of the run from the tape, and leaves out what it wrote. */
static struct status read_flags(const struct again *again, struct options *flags)
{
    const struct list *words = tape_arguments(again->tape);
    char **argv = arena_alloc_zero(again->arena, words->count + 1, sizeof *argv);
    for (size_t i = 0; i < words->count; i++) {
        const struct str *word = words->items[i];
        argv[i] = arena_alloc_zero(again->arena, word->size + 1, 1);
        memcpy(argv[i], word->data, word->size);
        bool follows = i > 0 && strcmp(argv[i - 1], "--header") == 0;
        if ((follows && *argv[i] == '@') || str_starts(*word, STR("--header=@"))) /* its names would be in reports */
            return status_invalid(again->arena,
                                  "the tape '%s' has headers in a file, which is not read: record it anew",
                                  str_printable(again->arena, str_of(again->file)));
    }
    struct status status = options_read((int)words->count, argv, again->arena, flags);
    if (is_ok(status) && strcmp(flags->command, "run") != 0)
        status = status_invalid(again->arena, "the tape '%s' does not come from a run",
                                str_printable(again->arena, str_of(again->file)));
    flags->files = (struct report_files){0};
    flags->record = NULL;
    flags->verbose = false;
    flags->time_limit = 0;
    flags->fixtures = again->options->fixtures;
    return status;
}

/* Whether the run judged, and nothing interrupted it. */
static bool came_to_its_end(const struct tree *report)
{
    int64_t code = EXIT_SUITE;
    const struct tree *told = tree_member(report, "exit_code");
    return told && tree_to_int64(told, &code) && code != EXIT_SUITE && code != EXIT_INTERRUPTED &&
           code != EXIT_TIME_LIMIT && !str_is(tree_text(report, "conclusion"), "not judged");
}

/* Makes the report anew. */
static struct status judge_again(struct again *again)
{
    struct options flags;
    struct status status = read_flags(again, &flags);
    if (!is_ok(status))
        return status;
    if (!came_to_its_end(again->told.report))
        return status_invalid(again->arena, "the run of '%s' did not finish, so its verdicts cannot be computed again",
                              str_printable(again->arena, str_of(again->report)));
    flags.client.tape = again->tape;
    flags.tape_file = arena_copy(again->arena, tree_text(tree_member(again->told.report, "tape"), "file")).data;
    flags.tape_digest = tree_text(tree_member(again->told.report, "tape"), "digest");
    flags.recomputed = &again->recomputed;
    command_run(&flags);
    if (!again->recomputed.size)
        return status_invalid(again->arena, "the exchanges of '%s' could not be judged again",
                              str_printable(again->arena, str_of(again->file)));
    return past_run_parse(buf_str(&again->recomputed), again->report, again->arena, &again->recounted);
}

/* --- Comparing --- */

struct comparison {
    struct buf *out;
    size_t count; /* of the differences */
};

static void note_difference(void *context, struct str where, const struct tree *told, const struct tree *found)
{
    struct comparison *comparison = context;
    if (comparison->count++ >= PRINTED_MAX)
        return;
    append_printable(comparison->out, where, 2 * SHOWN);
    buf_append_literal(comparison->out, "\n  the report says    ");
    places_append_value(comparison->out, told, SHOWN);
    buf_append_literal(comparison->out, "\n  the exchanges give  ");
    places_append_value(comparison->out, found, SHOWN);
    buf_append_byte(comparison->out, '\n');
}

static int report_verdict(struct again *again)
{
    struct buf out = {0};
    struct comparison comparison = {.out = &out};
    places_compare(again->told.report, again->recounted.report, note_difference, &comparison, again->arena);
    if (comparison.count > PRINTED_MAX)
        buf_printf(&out, "... and %zu more\n", comparison.count - PRINTED_MAX);
    size_t results = tree_member(again->recounted.report, "results")->count;
    if (comparison.count)
        buf_printf(&out, "\nthe report differs in %zu place%s from what its %zu exchanges show\n", comparison.count,
                   comparison.count == 1 ? "" : "s", tape_exchanges(again->tape));
    else
        buf_printf(&out, "%zu results of %s were computed again from %zu exchanges: the report agrees with them\n",
                   results, str_printable(again->arena, again->told.name), tape_exchanges(again->tape));
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
    return comparison.count ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
}

/* INVALID_ARGUMENT if the report is one of another suite. */
static struct status check_suite(const struct again *again)
{
    const struct tree *theirs = tree_member(again->told.report, "suite");
    const struct tree *ours = tree_member(again->recounted.report, "suite");
    if (theirs && tree_equal(theirs, ours))
        return STATUS_IS_OK;
    return status_invalid(again->arena,
                          "the report was made with another suite (version %s, fixtures %s): verify it with that one, "
                          "or use `rejudge` to judge it with this one",
                          str_printable(again->arena, tree_text(theirs, "version")),
                          str_printable(again->arena, tree_text(theirs, "fixtures")));
}

static int report_difference(struct again *again)
{
    size_t missing = tape_missing(again->tape);
    if (missing)
        fprintf(stderr, "%zu requests of this suite were not recorded: what needs them is not judged\n", missing);
    return diff_print(again->options, &again->told, &again->recounted, NULL, again->arena);
}

static int judge_recorded(const struct options *options, bool same_suite, int (*tell_all)(struct again *again))
{
    struct arena arena = memory_arena();
    struct again again = {.options = options, .arena = &arena, .report = options->operands.items[0]};
    struct status status = past_run_read(again.report, &arena, &again.told);
    if (is_ok(status))
        status = open_tape(&again);
    if (is_ok(status))
        status = judge_again(&again);
    if (is_ok(status) && same_suite)
        status = check_suite(&again);
    int code = complain_of(status) ? EXIT_USAGE : tell_all(&again);
    tape_free(again.tape);
    buf_free(&again.recomputed);
    arena_free(&arena);
    return code;
}

int command_verify(const struct options *options)
{
    return judge_recorded(options, true, report_verdict);
}

int command_rejudge(const struct options *options)
{
    return judge_recorded(options, false, report_difference);
}

/* --- Parts of a run --- */

/* Reads the report and the tape of one part, and its flags. */
static struct status read_part(struct again *again, const char *report, struct options *flags)
{
    again->report = report;
    struct status status = past_run_read(report, again->arena, &again->told);
    if (is_ok(status))
        status = open_tape(again);
    return is_ok(status) ? read_flags(again, flags) : status;
}

static bool are_same(const struct values *one, const struct values *other)
{
    return one->count == other->count && ALL(i, one->count, strcmp(one->items[i], other->items[i]) == 0);
}

/* Whether two parts are of one run: the same suite was asked the same of the same server. */
static bool are_of_one_run(const struct again *again, const struct options *one, const struct past_run *first,
                           const struct options *other)
{
    static const char *const members[] = {"suite", "target", "strict", "seed"};
    bool same = str_equal(options_decisive(one, again->arena), options_decisive(other, again->arena)) &&
                one->repeat == other->repeat && are_same(&one->selected.filters, &other->selected.filters) &&
                are_same(&one->selected.skips, &other->selected.skips);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        const struct tree *left = tree_member(first->report, members[i]);
        const struct tree *right = tree_member(again->told.report, members[i]);
        same = same && left && right && tree_equal(left, right);
    }
    return same;
}

static struct status no_part(const struct again *again, const char *says)
{
    return status_invalid(again->arena, "'%s' %s", str_printable(again->arena, str_of(again->report)), says);
}

/* Reads all parts onto one tape. Each part of the run must be there once. */
static struct status read_parts(struct again *again, struct options *flags)
{
    const struct values *reports = &again->options->operands;
    struct past_run first = {0};
    size_t count = reports->count;
    bool *seen = arena_alloc_zero(again->arena, count + 1, sizeof *seen);
    for (size_t i = 0; i < count; i++) {
        struct options part;
        struct status status = read_part(again, reports->items[i], &part);
        if (!is_ok(status))
            return status;
        if (i == 0) {
            first = again->told;
            *flags = part;
        }
        if (!are_of_one_run(again, flags, &first, &part))
            return no_part(again, "comes from another run than the first report: suite, server or flags differ");
        const struct selection *selected = &part.selected;
        if (selected->shards != count || seen[selected->shard])
            return no_part(again, selected->shards == 0 ? "comes from a whole run, not from a part (--shard)"
                                  : selected->shards != count
                                      ? arena_printf(again->arena, "is part %zu of %zu; reports that were given: %zu",
                                                     selected->shard, selected->shards, count)
                                            .data
                                      : "is a part that another report has too");
        seen[selected->shard] = true;
    }
    return STATUS_IS_OK;
}

/* Whether the only operand is a file that gzip wrote, which no report is. */
static bool is_one_tape(const struct options *options, struct arena *arena)
{
    struct str content;
    return options->operands.count == 1 && is_ok(disk_read(options->operands.items[0], TAPE_MAX, arena, &content)) &&
           str_starts(content, STR("\x1f\x8b"));
}

static struct status read_whole(struct again *again, struct options *flags)
{
    again->file = again->options->operands.items[0];
    struct status status = tape_read(again->file, again->arena, &again->tape);
    return is_ok(status) ? read_flags(again, flags) : status;
}

int command_merge(const struct options *options)
{
    struct arena arena = memory_arena();
    struct again again = {.options = options, .arena = &arena};
    struct options flags = {0};
    struct status status = is_one_tape(options, &arena) ? read_whole(&again, &flags) : read_parts(&again, &flags);
    int code = EXIT_USAGE;
    if (!complain_of(status)) {
        flags.files = options->files;
        flags.waivers = options->waivers ? options->waivers : flags.waivers;
        flags.all = options->all;
        flags.selected.shard = flags.selected.shards = 0;
        flags.client.tape = again.tape;
        code = command_run(&flags);
        if (tape_missing(again.tape))
            complain(arena_printf(&arena, "%zu requests were not recorded: what needs them is not judged",
                                  tape_missing(again.tape)));
    }
    tape_free(again.tape);
    arena_free(&arena);
    return code;
}
