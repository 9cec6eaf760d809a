#include "suite/ledger.h"

#include "base/search.h"
#include "support/memory.h"

#include <stdlib.h>

static const char *const level_names[] = {
    [LEVEL_MUST] = "must", [LEVEL_SHOULD] = "should", [LEVEL_MAY] = "may", [LEVEL_OPEN] = "open"};

static const char *const layer_names[LAYERS] = {
    [LAYER_ANSWERS] = "answers", [LAYER_REFUSALS] = "refusals", [LAYER_TRANSPORT] = "transport"};

const char *level_name(enum level level)
{
    return level_names[level];
}

const char *layer_name(enum layer layer)
{
    return layer_names[layer];
}

/* Returns the index of the name in the list; the count of the list if it is not there. */
static size_t index_of_name(struct str name, const char *const *names, size_t count)
{
    return FIRST(i, count, str_is(name, names[i]), i, count);
}

/* Returns the text that a row about the transport belongs to: its own prefix, if that is one of documents.json, else
 * that of its first source. */
static struct str text_of(const struct requirement *row, const struct tree *documents)
{
    const struct tree *first = tree_first(row->sources);
    FOR_EACH_IN(document, tree_first(documents))
        if (str_equal(tree_text(document, "text"), row->prefix))
            return row->prefix;
    struct str text = tree_text(documents ? tree_member_str(documents, tree_text(first, "text")) : NULL, "text");
    return text.size ? text : row->prefix;
}

bool source_is_repeated(const struct tree *sources, const struct tree *source, bool sections)
{
    return FIND_IN(one, sources->first,
                   str_equal(tree_text(one, "text"), tree_text(source, "text")) &&
                       (!sections || str_equal(tree_text(one, "section"), tree_text(source, "section")))) != source;
}

/* Appends the sections of all sources of the text that `source` names, each once: , "15.5", "15.6" */
static void append_sections(struct buf *text, const struct tree *sources, const struct tree *source)
{
    FOR_EACH_IN(other, source) {
        struct str section = tree_text(other, "section");
        if (section.size && str_equal(tree_text(other, "text"), tree_text(source, "text")) &&
            !source_is_repeated(sources, other, true))
            buf_printf(text, ", \"%.*s\"", STR_ARG(section));
    }
}

/* Returns, for each text: HTTP Semantics (RFC 9110), "15.5", https://www.rfc-editor.org/rfc/rfc9110. If documents.json
 * does not have the text, only its name and the sections: RFC 9110, "15.5". */
static struct str source_of(const struct tree *sources, const struct tree *documents, bool addresses,
                            struct arena *arena)
{
    struct buf text = {0};
    FOR_EACH_IN(source, tree_first(sources)) {
        struct str name = tree_text(source, "text");
        const struct tree *document = documents ? tree_member_str(documents, name) : NULL;
        struct str title = tree_text(document, "title"), address = tree_text(document, "address");
        if (source_is_repeated(sources, source, false))
            continue;
        if (text.size)
            buf_append_literal(&text, "; ");
        buf_printf(&text, title.size ? "%.*s (%.*s)" : "%.*s%.*s", STR_ARG(title), STR_ARG(name));
        append_sections(&text, sources, source);
        if (address.size && addresses)
            buf_printf(&text, ", %.*s", STR_ARG(address));
    }
    return arena_take(arena, &text);
}

/* Reads a member that is one text or a list of texts. */
static struct keys keys_of(const struct tree *member, struct arena *arena)
{
    struct keys keys = {0};
    FOR_EACH_OF(text, member)
        *array_add(keys.items, keys.count, arena) = text->text;
    return keys;
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
        .owns = keys_of(tree_member(tree, "owns"), arena),
        .implies = keys_of(tree_member(tree, "implies"), arena),
        .sources = tree_member(tree, "sources"),
        .file = file->name,
        .position = index,
        .tree = tree,
    };
    const char *dot = row->key.size ? memchr(row->key.data, '.', row->key.size) : NULL;
    if (!dot || dot == row->key.data || dot + 1 == row->key.data + row->key.size)
        return status_invalid(arena, "%.*s: /%zu: 'key' must be PREFIX.SLUG, it is '%s'", STR_ARG(file->name), index,
                              str_printable(arena, row->key));
    row->prefix = (struct str){row->key.data, (size_t)(dot - row->key.data)};
    row->slug = str_from(row->key, row->prefix.size + 1);
    row->level = (enum level)index_of_name(tree_text(tree, "level"), level_names, COUNT_OF(level_names));
    row->layer = (enum layer)index_of_name(tree_text(tree, "layer"), layer_names, LAYERS);
    if (row->level == COUNT_OF(level_names))
        return status_invalid(arena, "%.*s: /%zu (%.*s): 'level' must be must, should, may or open, it is '%s'",
                              STR_ARG(file->name), index, STR_ARG(row->key),
                              str_printable(arena, tree_text(tree, "level")));
    if (row->layer == LAYERS)
        return status_invalid(arena, "%.*s: /%zu (%.*s): 'layer' must be answers, refusals or transport, it is '%s'",
                              STR_ARG(file->name), index, STR_ARG(row->key),
                              str_printable(arena, tree_text(tree, "layer")));
    return STATUS_IS_OK;
}

static int compare_rows(const void *a, const void *b)
{
    return str_compare(((const struct requirement *)a)->key, ((const struct requirement *)b)->key);
}

struct status ledger_read(const struct ledger_file *files, size_t file_count, const struct tree *documents,
                          struct arena *arena, struct ledger *ledger)
{
    size_t count = 0;
    for (size_t i = 0; i < file_count; i++) {
        if (files[i].tree->type != TREE_ARRAY)
            return status_invalid(arena, "%.*s: a ledger file must be a list of rows", STR_ARG(files[i].name));
        count += files[i].tree->count;
    }
    *ledger = (struct ledger){arena_alloc_zero(arena, count, sizeof *ledger->rows), 0};
    for (size_t i = 0; i < file_count; i++) {
        size_t index = 0;
        for (const struct tree *row = files[i].tree->first; row; row = row->next, index++) {
            struct status status = read_row(&files[i], index, row, arena, &ledger->rows[ledger->count]);
            if (!is_ok(status))
                return status;
            struct requirement *read = &ledger->rows[ledger->count++];
            read->source = source_of(read->sources, documents, true, arena);
            read->cites = source_of(read->sources, documents, false, arena);
            read->under = read->layer == LAYER_TRANSPORT ? text_of(read, documents) : read->prefix;
        }
    }
    array_sort(ledger->rows, ledger->count, compare_rows);
    return STATUS_IS_OK;
}

const struct requirement *ledger_find(const struct ledger *ledger, struct str key)
{
    struct requirement wanted = {.key = key};
    return ledger->count ? bsearch(&wanted, ledger->rows, ledger->count, sizeof *ledger->rows, compare_rows) : NULL;
}
