/* One table holds all codecs. Each row appends the bytes of the codec's value to a buffer. Those of HTTP and gRPC are
 * in codec_http.c, which is one recursion with this file: bytes may hold codecs. */
#include "notation/codec.h"

#include "base/search.h"
#include "flat/message.h"
#include "notation/codec_http.h"
#include "notation/element.h"
#include "notation/json_text.h"
#include "notation/schemas.h"
#include "notation/text_message.h"
#include "support/files.h"
#include "support/memory.h"
#include "tree/pointer.h"
#include "wire/message.h"

#define DEPTH_MAX    16 /* codecs within codecs */
#define POINTERS_MAX 2  /* pointers that lead to further pointers; the limit stops a pointer that leads to itself */

struct status codec_bad(const struct codec_context *context, const char *codec, const char *what)
{
    return status_invalid(context->arena, "%s %s", codec, what);
}

/* --- Tensor elements --- */

static bool pack_element(const struct tree *tree, enum datatype datatype, struct buf *out)
{
    struct element element;
    bool fits = element_read(tree, datatype, ELEMENT_EXPECTED, &element) &&
                (datatype != DATATYPE_BOOL || tree->type == TREE_BOOL);
    if (fits)
        buf_append(out, &element.bits, datatype_size(datatype));
    return fits;
}

static struct status pack_text(const struct codec_context *context, const struct tree *element, struct buf *out)
{
    struct buf text = {0};
    struct status status = codec_append(context, element, &text);
    uint32_t size = (uint32_t)text.size;
    if (is_ok(status)) {
        buf_append(out, &size, sizeof size);
        buf_append_str(out, buf_str(&text));
    }
    buf_free(&text);
    return status;
}

static struct status pack(const struct codec_context *context, enum datatype datatype, const struct tree *elements,
                          struct buf *out)
{
    if (elements->type != TREE_ARRAY)
        return status_invalid(context->arena, "the elements of %s must be a list", datatype_name(datatype));
    size_t position = 0;
    for (const struct tree *element = elements->first; element; element = element->next, position++) {
        if (datatype == DATATYPE_BYTES || codec_is(element)) {
            struct status status =
                datatype == DATATYPE_BYTES ? pack_text(context, element, out) : codec_append(context, element, out);
            if (!is_ok(status))
                return status;
        } else if (!pack_element(element, datatype, out))
            return status_error(context->arena, STATUS_OUT_OF_RANGE, "element %zu (%s) does not fit %s", position,
                                str_printable(context->arena, element->span.size ? element->span : element->text),
                                datatype_name(datatype));
    }
    return STATUS_IS_OK;
}

/* --- The other codecs --- */

static struct status append_hex(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    int high = -1;
    for (size_t i = 0; i < value->text.size; i++) {
        char c = value->text.data[i];
        int digit = hex_digit(c);
        if (c == ' ' && high < 0)
            continue;
        if (digit < 0)
            return codec_bad(context, "$hex", "may hold hexadecimal digits and, between bytes, blanks");
        if (high >= 0)
            buf_append_byte(out, (char)(high << 4 | digit));
        high = high >= 0 ? -1 : digit;
    }
    if (high >= 0 || value->type != TREE_STRING)
        return codec_bad(context, "$hex", "must be a string of an even number of hexadecimal digits");
    return STATUS_IS_OK;
}

static struct status append_file(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    const char *name = str_printable(context->arena, value->text);
    if (value->type != TREE_STRING || !value->text.size || value->text.data[0] == '/' || strstr(name, "..") ||
        memchr(value->text.data, '\0', value->text.size))
        return codec_bad(context, "$file", "must be the path of a file below fixtures/");
    struct str text = STR("");
    struct status status = file_read(
        arena_printf(context->arena, "%s/%.*s", context->directory, STR_ARG(value->text)).data, context->arena, &text);
    buf_append_str(out, text);
    return status;
}

/* Copies a value, in which codecs become what they stand for. */
static struct status resolved_copy(const struct codec_context *context, const struct tree *value, struct tree **copy)
{
    *copy = tree_copy(context->arena, value);
    return codec_resolve(*copy, context->root, context->directory, context->arena);
}

static struct status append_json(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    struct tree *copy;
    struct status status = resolved_copy(context, value, &copy);
    if (is_ok(status))
        json_text(copy, out);
    return status;
}

/* Appends the bytes that a pointer finds. If it finds an object that is no codec, appends its JSON text. */
static struct status follow(const struct codec_context *context, const char *codec, const struct tree *pointer,
                            struct buf *out)
{
    const struct tree *target = pointer->type == TREE_STRING ? pointer_look(context->root, pointer->text) : NULL;
    struct codec_context inner = *context;
    if (!target || inner.pointers++ == POINTERS_MAX)
        return codec_bad(context, codec, "must be a pointer to bytes of the case");
    return target->type == TREE_OBJECT && !codec_is(target) ? append_json(&inner, target, out)
                                                            : codec_append(&inner, target, out);
}

