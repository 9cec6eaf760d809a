#include "protocols/protocol.h"

#include "base/search.h"
#include "protocols/prober.h"

const struct protocol *protocol_named(struct str name)
{
    for (size_t i = 0; protocols[i]; i++)
        if (str_is(name, protocols[i]->name))
            return protocols[i];
    return NULL;
}

const struct form *protocol_form(const struct encoding *encoding)
{
    const struct protocol *protocol = encoding->profile ? protocol_named(encoding->profile->protocol) : NULL;
    return protocol
               ? FIND(protocol->forms, i, protocol->form_count, str_is(encoding->name, protocol->forms[i].encoding))
               : NULL;
}

const struct side *protocol_side(const struct profile *profile)
{
    const struct protocol *protocol = protocol_named(profile->protocol);
    return protocol ? FIND(protocol->sides, i, protocol->side_count, str_is(profile->name, protocol->sides[i].profile))
                    : NULL;
}

struct status protocols_check(const struct registry *registry, struct arena *arena)
{
    FOR_EACH(profile, registry->profiles, registry->profile_count) {
        if (!protocol_named(profile->protocol))
            return status_error(arena, STATUS_INVALID_ARGUMENT,
                                "encodings.json: the judge has no protocol '%s' for the profile '%.*s'",
                                str_printable(arena, profile->protocol), STR_ARG(profile->name));
        if (!protocol_side(profile))
            return status_error(arena, STATUS_INVALID_ARGUMENT,
                                "encodings.json: the protocol '%.*s' of the judge does not know the profile '%.*s'",
                                STR_ARG(profile->protocol), STR_ARG(profile->name));
    }
    FOR_EACH(encoding, registry->encodings, registry->encoding_count)
        if (encoding->act == ACT_INFER && !protocol_form(encoding))
            return status_error(arena, STATUS_INVALID_ARGUMENT,
                                "encodings.json: the protocol '%.*s' of the judge does not write the encoding '%.*s'",
                                STR_ARG(encoding->profile->protocol), STR_ARG(encoding->name));
    return STATUS_IS_OK;
}

/* Returns the side, which is to be asked about that model; empty: about none. */
static const struct side *side_about(struct prober *prober, const struct profile *profile, struct str model)
{
    prober->about = model;
    return protocol_side(profile);
}

bool side_is_spoken(struct prober *prober, const struct profile *profile, struct str *evidence)
{
    const struct side *side = side_about(prober, profile, STR(""));
    return !side->is_spoken || side->is_spoken(prober, profile, evidence);
}

struct tree *side_server(struct prober *prober, const struct profile *profile, struct str *evidence)
{
    const struct side *side = side_about(prober, profile, STR(""));
    return side->server ? side->server(prober, profile, evidence) : NULL;
}

struct tree *side_metadata(struct prober *prober, const struct profile *profile, struct str model, struct str version,
                           struct str *evidence)
{
    const struct side *side = side_about(prober, profile, model);
    return side->metadata ? side->metadata(prober, profile, model, version, evidence) : NULL;
}

bool side_is_up(struct prober *prober, const struct profile *profile)
{
    const struct side *side = side_about(prober, profile, STR(""));
    return !side->is_up || side->is_up(prober, profile);
}

bool side_is_ready(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct side *side = side_about(prober, profile, model);
    return side->is_ready && side->is_ready(prober, profile, model);
}

bool side_hosts(struct prober *prober, const struct profile *profile, struct str model, struct str *evidence)
{
    const struct side *side = side_about(prober, profile, model);
    return !side->hosts || side->hosts(prober, profile, model, evidence);
}

struct tree *side_models(struct prober *prober, const struct profile *profile, struct str *evidence)
{
    const struct side *side = side_about(prober, profile, STR(""));
    return side->models ? side->models(prober, profile, evidence) : NULL;
}

struct tree *side_details(struct prober *prober, const struct profile *profile)
{
    const struct side *side = side_about(prober, profile, STR(""));
    return side->details ? side->details(prober, profile) : NULL;
}

struct tree *side_details_left_out(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct side *side = side_about(prober, profile, model);
    return side->details_left_out ? side->details_left_out(prober, profile, model) : NULL;
}

int64_t side_largest_batch(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct side *side = side_about(prober, profile, model);
    return side->largest_batch ? side->largest_batch(prober, profile, model) : 0;
}

struct tree *side_index(struct prober *prober, const struct profile *profile, struct str *evidence)
{
    const struct side *side = side_about(prober, profile, STR(""));
    *evidence = STR("the profile has no index");
    return side->index ? side->index(prober, profile, evidence) : NULL;
}

bool index_says(const struct tree *entry, const char *state)
{
    return str_is(str_behind_last(tree_text(entry, "state"), '.'), state);
}

bool side_order(struct prober *prober, const struct profile *profile, struct str model, bool load, struct str *evidence)
{
    const struct side *side = side_about(prober, profile, model);
    *evidence = STR("the profile has no orders");
    return side->order && side->order(prober, profile, model, load, evidence);
}
