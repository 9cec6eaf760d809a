/* Checks models.json, from which `explain` knows what the models of the suite do. */
#include "lint/linter.h"

#include "base/search.h"
#include "suite/grammar.h"

static bool has_folder(const struct suite *suite, struct str name, struct arena *arena)
{
    return ANY(i, suite->model_count,
               str_equal(name, arena_printf(arena, "%.*s/%.*s", STR_ARG(suite->models[i].repository),
                                            STR_ARG(suite->models[i].name))));
}

void lint_models(struct linter *linter)
{
    const struct suite *suite = linter->suite;
    struct place file = place_in(linter->faults, STR("models/models.json"), STR(""));
    FOR_EACH_IN(told, tree_first(suite->told)) {
        struct place place = place_below(file, told->name);
        grammar_check("model", told, place);
        if (!has_folder(suite, told->name, linter->arena))
            fault_add(place, "model-told", "there is no folder %s in fixtures/models",
                      str_printable(linter->arena, told->name));
    }
    for (size_t i = 0; i < suite->model_count; i++)
        if (!suite->models[i].does.size)
            fault_add(file, "model-told", "nothing is said of the model %.*s/%.*s",
                      STR_ARG(suite->models[i].repository), STR_ARG(suite->models[i].name));
}
