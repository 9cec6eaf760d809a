#include "report/escape.h"

#include "base/embed.h"
#include "support/printable.h"

static void append_without_markup(struct buf *out, struct str text)
{
    for (size_t i = 0; i < text.size; i++)
        switch (text.data[i]) {
        case '&':
            buf_append_literal(out, "&amp;");
            break;
        case '<':
            buf_append_literal(out, "&lt;");
            break;
        case '>':
            buf_append_literal(out, "&gt;");
            break;
        case '"':
            buf_append_literal(out, "&quot;");
            break;
        default:
            buf_append_byte(out, text.data[i]);
        }
}

void append_escaped(struct buf *out, struct str text, size_t most)
{
    struct buf printable = {0};
    append_printable(&printable, text, most);
    append_without_markup(out, buf_str(&printable));
    buf_free(&printable);
}

const char *escaped(struct arena *arena, struct str text, size_t most)
{
    struct buf out = {0};
    append_escaped(&out, text, most);
    return out.size ? arena_take(arena, &out).data : "";
}

void append_escaped_lines(struct buf *out, struct str text)
{
    struct buf printable = {0};
    append_printable_lines(&printable, text);
    append_without_markup(out, buf_str(&printable));
    buf_free(&printable);
}

void append_markdown(struct buf *out, struct str text, size_t most)
{
    struct buf escaped = {0};
    append_escaped(&escaped, text, most);
    for (size_t i = 0; i < escaped.size; i++) {
        if (strchr("\\`*_{}[]()#+-.!|~@:", escaped.data[i]))
            buf_append_byte(out, '\\');
        buf_append_byte(out, escaped.data[i]);
    }
    buf_free(&escaped);
}

void append_markdown_cell(struct buf *out, struct str text, size_t most)
{
    buf_append_byte(out, ' ');
    append_markdown(out, text, most);
    buf_append_literal(out, " |");
}

EMBED(page_style, "report/page.css")

void append_html_head(struct buf *out, struct str title, struct str style)
{
    buf_append_literal(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
                            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
                            "<meta name=\"color-scheme\" content=\"light dark\"/>\n<title>");
    append_escaped(out, title, title.size);
    buf_append_literal(out, "</title>\n<style>\n");
    buf_append_str(out, page_style());
    buf_append_str(out, style);
    buf_append_literal(out, "</style>\n</head>\n");
}
