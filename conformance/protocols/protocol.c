#include "protocols/protocol.h"

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
