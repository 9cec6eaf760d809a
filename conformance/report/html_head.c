#include "report/html_head.h"

#include "base/embed.h"
#include "report/escape.h"

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
