/* A model of the suite: what it does, where it lies, and an inference on it. */
#include "commands/explain/explain.h"

#include "base/search.h"
#include "support/files.h"
#include "support/listing.h"

#define FAMILIES 8 /* that are named without --all */

/* Returns the first inference on the model whose values are expected; NULL if there is none. */
static const struct assertion *inference_on(const struct nominal *nominal, struct str model)
{
    FOR_EACH(play, nominal->plan.plays, nominal->plan.play_count) {
        if (!str_equal(play->group->kit_model, model) || !play->is_base || !tree_member(play->act, "infer"))
            continue;
        for (size_t a = 0; a < play->assertion_count; a++)
            if (str_is(play->assertions[a].requirement->slug, "output-values"))
                return &play->assertions[a];
    }
    return NULL;
}

static void write_families(struct explaining *explaining, struct str model)
{
    const struct plan *plan = &explaining->nominal->plan;
    const struct family *before = NULL;
    struct listing families = {.arena = explaining->arena, .most = explaining->all ? 0 : FAMILIES};
    FOR_EACH(group, plan->groups, plan->group_count) {
        if (!str_equal(group->kit_model, model) || group->family == before)
            continue;
        before = group->family;
        listing_add(&families, group->family->path);
    }
    explain_member(explaining, "cases", listing_text(&families), 6);
}

void explain_model(struct explaining *explaining, const struct suite_model *model)
{
    struct arena *arena = explaining->arena;
    struct str config = {0};
    explain_title(explaining, 3, model->name, arena_printf(arena, "%.*s (a model of the suite)", STR_ARG(model->name)));
    explain_member(explaining, "takes", model->takes, 3);
    explain_member(explaining, "does", model->does, 3);
    explain_member(explaining, "folder", model->folder, 2);
    if (is_ok(file_read(arena_printf(arena, "%.*s/config.pbtxt", STR_ARG(model->folder)).data, arena, &config)))
        explain_block(explaining, "config.pbtxt", config, 0);
    const struct assertion *example = inference_on(explaining->nominal, model->name);
    if (example) {
        explain_title(explaining, 4, STR(""), arena_printf(arena, "For example %.*s", STR_ARG(example->play->id)));
        explain_exchange(explaining, example);
    }
    explain_title(explaining, 4, STR(""), STR(""));
    write_families(explaining, model->name);
    explain_say(explaining, "instead", 2, "a model of yours that does the same can stand in for it: --map %.*s=NAME",
                STR_ARG(model->name));
}
