#include "plan/request.h"

#include "protocols/protocol.h"

/* Returns the last version in the metadata of the group's model. */
static struct str last_version(const struct plan_target *target, const struct group *group)
{
    const struct tree *metadata = tree_member_str(tree_member(target->found, "models"), group->kit_model);
    if (group->probe)
        return tree_text(group->probe, "version");
    const struct tree *versions = tree_member(metadata, "versions");
    const struct tree *last = versions && versions->type == TREE_ARRAY ? versions->last : NULL;
    return last && last->type == TREE_STRING ? last->text : STR("1");
}

struct sending play_sending(const struct play *play, const struct plan_target *target)
{
    const struct group *group = play->group;
    const struct side *side = protocol_side(group->profile);
    bool needs_version = target->versionless_refused && side && side->wants_versions;
    return (struct sending){
        .encoding = group->encoding,
        .profile = group->profile,
        .act = play->act,
        .base = play->base_act,
        .bytes_edit = play->bytes_edit,
        .model = group->model,
        .version = needs_version ? last_version(target, group) : (struct str){NULL, 0},
    };
}

struct status play_request(const struct play *play, const struct plan_target *target, struct arena *arena,
                           struct request *request)
{
    const struct sending sending = play_sending(play, target);
    return request_make(&sending, arena, request);
}
