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

const struct inquiry *protocol_inquiry(const struct profile *profile)
{
    static const struct inquiry nothing;
    const struct protocol *protocol = protocol_named(profile->protocol);
    const struct inquiry *inquiry = protocol ? protocol->inquiries : &nothing;
    while (inquiry->profile && !str_is(profile->name, inquiry->profile))
        inquiry++;
    return inquiry;
}

struct status protocols_check(const struct registry *registry, struct arena *arena)
{
    FOR_EACH(profile, registry->profiles, registry->profile_count)
        if (!protocol_named(profile->protocol))
            return status_invalid(arena, "encodings.json: the judge has no protocol '%s' for the profile '%.*s'",
                                  str_printable(arena, profile->protocol), STR_ARG(profile->name));
    FOR_EACH(encoding, registry->encodings, registry->encoding_count)
        if (encoding->act == ACT_INFER && !protocol_form(encoding))
            return status_invalid(arena,
                                  "encodings.json: the protocol '%.*s' of the judge does not write the encoding '%.*s'",
                                  STR_ARG(encoding->profile->protocol), STR_ARG(encoding->name));
    return STATUS_IS_OK;
}

/* Returns the inquiry of the profile, and notes that the next questions are about that model; empty: about none. */
static const struct inquiry *inquiry_about(struct prober *prober, const struct profile *profile, struct str model)
{
    prober->about = model;
    return protocol_inquiry(profile);
}

bool inquiry_is_spoken(struct prober *prober, const struct profile *profile)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, STR(""));
    return !inquiry->is_spoken || inquiry->is_spoken(prober, profile);
}

struct tree *inquiry_server(struct prober *prober, const struct profile *profile)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, STR(""));
    return inquiry->server ? inquiry->server(prober, profile) : NULL;
}

struct tree *inquiry_metadata(struct prober *prober, const struct profile *profile, struct str model,
                              struct str version)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, model);
    return inquiry->metadata ? inquiry->metadata(prober, profile, model, version) : NULL;
}

bool inquiry_is_up(struct prober *prober, const struct profile *profile)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, STR(""));
    return !inquiry->is_up || inquiry->is_up(prober, profile);
}

bool inquiry_is_ready(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, model);
    return inquiry->is_ready && inquiry->is_ready(prober, profile, model);
}

bool inquiry_hosts(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, model);
    return !inquiry->hosts || inquiry->hosts(prober, profile, model);
}

struct tree *inquiry_models(struct prober *prober, const struct profile *profile)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, STR(""));
    return inquiry->models ? inquiry->models(prober, profile) : NULL;
}

struct tree *inquiry_details(struct prober *prober, const struct profile *profile)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, STR(""));
    return inquiry->details ? inquiry->details(prober, profile) : NULL;
}

struct tree *inquiry_details_left_out(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, model);
    return inquiry->details_left_out ? inquiry->details_left_out(prober, profile, model) : NULL;
}

int64_t inquiry_largest_batch(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, model);
    return inquiry->largest_batch ? inquiry->largest_batch(prober, profile, model) : 0;
}

bool inquiry_is_for_sequences(struct prober *prober, const struct profile *profile, struct str model)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, model);
    return inquiry->is_for_sequences && inquiry->is_for_sequences(prober, profile, model);
}

struct tree *inquiry_index(struct prober *prober, const struct profile *profile)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, STR(""));
    prober->evidence = STR("the profile has no index");
    return inquiry->index ? inquiry->index(prober, profile) : NULL;
}

bool index_says(const struct tree *entry, const char *state)
{
    return str_is(str_behind_last(tree_text(entry, "state"), '.'), state);
}

bool inquiry_order(struct prober *prober, const struct profile *profile, struct str model, bool load)
{
    const struct inquiry *inquiry = inquiry_about(prober, profile, model);
    prober->evidence = STR("the profile has no orders");
    return inquiry->order && inquiry->order(prober, profile, model, load);
}
