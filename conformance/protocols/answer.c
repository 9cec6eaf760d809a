/* Decodes what every answer of a transport has. What it says of an inference is read by the profile's protocol. */
#include "protocols/answer.h"

#include "base/search.h"
#include "notation/data.h"
#include "notation/schemas.h"
#include "pattern/match.h"
#include "protocols/protocol.h"
#include "support/spelling.h"
#include "wire/message.h"

#define NODE_BYTES   160 /* of one value in a tree, with room to spare */
#define NESTING_MAX  8   /* messages within messages that are counted */
#define STREAM_TIMES 4   /* how much larger the tree of a stream may be than that of one message */

void reading_note(struct answer_reading *reading, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (reading->trouble->size == 0)
        *reading->trouble = arena_vprintf(reading->arena, format, arguments);
    va_end(arguments);
}

void reading_note_unread(struct answer_reading *reading, const char *what, const char *type, struct status why)
{
    if (why.code == STATUS_RESOURCE_EXHAUSTED)
        reading_note(reading, "%s has more values than are read", what);
    else
        reading_note(reading, "%s is no %s: %.*s", what, type, STR_ARG(why.message));
}

struct arena reading_scratch(const struct answer_reading *reading)
{
    return arena_new(2 * reading->element_room * NODE_BYTES);
}

struct tree *reading_raw(struct answer_reading *reading, struct str bytes, enum datatype datatype, struct str where)
{
    struct tree *data = NULL;
    struct status status = data_of_raw(bytes, datatype, reading->element_room, reading->arena, &data);
    if (!is_ok(status)) {
        reading_note(reading, "%.*s: %.*s", STR_ARG(where), STR_ARG(status.message));
        return NULL;
    }
    reading->element_room -= data->count;
    return data;
}

bool answer_succeeds(const struct tree *tree, const struct profile *profile)
{
    struct arena scratch = memory_arena();
    bool succeeds = tree && match(profile->succeeded, tree, &scratch, NULL, NULL);
    arena_free(&scratch);
    return succeeds;
}

/* --- Headers --- */

static struct str lower_case(struct str name, struct arena *arena)
{
    char *lower = arena_alloc(arena, name.size + 1);
    for (size_t i = 0; i < name.size; i++)
        lower[i] = spelling_fold(name.data[i]);
    return (struct str){lower, name.size};
}

/* Headers whose value is a list of tokens: several lines of that name mean the same as one (RFC 9110, 5.3). */
static bool is_list(struct str name)
{
    static const char *const lists[] = {"allow", "connection", "content-encoding", "grpc-accept-encoding",
                                        "transfer-encoding"};
    return ANY(i, COUNT_OF(lists), str_is(name, lists[i]));
}

static struct tree *headers_tree(const struct header_list *headers, struct arena *arena)
{
    struct tree *object = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < headers->count; i++) {
        struct str name = lower_case(headers->entries[i].name, arena);
        struct tree *value = tree_string(arena, headers->entries[i].value), *known = tree_member_str(object, name);
        if (known == NULL) {
            tree_add(object, name, value);
        } else if (is_list(name)) {
            known->text = arena_printf(arena, "%.*s, %.*s", STR_ARG(known->text), STR_ARG(value->text));
        } else if (known->type == TREE_ARRAY) {
            tree_append(known, value);
        } else {
            struct tree *list = tree_new(arena, TREE_ARRAY);
            tree_append(list, tree_string(arena, known->text));
            tree_append(list, value);
            tree_set(object, name, list);
        }
    }
    return object;
}

/* --- Over HTTP --- */

/* Whether the text, the JSON of the body, is read at all. Beyond the limits, patterns find neither JSON nor text. */
static bool body_is_read(struct answer_reading *reading, struct str text, size_t nodes_max)
{
    if (reading->answer->truncated)
        reading_note(reading, "the body is longer than the limit for answers");
    else if (tree_most_nodes(text) > nodes_max)
        reading_note(reading, "the JSON of %zu bytes has more values than are decoded", text.size);
    else
        return true;
    return false;
}

