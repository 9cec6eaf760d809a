/* Why a play cannot run here: what was not asked for, what the target does not have, what an encoding cannot say. */
#include "plan/planner.h"

#include "client/infer.h"
#include "plan/needs.h"
#include "probe/request.h"

static struct str not_hosted(const struct planner *planner, const struct group *group)
{
    const struct tree *found = planner->target->found;
    if (planner->target->nominal || !group->kit_model.size ||
        tree_member_str(tree_member(found, "models"), group->kit_model))
        return (struct str){NULL, 0};
    const struct tree *evidence = tree_member_str(tree_member(found, "absent"), group->kit_model);
    return arena_printf(planner->arena, "model '%.*s' is not hosted%s%.*s", STR_ARG(group->model), evidence ? ": " : "",
                        evidence ? (int)evidence->text.size : 0, evidence ? evidence->text.data : "");
}

/* Whether the encoding can carry the act, or every step of it. */
static bool is_carried(struct planner *planner, const struct play *play, struct str *why)
{
    enum encoding encoding = play->group->encoding;
    for (size_t i = 0; i < play->step_count; i++)
        if (!play->steps[i].late && !encoding_carries(encoding, play->steps[i].play->act, NULL, planner->arena, why))
            return false;
    const struct tree *inputs = tree_member(play->group->probe, "inputs");
    bool as_base = !play->is_base && request_elements(inputs) > REQUEST_LISTED; /* its packed data are the base's */
    return play->step_count || play->watches || as_base ||
           encoding_carries(encoding, play->act, play->base_act, planner->arena, why);
}

/* Why the model of a case of any model cannot be played. */
static struct str not_probed(const struct planner *planner, const struct choice *choice, const struct play *play)
{
    const struct tree *given = tree_member(choice->family->tree, "inputs"),
                      *large = tree_member(choice->probe, "large");
    struct str refused = tree_text(choice->probe, "refused");
    if (choice->no_probe)
        return STR("there is no model to probe: the target lists none; name one by --model");
    if (refused.size && !given && tree_member(play->act, "infer"))
        return arena_printf(planner->arena, "no request is known that the model takes (--example FILE gives one): %.*s",
                            STR_ARG(refused));
    return !play->is_base && large && large->boolean ? STR("its request is too large to be sent again and again")
                                                     : (struct str){NULL, 0};
}

struct str plan_not_applicable(struct planner *planner, const struct choice *choice, const struct play *play,
                               const struct tree *base_needs, const struct tree *needs)
{
    enum encoding encoding = play->group->encoding;
    struct str why;
    if (encoding_is_rest(encoding) && !planner->target->rest)
        return STR("REST was not asked for (--target)");
    if (!encoding_is_rest(encoding) && !planner->target->grpc)
        return STR("gRPC was not asked for (--grpc)");
    if (choice->probe && (why = not_probed(planner, choice, play)).size)
        return why;
    if ((why = needs_unmet(base_needs, choice->target, planner->arena)).size)
        return why;
    if ((why = needs_unmet(needs, choice->target, planner->arena)).size)
        return why;
    if (!play->state.size && (why = not_hosted(planner, play->group)).size)
        return why;
    if (!is_carried(planner, play, &why))
        return why.size ? why : STR("this encoding cannot carry it");
    return (struct str){NULL, 0};
}
