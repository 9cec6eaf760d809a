/* The sentences about differences. */
#include "pattern/matching.h"

#include "support/printable.h"

#include <stdarg.h>
#include <stdio.h>

#define LINE_TOLD  160 /* bytes of a value that a sentence tells */
#define NAMES_TOLD 200 /* bytes of the names that were observed; with more, not all of them are told */

static void write_place(const struct place *at, struct buf *out)
{
    if (!at->parent)
        return;
    write_place(at->parent, out);
    buf_append_byte(out, '/');
    if (!at->name.data)
        buf_printf(out, "%zu", at->index);
    for (size_t i = 0; at->name.data && i < at->name.size; i++)
        if (at->name.data[i] == '~' || at->name.data[i] == '/')
            buf_printf(out, at->name.data[i] == '~' ? "~0" : "~1");
        else
            buf_append_byte(out, at->name.data[i]);
}

static struct str place_text(const struct matching *m, const struct place *at)
{
    struct buf out = {0};
    write_place(at, &out);
    for (const struct place *p = at; p; p = p->parent)
        if (p->tensor.data)
            buf_printf(&out, " (%s)", str_printable(m->arena, p->tensor));
    struct str text = arena_take(m->arena, &out);
    return text.size ? text : STR("answer");
}

/* Writes the sentence, unless an earlier one is there already. */
static void say(const struct matching *m, struct str *sentence, const char *before, const struct place *at,
                const char *format, va_list arguments)
{
    if (!sentence || sentence->size)
        return;
    struct str text = arena_vprintf(m->arena, format, arguments), place = place_text(m, at);
    *sentence = arena_printf(m->arena, "%s%.*s: %.*s", before, STR_ARG(place), STR_ARG(text));
}

bool differ(const struct matching *m, const struct place *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(m, m->why, "", at, format, arguments);
    va_end(arguments);
    return false;
}

bool faulty(const struct matching *m, const struct place *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(m, m->fault, "suite: ", at, format, arguments);
    va_end(arguments);
    return false;
}

const char *tree_line(const struct matching *m, const struct tree *tree)
{
    if (!tree)
        return "nothing";
    struct buf text = {0}, line = {0};
    tree_write_start(tree, &text, LINE_TOLD);
    append_printable(&line, buf_str(&text), LINE_TOLD);
    struct str kept = arena_take(m->arena, &line);
    buf_free(&text);
    return kept.data;
}

bool differ_values(const struct matching *m, const struct place *at, const struct tree *pattern,
                   const struct tree *value)
{
    return m->why ? differ(m, at, "expected %s, got %s", tree_line(m, pattern), tree_line(m, value)) : false;
}

struct matching trial(const struct matching *m)
{
    struct matching tried = *m;
    tried.why = NULL;
    return tried;
}

void add_name(const struct matching *m, struct str name)
{
    static const struct str more = STR(", ...");
    struct str *names = m->names;
    if (!names || (names->size > NAMES_TOLD && str_equal(str_from(*names, names->size - more.size), more)))
        return;
    name = names->size > NAMES_TOLD ? STR("...") : name;
    *names = names->size ? arena_printf(m->arena, "%.*s, %.*s", STR_ARG(*names), STR_ARG(name)) : name;
}
