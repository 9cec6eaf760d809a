/* The forms in which requirements, cases and guides are told. */
#include "commands/explain/explain.h"

#include "report/escape.h"
#include "support/printable.h"
#include "support/wrap.h"

#define TEXT   4000 /* bytes of a text that are told */
#define INDENT 12   /* columns before what a label stands for */

void explain_title(struct explaining *explaining, unsigned level, struct str id, struct str text)
{
    explaining->form->title(explaining, level, id, text);
}

void explain_member(struct explaining *explaining, const char *label, struct str text, size_t lines)
{
    if (text.size)
        explaining->form->member(explaining, label, text, lines);
}

void explain_say(struct explaining *explaining, const char *label, size_t lines, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    explain_member(explaining, label, arena_vprintf(explaining->arena, format, arguments), lines);
    va_end(arguments);
}

void explain_block(struct explaining *explaining, const char *label, struct str text, size_t lines)
{
    explaining->form->block(explaining, label, text, lines);
}

/* --- For a terminal --- */

static void text_title(struct explaining *explaining, unsigned, struct str, struct str text)
{
    struct buf *out = explaining->out;
    if (out->size > 1 && out->data[out->size - 2] != '\n')
        buf_append_byte(out, '\n');
    append_wrapped(out, text, 2);
    buf_append_str(out, text.size ? STR("\n") : STR(""));
}

static void text_member(struct explaining *explaining, const char *label, struct str text, size_t lines)
{
    struct buf wrapped = {0};
    buf_printf(&wrapped, "  %-*s", INDENT - 2, label);
    append_wrapped_printable(&wrapped, text, TEXT, INDENT);
    struct str kept = buf_str(&wrapped);
    for (size_t i = 0, seen = 1; i < kept.size && !explaining->all; i++)
        if (kept.data[i] == '\n' && seen++ == lines)
            kept.size = i;
    buf_append_str(explaining->out, kept);
    buf_append_str(explaining->out, kept.size < wrapped.size ? STR(" ...\n") : STR("\n"));
    buf_free(&wrapped);
}

static void text_block(struct explaining *explaining, const char *label, struct str text, size_t lines)
{
    struct str kept = text;
    text_title(explaining, 4, STR(""), str_of(label));
    for (size_t i = 0, seen = 1; i < kept.size && lines && !explaining->all; i++)
        if (kept.data[i] == '\n' && seen++ == lines)
            kept.size = i + 1;
    buf_append_str(explaining->out, kept);
    buf_append_str(explaining->out, kept.size < text.size ? STR("  ... (--all)\n") : STR(""));
}

const struct explain_form form_text = {text_title, text_member, text_block};

/* --- Markdown --- */

static void markdown_title(struct explaining *explaining, unsigned level, struct str, struct str text)
{
    if (!text.size)
        return;
    buf_printf(explaining->out, "\n%.*s ", (int)level, "####");
    append_markdown(explaining->out, text, TEXT);
    buf_append_literal(explaining->out, "\n\n");
}

/* Appends a text; one with JSON in it as code, which needs no escapes. */
static void append_plain_or_code(struct buf *out, struct str text)
{
    if (!str_has(text, '{') || str_has(text, '`')) {
        append_markdown(out, text, TEXT);
        return;
    }
    buf_append_byte(out, '`');
    append_printable(out, text, TEXT);
    buf_append_byte(out, '`');
}

static void markdown_member(struct explaining *explaining, const char *label, struct str text, size_t)
{
    buf_append_str(explaining->out, *label ? STR("- **") : STR("  - "));
    append_markdown(explaining->out, str_of(label), TEXT);
    buf_append_str(explaining->out, *label ? STR("** ") : STR(""));
    append_plain_or_code(explaining->out, text);
    buf_append_byte(explaining->out, '\n');
}

static void markdown_block(struct explaining *explaining, const char *label, struct str text, size_t)
{
    markdown_title(explaining, 4, STR(""), str_of(label));
    buf_append_literal(explaining->out, "\n~~~~~~\n");
    buf_append_str(explaining->out, text);
    buf_append_literal(explaining->out, "~~~~~~\n\n");
}

