/* The style sheet lies inside the program, so that a page needs nothing but itself. */
#include "report/html.h"

__asm__(".section .rodata\n"
        ".global report_page_css\n"
        "report_page_css:\n"
        ".incbin \"conformance/report/page.css\"\n"
        "report_page_css_end:\n"
        ".balign 8\n"
        ".global report_page_css_size\n"
        "report_page_css_size:\n"
        ".quad report_page_css_end - report_page_css\n"
        ".previous\n");
extern const char report_page_css[];
extern const size_t report_page_css_size;

struct str html_style(void)
{
    return (struct str){report_page_css, report_page_css_size};
}
