/* `book`: everything that the fixtures say, as one document: the guides, then each requirement with an example, then
 * each case with its neighbours. */
#include "base/search.h"
#include "commands/commands.h"
#include "commands/explain/explain.h"
#include "commands/forms.h"

#include "base/embed.h"
#include "report/escape.h"

EMBED(book_style, "commands/explain/book.css")

static void write_guides(struct explaining *explaining)
{
    const struct registry *registry = &explaining->nominal->suite.registry;
    for (size_t i = 0; i < registry->profile_count; i++)
        if (registry->profiles[i].guide)
            explain_guide(explaining, &registry->profiles[i]);
}

static void write_requirements(struct explaining *explaining)
{
    const struct ledger *ledger = &explaining->nominal->suite.ledger;
    struct str prefix = {0};
    FOR_EACH(row, ledger->rows, ledger->count) {
        if (!str_equal(row->prefix, prefix))
            explain_title(explaining, 2, arena_printf(explaining->arena, "requirements-%.*s", STR_ARG(row->prefix)),
                          arena_printf(explaining->arena, "Requirements of %.*s", STR_ARG(row->prefix)));
        prefix = row->prefix;
        explain_row(explaining, row);
    }
}

static void write_cases(struct explaining *explaining)
{
    const struct plan *plan = &explaining->nominal->plan;
    const struct family *before = NULL;
    struct str folder = {0};
    FOR_EACH(group, plan->groups, plan->group_count) {
        if (group->family == before)
            continue; /* in another encoding, or with another value */
        struct str path = group->family->path, own = {path.data, strcspn(path.data, "/")};
        if (!str_equal(own, folder))
            explain_title(explaining, 2, arena_printf(explaining->arena, "cases-%.*s", STR_ARG(own)),
                          arena_printf(explaining->arena, "Cases in %.*s", STR_ARG(own)));
        folder = own;
        before = group->family;
        explain_case(explaining, group);
    }
}

static void write_all(const struct nominal *nominal, const struct explain_form *form, struct buf *out)
{
    struct arena arena = memory_arena();
    struct explaining explaining = {nominal, &arena, out, true, form, 0};
    write_guides(&explaining);
    write_requirements(&explaining);
    write_cases(&explaining);
    explain_end(&explaining);
    arena_free(&arena);
}

static void print_markdown(const void *what, struct buf *out)
{
    buf_append_literal(out, "# Requirements and cases\n");
    write_all(what, &form_markdown, out);
}

/* Appends a link to each chapter of the document, in a list for each kind: the word before the name in its ID. */
static void append_contents(struct str document, struct buf *out)
{
    static const char chapter[] = "<section id=\"";
    struct str kind = {0};
    buf_append_literal(out, "<nav>");
    for (struct str rest = document; rest.size;) {
        const char *found = memmem(rest.data, rest.size, chapter, sizeof chapter - 1);
        if (!found)
            break;
        rest = str_from(rest, (size_t)(found - rest.data) + sizeof chapter - 1);
        struct str own = {rest.data, strcspn(rest.data, "-")};
        int size = (int)strcspn(rest.data, "\"");
        if (!str_equal(own, kind))
            buf_printf(out, "%s\n<ul>\n<li><b>%.*s</b></li>\n", kind.size ? "</ul>" : "", STR_ARG(own));
        kind = own;
        buf_printf(out, "<li><a href=\"#%.*s\">%.*s</a></li>\n", size, rest.data, size - (int)own.size - 1,
                   rest.data + own.size + 1);
    }
    buf_append_literal(out, "</ul></nav>\n");
}

static void print_html(const void *what, struct buf *out)
{
    struct buf document = {0};
    write_all(what, &form_html, &document);
    append_html_head(out, STR("Requirements and cases \xe2\x80\x93 OIP Conformance"), book_style());
    buf_append_literal(out, "<body>\n<h1>Requirements and cases</h1>\n");
    append_contents(buf_str(&document), out);
    buf_append_literal(out, "<main>\n");
    buf_append_str(out, buf_str(&document));
    buf_append_literal(out, "</main>\n</body>\n</html>\n");
    buf_free(&document);
}

static void print_summary(const void *what, struct buf *out)
{
    const struct nominal *nominal = what;
    buf_printf(out, "%zu requirements and %zu families of cases\n", nominal->suite.ledger.count,
               nominal->suite.family_count);
}

static int write_book(struct nominal *nominal, const struct options *options)
{
    const struct form_of forms[] = {{options->files.markdown, print_markdown}, {options->files.html, print_html}};
    return forms_write(nominal, print_summary, forms, COUNT_OF(forms)) ? EXIT_CONFORMANT : EXIT_SUITE;
}

int command_book(const struct options *options)
{
    return nominal_run(options, write_book);
}