static struct status append_copy(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    return follow(context, "$copy", value, out);
}

static struct status measure(const struct codec_context *context, const struct tree *value, size_t *size)
{
    struct buf bytes = {0};
    struct status status = follow(context, "$size", value, &bytes);
    *size = bytes.size;
    buf_free(&bytes);
    return status;
}

static struct status append_size(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    size_t size = 0;
    struct status status = measure(context, value, &size);
    buf_printf(out, "%zu", size);
    return status;
}

static struct status append_join(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    return value->type == TREE_ARRAY ? codec_append(context, value, out)
                                     : codec_bad(context, "$join", "must be a list of BYTES");
}

/* Copies twice as much each time. */
static void repeat(struct str bytes, size_t times, struct buf *out)
{
    size_t size = bytes.size * times, done = bytes.size;
    char *room = size ? buf_reserve(out, size) : NULL;
    if (!room)
        return;
    memcpy(room, bytes.data, bytes.size);
    for (size_t next; done < size; done += next) {
        next = done < size - done ? done : size - done;
        memcpy(room + done, room, next);
    }
    out->size += size;
}

static struct status append_repeat(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    int64_t times;
    if (value->type != TREE_ARRAY || value->count != 2 || !tree_to_int64(value->last, &times) || times < 0)
        return codec_bad(context, "$repeat", "must be [BYTES, how many times]");
    struct buf bytes = {0};
    struct status status = codec_append(context, value->first, &bytes);
    if (is_ok(status) && bytes.size && times > (int64_t)(CODEC_SIZE_MAX / bytes.size))
        status = codec_bad(context, "$repeat", "makes more than 1 GiB");
    if (is_ok(status))
        repeat(buf_str(&bytes), (size_t)times, out);
    buf_free(&bytes);
    return status;
}

/* The names of these codecs are a prefix and the full name of the message. */
#define PROTO_PREFIX "$proto:"
#define TEXT_PREFIX  "$textproto:"

enum message_form { FORM_NONE, FORM_BINARY, FORM_TEXT };

static enum message_form message_form(struct str codec, struct str *name)
{
    bool text = str_starts(codec, STR(TEXT_PREFIX)), binary = str_starts(codec, STR(PROTO_PREFIX));
    *name = str_from(codec, text ? strlen(TEXT_PREFIX) : binary ? strlen(PROTO_PREFIX) : codec.size);
    return text ? FORM_TEXT : binary ? FORM_BINARY : FORM_NONE;
}

static struct status append_message(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    struct str name;
    enum message_form form = message_form(value->name, &name);
    const ProtobufCMessageDescriptor *type = schema_message(name);
    if (!type)
        return status_invalid(context->arena, "no schema has the message '%s'", str_printable(context->arena, name));
    struct tree *copy;
    struct status status = resolved_copy(context, value, &copy);
    if (!is_ok(status))
        return status;
    return form == FORM_TEXT ? text_message_print(type, copy, context->arena, out)
                             : wire_from_tree(type, copy, out, context->arena);
}

#define FLATBUFFER_PREFIX "$flatbuffer:"

static struct status append_flatbuffer(const struct codec_context *context, const struct tree *value, struct buf *out)
{
    struct str name = str_from(value->name, strlen(FLATBUFFER_PREFIX));
    const struct flat_table *root = schema_flatbuffer(name);
    if (!root)
        return status_invalid(context->arena, "$flatbuffer: no schema has the root '%s'",
                              str_printable(context->arena, name));
    struct tree *copy;
    struct status status = resolved_copy(context, value, &copy);
    return is_ok(status) ? flat_from_tree(root, copy, out, context->arena) : status;
}

static const struct {
    const char *name;
    struct status (*append)(const struct codec_context *context, const struct tree *value, struct buf *out);
} codecs[] = {
    {"$hex", append_hex},        {"$file", append_file},    {"$json", append_json},     {"$size", append_size},
    {"$copy", append_copy},      {"$join", append_join},    {"$repeat", append_repeat}, {"$gzip", codec_gzip},
    {"$chunked", codec_chunked}, {"$framed", codec_framed}, {"$fields", codec_fields},  {"$frame", codec_frame},
};

#define CODEC_COUNT COUNT_OF(codecs)

/* --- The public functions --- */

static enum datatype datatype_of_codec(struct str name)
{
    return name.size > 1 && name.data[0] == '$' ? datatype_from_name(str_from(name, 1)) : DATATYPE_NONE;
}

