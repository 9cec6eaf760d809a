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
    return status_invalid(arena, "malformed protobuf message%s%s: %s at byte %td", path[0] ? " in " : "", path,
                          at->fault, at->at - open[0].at.start);
}

static struct status refused(const struct open_message *open, size_t depth, const char *what, struct arena *arena)
{
    char path[200];
    write_path(open, depth, path, sizeof path);
    return status_invalid(arena, "%s %s", path, what);
}

static const char *check_packed(enum wire_type type, struct str bytes)
{
    struct wire_cursor at = wire_begin(bytes);
    uint64_t value;
    while (wire_next_packed(&at, type, &value))
        ;
    return at.fault ? "holds a malformed packed list" : NULL;
}

/* Returns NULL, or what is wrong with this field itself. */
static inline const char *check_field(const ProtobufCFieldDescriptor *descriptor, const struct wire_field *field)
{
    enum wire_type type = wire_type_of(descriptor->type);
    if (field->type == type)
        return descriptor->type != PROTOBUF_C_TYPE_STRING || str_is_utf8(field->bytes) ? NULL : "is not valid UTF-8";
    if (field->type == WIRE_BYTES && field_is_repeated(descriptor))
        return check_packed(type, field->bytes);
    return "has the wire type of another kind of field";
}

struct status wire_check(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena)
{
    struct open_message open[WIRE_DEPTH]; /* not cleared: it is large, and most messages are flat */
    struct open_message *top = open;
    struct wire_cursor at = wire_begin(message); /* in `top`, which gets it when it is left */
    *top = (struct open_message){type, at, NULL};
    for (;;) {
        struct wire_field field;
        if (!wire_next(&at, &field)) {
            top->at = at;
            if (at.fault)
                return malformed(open, (size_t)(top - open) + 1, arena);
            if (top == open)
                return STATUS_IS_OK;
            at = (--top)->at;
            continue;
        }
        top->field = field_numbered(top->type, field.number);
        if (!top->field)
            continue;
        const char *wrong = check_field(top->field, &field);
        bool is_message = top->field->type == PROTOBUF_C_TYPE_MESSAGE;
        if (!wrong && is_message && top == open + WIRE_DEPTH - 1)
            wrong = "is nested too deep";
        if (!wrong && !is_message)
            continue;
        top->at = at;
        if (wrong)
            return refused(open, (size_t)(top - open) + 1, wrong, arena);
        at = wire_begin(field.bytes);
        top[1] = (struct open_message){top->field->descriptor, at, NULL};
        top++;
    }
}