static bool claims_json(const struct answer *answer)
{
    static const struct str json = STR("application/json");
    for (size_t i = 0; i < answer->headers.count; i++) {
        struct str name = answer->headers.entries[i].name, value = answer->headers.entries[i].value;
        if (str_equal_ignoring_case(name, STR("content-type")) && value.size >= json.size &&
            str_equal_ignoring_case((struct str){value.data, json.size}, json))
            return true;
    }
    return false;
}

/* Reads the JSON of the body. NULL if there is none; `no_json` then says why. */
static struct tree *json_of_body(struct answer_reading *reading, struct str text)
{
    struct tree *json = NULL;
    struct status status = tree_parse(text, reading->arena, &json);
    if (is_ok(status))
        return json;
    reading->no_json = arena_printf(reading->arena, "the body is not JSON: %.*s", STR_ARG(status.message));
    if (claims_json(reading->answer))
        reading_note(reading, "%.*s", STR_ARG(reading->no_json));
    return NULL;
}

static struct tree *http_tree(struct answer_reading *reading, const struct protocol *protocol, size_t nodes_max)
{
    const struct answer *answer = reading->answer;
    struct arena *arena = reading->arena;
    struct tree *trailers = answer->trailers.count ? headers_tree(&answer->trailers, arena) : NULL;
    struct tree *tree = tree_object(arena, {"status", answer->status ? tree_int(arena, answer->status) : NULL},
                                    {"headers", headers_tree(&answer->headers, arena)}, {"trailers", trailers});
    struct str text = protocol && protocol->json_part ? protocol->json_part(answer) : answer->body;
    if (!body_is_read(reading, text, nodes_max))
        return tree;
    tree_add(tree, STR("json"), json_of_body(reading, text));
    tree_add(tree, STR("body"), tree_string(arena, answer->body));
    return tree;
}

/* --- Over gRPC --- */

/* Counts varints: only the last byte of each is below 128. */
static size_t varints(struct str bytes)
{
    return SUM(i, bytes.size, !(bytes.data[i] & 0x80));
}

/* Returns the most nodes that the tree of a message can have. A text is one node; packed numbers are one node each.
 * Fields that the schema does not have are skipped. */
static size_t most_nodes(const ProtobufCMessageDescriptor *type, struct str message, int depth)
{
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    size_t nodes = 0;
    while (wire_next(&at, &field)) {
        const ProtobufCFieldDescriptor *known = protobuf_c_message_descriptor_get_field(type, field.number);
        nodes += 2;
        if (known == NULL || field.type != WIRE_BYTES || field.bytes.size == 0)
            continue;
        switch (known->type) {
        case PROTOBUF_C_TYPE_MESSAGE:
            if (depth < NESTING_MAX)
                nodes += most_nodes(known->descriptor, field.bytes, depth + 1);
            break;
        case PROTOBUF_C_TYPE_STRING:
        case PROTOBUF_C_TYPE_BYTES:
            break;
        case PROTOBUF_C_TYPE_FLOAT:
        case PROTOBUF_C_TYPE_FIXED32:
        case PROTOBUF_C_TYPE_SFIXED32:
            nodes += field.bytes.size / sizeof(uint32_t);
            break;
        case PROTOBUF_C_TYPE_DOUBLE:
        case PROTOBUF_C_TYPE_FIXED64:
        case PROTOBUF_C_TYPE_SFIXED64:
            nodes += field.bytes.size / sizeof(uint64_t);
            break;
        default:
            nodes += varints(field.bytes);
        }
    }
    return nodes;
}

/* Decodes one message. `nodes_room` is the number of nodes that may still be made. NULL: `reading` says why. */
static struct tree *decode_message(struct answer_reading *reading, const struct protocol *protocol,
                                   const ProtobufCMessageDescriptor *type, struct str bytes, size_t *nodes_room)
{
    struct arena *arena = reading->arena;
    size_t nodes = most_nodes(type, bytes, 0);
    if (nodes > *nodes_room) {
        reading_note(reading, "the message of %zu bytes is larger than is decoded", bytes.size);
        return NULL;
    }
    *nodes_room -= nodes;
    struct tree *message = NULL;
    struct status status = wire_to_tree(type, bytes, arena, &message);
    if (!is_ok(status) && protocol && protocol->mend)
        status = wire_to_tree(type, protocol->mend(type, bytes, arena), arena, &message);
    if (is_ok(status))
        return message;
    reading_note(reading, "the message is no %s: %.*s", type->short_name, STR_ARG(status.message));
    return NULL;
}

