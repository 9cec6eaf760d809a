/* The formatter copies values from their source text (the spans that the parser kept) and makes only the blanks between
 * them. It first measures a value as one line, and breaks it if that line is too long. */
#include "suite/layout.h"

#include "base/search.h"

#define INDENT 2

struct layout {
    struct buf *out;
    struct arena arena;
};

/* A member or an element. `name` is its name as the source spells it, with its quotes; empty in a list. */
struct part {
    struct str name;
    const struct tree *tree;
};

/* Where a value is written. */
struct setting {
    size_t indent; /* indentation of the line on which the value begins */
    size_t column; /* column at which the value begins */
    size_t behind; /* columns that must fit after the value on its last line (a comma) */
    bool one_each; /* break it into a line for each member, even if it fits on one line */
    bool sorted;
};

size_t layout_columns(struct str line)
{
    return SUM(i, line.size, ((unsigned char)line.data[i] & 0xc0) != 0x80);
}

/* --- The members or elements of a value --- */

static bool is_between(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ',';
}

static struct str source_of(const struct tree *tree)
{
    struct str span = tree->span;
    while (span.size && is_between(*span.data))
        span = str_from(span, 1);
    return span;
}

/* Finds the source of a name: it begins after the blanks and commas at `after`, and ends at its closing quote. */
static struct str name_source(const char *behind)
{
    while (is_between(*behind))
        behind++;
    size_t size = 1;
    while (behind[size] != '"')
        size += behind[size] == '\\' ? 2 : 1;
    return (struct str){behind, size + 1};
}

static int compare_parts(const void *a, const void *b)
{
    const struct part *left = a, *right = b;
    int order = str_compare(left->tree->name, right->tree->name);
    return order ? order : (left->name.data > right->name.data) - (left->name.data < right->name.data);
}

static struct part *parts_of(struct layout *layout, const struct tree *tree, bool sorted)
{
    struct part *parts = arena_alloc_zero(&layout->arena, tree->count, sizeof *parts);
    const char *behind = source_of(tree).data + 1;
    size_t count = 0;
    FOR_EACH_IN(child, tree->first) {
        struct str name = tree->type == TREE_OBJECT ? name_source(behind) : (struct str){0};
        parts[count++] = (struct part){name, child};
        behind = child->span.data + child->span.size;
    }
    if (sorted)
        array_sort(parts, count, compare_parts);
    return parts;
}

static bool is_scalar(const struct tree *tree)
{
    return tree->type != TREE_OBJECT && tree->type != TREE_ARRAY;
}

/* Whether the value is a scalar, or a list of nothing but scalars. */
static bool is_flat(const struct tree *tree)
{
    return tree->type != TREE_OBJECT && ALL_IN(child, tree->first, is_scalar(child));
}

/* --- On one line --- */

static void write_line(struct layout *layout, const struct tree *tree, struct buf *out);

static void write_part(struct layout *layout, const struct part *part, struct buf *out)
{
    buf_append_str(out, part->name);
    if (part->name.size)
        buf_append_literal(out, ": ");
    write_line(layout, part->tree, out);
}

static void write_line(struct layout *layout, const struct tree *tree, struct buf *out)
{
    if (is_scalar(tree)) {
        buf_append_str(out, source_of(tree));
        return;
    }
    const struct part *parts = parts_of(layout, tree, false);
    buf_append_byte(out, tree->type == TREE_OBJECT ? '{' : '[');
    for (size_t i = 0; i < tree->count; i++) {
        if (i)
            buf_append_literal(out, ", ");
        write_part(layout, &parts[i], out);
    }
    buf_append_byte(out, tree->type == TREE_OBJECT ? '}' : ']');
}

/* Writes the member or element as one line, in the arena. */
static struct str line_of(struct layout *layout, const struct part *part)
{
    struct buf line = {0};
    write_part(layout, part, &line);
    return arena_take(&layout->arena, &line);
}

