/* What all parts of the page are made from: text, links to sources, marks of levels and standings. */
#include "report/html.h"

#include "report/escape.h"

#include <ctype.h>

const char *html_escaped(struct page *page, struct str text)
{
    return escaped(page->arena, text, HTML_TEXT);
}

void html_element(struct page *page, const char *tag, struct str text)
{
    buf_printf(page->out, "<%s>%s</%.*s>", tag, html_escaped(page, text), (int)strcspn(tag, " "), tag);
}

void html_entry(struct page *page, const char *label, struct str text)
{
    if (text.size)
        buf_printf(page->out, "<div><dt>%s</dt><dd>%s</dd></div>\n", label, html_escaped(page, text));
}

/* --- Links to documents --- */

/* Appends the name by which the pages of documents know a section: "section-15.5" of an RFC, else the words of the
 * heading, which stands before a comma: "grpc-model-metadata". */
static void anchor(struct buf *out, struct str section)
{
    const char *comma = memmem(section.data, section.size, ", ", 2);
    size_t size = comma ? (size_t)(comma - section.data) : section.size;
    bool numbered = size && isdigit((unsigned char)section.data[0]);
    if (numbered)
        buf_append_literal(out, "section-");
    for (size_t i = 0; i < size; i++) {
        unsigned char c = (unsigned char)section.data[i];
        if (c == ' ')
            buf_append_byte(out, '-');
        else if (isalnum(c) || c == '-' || c == '_' || (numbered && c == '.'))
            buf_append_byte(out, (char)tolower(c));
    }
}

static void source_link(struct page *page, const struct tree *source)
{
    struct str name = tree_text(source, "text"), section = tree_text(source, "section");
    const struct tree *document = tree_member_str(page->report->suite->documents, name);
    struct str address = tree_text(document, "address");
    if (address.size) {
        buf_printf(page->out, "<a href=\"%s#", html_escaped(page, address));
        anchor(page->out, section);
        html(page, "\">");
    }
    append_escaped(page->out, name, HTML_TEXT);
    if (section.size)
        buf_printf(page->out, ", \xe2\x80\x9c%s\xe2\x80\x9d", html_escaped(page, section));
    if (address.size)
        html(page, "</a>");
}

void html_sources(struct page *page, const struct requirement *requirement)
{
    const char *separator = "";
    FOR_EACH_IN(source, tree_first(requirement->sources)) {
        if (source_is_repeated(requirement->sources, source, true))
            continue;
        buf_printf(page->out, "%s", separator);
        source_link(page, source);
        separator = "; ";
    }
}

/* --- Marks: never a colour alone --- */

void html_level(struct page *page, enum level level)
{
    static const char *const words[] = {
        [LEVEL_MUST] = "MUST", [LEVEL_SHOULD] = "SHOULD", [LEVEL_MAY] = "MAY", [LEVEL_OPEN] = "OPEN"};
    buf_printf(page->out, "<span class=\"level %s\">%s</span>", level_name(level), words[level]);
}

void html_standing(struct page *page, enum standing standing)
{
    static const struct {
        const char *class, *mark;
    } looks[STANDING_COUNT] = {
        [STANDING_MET] = {"good", "\xe2\x9c\x93"},   [STANDING_PARTLY] = {"none", "\xe2\x9c\x93"},
        [STANDING_FAILED] = {"bad", "\xe2\x9c\x95"}, [STANDING_WAIVED] = {"part", "~"},
        [STANDING_WARNED] = {"part", "!"},           [STANDING_UNTRIED] = {"none", "\xe2\x80\x93"},
        [STANDING_SEEN] = {"none", "\xe2\x80\xa2"},  [STANDING_UNTESTED] = {"none", "\xe2\x80\x93"},
    };
    buf_printf(page->out, "<span class=\"standing %s\"><span class=\"mark\" aria-hidden=\"true\">%s</span>%s</span>",
               looks[standing].class, looks[standing].mark, standing_name(standing));
}
