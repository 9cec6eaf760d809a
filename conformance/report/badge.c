/* A badge for the page of a project: the conclusion, and how many MUST requirements hold of those that were asked
 * for. It is a picture in SVG that needs no font and no other file. */
#include "base/search.h"
#include "report/escape.h"
#include "report/headline.h"
#include "report/report.h"

#define CHARACTER 6.1 /* width of a letter of 11 px, on average */
#define BESIDE    10  /* pixels on each side of a text */

static const struct {
    const char *tone, *colour;
} colours[] = {{"good", "#14703a"}, {"part", "#855300"}, {"bad", "#b3261e"}};

static const char *colour_of(const char *tone)
{
    size_t i = 0;
    while (i + 1 < COUNT_OF(colours) && strcmp(colours[i].tone, tone) != 0)
        i++;
    return colours[i].colour;
}

static size_t width_of(struct str text)
{
    return (size_t)((double)text.size * CHARACTER) + 2 * BESIDE;
}

static void append_text(struct buf *out, size_t left, size_t width, struct str text)
{
    buf_printf(out, "<text x=\"%zu\" y=\"14\" textLength=\"%zu\">", left + width / 2, width - 2 * BESIDE);
    append_escaped(out, text, text.size);
    buf_append_literal(out, "</text>\n");
}

void report_badge(const struct summary *summary, struct buf *out)
{
    struct str label = STR("Open Inference Protocol");
    struct str value = arena_printf(summary->arena, "%s, %zu of %zu MUST", conclusion_name(summary->conclusion),
                                    summary->must_rows.met, summary->must_rows.asked);
    size_t left = width_of(label), right = width_of(value);
    buf_printf(out,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%zu\" height=\"20\" role=\"img\" aria-label=\"%.*s: "
               "%.*s\">\n<title>%.*s: %.*s</title>\n",
               left + right, STR_ARG(label), STR_ARG(value), STR_ARG(label), STR_ARG(value));
    buf_printf(out, "<rect width=\"%zu\" height=\"20\" rx=\"3\" fill=\"#444b57\"/>\n", left + right);
    buf_printf(out, "<path d=\"M%zu 0h%zuq3 0 3 3v14q0 3-3 3h-%zuz\" fill=\"%s\"/>\n", left, right - 3, right - 3,
               colour_of(look_of(summary->conclusion).tone));
    buf_append_literal(out, "<g fill=\"#fff\" text-anchor=\"middle\" font-family=\"Verdana,DejaVu Sans,sans-serif\" "
                            "font-size=\"11\">\n");
    append_text(out, 0, left, label);
    append_text(out, left, right, value);
    buf_append_literal(out, "</g>\n</svg>\n");
}
