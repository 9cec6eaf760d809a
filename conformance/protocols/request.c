#include "protocols/request.h"

#include "base/search.h"
#include "notation/codec.h"
#include "notation/json_text.h"
#include "notation/schemas.h"
#include "protocols/protocol.h"
#include "wire/message.h"
#include "json/number.h"

static struct status fault(struct arena *arena, const char *what)
{
    return status_invalid(arena, "%s", what);
}

/* --- Headers, metadata and bytes --- */

static struct str value_text(const struct tree *value, struct arena *arena)
{
    if (value->type == TREE_STRING)
        return value->text.data ? value->text : STR("");
    struct buf text = {0};
    tree_write(value, &text);
    return arena_take(arena, &text);
}

/* Appends {name: value, a list for several values, null to suppress the header}. */
static void add_headers(const struct tree *members, struct header_list *headers, struct arena *arena)
{
    FOR_EACH_IN(member, tree_first(members)) {
        if (member->type == TREE_NULL)
            header_list_add(headers, (struct header){member->name, {0}}, arena);
        else if (member->type == TREE_ARRAY)
            FOR_EACH_IN(value, member->first)
                header_list_add(headers, (struct header){member->name, value_text(value, arena)}, arena);
        else
            header_list_add(headers, (struct header){member->name, value_text(member, arena)}, arena);
    }
}

static void set_headers(const struct tree *members, bool json, struct arena *arena, struct request *request)
{
    add_headers(members, &request->headers, arena);
    if (json && !headers_have(&request->headers, "Content-Type"))
        header_list_add(&request->headers, (struct header){STR("Content-Type"), STR("application/json")}, arena);
}

static struct status bytes_of(const struct tree *bytes, const struct tree *root, struct arena *arena, struct str *out)
{
    struct buf buf = {0};
    struct status status = codec_bytes(bytes, root, ".", arena, &buf);
    *out = arena_take(arena, &buf);
    return status;
}

/* --- The acts --- */

/* Sets the headers and the body that an act, or a right answer, gives with `headers` and `json` or `body`. */
static struct status set_content(const struct tree *content, struct arena *arena, struct request *request)
{
    const struct tree *json = tree_member(content, "json"), *body = tree_member(content, "body");
    struct status status = STATUS_IS_OK;
    set_headers(tree_member(content, "headers"), json != NULL, arena, request);
    if (json != NULL) {
        struct buf text = {0};
        json_text(json, &text);
        request->body = arena_take(arena, &text);
    } else if (body != NULL) {
        status = bytes_of(body, content, arena, &request->body);
    }
    request->has_body = json != NULL || body != NULL;
    return status;
}

static struct status http_request(const struct sending *sending, struct arena *arena, struct request *request)
{
    const struct protocol *protocol = protocol_named(sending->profile->protocol);
    struct str path = tree_text(sending->act, "http");
    if (!str_has(path, ' '))
        return fault(arena, "an act http is \"METHOD /path [HTTP/1.0]\"");
    request->method = str_take(&path, ' ');
    const char *version = memmem(path.data, path.size, " HTTP/", 6);
    if (version != NULL) {
        request->http_version = str_from(path, (size_t)(version - path.data) + 1);
        path.size = (size_t)(version - path.data);
    }
    if (sending->version.size > 0 && protocol && protocol->versioned_path)
        path = protocol->versioned_path(path, sending->model, sending->version, arena);
    request->path = path;
    return set_content(sending->act, arena, request);
}

struct str request_rpc(struct str rpc, const struct profile *profile, struct arena *arena)
{
    if (str_has(rpc, '/'))
        return arena_printf(arena, "/%.*s", STR_ARG(rpc));
    return arena_printf(arena, "/%.*s/%.*s", STR_ARG(profile->service), STR_ARG(rpc));
}

/* Makes the bytes of a message, which is an object of its fields, or a codec (a string, once it is resolved). */
static struct status message_bytes(const struct sending *sending, struct str rpc, const struct tree *message,
                                   struct arena *arena, struct str *out)
{
    if (message->type == TREE_OBJECT && message->first == NULL)
        return STATUS_IS_OK;
    if (message->type != TREE_OBJECT || codec_is(message))
        return bytes_of(message, sending->act, arena, out);
    const ProtobufCMethodDescriptor *method = schema_rpc(rpc);
    if (method == NULL)
        return fault(arena, "the message of an unknown rpc must be given as bytes");
    struct buf bytes = {0};
    struct status status = wire_from_tree(method->input, message, &bytes, arena);
    *out = arena_take(arena, &bytes);
    return status;
}