/* The values of members that are there only if they say something. */
static struct tree *if_so(bool is_so, struct arena *arena)
{
    return is_so ? tree_bool(arena, true) : NULL;
}

static struct tree *if_any(struct str text, struct arena *arena)
{
    return text.size ? tree_string(arena, text) : NULL;
}

/* Returns the answer as HTTP/2 has it. */
static struct tree *http_of_grpc(const struct answer *answer, struct arena *arena)
{
    return tree_object(arena, {"status", answer->status ? tree_int(arena, answer->status) : NULL},
                       {"headers", headers_tree(&answer->headers, arena)},
                       {"trailers", headers_tree(&answer->end_fields, arena)},
                       {"compressed", answer->has_message ? tree_bool(arena, answer->is_coded) : NULL},
                       {"closed", if_so(answer->outcome == OUTCOME_CLOSED, arena)});
}

static struct tree *tree_of_raw(const struct http2_raw_answer *raw, struct arena *arena)
{
    return tree_object(arena, {"goaway", if_any(raw->goaway, arena)}, {"reset", if_any(raw->reset, arena)},
                       {"closed", if_so(raw->is_closed, arena)}, {"ended", if_so(raw->is_ended, arena)},
                       {"acknowledged", if_so(raw->is_acknowledged, arena)}, {"alive", if_so(raw->is_alive, arena)},
                       {"max-frame-size", tree_uint(arena, raw->frame_max)}, {"data", if_any(raw->data, arena)});
}

static void add_message(struct answer_reading *reading, const struct protocol *protocol,
                        const ProtobufCMethodDescriptor *method, size_t nodes_room, struct tree *tree)
{
    const struct answer *answer = reading->answer;
    if (!answer->has_message && answer->code == STATUS_OK)
        reading_note(reading, "OK without a message");
    if (!answer->has_message || method == NULL)
        return;
    if (answer->truncated) {
        reading_note(reading, "the message is longer than the limit for answers");
        return;
    }
    tree_add(tree, STR("message"), decode_message(reading, protocol, method->output, answer->message, &nodes_room));
}

/* Adds the messages of a stream as far as they decode. Those of an unknown rpc are their bytes. */
static void add_messages(struct answer_reading *reading, const struct protocol *protocol,
                         const ProtobufCMethodDescriptor *method, size_t nodes_room, struct tree *tree)
{
    const struct answer *answer = reading->answer;
    struct tree *list = tree_new(reading->arena, TREE_ARRAY);
    for (size_t i = 0; i < answer->message_count; i++) {
        struct tree *message = method
                                   ? decode_message(reading, protocol, method->output, answer->messages[i], &nodes_room)
                                   : tree_string(reading->arena, answer->messages[i]);
        tree_append(list, message ? message : tree_new(reading->arena, TREE_NULL));
    }
    tree_add(tree, STR("messages"), list);
}

static struct tree *grpc_tree(struct answer_reading *reading, const struct protocol *protocol, struct str rpc,
                              size_t nodes_max)
{
    const struct answer *answer = reading->answer;
    struct arena *arena = reading->arena;
    const ProtobufCMethodDescriptor *method = schema_rpc(rpc);
    struct tree *tree = tree_object(arena, {"http", answer->has_http ? http_of_grpc(answer, arena) : NULL},
                                    {"http2", answer->http2_raw ? tree_of_raw(answer->http2_raw, arena) : NULL});
    if (answer->outcome != OUTCOME_ANSWERED && answer->streams)
        add_messages(reading, protocol, method, nodes_max, tree);
    if (answer->outcome != OUTCOME_ANSWERED)
        return tree;
    const char *code = status_code_name((enum status_code)answer->code);
    if (!answer->open) {
        tree_add(tree, STR("code"),
                 tree_string(arena, code ? str_of(code) : arena_printf(arena, "CODE_%d", answer->code)));
        tree_add(tree, STR("details"), tree_string(arena, answer->details));
    }
    if (answer->streams)
        add_messages(reading, protocol, method, nodes_max, tree);
    else
        add_message(reading, protocol, method, nodes_max, tree);
    if (!answer->open)
        tree_add(tree, STR("trailers"), headers_tree(&answer->trailers, arena));
    return tree;
}