bool codec_is_name(struct str name)
{
    for (size_t i = 0; i < CODEC_COUNT; i++)
        if (str_is(name, codecs[i].name))
            return true;
    struct str message;
    return datatype_of_codec(name) != DATATYPE_NONE || message_form(name, &message) != FORM_NONE ||
           str_starts(name, STR(FLATBUFFER_PREFIX));
}

bool codec_is_message(struct str name)
{
    struct str message;
    return message_form(name, &message) != FORM_NONE;
}

struct status codec_read_message(struct str name, struct str bytes, struct arena *arena, struct tree **tree)
{
    struct str message;
    enum message_form form = message_form(name, &message);
    const ProtobufCMessageDescriptor *type = schema_message(message);
    if (!type)
        return status_invalid(arena, "no schema has the message '%s'", str_printable(arena, message));
    return form == FORM_TEXT ? text_message_read(type, bytes, arena, tree) : wire_to_tree(type, bytes, arena, tree);
}

bool codec_is(const struct tree *tree)
{
    return tree && tree->type == TREE_OBJECT && tree->count == 1 && codec_is_name(tree->first->name);
}

static struct status append_codec(const struct codec_context *context, const struct tree *member, struct buf *out)
{
    enum datatype datatype = datatype_of_codec(member->name);
    if (datatype != DATATYPE_NONE)
        return pack(context, datatype, member, out);
    if (codec_is_message(member->name))
        return append_message(context, member, out);
    if (str_starts(member->name, STR(FLATBUFFER_PREFIX)))
        return append_flatbuffer(context, member, out);
    size_t row = 0;
    while (!str_is(member->name, codecs[row].name))
        row++;
    return codecs[row].append(context, member, out);
}

struct status codec_append(const struct codec_context *context, const struct tree *bytes, struct buf *out)
{
    struct codec_context inner = *context;
    if (inner.depth++ == DEPTH_MAX)
        return codec_bad(context, "BYTES", "are nested too deep");
    if (out->size > CODEC_SIZE_MAX)
        return codec_bad(context, "BYTES", "are more than 1 GiB");
    struct status status = STATUS_IS_OK;
    if (bytes->type == TREE_STRING)
        buf_append_str(out, bytes->text);
    else if (bytes->type == TREE_ARRAY)
        for (const struct tree *part = bytes->first; part && is_ok(status); part = part->next)
            status = codec_append(&inner, part, out);
    else if (codec_is(bytes))
        status = append_codec(&inner, bytes->first, out);
    else
        status = codec_bad(context, "BYTES", "must be a string, a codec, or a list of them");
    return is_ok(status) && out->failed ? status_no_memory() : status;
}

struct status codec_bytes(const struct tree *bytes, const struct tree *root, const char *directory, struct arena *arena,
                          struct buf *out)
{
    struct codec_context context = {.root = root, .directory = directory, .arena = arena};
    return codec_append(&context, bytes, out);
}

struct status codec_pack(enum datatype datatype, const struct tree *elements, struct arena *arena, struct buf *out)
{
    struct codec_context context = {.root = elements, .directory = ".", .arena = arena};
    return pack(&context, datatype, elements, out);
}

static struct status resolve_one(const struct codec_context *context, struct tree *tree)
{
    struct tree value;
    if (str_is(tree->first->name, "$size")) {
        size_t size = 0;
        struct status status = measure(context, tree->first, &size);
        if (!is_ok(status))
            return status;
        value = *tree_uint(context->arena, size);
    } else {
        struct buf bytes = {0};
        struct status status = codec_append(context, tree, &bytes);
        struct str text = arena_take(context->arena, &bytes);
        if (!is_ok(status))
            return status;
        value = *tree_string(context->arena, text);
    }
    value.name = tree->name;
    value.next = tree->next;
    *tree = value;
    return STATUS_IS_OK;
}

/* Resolves the codecs below `tree`. `tensors`: it belongs to an act infer, whose tensors keep those in their data. */
static struct status resolve_all(const struct codec_context *context, struct tree *tree, bool tensors)
{
    if (codec_is(tree))
        return resolve_one(context, tree);
    tensors = tensors || tree_member(tree, "infer") != NULL;
    for (struct tree *child = tree->first; child; child = child->next) {
        if (tensors && tree->type == TREE_OBJECT && str_is(child->name, "data"))
            continue;
        struct status status = resolve_all(context, child, tensors);
        if (!is_ok(status))
            return status;
    }
    return STATUS_IS_OK;
}

struct status codec_resolve(struct tree *tree, const struct tree *root, const char *directory, struct arena *arena)
{
    struct codec_context context = {.root = root, .directory = directory, .arena = arena};
    return resolve_all(&context, tree, tree_member(root, "infer") != NULL);
}
