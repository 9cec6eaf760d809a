#include "commands/past_run.h"

#include "base/search.h"
#include "support/files.h"
#include "support/printable.h"

#include <stdlib.h>

static int by_key(const void *a, const void *b)
{
    return str_compare(((const struct past_row *)a)->key, ((const struct past_row *)b)->key);
}

const struct past_row *past_run_row(const struct past_run *run, struct str key)
{
    const struct past_row wanted = {.key = key};
    return run->count ? bsearch(&wanted, run->rows, run->count, sizeof wanted, by_key) : NULL;
}

static enum stand stand_of(struct str verdict)
{
    static const struct {
        const char *verdict;
        enum stand stand;
    } stands[] = {{"fail", STAND_FAILS},
                  {"timeout", STAND_FAILS},
                  {"waived", STAND_WAIVED},
                  {"warn", STAND_WARNS},
                  {"pass", STAND_HOLDS}};
    return FIRST(i, COUNT_OF(stands), str_is(verdict, stands[i].verdict), stands[i].stand, STAND_UNKNOWN);
}

static void add_observed(struct past_row *row, struct str name, struct arena *arena)
{
    if (!ANY(i, row->observed.count, str_equal(list_str(&row->observed, i), name)))
        list_append_str(&row->observed, name, arena);
}

/* Whether a finding of the report shows that result. */
static bool is_witness(const struct tree *report, const struct tree *result)
{
    return ANY_IN(finding, tree_first(tree_member(report, "findings")),
                  str_equal(tree_text(finding, "witness"), tree_text(result, "id")));
}

/* Adds one result to its row. Of the results with the final standing of the row, the first is kept. */
static void take(struct past_row *row, const struct tree *result, bool is_witness, struct arena *arena)
{
    enum stand stand = stand_of(tree_text(result, "verdict"));
    struct str observed = tree_text(result, "observed");
    row->counts[stand]++;
    if (stand < row->stand || (stand == row->stand && is_witness)) {
        row->stand = stand;
        row->first = result;
    }
    if (observed.size && stand != STAND_UNKNOWN)
        add_observed(row, observed, arena);
}

static struct status no_report(const char *file, struct arena *arena)
{
    return status_invalid(arena, "'%s' is not a report that a run wrote with --json",
                          str_printable(arena, str_of(file)));
}

/* Returns the name of a file without its folder and ".json". */
static struct str base_name(const char *file)
{
    const char *slash = strrchr(file, '/');
    struct str name = str_of(slash ? slash + 1 : file);
    bool is_json = name.size > 5 && str_ends(name, STR(".json"));
    return is_json ? (struct str){name.data, name.size - 5} : name;
}

static struct str name_of(const struct tree *target, const char *file, struct arena *arena)
{
    struct str name = tree_text(target, "server_name"), version = tree_text(target, "server_version");
    return name.size ? arena_printf(arena, "%.*s%s%.*s", STR_ARG(name), version.size ? " " : "", STR_ARG(version))
                     : base_name(file);
}

static struct str printable(struct str text, struct arena *arena)
{
    struct buf out = {0};
    append_printable(&out, text, text.size);
    return out.size ? arena_take(arena, &out) : text;
}

/* Makes texts and names printable: a report may be a stranger's. */
static void make_printable(struct tree *tree, struct arena *arena)
{
    for (; tree; tree = tree->next) {
        tree->name = printable(tree->name, arena);
        if (tree->type == TREE_STRING)
            tree->text = printable(tree->text, arena);
        make_printable(tree->first, arena);
    }
}

struct status past_run_parse(struct str text, const char *file, struct arena *arena, struct past_run *run)
{
    struct tree *report = NULL;
    if (!is_ok(tree_parse(text, arena, &report)) || !str_is(tree_text(report, "format"), "oip-conformance-report"))
        return no_report(file, arena);
    make_printable(report, arena);
    const struct tree *results = tree_member(report, "results"), *rows = tree_member(report, "requirements");
    if (!results || results->type != TREE_ARRAY || !rows || rows->type != TREE_OBJECT)
        return no_report(file, arena);
    *run = (struct past_run){.name = name_of(tree_member(report, "target"), file, arena),
                             .conclusion = tree_text(report, "conclusion"),
                             .report = report,
                             .rows = arena_alloc_zero(arena, rows->count + 1, sizeof *run->rows)};
    FOR_EACH_IN(row, rows->first)
        run->rows[run->count++] = (struct past_row){.key = row->name,
                                                    .level = tree_text(row, "level"),
                                                    .layer = tree_text(row, "layer"),
                                                    .says = tree_text(row, "says"),
                                                    .stand = STAND_UNKNOWN};
    array_sort(run->rows, run->count, by_key);
    FOR_EACH_IN(result, results->first) {
        const struct past_row *row = past_run_row(run, tree_text(result, "key"));
        if (row)
            take(&run->rows[row - run->rows], result, is_witness(report, result), arena);
    }
    return STATUS_IS_OK;
}

struct status past_run_read(const char *file, struct arena *arena, struct past_run *run)
{
    struct str text;
    struct status status = disk_read(file, FILE_SIZE_MAX, arena, &text);
    return is_ok(status) ? past_run_parse(text, file, arena, run)
                         : (struct status){STATUS_INVALID_ARGUMENT, status.message, NULL};
}

struct status past_runs_read(const struct values *files, struct arena *arena, struct past_run **runs)
{
    struct status status = STATUS_IS_OK;
    *runs = arena_alloc_zero(arena, files->count + 1, sizeof **runs);
    for (size_t i = 0; i < files->count && is_ok(status); i++)
        status = past_run_read(files->items[i], arena, &(*runs)[i]);
    return status;
}