struct tree *answer_tree(const struct encoding *encoding, const struct profile *profile, const struct request *request,
                         const struct answer *answer, struct arena *arena, struct str *trouble)
{
    const struct protocol *protocol = protocol_named(profile->protocol);
    size_t elements = answer->large ? ELEMENTS_MAX : ELEMENTS_SMALL;
    struct answer_reading reading = {.answer = answer,
                                     .request = request,
                                     .arena = arena,
                                     .transport = encoding->transport,
                                     .is_inference = encoding->act == ACT_INFER,
                                     .element_room = elements,
                                     .trouble = trouble};
    *trouble = (struct str){0};
    struct tree *tree =
        encoding->transport == TRANSPORT_HTTP
            ? http_tree(&reading, protocol, 2 * elements)
            : grpc_tree(&reading, protocol, request->rpc, (answer->streams ? STREAM_TIMES : 1) * 2 * elements);
    if (encoding->transport == TRANSPORT_HTTP && protocol && protocol->decode)
        protocol->decode(&reading, tree);
    reading.is_success = answer_succeeds(tree, profile);
    if (protocol)
        protocol->read(&reading, tree);
    if (encoding->act == ACT_TCP)
        tree_add(tree, STR("closed"), tree_bool(arena, answer->closed));
    tree_add(tree, STR("version"), if_any(answer->version, arena));
    return tree;
}

/* --- Requests --- */

/* Decodes the message of a gRPC request. */
static struct tree *asked_by_grpc(struct answer_reading *reading, const struct protocol *protocol)
{
    const struct request *request = reading->request;
    const ProtobufCMethodDescriptor *method = schema_rpc(request->rpc);
    size_t nodes_room = 2 * reading->element_room;
    struct tree *message = method && request->message_count
                               ? decode_message(reading, protocol, method->input, request->message, &nodes_room)
                               : NULL;
    return tree_object(reading->arena, {"metadata", headers_tree(&request->metadata, reading->arena)},
                       {"messages", tree_uint(reading->arena, request->message_count)}, {"message", message});
}

/* Decodes a request of HTTP, whose headers and body are in `reading->answer`. */
static struct tree *asked_by_http(struct answer_reading *reading, const struct protocol *protocol)
{
    struct arena *arena = reading->arena;
    const struct request *request = reading->request;
    struct tree *tree = http_tree(reading, protocol, 2 * reading->element_room);
    tree_add(tree, STR("method"), tree_string(arena, request->method));
    tree_add(tree, STR("path"), tree_string(arena, request->path));
    tree_add(tree, STR("version"), tree_string(arena, request->http_version));
    tree_add(tree, STR("no_json"), if_any(reading->no_json, arena));
    if (protocol && protocol->request_of && request->has_body)
        tree_add(tree, STR("message"), protocol->request_of(request->body, arena));
    return tree;
}

struct tree *request_tree(const struct profile *profile, const struct request *request, struct arena *arena)
{
    const struct protocol *protocol = protocol_named(profile->protocol);
    const struct answer mirror = {.headers = request->headers, .body = request->body};
    struct str trouble = {0};
    struct answer_reading reading = {.answer = &mirror,
                                     .request = request,
                                     .arena = arena,
                                     .of_request = true,
                                     .element_room = ELEMENTS_MAX,
                                     .trouble = &trouble};
    struct tree *tree =
        request_is_http(request) ? asked_by_http(&reading, protocol) : asked_by_grpc(&reading, protocol);
    if (protocol && protocol->read_inputs)
        protocol->read_inputs(&reading, tree);
    tree_add(tree, STR("trouble"), if_any(trouble, arena));
    return tree;
}
