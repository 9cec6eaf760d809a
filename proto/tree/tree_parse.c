/* Reads a JSON text into a tree: a loop over the reader, with a stack of the open containers instead of recursion. */
#include "base/search.h"
#include "tree/tree.h"
#include "json/reader.h"

struct parse {
    struct json_reader *reader;
    struct arena *arena;
    struct str text; /* the copy of the text; spans and strings point into it */
    struct tree *open[JSON_DEPTH];
    size_t depth;
};

/* Keeps a string. One that had escapes lies in the memory of the reader, which will be freed, and must be copied. */
static struct str keep(struct parse *parse, struct str s)
{
    bool in_text = s.data >= parse->text.data && s.data <= parse->text.data + parse->text.size;
    return in_text ? s : arena_copy(parse->arena, s);
}

/* Reads one value; if it is a container, only its start. Returns NULL after a fault or without memory. */
static struct tree *read_value(struct parse *parse)
{
    struct json_reader *reader = parse->reader;
    struct tree *tree = arena_new_of(parse->arena, struct tree);
    if (!tree)
        return NULL;
    struct str text;
    bool sound = false;
    size_t start = json_offset(reader);
    switch (json_type(reader)) {
    case JSON_NONE:
        break;
    case JSON_NULL:
        tree->type = TREE_NULL;
        sound = json_read_null(reader);
        break;
    case JSON_BOOL:
        tree->type = TREE_BOOL;
        sound = json_read_bool(reader, &tree->boolean);
        break;
    case JSON_NUMBER:
        tree->type = TREE_NUMBER;
        sound = json_read_number(reader, &tree->text);
        break;
    case JSON_STRING:
        tree->type = TREE_STRING;
        sound = json_read_string(reader, &text);
        if (sound)
            tree->text = keep(parse, text);
        sound = sound && tree->text.data;
        break;
    case JSON_ARRAY:
        tree->type = TREE_ARRAY;
        sound = json_enter_array(reader);
        break;
    case JSON_OBJECT:
        tree->type = TREE_OBJECT;
        sound = json_enter_object(reader);
        break;
    }
    if (!sound)
        return NULL;
    tree->span = (struct str){parse->text.data + start, json_consumed(reader) - start};
    if (tree->type == TREE_ARRAY || tree->type == TREE_OBJECT)
        parse->open[parse->depth++] = tree;
    return tree;
}

/* Reads the next member or element of the innermost container, or its end. Returns false after a fault or without
 * memory. */
static bool read_next(struct parse *parse)
{
    struct tree *parent = parse->open[parse->depth - 1];
    struct str name = {0};
    bool more = parent->type == TREE_ARRAY ? json_next_element(parse->reader) : json_next_member(parse->reader, &name);
    if (!more) {
        parent->span.size = json_consumed(parse->reader) - (size_t)(parent->span.data - parse->text.data);
        parse->depth--;
        return !json_failed(parse->reader);
    }
    if (parent->type == TREE_OBJECT) {
        name = keep(parse, name);
        if (!name.data)
            return false;
    }
    struct tree *child = read_value(parse);
    if (!child)
        return false;
    tree_add(parent, name, child);
    return true;
}

/* The memory of the reader is not the arena's. If it is missing, the arena's `exhausted` is called all the same, so
 * that the program reacts in the same way. */
static struct status no_memory(const struct arena *arena)
{
    if (arena->exhausted)
        arena->exhausted();
    return status_no_memory();
}

struct status tree_parse(struct str text, struct arena *arena, struct tree **tree)
{
    *tree = NULL;
    struct parse parse = {.arena = arena, .reader = json_reader_create(arena->lease)};
    char *copy = text.size < SIZE_MAX - JSON_PADDING ? arena_alloc(arena, text.size + JSON_PADDING) : NULL;
    if (!copy || !parse.reader) {
        json_reader_destroy(parse.reader);
        return no_memory(arena);
    }
    if (text.size)
        memcpy(copy, text.data, text.size);
    memset(copy + text.size, 0, JSON_PADDING);
    parse.text = (struct str){copy, text.size};

    json_begin(parse.reader, parse.text);
    struct tree *root = read_value(&parse);
    bool sound = root != NULL;
    while (sound && parse.depth > 0)
        sound = read_next(&parse);

    struct status status = sound || json_failed(parse.reader) ? json_end(parse.reader, arena) : no_memory(arena);
    json_reader_destroy(parse.reader);
    if (status.code == STATUS_RESOURCE_EXHAUSTED)
        return no_memory(arena);
    if (is_ok(status))
        *tree = root;
    return status;
}

size_t tree_most_nodes(struct str text)
{
    return 1 + SUM(i, text.size, text.data[i] == ',' || text.data[i] == '[' || text.data[i] == '{');
}
