/* The request of a play: an inference by its encoding, or the act `http` or `grpc` as the case spells it. */
#include "client/infer.h"
#include "client/encode.h"
#include "client/rpcs.h"
#include "client/transport.h"
#include "notation/codec.h"
#include "notation/json_text.h"
#include "support/memory.h"
#include "wire/message.h"
#include "json/number.h"
#include "support/percent.h"

static struct status fault(struct arena *arena, const char *what)
{
    return status_error(arena, STATUS_INVALID_ARGUMENT, "%s", what);
}

/* --- Versions --- */

/* The version to ask for of a target that refuses versionless requests: the last that metadata lists. */
static struct str version_to_ask(const struct plan_target *target, const struct group *group)
{
    const struct tree *metadata = tree_member_str(tree_member(target->found, "models"), group->kit_model);
    if (group->probe)
        return tree_text(group->probe, "version");
    const struct tree *versions = tree_member(metadata, "versions");
    const struct tree *last = versions && versions->type == TREE_ARRAY ? versions->last : NULL;
    return last && last->type == TREE_STRING ? last->text : STR("1");
}

/* "/v2/models/M/infer" with "/versions/V" behind the model, unless a version is there or the path is not about that
 * model. */
static struct str path_with_version(struct str path, struct str model, struct str version, struct arena *arena)
{
    struct str segment = path_segment(model, arena);
    struct str below = arena_printf(arena, "/models/%.*s", STR_ARG(segment));
    const char *found = model.size > 0 ? memmem(path.data, path.size, below.data, below.size) : NULL;
    if (found == NULL)
        return path;
    struct str rest = str_from(path, (size_t)(found - path.data) + below.size);
    if ((rest.size > 0 && rest.data[0] != '/' && rest.data[0] != '?') || str_starts(rest, STR("/versions/")))
        return path;
    struct str head = {path.data, path.size - rest.size}, version_segment = path_segment(version, arena);
    return arena_printf(arena, "%.*s/versions/%.*s%.*s", STR_ARG(head), STR_ARG(version_segment), STR_ARG(rest));
}

/* --- Headers, metadata and bytes --- */

static struct str value_text(const struct tree *value, struct arena *arena)
{
    if (value->type == TREE_STRING)
        return value->text.data ? value->text : STR("");
    struct buf text = {0};
    tree_write(value, &text);
    struct str copy = arena_copy(arena, buf_str(&text));
    buf_free(&text);
    return copy;
}

/* {name: value, a list for several, null for none at all} appended to `headers`, which has room. */
static void add_headers(const struct tree *members, struct header *headers, size_t *count, struct arena *arena)
{
    for (const struct tree *member = members ? members->first : NULL; member; member = member->next) {
        if (member->type == TREE_NULL)
            headers[(*count)++] = (struct header){member->name, {0}};
        else if (member->type == TREE_ARRAY)
            for (const struct tree *value = member->first; value; value = value->next)
                headers[(*count)++] = (struct header){member->name, value_text(value, arena)};
        else
            headers[(*count)++] = (struct header){member->name, value_text(member, arena)};
    }
}

static size_t header_room(const struct tree *members)
{
    size_t room = 1; /* for Content-Type */
    for (const struct tree *member = members ? members->first : NULL; member; member = member->next)
        room += 1 + member->count;
    return room;
}

static struct status set_headers(const struct tree *members, bool json, struct arena *arena, struct request *request)
{
    request->headers = arena_alloc_zero(arena, header_room(members), sizeof *request->headers);
    if (request->headers == NULL)
        return status_no_memory();
    add_headers(members, request->headers, &request->header_count, arena);
    if (json && !headers_have(request->headers, request->header_count, "Content-Type"))
        request->headers[request->header_count++] = (struct header){STR("Content-Type"), STR("application/json")};
    return STATUS_IS_OK;
}

static struct status bytes_of(const struct tree *bytes, const struct tree *root, struct arena *arena, struct str *out)
{
    struct buf buf = {0};
    struct status status = codec_bytes(bytes, root, ".", arena, &buf);
    *out = arena_copy(arena, buf_str(&buf));
    buf_free(&buf);
    return status;
}

/* --- The acts --- */

static struct status http_request(const struct play *play, const struct plan_target *target, struct arena *arena,
                                  struct request *request)
{
    struct str line = tree_text(play->act, "http");
    const char *blank = memchr(line.data, ' ', line.size);
    if (blank == NULL)
        return fault(arena, "an act http is \"METHOD /path [HTTP/1.0|HTTP/2]\"");
    request->rest = true;
    request->method = (struct str){line.data, (size_t)(blank - line.data)};
    struct str path = str_from(line, request->method.size + 1);
    const char *version = memmem(path.data, path.size, " HTTP/", 6);
    if (version != NULL) {
        request->http_version = str_from(path, (size_t)(version - path.data) + 1);
        path.size = (size_t)(version - path.data);
    }
    if (target->versionless_refused)
        path = path_with_version(path, play->group->model, version_to_ask(target, play->group), arena);
    request->path = path;
    const struct tree *json = tree_member(play->act, "json"), *body = tree_member(play->act, "body");
    struct status status = set_headers(tree_member(play->act, "headers"), json != NULL, arena, request);
    if (is_ok(status) && json != NULL) {
        struct buf text = {0};
        json_text(json, &text);
        request->body = arena_copy(arena, buf_str(&text));
        buf_free(&text);
    } else if (is_ok(status) && body != NULL) {
        status = bytes_of(body, play->act, arena, &request->body);
    }
    request->has_body = json != NULL || body != NULL;
    return status;
}