/* --- On several lines --- */

static void write_value(struct layout *layout, const struct tree *tree, struct setting setting);

/* The line that is being written: its last column so far, and whether a short value may follow on it. */
struct line {
    size_t indent, column;
    bool is_shared;
};

/* Begins the next member or element, which takes that many columns: on this line if it fits and both may share a line,
 * else on a new line. */
static void go_on(struct layout *layout, struct line *line, size_t columns, bool shares)
{
    if (line->is_shared && shares && line->column + 1 + columns <= LAYOUT_COLUMNS) {
        buf_append_byte(layout->out, ' ');
        line->column++;
    } else {
        buf_append_byte(layout->out, '\n');
        for (size_t i = 0; i < line->indent; i++)
            buf_append_byte(layout->out, ' ');
        line->column = line->indent;
    }
    line->column += columns;
    line->is_shared = shares;
}

/* Where the value of a member or element that begins at the column is written. */
static struct setting setting_of(const struct part *part, const struct setting *parent, size_t column)
{
    bool in_file = parent->indent == 0, neighbours = in_file && str_is(part->tree->name, "neighbours");
    return (struct setting){
        .indent = parent->indent + INDENT,
        .column = column + layout_columns(part->name) + (part->name.size ? strlen(": ") : 0),
        .one_each = neighbours || (in_file && str_is(part->tree->name, "observations")),
        .sorted = neighbours,
    };
}

static void write_parts(struct layout *layout, const struct tree *tree, const struct setting *setting)
{
    const struct part *parts = parts_of(layout, tree, setting->sorted);
    struct line line = {.indent = setting->indent + INDENT};
    for (size_t i = 0; i < tree->count; i++) {
        const struct tree *value = parts[i].tree;
        bool comma = i + 1 < tree->count, flat = is_flat(value);
        struct str text = flat ? line_of(layout, &parts[i]) : (struct str){0};
        size_t columns = layout_columns(text) + comma;
        bool whole = flat && (is_scalar(value) || line.indent + columns <= LAYOUT_COLUMNS);
        bool shares = whole && !setting->one_each && (tree->type == TREE_OBJECT || is_scalar(value));
        go_on(layout, &line, columns, shares);
        if (whole)
            buf_append_str(layout->out, text);
        else {
            struct setting inner = setting_of(&parts[i], setting, line.indent);
            inner.behind = comma;
            buf_append_str(layout->out, parts[i].name);
            if (parts[i].name.size)
                buf_append_literal(layout->out, ": ");
            write_value(layout, value, inner);
        }
        if (comma)
            buf_append_byte(layout->out, ',');
    }
}

/* Writes an object or a list. */
static void write_value(struct layout *layout, const struct tree *tree, struct setting setting)
{
    struct str line = line_of(layout, &(struct part){.tree = tree});
    bool fits = setting.column + layout_columns(line) + setting.behind <= LAYOUT_COLUMNS;
    if (tree->count == 0 || (fits && !setting.one_each)) {
        buf_append_str(layout->out, line);
        return;
    }
    buf_append_byte(layout->out, tree->type == TREE_OBJECT ? '{' : '[');
    write_parts(layout, tree, &setting);
    buf_append_byte(layout->out, '\n');
    for (size_t i = 0; i < setting.indent; i++)
        buf_append_byte(layout->out, ' ');
    buf_append_byte(layout->out, tree->type == TREE_OBJECT ? '}' : ']');
}

void layout_write(const struct suite_file *file, struct buf *out)
{
    struct layout layout = {.out = out, .arena = memory_arena()};
    struct setting setting = {.one_each = true, .sorted = str_starts(file->path, STR("deviations/"))};
    if (is_scalar(file->tree))
        buf_append_str(out, source_of(file->tree));
    else
        write_value(&layout, file->tree, setting);
    buf_append_byte(out, '\n');
    arena_free(&layout.arena);
}