static struct status add_messages(const struct sending *sending, const struct tree *messages, struct arena *arena,
                                  struct request *request)
{
    struct status status = STATUS_IS_OK;
    request->streams = true;
    request->messages = arena_alloc_zero(arena, messages->count + 1, sizeof *request->messages);
    for (const struct tree *message = messages->first; message && is_ok(status); message = message->next)
        status = message_bytes(sending, request->rpc, message, arena, &request->messages[request->message_count++]);
    return status;
}

static struct status grpc_request(const struct sending *sending, struct arena *arena, struct request *request)
{
    const struct tree *act = sending->act;
    request->rpc = request_rpc(tree_text(act, "grpc"), sending->profile, arena);
    const struct tree *metadata = tree_member(act, "metadata"), *deadline = tree_member(act, "deadline");
    add_headers(metadata, &request->metadata, arena);
    if (deadline != NULL && (deadline->type != TREE_NUMBER || !number_read_double(deadline->text, &request->deadline)))
        return fault(arena, "deadline is a number of seconds");
    const struct tree *message = tree_member(act, "message"), *body = tree_member(act, "body");
    const struct tree *messages = tree_member(act, "messages");
    const struct tree *frames = tree_member(act, "frames"), *http2 = tree_member(act, "http2");
    request->framed = frames != NULL;
    request->http2_raw = http2 != NULL;
    request->preface = STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\4\0\0\0\0\0"); /* and empty SETTINGS */
    request->cancel = tree_is_true(act, "cancel");
    if (frames != NULL || http2 != NULL)
        return bytes_of(frames ? frames : http2, act, arena, &request->message);
    if (body != NULL)
        return bytes_of(body, act, arena, &request->message);
    if (messages != NULL)
        return add_messages(sending, messages, arena, request);
    return message ? message_bytes(sending, request->rpc, message, arena, &request->message) : STATUS_IS_OK;
}

/* Makes the bytes of each write. A step that only reads or closes has none. */
static struct status tcp_request(const struct sending *sending, struct arena *arena, struct request *request)
{
    const struct tree *writes = tree_member(sending->act, "tcp");
    struct status status = STATUS_IS_OK;
    request->writes = arena_alloc_zero(arena, writes ? writes->count : 0, sizeof *request->writes);
    for (const struct tree *bytes = tree_first(writes); bytes && is_ok(status); bytes = bytes->next)
        status = bytes_of(bytes, sending->act, arena, &request->writes[request->write_count++]);
    return status;
}

static struct status infer_request(const struct sending *sending, struct arena *arena, struct request *request)
{
    const struct form *form = protocol_form(sending->encoding);
    struct str version = tree_text(sending->act, "version");
    const struct meaning meaning = {.profile = sending->profile,
                                    .form = form,
                                    .act = sending->act,
                                    .base = sending->base ? sending->base : sending->act,
                                    .version = version.size > 0 ? version : sending->version,
                                    .outputs = sending->outputs,
                                    .details = sending->details};
    if (form == NULL)
        return fault(arena, "no protocol of the judge writes this encoding");
    return form->encode(&meaning, arena, request);
}

static size_t offset_of(const struct tree *edit, const char *name, size_t otherwise, size_t most)
{
    int64_t value;
    const struct tree *number = tree_member(edit, name);
    if (number == NULL || !tree_to_int64(number, &value) || value < 0)
        return otherwise;
    return (uint64_t)value < most ? (size_t)value : most;
}

/* Replaces `size` bytes at the place by others. */
static struct str splice(struct str bytes, size_t place, size_t size, struct str added, struct arena *arena)
{
    struct buf out = {0};
    buf_append(&out, bytes.data, place);
    buf_append_str(&out, added);
    buf_append_str(&out, str_from(bytes, place + size));
    return arena_take(arena, &out);
}

static const char *find_bytes(struct str bytes, struct str wanted)
{
    return bytes.size ? memmem(bytes.data, bytes.size, wanted.data, wanted.size) : NULL;
}

/* {find, put}: what is found must be in the bytes exactly once, so that the intended place is changed. */
static struct status replace_bytes(const struct sending *sending, const struct tree *find, struct str added,
                                   struct arena *arena, struct str *bytes)
{
    struct str wanted;
    struct status status = bytes_of(find, sending->act, arena, &wanted);
    const char *found = is_ok(status) && wanted.size ? find_bytes(*bytes, wanted) : NULL;
    size_t place = found ? (size_t)(found - bytes->data) : 0;
    if (!is_ok(status))
        return status;
    if (!found || find_bytes(str_from(*bytes, place + 1), wanted))
        return status_invalid(arena, "what `find` names stands %s in the base's bytes",
                              found ? "more than once" : "nowhere");
    *bytes = splice(*bytes, place, wanted.size, added, arena);
    return status;
}

/* Applies the edit: {put} replaces everything; {find, put} replaces what is found; {keep: n} keeps the beginning; {at,
 * cut, put} cuts from a place on, or, with "end", before the end. */