static struct status grpc_request(const struct play *play, struct arena *arena, struct request *request)
{
    struct str rpc = tree_text(play->act, "grpc");
    request->rest = false;
    request->rpc = memchr(rpc.data, '/', rpc.size)
                       ? arena_printf(arena, "/%.*s", STR_ARG(rpc))
                       : arena_printf(arena, "/inference.GRPCInferenceService/%.*s", STR_ARG(rpc));
    const struct tree *metadata = tree_member(play->act, "metadata"), *deadline = tree_member(play->act, "deadline");
    request->metadata = arena_alloc_zero(arena, header_room(metadata), sizeof *request->metadata);
    if (request->metadata == NULL)
        return status_no_memory();
    add_headers(metadata, request->metadata, &request->metadata_count, arena);
    if (deadline != NULL && (deadline->type != TREE_NUMBER || !number_read_double(deadline->text, &request->deadline)))
        return fault(arena, "deadline is a number of seconds");
    const struct tree *message = tree_member(play->act, "message"), *body = tree_member(play->act, "body");
    const struct tree *frames = tree_member(play->act, "frames");
    const struct tree *cancel = tree_member(play->act, "cancel");
    request->framed = frames != NULL;
    request->cancel = cancel != NULL && cancel->boolean;
    if (frames != NULL)
        return bytes_of(frames, play->act, arena, &request->message);
    if (body != NULL)
        return bytes_of(body, play->act, arena, &request->message);
    if (message == NULL || (message->type == TREE_OBJECT && message->first == NULL))
        return STATUS_IS_OK;
    const ProtobufCMethodDescriptor *method = rpc_method(request->rpc);
    if (method == NULL)
        return fault(arena, "the message of an unknown rpc must be given as body");
    struct buf bytes = {0};
    struct status status = wire_from_tree(method->input, message, &bytes, arena);
    request->message = arena_copy(arena, buf_str(&bytes));
    buf_free(&bytes);
    return status;
}

/* The bytes of each write; without any, for a step that only reads or closes. */
static struct status tcp_request(const struct play *play, struct arena *arena, struct request *request)
{
    const struct tree *writes = tree_member(play->act, "tcp");
    struct status status = STATUS_IS_OK;
    request->rest = true;
    request->writes = arena_alloc_zero(arena, writes ? writes->count : 0, sizeof *request->writes);
    for (const struct tree *bytes = writes ? writes->first : NULL; bytes && is_ok(status); bytes = bytes->next)
        status = bytes_of(bytes, play->act, arena, &request->writes[request->write_count++]);
    return status;
}

static struct status infer_request(const struct meaning *meaning, enum encoding encoding, struct arena *arena,
                                   struct request *request)
{
    if (!encoding_is_rest(encoding))
        return encode_grpc(meaning, encoding == ENCODING_GRPC_RAW, arena, request);
    struct status status = encode_rest(meaning, encoding == ENCODING_REST_NESTED, arena, request);
    return is_ok(status) ? set_headers(tree_member(meaning->act, "headers"), true, arena, request) : status;
}

static const struct tree *base_of(const struct tree *act, const struct tree *base)
{
    return base ? base : act;
}

static size_t offset_of(const struct tree *edit, const char *name, size_t otherwise, size_t most)
{
    int64_t value;
    const struct tree *number = tree_member(edit, name);
    if (number == NULL || !tree_to_int64(number, &value) || value < 0)
        return otherwise;
    return (uint64_t)value < most ? (size_t)value : most;
}

/* {put} in place of all, {keep: n} of the beginning, or {at, cut, put}: cut from the place on, or, at "end", before it.
 */
static struct status edit_bytes(const struct play *play, struct arena *arena, struct str *bytes)
{
    const struct tree *edit = play->bytes_edit, *at = tree_member(edit, "at"), *put = tree_member(edit, "put");
    struct str added = STR("");
    struct status status = put ? bytes_of(put, play->act, arena, &added) : STATUS_IS_OK;
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
    struct buf out = {0};
    buf_append(&out, bytes->data, end ? place - cut : place);
    buf_append_str(&out, added);
    buf_append_str(&out, str_from(*bytes, end ? place : place + cut));
    *bytes = arena_copy(arena, buf_str(&out));
    buf_free(&out);
    return status;
}

struct status request_of_play(const struct play *play, const struct plan_target *target, struct arena *arena,
                              struct request *request)
{
    *request = (struct request){0};
    enum encoding encoding = play->group->encoding;
    struct status status;
    if (tree_member(play->act, "http") != NULL) {
        status = http_request(play, target, arena, request);
    } else if (tree_member(play->act, "grpc") != NULL) {
        status = grpc_request(play, arena, request);
    } else if (tree_member(play->act, "infer") == NULL) {
        status = tcp_request(play, arena, request);
    } else {
        struct meaning meaning = {play->act, base_of(play->act, play->base_act), tree_text(play->act, "version")};
        if (meaning.version.size == 0 && target->versionless_refused && encoding_is_rest(encoding))
            meaning.version = version_to_ask(target, play->group);
        status = infer_request(&meaning, encoding, arena, request);
    }
    if (is_ok(status) && play->bytes_edit != NULL) {
        status = edit_bytes(play, arena, request->rest ? &request->body : &request->message);
        request->has_body = true;
    }
    return status;
}

bool encoding_carries(enum encoding encoding, const struct tree *act, const struct tree *base_act, struct arena *arena,
                      struct str *why)
{
    *why = (struct str){0};
    if (encoding_is_act(encoding))
        return true;
    struct meaning meaning = {act, base_of(act, base_act), tree_text(act, "version")};
    struct request request = {0};
    struct arena scratch = memory_arena();
    struct status status = infer_request(&meaning, encoding, &scratch, &request);
    if (!is_ok(status))
        *why = arena_copy(arena, status.message);
    arena_free(&scratch);
    return is_ok(status);
}
