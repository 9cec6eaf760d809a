#include "judge/sent.h"

#include "base/base64.h"
#include "base/search.h"
#include "judge/frame_text.h"
#include "notation/schemas.h"
#include "protocols/protocol.h"
#include "support/printable.h"
#include "wire/field.h"
#include "wire/message.h"
#include "json/writer.h"

#define SHOWN      1500 /* bytes of a request that are described */
#define DIGITS     64   /* bytes of a body that are written as digits */
#define PREFIX     5    /* bytes before a message: a flag and its size */
#define IN_COMMAND 4000 /* bytes of JSON that a grpcurl command may hold */

/* --- Messages as JSON --- */

/* How a message is written: for a person, with bytes in hexadecimal, or in protobuf's JSON, with bytes in base64. */
struct sentence_writing {
    struct buf *out;
    struct arena *arena;
    bool proto_json;
    bool unsayable; /* the JSON of protobuf cannot say it */
};

/* Writes bytes as fixtures do. */
static void write_hex(struct buf *out, struct str bytes)
{
    buf_append_literal(out, "{\"$hex\":\"");
    for (size_t i = 0; i < bytes.size && i < SHOWN; i++)
        buf_printf(out, "%02x", (unsigned char)bytes.data[i]);
    buf_append_literal(out, "\"}");
}

/* Whether proto3 does not write the value: it is the default, and not chosen among others. */
static bool is_default(const ProtobufCFieldDescriptor *field, const struct tree *value)
{
    if (value->type == TREE_ARRAY || (value->type == TREE_OBJECT && field_is_map(field)))
        return !value->first;
    if (field_is_in_oneof(field) || field->type == PROTOBUF_C_TYPE_MESSAGE)
        return false;
    return (value->type == TREE_STRING && !value->text.size) || (value->type == TREE_BOOL && !value->boolean) ||
           (value->type == TREE_NUMBER && str_is(value->text, "0"));
}

static void write_message(struct sentence_writing *writing, const ProtobufCMessageDescriptor *type,
                          const struct tree *tree);

/* Writes one value of a field, or of an element of it. */
static void write_value(struct sentence_writing *writing, const ProtobufCFieldDescriptor *field,
                        const struct tree *value)
{
    if (field->type == PROTOBUF_C_TYPE_MESSAGE)
        write_message(writing, field->descriptor, value);
    else if (field->type == PROTOBUF_C_TYPE_BYTES && writing->proto_json)
        json_write_string(writing->out, base64_write(value->text, writing->arena));
    else if (field->type == PROTOBUF_C_TYPE_BYTES)
        write_hex(writing->out, value->text);
    else
        tree_write(value, writing->out);
    writing->unsayable |= field->type == PROTOBUF_C_TYPE_BOOL && value->type != TREE_BOOL;
}

static void write_map(struct sentence_writing *writing, const ProtobufCFieldDescriptor *field, const struct tree *map)
{
    const ProtobufCMessageDescriptor *entry = field->descriptor;
    buf_append_byte(writing->out, '{');
    FOR_EACH_IN(member, map->first) {
        json_write_string(writing->out, member->name);
        buf_append_byte(writing->out, ':');
        write_value(writing, &entry->fields[1], member);
        buf_append_str(writing->out, member->next ? STR(",") : STR(""));
        writing->unsayable |= tree_member_str(map, member->name) != member; /* it is given twice */
    }
    buf_append_byte(writing->out, '}');
}

static void write_list(struct sentence_writing *writing, const ProtobufCFieldDescriptor *field, const struct tree *list)
{
    buf_append_byte(writing->out, '[');
    FOR_EACH_IN(element, list->first) {
        write_value(writing, field, element);
        buf_append_str(writing->out, element->next ? STR(",") : STR(""));
    }
    buf_append_byte(writing->out, ']');
}