static struct status edit_bytes(const struct sending *sending, struct arena *arena, struct str *bytes)
{
    const struct tree *edit = sending->bytes_edit, *at = tree_member(edit, "at"), *put = tree_member(edit, "put");
    const struct tree *find = tree_member(edit, "find");
    struct str added = STR("");
    struct status status = put ? bytes_of(put, sending->act, arena, &added) : STATUS_IS_OK;
    if (is_ok(status) && find != NULL)
        return replace_bytes(sending, find, added, arena, bytes);
    if (tree_member(edit, "keep") != NULL) {
        bytes->size = offset_of(edit, "keep", bytes->size, bytes->size);
        return status;
    }
    if (at == NULL) {
        *bytes = added;
        return status;
    }
    bool end = at->type == TREE_STRING;
    size_t place = end ? bytes->size : offset_of(edit, "at", 0, bytes->size);
    size_t cut = offset_of(edit, "cut", 0, end ? place : bytes->size - place);
    *bytes = splice(*bytes, end ? place - cut : place, cut, added, arena);
    return status;
}

/* What `bytes` edits: the body, the message, or the last message of a stream. */
static struct str *edited_bytes(struct request *request)
{
    if (request->streams)
        return &request->messages[request->message_count - 1];
    return request_is_http(request) ? &request->body : &request->message;
}

struct status request_make(const struct sending *sending, struct arena *arena, struct request *request)
{
    static const struct {
        const char *act;
        struct status (*make)(const struct sending *sending, struct arena *arena, struct request *request);
    } acts[] = {{"http", http_request}, {"grpc", grpc_request}, {"infer", infer_request}};
    size_t act = 0;
    *request = (struct request){.endpoint = sending->profile->endpoint, .details = sending->details};
    while (act < COUNT_OF(acts) && tree_member(sending->act, acts[act].act) == NULL)
        act++;
    struct status status =
        act < COUNT_OF(acts) ? acts[act].make(sending, arena, request) : tcp_request(sending, arena, request);
    if (is_ok(status) && sending->bytes_edit != NULL && request->streams && request->message_count == 0)
        status = fault(arena, "there is no message to edit");
    if (is_ok(status) && sending->bytes_edit != NULL) {
        status = edit_bytes(sending, arena, edited_bytes(request));
        request->has_body = true;
    }
    return status;
}

/* --- A right answer --- */

static struct status right_http(const struct tree *right, struct arena *arena, struct answer *answer)
{
    struct request content = {0};
    int64_t status_code = 0;
    struct status status = set_content(right, arena, &content);
    if (!is_ok(status))
        return status;
    if (!tree_to_int64(tree_member(right, "status"), &status_code) || status_code < 100 || status_code > 599)
        return fault(arena, "an answer over HTTP has a `status` from 100 to 599");
    header_list_add(&content.headers,
                    (struct header){STR("Content-Length"), arena_printf(arena, "%zu", content.body.size)}, arena);
    *answer = (struct answer){
        .status = (int)status_code, .headers = content.headers, .body = content.body.data ? content.body : STR("")};
    return status;
}

static struct status right_grpc(const struct sending *sending, const struct tree *right, struct arena *arena,
                                struct answer *answer)
{
    struct str rpc = request_rpc(tree_text(sending->act, "grpc"), sending->profile, arena);
    const ProtobufCMethodDescriptor *method = schema_rpc(rpc);
    const struct tree *message = tree_member(right, "message");
    enum status_code code = STATUS_OK;
    if (tree_member(right, "code") && !status_code_from_name(tree_text(right, "code"), &code))
        return fault(arena, "the `code` of an answer is the name of one of gRPC's");
    if (code == STATUS_OK && (method == NULL || message == NULL))
        return fault(arena, "a successful answer over gRPC has the `message` of a known rpc");
    struct buf bytes = {0};
    struct status status = message ? wire_from_tree(method->output, message, &bytes, arena) : STATUS_IS_OK;
    *answer = (struct answer){.code = code,
                              .details = tree_text(right, "details"),
                              .message = arena_take(arena, &bytes),
                              .has_message = message != NULL};
    return status;
}

struct status request_right_answer(const struct sending *sending, const struct tree *right, struct arena *arena,
                                   struct answer *answer)
{
    return sending->encoding->transport == TRANSPORT_HTTP ? right_http(right, arena, answer)
                                                          : right_grpc(sending, right, arena, answer);
}

struct status request_check(const struct sending *sending, struct arena *arena)
{
    struct request request;
    struct arena scratch = memory_arena();
    struct status status = request_make(sending, &scratch, &request);
    status.message = arena_copy(arena, status.message);
    arena_free(&scratch);
    return status;
}
