#include "suite/ledger.h"

#include <stdlib.h>

static const char *const level_names[] = {
    [LEVEL_MUST] = "must", [LEVEL_SHOULD] = "should", [LEVEL_MAY] = "may", [LEVEL_OPEN] = "open"};

const char *level_name(enum level level)
{
    return level_names[level];
}

bool level_from_name(struct str name, enum level *level)
{
    for (size_t i = 0; i < sizeof level_names / sizeof *level_names; i++)
        if (str_is(name, level_names[i])) {
            *level = (enum level)i;
            return true;
        }
    return false;
}

static struct status read_row(const struct ledger_file *file, size_t index, const struct tree *tree,
                              struct arena *arena, struct requirement *row)
{
    *row = (struct requirement){
        .key = tree_text(tree, "key"),
        .binds = tree_text(tree, "binds"),
        .says = tree_text(tree, "says"),
        .status = tree_text(tree, "status"),
        .why = tree_text(tree, "why"),
        .sources = tree_member(tree, "sources"),
        .file = file->name,
        .position = index,
        .tree = tree,
    };
    const char *dot = row->key.size ? memchr(row->key.data, '.', row->key.size) : NULL;
    if (!dot || dot == row->key.data || dot + 1 == row->key.data + row->key.size)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "%.*s: /%zu: 'key' must be PREFIX.SLUG, it is '%s'",
                            STR_ARG(file->name), index, str_printable(arena, row->key));
    row->prefix = (struct str){row->key.data, (size_t)(dot - row->key.data)};
    row->slug = str_from(row->key, row->prefix.size + 1);
    if (!level_from_name(tree_text(tree, "level"), &row->level))
        return status_error(
            arena, STATUS_INVALID_ARGUMENT, "%.*s: /%zu (%.*s): 'level' must be must, should, may or open, it is '%s'",
            STR_ARG(file->name), index, STR_ARG(row->key), str_printable(arena, tree_text(tree, "level")));
    return STATUS_IS_OK;
}

static int compare_rows(const void *a, const void *b)
{
    return str_compare(((const struct requirement *)a)->key, ((const struct requirement *)b)->key);
}

struct status ledger_read(const struct ledger_file *files, size_t file_count, struct arena *arena,
                          struct ledger *ledger)
{
    size_t count = 0;
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].tree->type != TREE_ARRAY)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "%.*s: a ledger file must be a list of rows",
                                STR_ARG(files[i].name));
        count += files[i].tree->count;
    }
    *ledger = (struct ledger){arena_alloc_zero(arena, count, sizeof *ledger->rows), 0};
    for (size_t i = 0; i < file_count; i++) {
        size_t index = 0;
        for (const struct tree *row = files[i].tree->first; row; row = row->next, index++) {
            struct status status = read_row(&files[i], index, row, arena, &ledger->rows[ledger->count]);
            if (!is_ok(status))
                return status;
            ledger->count++;
        }
    }
    qsort(ledger->rows, ledger->count, sizeof *ledger->rows, compare_rows);
    return STATUS_IS_OK;
}

const struct requirement *ledger_find(const struct ledger *ledger, struct str key)
{
    struct requirement wanted = {.key = key};
    return ledger->count ? bsearch(&wanted, ledger->rows, ledger->count, sizeof *ledger->rows, compare_rows) : NULL;
}

struct str requirement_source(const struct requirement *requirement, struct arena *arena)
{
    struct str text = STR("");
    const struct tree *source = requirement->sources ? requirement->sources->first : NULL;
    for (; source; source = source->next) {
        struct str section = tree_text(source, "section");
        text = arena_printf(arena, "%.*s%s%.*s%s%.*s%s", STR_ARG(text), text.size ? "; " : "",
                            STR_ARG(tree_text(source, "text")), section.size ? ", \"" : "", STR_ARG(section),
                            section.size ? "\"" : "");
    }
    return text;
}