static void write_message(struct sentence_writing *writing, const ProtobufCMessageDescriptor *type,
                          const struct tree *tree)
{
    const char *separator = "";
    buf_append_byte(writing->out, '{');
    FOR_EACH_IN(member, tree->first) {
        const ProtobufCFieldDescriptor *field = field_named(type, member->name);
        if (!field || is_default(field, member))
            continue;
        buf_append_str(writing->out, str_of(separator));
        json_write_string(writing->out, member->name);
        buf_append_byte(writing->out, ':');
        separator = ",";
        if (field_is_map(field))
            write_map(writing, field, member);
        else if (field_is_repeated(field))
            write_list(writing, field, member);
        else
            write_value(writing, field, member);
    }
    buf_append_byte(writing->out, '}');
}

const struct tree *sent_message(const struct request *request, struct str bytes, struct arena *arena)
{
    const ProtobufCMethodDescriptor *method = request->framed ? NULL : schema_rpc(request->rpc);
    struct tree *tree = NULL;
    return method && is_ok(wire_to_tree(method->input, bytes, arena, &tree)) ? tree : NULL;
}

/* --- For a person --- */

static void append_message(const struct request *request, struct str bytes, struct arena *arena, struct buf *out)
{
    const struct tree *tree = sent_message(request, bytes, arena);
    struct buf text = {0};
    buf_append_byte(out, ' ');
    if (tree)
        write_message(&(struct sentence_writing){.out = &text, .arena = arena}, schema_rpc(request->rpc)->input, tree);
    else
        buf_printf(&text, "%zu bytes that are no such message", bytes.size);
    append_printable(out, buf_str(&text), SHOWN);
    buf_free(&text);
}

static void append_fields(const struct header_list *fields, struct buf *out)
{
    FOR_EACH(field, fields->entries, fields->count) {
        buf_append_literal(out, ", ");
        append_printable(out, field->name, SHOWN);
        buf_append_literal(out, ": ");
        append_printable(out, field->value, 200);
    }
}

/* Appends the message of a request that has its frames; or its size, if it is not one plain message in one frame. */
static void append_frames(const struct request *request, struct arena *arena, struct buf *out)
{
    const unsigned char *prefix = (const unsigned char *)request->message.data;
    struct request plain = *request;
    plain.framed = false;
    if (request->message.size >= PREFIX && prefix[0] == 0 &&
        request->message.size - PREFIX ==
            ((size_t)prefix[1] << 24 | (size_t)prefix[2] << 16 | (size_t)prefix[3] << 8 | prefix[4]))
        append_message(&plain, str_from(request->message, PREFIX), arena, out);
    else
        buf_printf(out, " with %zu bytes that are not one message", request->message.size);
}

static struct str describe_call(const struct request *request, struct arena *arena)
{
    struct buf out = {0};
    append_printable(&out, str_behind_last(request->rpc, '/'), SHOWN);
    if (request->framed)
        append_frames(request, arena, &out);
    else if (!request->streams)
        append_message(request, request->message, arena, &out);
    for (size_t i = 0; i < request->message_count && out.size < SHOWN; i++)
        append_message(request, request->messages[i], arena, &out);
    append_fields(&request->metadata, &out);
    return arena_take(arena, &out);
}

static struct str describe_writes(const struct request *request, struct arena *arena)
{
    struct buf bytes = {0}, out = {0};
    for (size_t i = 0; i < request->write_count && bytes.size <= SHOWN; i++)
        buf_append_str(&bytes, request->writes[i]);
    append_printable(&out, buf_str(&bytes), SHOWN);
    buf_free(&bytes);
    return arena_take(arena, &out);
}

static struct str describe_connection(const struct request *request, struct arena *arena)
{
    struct buf text = {0}, out = {0};
    frame_text_append(request->message, "; ", "", &text);
    append_printable(&out, str_from(buf_str(&text), text.size ? 2 : 0), SHOWN);
    buf_free(&text);
    return arena_take(arena, &out);
}

static void append_head(const struct request *request, struct buf *out)
{
    append_printable(out, request->method, SHOWN);
    buf_append_byte(out, ' ');
    append_printable(out, request->path, SHOWN);
    append_fields(&request->headers, out);
    buf_append_str(out, request->has_body ? STR(" ") : STR(""));
}

