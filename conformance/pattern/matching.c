/* The sentences about differences: part of the recursion of match.c, since one may say which of several patterns it is
 * nearest to. */
#include "pattern/matching.h"

#include "pattern/phrase.h"
#include "support/printable.h"
#include "tree/pointer.h"

#include <stdio.h>

#define LINE_SHOWN  160 /* bytes of a value that a sentence tells */
#define CONTEXT     60  /* bytes before a difference within long texts that are told, and from there on */
#define NAMES_SHOWN 200 /* bytes of the names that were observed; with more, not all of them are told */

static void write_place(const struct value_place *at, struct buf *out)
{
    if (!at->parent)
        return;
    write_place(at->parent, out);
    if (at->name.data)
        pointer_append(out, at->name);
    else
        buf_printf(out, "/%zu", at->index);
}

static struct str place_text(const struct matching *m, const struct value_place *at)
{
    struct buf out = {0};
    write_place(at, &out);
    for (const struct value_place *p = at; p; p = p->parent)
        if (p->tensor.data)
            buf_printf(&out, " (%s)", str_printable(m->arena, p->tensor));
    struct str text = arena_take(m->arena, &out);
    return text.size ? text : STR("answer");
}

/* Writes the sentence, unless an earlier one is there already. */
static void say(const struct matching *m, struct str *sentence, const char *before, const struct value_place *at,
                const char *format, va_list arguments)
{
    if (!sentence || sentence->size)
        return;
    struct str text = arena_vprintf(m->arena, format, arguments), place = place_text(m, at);
    *sentence = arena_printf(m->arena, "%s%.*s: %.*s", before, STR_ARG(place), STR_ARG(text));
}

bool differ(const struct matching *m, const struct value_place *at, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    say(m, m->why, "", at, format, arguments);
    va_end(arguments);
    return false;
}

bool faulty(const struct matching *m, const struct value_place *at, const char *format, ...)
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
    tree_write_start(tree, &text, LINE_SHOWN);
    append_printable(&line, buf_str(&text), LINE_SHOWN);
    struct str kept = arena_take(m->arena, &line);
    buf_free(&text);
    return kept.data;
}

const char *pattern_line(const struct matching *m, const struct tree *pattern)
{
    struct buf line = {0};
    if (!pattern || m->literal || phrase_is_plain(pattern))
        return tree_line(m, pattern);
    append_phrase(&line, pattern, LINE_SHOWN);
    return arena_take(m->arena, &line).data;
}

/* Returns the text from `from` on, as far as it is shown. */
static const char *stretch(const struct matching *m, struct str text, size_t from)
{
    struct tree rest = {.type = TREE_STRING, .text = str_from(text, from)};
    rest.text.size = rest.text.size < 2 * CONTEXT ? rest.text.size : 2 * CONTEXT;
    return tree_line(m, &rest);
}

/* Shows two texts, one of which is long, around the first byte that differs. */
static bool differ_texts(const struct matching *m, const struct value_place *at, struct str expected,
                         struct str received)
{
    size_t same = str_common(expected, received), from = same > CONTEXT ? same - CONTEXT : 0;
    while (from > 0 && from < expected.size && ((unsigned char)expected.data[from] & 0xc0) == 0x80)
        from--;
    return differ(m, at, "from byte %zu on, expected %s, got %s", from, stretch(m, expected, from),
                  stretch(m, received, from));
}

bool differ_values(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    bool texts = pattern && at->value && pattern->type == TREE_STRING && at->value->type == TREE_STRING;
    if (!m->why)
        return false;
    if (texts && (pattern->text.size > 2 * CONTEXT || at->value->text.size > 2 * CONTEXT))
        return differ_texts(m, at, pattern->text, at->value->text);
    return differ(m, at, "expected %s, got %s", pattern_line(m, pattern), tree_line(m, at->value));
}

/* --- The nearest of several --- */

/* Returns how deep the pointer leads at which the sentence begins. */
static size_t depth_of(struct str why)
{
    size_t depth = 0;
    for (size_t i = 0; i < why.size && why.data[i] != ':' && why.data[i] != ' '; i++)
        depth += why.data[i] == '/';
    return depth;
}

bool is_too_long(const struct matching *m, const struct tree *value)
{
    struct buf text = {0};
    if (!m->why || !value)
        return false;
    tree_write_start(value, &text, LINE_SHOWN);
    bool is = text.size > LINE_SHOWN;
    buf_free(&text);
    return is;
}

void try_nearest(const struct matching *m, const struct value_place *at, const struct tree *pattern,
                 struct best_attempt *nearest)
{
    struct matching tried = *m;
    struct str why = {0};
    tried.why = &why;
    tried.names = NULL;
    match_at(&tried, at, pattern);
    if (!nearest->attempts++ || depth_of(why) > nearest->depth) {
        nearest->why = why;
        nearest->depth = depth_of(why);
    }
}

void differ_nearest(const struct matching *m, const struct value_place *at, const struct best_attempt *nearest)
{
    static const char said[] = " (the nearest of ";
    bool is_said = memmem(nearest->why.data ? nearest->why.data : "", nearest->why.size, said, sizeof said - 1);
    bool is_deeper = nearest->depth > depth_of(arena_printf(m->arena, "%.*s:", STR_ARG(place_text(m, at))));
    if (is_deeper && m->why && !m->why->size)
        *m->why = nearest->attempts > 1 && !is_said
                      ? arena_printf(m->arena, "%.*s%s%zu)", STR_ARG(nearest->why), said, nearest->attempts)
                      : nearest->why;
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
    if (!names || (names->size > NAMES_SHOWN && str_equal(str_from(*names, names->size - more.size), more)))
        return;
    name = names->size > NAMES_SHOWN ? STR("...") : name;
    *names = names->size ? arena_printf(m->arena, "%.*s, %.*s", STR_ARG(*names), STR_ARG(name)) : name;
}
