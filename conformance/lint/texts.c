/* Checks the documents of fixtures/texts against the ledger, in both directions: rows are based on every unit, unless
 * it says why not, and every row is based on a unit. */
#include "lint/linter.h"

#include "base/search.h"
#include "suite/grammar.h"

static void check_unit(struct linter *linter, const struct text *text, size_t index, struct place place)
{
    const struct unit *unit = &text->units[index];
    bool stands_on_it = ANY(i, linter->suite->ledger.count, row_stands_on(&linter->suite->ledger.rows[i], text, unit));
    if (stands_on_it && text_find(text, unit->section, unit->sentence) != index)
        fault_add(place, "text-once",
                  "the section has the same sentence twice: divide the section, so that a row can tell them apart");
    if (!stands_on_it && !unit->why.size)
        fault_add(place, "text-row",
                  "no row stands on %.*s of the section \"%.*s\": add it to the sources of one, or say `why` none does",
                  STR_ARG(unit->sentence), STR_ARG(unit->section));
    if (stands_on_it && unit->why.size)
        fault_add(place, "text-row", "rows stand on it, so its `why` must go");
}

static void check_text(struct linter *linter, const struct text *text, const struct tree *sections, struct place file)
{
    size_t index = 0;
    FOR_EACH_IN(section, sections->first) {
        struct place place = place_of_child(file, sections, section);
        if (!grammar_check("section", section, place))
            return;
        for (size_t i = 0; i < tree_member(section, "units")->count; i++)
            check_unit(linter, text, index++, place_at(place_below(place, STR("units")), i));
    }
}

void lint_texts(struct linter *linter)
{
    const struct suite *suite = linter->suite;
    FOR_EACH(text, suite->texts.items, suite->texts.count) {
        struct str file = arena_printf(linter->arena, "texts/%.*s.json", STR_ARG(text->name));
        struct place place = place_in(linter->faults, file, STR(""));
        for (size_t f = 0; f < suite->file_count; f++)
            if (str_equal(suite->files[f].path, file))
                check_text(linter, text, suite->files[f].tree, place);
        if (!tree_member_str(suite->documents, text->name))
            fault_add(place, "document-known", "documents.json does not name the text '%s'",
                      str_printable(linter->arena, text->name));
    }
}
