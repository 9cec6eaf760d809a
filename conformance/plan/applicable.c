/* Why a play cannot run here: nobody asked for it, the target lacks something, or the encoding cannot say it. */
#include "plan/planner.h"

#include "plan/needs.h"
#include "plan/request.h"
#include "probe/request.h"

static struct str not_hosted(const struct planner *planner, const struct group *group)
{
    const struct discovery *discovery = &planner->target->discovery;
    if (planner->target->nominal || !group->kit_model.size || tree_member_str(discovery->models, group->kit_model))
        return (struct str){NULL, 0};
    const struct tree *evidence = tree_member_str(discovery->absent, group->kit_model);
    return arena_printf(planner->arena, "model '%.*s' is not hosted%s%.*s", STR_ARG(group->model), evidence ? ": " : "",
                        evidence ? (int)evidence->text.size : 0, evidence ? evidence->text.data : "");
}

/* Why the model, which the target hosts, is not served under the profile of the group. */
static struct str not_hosted_here(const struct planner *planner, const struct group *group)
{
    const struct tree *unhosted = tree_member_str(planner->target->discovery.unhosted, group->profile->name);
    return tree_text(unhosted, arena_copy(planner->arena, group->model).data);
}

/* Whether the request of the play can be made. Of a play with steps, every step is checked whose values are known. */
static struct status check_requests(const struct planner *planner, const struct play *play)
{
    struct status status = STATUS_IS_OK;
    const struct tree *inputs = tree_member(tree_member(play->group->probe, "request"), "inputs");
    bool as_base = !play->is_base &&
                   request_elements(inputs) >
                       REQUEST_LISTED; /* large data is packed once, for the base; its check covers the neighbours */
    for (size_t i = 0; i < play->step_count && is_ok(status); i++) {
        const struct sending step = play_sending(play->steps[i].play, planner->target);
        if (!play->steps[i].late)
            status = request_check(&step, planner->arena);
    }
    const struct sending sending = play_sending(play, planner->target);
    bool sends = !play->step_count && !play->watches && !as_base;
    return is_ok(status) && sends ? request_check(&sending, planner->arena) : status;
}

/* Why the play cannot be sent: its encoding cannot say it, or what the target has does not fit it, such as a version
 * that is no number. Every other failure is a fault of the case, which the nominal plan shows. */
static struct str not_sayable(struct planner *planner, const struct choice *choice, const struct play *play)
{
    struct status status = check_requests(planner, play);
    bool is_fault = !is_ok(status) && status.code != STATUS_UNIMPLEMENTED;
    if (is_fault && planner->target->nominal)
        fault_add(choice->place, "request", "'%.*s' cannot be sent: %.*s", STR_ARG(play->id), STR_ARG(status.message));
    return status.message;
}

/* Why a case of the model "*" cannot be played with this model. */
static struct str not_probed(const struct planner *planner, const struct choice *choice, const struct play *play)
{
    const struct tree *given = tree_member(choice->family->tree, "inputs");
    struct str refused = tree_text(choice->probe, "refused");
    if (choice->no_probe)
        return STR("there is no model to probe: the target lists none besides those of the kit; name one with --model");
    if (refused.size && !given && tree_member(play->act, "infer"))
        return arena_printf(planner->arena,
                            "no request is known that the model accepts (--example FILE gives one): %.*s",
                            STR_ARG(refused));
    return !play->is_base && tree_is_true(choice->probe, "huge")
               ? STR("its request is too large to be sent again and again")
               : (struct str){NULL, 0};
}

/* Why a step cannot be asked over its transport, if that is another than the case's. */
static struct str not_offered_to_step(const struct play *play)
{
    struct str why = {NULL, 0};
    for (size_t i = 0; i < play->step_count && !why.size; i++)
        why = play->steps[i].play->group->not_offered;
    return why;
}

struct str plan_not_applicable(struct planner *planner, const struct choice *choice, const struct play *play,
                               const struct tree *base_needs, const struct tree *needs)
{
    struct str why = play->group->not_offered;
    if (why.size)
        return why;
    if ((why = not_offered_to_step(play)).size)
        return why;
    if (choice->probe && (why = not_probed(planner, choice, play)).size)
        return why;
    if ((why = needs_unmet(base_needs, choice->target, play->group->profile, planner->arena)).size)
        return why;
    if ((why = needs_unmet(needs, choice->target, play->group->profile, planner->arena)).size)
        return why;
    if (!play->state.size && (why = not_hosted(planner, play->group)).size)
        return why;
    if (!play->state.size && (why = not_hosted_here(planner, play->group)).size)
        return why;
    return not_sayable(planner, choice, play);
}
