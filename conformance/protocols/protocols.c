#include "protocols/protocol.h"

#include "protocols/predict_v2/predict_v2.h"

static const struct protocol *const protocols[] = {
    &predict_v2,
};

const struct protocol *protocol_named(struct str name)
{
    for (size_t i = 0; i < sizeof protocols / sizeof *protocols; i++)
        if (str_is(name, protocols[i]->name))
            return protocols[i];
    return NULL;
}

const struct form *protocol_form(const struct encoding *encoding)
{
    const struct protocol *protocol = encoding->profile ? protocol_named(encoding->profile->protocol) : NULL;
    for (size_t i = 0; protocol && i < protocol->form_count; i++)
        if (str_is(encoding->name, protocol->forms[i].encoding))
            return &protocol->forms[i];
    return NULL;
}

const struct side *protocol_side(const struct profile *profile)
{
    const struct protocol *protocol = protocol_named(profile->protocol);
    for (size_t i = 0; protocol && i < protocol->side_count; i++)
        if (str_is(profile->name, protocol->sides[i].profile))
            return &protocol->sides[i];
    return NULL;
}