/* Appends a body as far as it is text, and the rest in hexadecimal digits. */
static void append_body(struct str body, struct buf *out)
{
    size_t head = printable_prefix(body);
    struct str rest = str_from(body, head);
    append_printable(out, (struct str){body.data, head}, SHOWN);
    if (rest.size)
        buf_printf(out, "%s%zu bytes ", head ? " and " : "", rest.size);
    for (size_t i = 0; i < rest.size && i < DIGITS; i++)
        buf_printf(out, "%02x", (unsigned char)rest.data[i]);
    buf_append_str(out, rest.size > DIGITS ? STR("...") : STR(""));
}

/* Describes a request of HTTP; if a command shows it, only what its body means, or the body that the command takes from
 * a file. */
static struct str describe_http(const struct profile *profile, const struct request *request, bool is_shown,
                                struct arena *arena)
{
    const struct protocol *protocol = protocol_named(profile->protocol);
    const struct tree *tree =
        request->has_body && protocol && protocol->request_of ? protocol->request_of(request->body, arena) : NULL;
    struct buf text = {0}, out = {0};
    if (!is_shown)
        append_head(request, &out);
    if (tree) {
        tree_write(tree, &text);
        append_printable(&out, buf_str(&text), SHOWN);
    } else if (request->has_body && !(is_shown && client_shows_body(request))) {
        append_body(request->body, &out);
    }
    buf_free(&text);
    return arena_take(arena, &out);
}

struct str sent_describe(const struct profile *profile, const struct request *request, bool is_shown,
                         struct arena *arena)
{
    if (request->write_count)
        return describe_writes(request, arena);
    if (request->http2_raw)
        return describe_connection(request, arena);
    return request->rpc.size ? describe_call(request, arena) : describe_http(profile, request, is_shown, arena);
}

/* --- For grpcurl --- */

/* Whether grpcurl, which writes the message by the schema, would send the same bytes. */
static bool is_canonical(const ProtobufCMessageDescriptor *type, const struct tree *tree, struct str bytes,
                         struct arena *arena)
{
    struct buf again = {0};
    bool same = is_ok(wire_from_tree(type, tree, &again, arena)) && str_equal(buf_str(&again), bytes);
    buf_free(&again);
    return same;
}

/* Appends a message in the JSON of protobuf. Returns false if it has another spelling than grpcurl would give it. */
static bool append_proto_json(const struct request *request, struct str bytes, struct arena *arena, struct buf *out)
{
    const struct tree *tree = sent_message(request, bytes, arena);
    struct sentence_writing writing = {.out = out, .arena = arena, .proto_json = true};
    if (!tree || !is_canonical(schema_rpc(request->rpc)->input, tree, bytes, arena))
        return false;
    write_message(&writing, schema_rpc(request->rpc)->input, tree);
    return !writing.unsayable && out->size <= IN_COMMAND;
}

static bool has_odd_metadata(const struct request *request)
{
    const struct header *all = request->metadata.entries;
    return ANY(i, request->metadata.count, all[i].name.data[0] == ':' || str_ends(all[i].name, STR("-bin")));
}

struct str sent_grpcurl(const struct client_options *options, const struct request *request, const char *protos,
                        struct arena *arena)
{
    if (!request->rpc.size || request->http2_raw || request->framed || request->cancel || has_odd_metadata(request))
        return (struct str){0};
    struct buf messages = {0};
    bool sayable = schema_rpc(request->rpc) != NULL;
    if (sayable && !request->streams)
        sayable = append_proto_json(request, request->message, arena, &messages);
    for (size_t i = 0; i < request->message_count && sayable; i++) {
        buf_append_str(&messages, i ? STR(" ") : STR(""));
        sayable = append_proto_json(request, request->messages[i], arena, &messages);
    }
    struct grpcurl_call call = {arena_take(arena, &messages), protos, schema_file(request->rpc)};
    return sayable ? client_grpcurl(options, request, &call, arena) : (struct str){0};
}
