#include "notation/text_message.h"

#include "notation/schemas.h"
#include "wire/message.h"

static struct status no_text_form(const ProtobufCMessageDescriptor *type, struct arena *arena)
{
    return status_invalid(arena, "%s has no text form here", type->name);
}

struct status text_message_read(const ProtobufCMessageDescriptor *type, struct str text, struct arena *arena,
                                struct tree **tree)
{
    const struct text_type *known = schema_text(type);
    struct buf wire = {0};
    if (!known)
        return no_text_form(type, arena);
    struct status status = text_read(known, text, arena, &wire);
    struct str bytes = arena_take(arena, &wire);
    return is_ok(status) ? wire_to_tree(type, bytes, arena, tree) : status;
}

struct status text_message_print(const ProtobufCMessageDescriptor *type, const struct tree *tree, struct arena *arena,
                                 struct buf *text)
{
    const struct text_type *known = schema_text(type);
    struct buf wire = {0};
    if (!known)
        return no_text_form(type, arena);
    struct status status = wire_from_tree(type, tree, &wire, arena);
    if (is_ok(status))
        status = text_print(known, buf_str(&wire), TEXT_LINE, arena, text);
    buf_free(&wire);
    return status;
}
