/* A link to the place where a behaviour was met must lead to a thread, a commit, a file or a page. A link to a whole
 * repository proves nothing. */
#include "lint/linter.h"

#include "support/expression.h"

/* On some sites the first two segments of a path name a repository. */
static bool leads_somewhere(struct str link)
{
    return expression_meets(STR("^https://(github\\.com|gitlab\\.com|codeberg\\.org)(/[^/]+){4,}/?$"), link) ||
           (expression_meets(STR("^https://[^/]+(/[^/]+)+/?$"), link) &&
            !expression_meets(STR("^https://(github\\.com|gitlab\\.com|codeberg\\.org)/"), link));
}

void lint_link(struct linter *linter, const struct tree *link, struct place place)
{
    if (link && link->type == TREE_STRING && !leads_somewhere(link->text))
        fault_add(place, "link", "'%s' leads to no thread, commit, file or page",
                  str_printable(linter->arena, link->text));
}

void lint_links(struct linter *linter, const struct tree *links, struct place place)
{
    FOR_EACH_OF(link, links)
        lint_link(linter, link, place);
}
