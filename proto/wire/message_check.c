/* The check has its own stack of open messages instead of recursion, so deep nesting costs nothing. The path of a field
 * is made only when something is wrong: the message is then walked again to count the earlier occurrences of each
 * field. */
#include "wire/field.h"
#include "wire/message.h"

#include <stdio.h>

struct open_message {
    const ProtobufCMessageDescriptor *type;
    struct wire_cursor at;
    const ProtobufCFieldDescriptor *field; /* the field that was read last */
};

/* Writes a path like "inputs[1].name", as much of it as fits. */
static void write_path(const struct open_message *open, size_t depth, char *path, size_t size)
{
    size_t length = 0;
    path[0] = 0;
    for (size_t i = 0; i < depth && open[i].field && length < size; i++) {
        length += (size_t)snprintf(path + length, size - length, i ? ".%s" : "%s", open[i].field->name);
        if (!field_is_repeated(open[i].field) || length >= size)
            continue;
        struct wire_cursor again = {open[i].at.start, open[i].at.start, open[i].at.at, NULL};
        struct wire_field field;
        size_t before = 0;
        while (wire_next(&again, &field))
            before += field.number == open[i].field->id;
        length += (size_t)snprintf(path + length, size - length, "[%zu]", before - 1);
    }
}

static struct status malformed(const struct open_message *open, size_t depth, struct arena *arena)
{
    const struct wire_cursor *at = &open[depth - 1].at;
    char path[200];
    write_path(open, depth - 1, path, sizeof path);
    return status_error(arena, STATUS_INVALID_ARGUMENT, "malformed protobuf message%s%s: %s at byte %td",
                        path[0] ? " in " : "", path, at->fault, at->at - open[0].at.start);
}

static struct status refused(const struct open_message *open, size_t depth, const char *what, struct arena *arena)
{
    char path[200];
    write_path(open, depth, path, sizeof path);
    return status_error(arena, STATUS_INVALID_ARGUMENT, "%s %s", path, what);
}

static const char *check_packed(const ProtobufCFieldDescriptor *descriptor, struct str bytes)
{
    struct wire_cursor at = wire_begin(bytes);
    uint64_t value;
    while (wire_next_packed(&at, wire_type_of(descriptor->type), &value))
        ;
    return at.fault ? "holds a malformed packed list" : NULL;
}

/* Returns NULL, or what is wrong with this field itself. */
static const char *check_field(const ProtobufCFieldDescriptor *descriptor, const struct wire_field *field)
{
    if (field->type == WIRE_BYTES && field_is_packable(descriptor))
        return check_packed(descriptor, field->bytes);
    if (field->type != wire_type_of(descriptor->type))
        return "has the wire type of another kind of field";
    if (descriptor->type == PROTOBUF_C_TYPE_STRING && !str_is_utf8(field->bytes))
        return "is not valid UTF-8";
    return NULL;
}

struct status wire_check(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena)
{
    struct open_message open[WIRE_DEPTH]; /* not cleared: it is large, and most messages are flat */
    size_t depth = 1;
    open[0] = (struct open_message){type, wire_begin(message), NULL};
    while (depth > 0) {
        struct open_message *top = &open[depth - 1];
        struct wire_field field;
        if (!wire_next(&top->at, &field)) {
            if (top->at.fault)
                return malformed(open, depth, arena);
            depth--;
            continue;
        }
        top->field = field_numbered(top->type, field.number);
        if (!top->field)
            continue;
        const char *wrong = check_field(top->field, &field);
        if (wrong)
            return refused(open, depth, wrong, arena);
        if (top->field->type != PROTOBUF_C_TYPE_MESSAGE)
            continue;
        if (depth == WIRE_DEPTH)
            return refused(open, depth, "is nested too deep", arena);
        open[depth++] = (struct open_message){top->field->descriptor, wire_begin(field.bytes), NULL};
    }
    return STATUS_IS_OK;
}
