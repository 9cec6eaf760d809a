/* A link to the place where a behaviour was met must lead to a thread, a commit, a file or a page. A link to a whole
 * repository proves nothing. */
#include "base/count.h"
#include "lint/linter.h"

/* Sites whose first two path segments name a repository. */
static const char *const forges[] = {"github.com", "gitlab.com", "codeberg.org"};

static bool leads_somewhere(struct str link)
{
    struct str scheme = STR("https://");
    if (!str_starts(link, scheme))
        return false;
    struct str rest = str_from(link, scheme.size), host = str_take(&rest, '/');
    size_t segments = 0, least = 1;
    for (size_t i = 0; i < COUNT_OF(forges); i++)
        least = str_is(host, forges[i]) ? 4 : least; /* OWNER/REPOSITORY/issues/1 */
    while (str_take(&rest, '/').size)
        segments++;
    return host.size && segments >= least && !rest.size;
}

void lint_link(struct linter *linter, const struct tree *link, struct place place)
{
    if (link && link->type == TREE_STRING && !leads_somewhere(link->text))
        fault_add(place, "link", "'%s' leads to no thread, commit, file or page",
                  str_printable(linter->arena, link->text));
}

void lint_links(struct linter *linter, const struct tree *links, struct place place)
{
    if (links && links->type != TREE_ARRAY)
        lint_link(linter, links, place);
    for (const struct tree *link = tree_first(links); link; link = link->next)
        lint_link(linter, link, place);
}
