#include "plan/request.h"

#include "probe/model_facts.h"
#include "protocols/protocol.h"

struct str plan_last_version(const struct plan_target *target, struct str kit_model, const struct tree *probe)
{
    if (probe)
        return tree_text(probe, "version");
    return model_last_version(tree_member_str(target->discovery.models, kit_model));
}

struct str plan_version(const struct plan_target *target, const struct profile *profile, struct str kit_model,
                        const struct tree *probe)
{
    if (!target->discovery.versionless_refused || !profile || !protocol_inquiry(profile)->wants_versions)
        return (struct str){NULL, 0};
    return plan_last_version(target, kit_model, probe);
}

/* Returns the outputs that the metadata of the group's model lists; NULL if it is not known. */
static const struct tree *outputs_of(const struct plan_target *target, const struct group *group)
{
    const struct tree *metadata = group->probe ? tree_member(group->probe, "metadata")
                                               : tree_member_str(target->discovery.models, group->kit_model);
    const struct tree *outputs = tree_member(metadata, "outputs");
    return outputs && outputs->type == TREE_ARRAY ? outputs : NULL;
}

struct sending play_sending(const struct play *play, const struct plan_target *target)
{
    const struct group *group = play->group;
    return (struct sending){
        .encoding = group->encoding,
        .profile = group->profile,
        .act = play->act,
        .base = play->base_act,
        .bytes_edit = play->bytes_edit,
        .model = group->model,
        .version = plan_version(target, group->profile, group->kit_model, group->probe),
        .outputs = outputs_of(target, group),
        .details = tree_member_str(tree_member_str(target->discovery.details, group->profile->name), group->model),
    };
}

struct status play_request(const struct play *play, const struct plan_target *target, struct arena *arena,
                           struct request *request)
{
    const struct sending sending = play_sending(play, target);
    return request_make(&sending, arena, request);
}

struct status play_right_exchange(const struct play *play, const struct plan_target *target, struct arena *arena,
                                  struct request *request, struct answer *answer)
{
    const struct sending sending = play_sending(play, target);
    struct status status = request_make(&sending, arena, request);
    return is_ok(status) ? request_right_answer(&sending, play->answer, arena, answer) : status;
}