const struct explain_form form_markdown = {markdown_title, markdown_member, markdown_block};

/* --- HTML --- */

#define LIST 5 /* the level of a list of members */

/* Ends what is open at that level and below it. */
static void end_from(struct explaining *explaining, unsigned level)
{
    static const char *const ends[] = {[2] = "</section>\n", [3] = "</article>\n", [4] = "", [LIST] = "</dl>\n"};
    for (unsigned inner = LIST; inner >= level; inner--)
        if (explaining->open & 1u << inner) {
            buf_append_str(explaining->out, str_of(ends[inner]));
            explaining->open &= ~(1u << inner);
        }
}

void explain_end(struct explaining *explaining)
{
    end_from(explaining, 2);
}

/* Returns where a word leads on the page: the key of a requirement, or the case of an ID; else it is empty. */
static struct str place_of(const struct explaining *explaining, struct str word)
{
    const struct suite *suite = &explaining->nominal->suite;
    if (ledger_find(&suite->ledger, word))
        return word;
    word.size = (size_t)(strcspn(arena_copy(explaining->arena, word).data, "@#"));
    while (word.size && !suite_family(suite, word)) {
        const char *slash = memrchr(word.data, '/', word.size);
        word.size = slash ? (size_t)(slash - word.data) : 0;
    }
    return word;
}

/* Appends text whose words that name something on the page lead there. */
static void append_linked(struct explaining *explaining, struct str text)
{
    struct buf *out = explaining->out;
    for (size_t at = 0; at < text.size;) {
        struct str rest = str_from(text, at);
        size_t size = str_before(rest, ' ').size, word = size;
        for (; word && strchr(",;:()", rest.data[word - 1]); word--)
            ;
        struct str name = {rest.data, word};
        bool may_lead = str_has(name, '.') || str_has(name, '/');
        struct str place = may_lead ? place_of(explaining, name) : STR("");
        if (place.size) {
            buf_append_literal(out, "<a href=\"#");
            append_escaped(out, place, TEXT);
            buf_append_literal(out, "\">");
        }
        append_escaped(out, name, TEXT);
        buf_append_str(out, place.size ? STR("</a>") : STR(""));
        size += size < rest.size;
        append_escaped(out, (struct str){rest.data + word, size - word}, TEXT);
        at += size;
    }
}

static void html_title(struct explaining *explaining, unsigned level, struct str id, struct str text)
{
    static const char *const begins[] = {[2] = "<section", [3] = "<article", [4] = ""};
    struct buf *out = explaining->out;
    end_from(explaining, level);
    if (!text.size)
        return;
    buf_append_str(out, str_of(begins[level]));
    if (level < 4) {
        buf_append_literal(out, " id=\"");
        append_escaped(out, id, TEXT);
        buf_append_literal(out, "\">\n");
    }
    buf_printf(out, "<h%u>", level);
    append_linked(explaining, text);
    buf_printf(out, "</h%u>\n", level);
    explaining->open |= 1u << level;
}

static void html_member(struct explaining *explaining, const char *label, struct str text, size_t)
{
    if (!(explaining->open & 1u << LIST))
        buf_append_literal(explaining->out, "<dl class=\"evidence\">\n");
    explaining->open |= 1u << LIST;
    buf_printf(explaining->out, "<div><dt>%s</dt><dd>", label);
    append_linked(explaining, text);
    buf_append_literal(explaining->out, "</dd></div>\n");
}

static void html_block(struct explaining *explaining, const char *label, struct str text, size_t)
{
    html_title(explaining, 4, STR(""), str_of(label));
    buf_append_literal(explaining->out, "<pre tabindex=\"0\"><code>");
    append_escaped_lines(explaining->out, text);
    buf_append_literal(explaining->out, "</code></pre>\n");
}

const struct explain_form form_html = {html_title, html_member, html_block};
