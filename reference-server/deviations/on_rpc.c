/* Deviations on gRPC. An answer is converted to the tree {code, details, message, http} and back. `http` is how it
 * looks in HTTP/2: {status, compressed, fields}. */
#include "base/search.h"
#include "deviations/deviation.h"
#include "deviations/frames.h"
#include "wire/message.h"

#include <protobuf-c/protobuf-c.h>
#include <pthread.h>

#define HTTP_OK 200

static const char *const grpc_texts[] = {"grpc", "proto3", NULL};

/* For `heard` of all calls: messages come on the thread of the loop, and answers may be sent on another. */
static pthread_mutex_t hearing = PTHREAD_MUTEX_INITIALIZER;

static bool has_member_twice(const struct tree *tree)
{
    return ANY_IN(member, tree->first,
                  has_member_twice(member) ||
                      (tree->type == TREE_OBJECT && tree_member_str(tree, member->name) != member));
}

/* Adds the message, and whether its bytes are those that libraries write: fields in order, lists packed, each key of a
 * map once, and nothing unknown. A malformed one is not added. */
static struct tree *with_message(struct tree *request, const ProtobufCMessageDescriptor *type, struct str bytes,
                                 struct arena *arena)
{
    struct tree *message;
    struct buf plain = {0};
    if (!is_ok(wire_to_tree(type, bytes, arena, &message)))
        return request;
    bool is_plain = is_ok(wire_from_tree(type, message, &plain, arena)) &&
                    str_equal(arena_take(arena, &plain), bytes) && !has_member_twice(message);
    return tree_with(tree_with(request, STR("message"), message), STR("plain"), tree_bool(arena, is_plain));
}

/* Reads the request into the tree {metadata, timeout, te, encoding, content-type, size, message, plain}. Returns NULL
 * without memory. */
static struct tree *request_to_tree(const struct rpc_call *call, struct str message, struct arena *arena)
{
    struct tree *metadata = tree_new(arena, TREE_OBJECT);
    for (const struct rpc_metadata *one = call->metadata; one; one = one->next)
        metadata = tree_with(metadata, one->key, tree_string(arena, one->value));
    struct tree *request = tree_with(tree_new(arena, TREE_OBJECT), STR("metadata"), metadata);
    request = tree_with_text(request, "timeout", call->timeout, arena);
    request = tree_with_text(request, "te", call->te, arena);
    request = tree_with_text(request, "encoding", call->encoding, arena);
    request = tree_with_text(request, "content-type", call->content_type, arena);
    request = tree_with(request, STR("size"), tree_uint(arena, message.size));
    return call->method ? with_message(request, call->method->request, message, arena) : request;
}

static void begin(struct rpc_call *call)
{
    struct asked asked = {
        .profile = call->service->profile,
        .texts = grpc_texts,
        .rpc = call->method ? str_of(call->method->name) : STR(""),
        .model = rpc_model(call),
    };
    struct str names = deviations_are_by_header() ? rpc_metadata(call, "oip-deviate") : STR("");
    struct chosen *chosen = deviations_choose(&asked, names, call->arena);
    call->deviation = chosen;
    if (deviations_read_request(chosen) &&
        !(call->method && call->method->stream)) /* already now, since the handler may let the message go */
        chosen->request = request_to_tree(call, call->message, call->arena);
    if (chosen && deviations_end_at_once(chosen, "hang", chosen->request, call->arena))
        call->delivery = RPC_HANG; /* already now, since the time of the call may be over before it is answered */
}

/* Joins the pieces of the answer's message, and reads it. */
static bool read_message(const struct rpc_call *call, const ProtobufCMessageDescriptor *type, struct tree **message)
{
    struct buf whole = {0};
    for (size_t i = 0; i < call->piece_count; i++)
        buf_append_str(&whole, call->pieces[i]);
    struct str bytes = arena_take(call->arena, &whole);
    return bytes.data && is_ok(wire_to_tree(type, bytes, call->arena, message));
}

/* A deviation finds what those before it have done to the form. */
static struct tree *http_to_tree(const struct rpc_call *call)
{
    struct arena *arena = call->arena;
    const struct rpc_form *form = call->form;
    struct tree *http = tree_new(arena, TREE_OBJECT), *fields = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; form && i < form->field_count; i++) {
        struct str value = form->fields[i].value;
        fields = tree_with(fields, form->fields[i].name,
                           value.data ? tree_string(arena, value) : tree_new(arena, TREE_NULL));
    }
    http = tree_with(http, STR("status"), tree_int(arena, call->http_status ? call->http_status : HTTP_OK));
    http = tree_with(http, STR("compressed"), tree_bool(arena, form && form->says_compressed));
    return tree_with(http, STR("fields"), fields);
}

/* Returns the tree of an answer; NULL without memory, or if the message is NULL. */
static struct tree *answer_of(struct str code, struct str details, struct tree *message, struct arena *arena)
{
    struct tree *answer = tree_with_text(tree_new(arena, TREE_OBJECT), "code", code, arena);
    return tree_with(tree_with_text(answer, "details", details, arena), STR("message"), message);
}

static struct str refusing_key(const struct rpc_call *call, struct arena *arena)
{
    return deviation_key(call->service->profile, call->refused_by, arena);
}

static struct tree *answer_to_tree(const struct rpc_call *call, const ProtobufCMessageDescriptor *type)
{
    struct arena *arena = call->arena;
    struct tree *message = tree_new(arena, TREE_OBJECT);
    struct str code = str_of(status_code_name(call->status.code));
    if (!code.data || (is_ok(call->status) && type && !read_message(call, type, &message)))
        return NULL;
    struct tree *answer = answer_of(code, call->status.message, message, arena);
    answer = tree_with(answer, STR("http"), http_to_tree(call));
    return call->refused_by ? tree_with_text(answer, "refused_by", refusing_key(call, arena), arena) : answer;
}

/* Writes the message in the arena. Returns false if it cannot be written. */
static bool write_message(const ProtobufCMessageDescriptor *type, const struct tree *content, struct arena *arena,
                          struct str *message)
{
    struct buf out = {0};
    struct status status = wire_from_tree(type, content, &out, arena);
    struct str written = arena_take(arena, &out);
    if (!is_ok(status) || !written.data)
        return false;
    *message = written;
    return true;
}

static bool set_message(struct rpc_call *call, const ProtobufCMessageDescriptor *type, const struct tree *message)
{
    struct str *piece = arena_new_of(call->arena, struct str);
    if (!piece || (type && !write_message(type, message, call->arena, piece)))
        return false; /* a method that does not exist has no type; its message is empty */
    call->pieces = piece;
    call->piece_count = 1;
    return true;
}

static void set_http(struct rpc_call *call, const struct tree *http)
{
    const struct tree *fields = tree_member(http, "fields"), *status = tree_member(http, "status");
    struct rpc_form *form = arena_new_of(call->arena, struct rpc_form);
    struct rpc_field *list = arena_alloc_zero(call->arena, fields ? fields->count : 0, sizeof(*list));
    int64_t number;
    if (!form || !list)
        return;
    for (const struct tree *field = tree_first(fields); field; field = field->next)
        list[form->field_count++] =
            (struct rpc_field){field->name, field->type == TREE_STRING ? field->text : (struct str){0}};
    form->fields = list;
    form->says_compressed = tree_is_true(http, "compressed");
    call->form = form;
    if (status && tree_to_int64(status, &number))
        call->http_status = number == HTTP_OK ? 0 : (int)number;
}

static void alter(struct rpc_call *call, const struct deviation *deviation, struct tree *answer)
{
    const ProtobufCMessageDescriptor *type = call->method ? call->method->answer : NULL;
    const struct chosen *chosen = call->deviation;
    enum status_code code;
    if (!deviation_change(deviation, chosen->model, &answer, call->arena) || answer->type != TREE_OBJECT)
        return;
    const struct tree *message = tree_member(answer, "message");
    if (!status_code_from_name(tree_text(answer, "code"), &code))
        return;
    if (code == STATUS_OK && !(message && set_message(call, type, message)))
        return;
    set_http(call, tree_member(answer, "http"));
    struct str details = code == STATUS_OK ? STR("") : tree_text(answer, "details");
    if (is_ok(call->status) && code != STATUS_OK && !details.size)
        details = STR("this request is not served");
    call->status.code = code;
    call->status.message = details;
}

/* The last request of a stream, as a tree, which is that of no bytes if there was none; NULL if no deviation asks for
 * it. */
static struct tree *heard_request(const struct rpc_call *call, struct arena *arena)
{
    const struct chosen *chosen = call->deviation;
    if (!deviations_read_request(chosen))
        return NULL;
    pthread_mutex_lock(&hearing);
    struct str message = arena_copy(arena, buf_str(&chosen->heard));
    pthread_mutex_unlock(&hearing);
    return message.data ? request_to_tree(call, message, arena) : NULL;
}

static void deviate(struct rpc_call *call, const struct deviation *deviation)
{
    const struct chosen *chosen = call->deviation;
    const struct rpc_method *method = call->method;
    struct tree *answer = answer_to_tree(call, method ? method->answer : NULL);
    bool was_refused = call->refused_by && !(method && method->stream); /* of a stream, one of its messages was */
    const struct exchanged exchanged = {.request = method && method->stream ? heard_request(call, call->arena)
                                                                            : chosen->request,
                                        .answer = answer,
                                        .fails = !is_ok(call->status) || was_refused,
                                        .refused_by = refusing_key(call, call->arena)};
    if (!answer || !deviation_alters(deviation, &exchanged, call->arena))
        return;
    if (deviation_ends(deviation, "hang"))
        call->delivery = RPC_HANG;
    else if (deviation_ends(deviation, "close"))
        call->delivery = RPC_RESET;
    else
        alter(call, deviation, answer);
}

#define RESPONSE "infer_response" /* in a message of a stream: the answer to one request, */
#define ERROR    "error_message"  /* or why there is none */

static void before_message(struct rpc_call *call)
{
    struct chosen *chosen = call->deviation;
    if (!deviations_read_request(chosen))
        return;
    pthread_mutex_lock(&hearing);
    buf_clear(&chosen->heard);
    buf_append_str(&chosen->heard, call->message);
    pthread_mutex_unlock(&hearing);
}

static void release(struct rpc_call *call)
{
    struct chosen *chosen = call->deviation;
    buf_free(&chosen->heard);
}

/* Changes an answer of a stream. Returns false if the deviation leaves it as it is. */
static bool change(const struct rpc_call *call, const struct deviation *deviation, bool fails, struct tree **answer,
                   struct arena *arena)
{
    const struct chosen *chosen = call->deviation;
    const struct exchanged exchanged = {.request = heard_request(call, arena),
                                        .answer = *answer,
                                        .fails = fails,
                                        .refused_by = fails ? refusing_key(call, arena) : STR("")};
    return deviation_alters(deviation, &exchanged, arena) &&
           deviation_change(deviation, chosen->model, answer, arena) && (*answer)->type == TREE_OBJECT;
}

/* Returns what a message of a stream says to one request, as if it were an answer of its own: its code is OK unless
 * there is an error, which its details are. NULL: it says nothing. */
static struct tree *answer_within(const struct tree *content, struct arena *arena)
{
    const struct tree *response = tree_member(content, RESPONSE);
    struct str error = tree_text(content, ERROR);
    if (!response)
        return NULL;
    return answer_of(error.size ? STR("UNKNOWN") : STR("OK"), error, tree_copy(arena, response), arena);
}

/* Puts the changed answer into the message, which becomes NULL if there is none any more. Returns false without
 * memory. */
static bool put_answer(struct tree **content, const struct tree *answer, struct arena *arena)
{
    const struct tree *response = tree_member(answer, "message");
    bool fails = !str_is(tree_text(answer, "code"), "OK");
    struct str error = tree_text(*content, ERROR);
    if (!response) {
        *content = NULL;
        return true;
    }
    error = error.size ? error : STR("a deviation");
    return tree_set(*content, STR(RESPONSE), tree_copy(arena, response)) &&
           tree_set(*content, STR(ERROR), tree_string(arena, fails ? error : STR("")));
}

/* What the deviation of an answer does, it does to the answer within a message of a stream. If it does not fit there,
 * the message itself is the tree {message}. A message that the tree has lost is not sent. */
static bool alter_message(const struct rpc_call *call, const struct deviation *deviation, struct arena *arena,
                          struct str *message)
{
    const ProtobufCMessageDescriptor *type = call->method->answer;
    struct tree *whole = tree_new(arena, TREE_OBJECT), *content;
    if (!whole || !is_ok(wire_to_tree(type, *message, arena, &content)) ||
        !tree_add(whole, STR("message"), tree_copy(arena, content)))
        return true;
    struct tree *within = answer_within(content, arena);
    bool is_changed, fails = within ? !str_is(tree_text(within, "code"), "OK") : call->refused_by != NULL;
    if (within && change(call, deviation, fails, &within, arena)) {
        is_changed = put_answer(&content, within, arena);
    } else {
        is_changed = change(call, deviation, fails, &whole, arena);
        content = tree_member(whole, "message");
    }
    if (is_changed && content)
        write_message(type, content, arena, message);
    return !is_changed || content;
}

static void alter_each(struct rpc_call *call, struct arena *arena, struct str *message)
{
    const struct chosen *chosen = call->deviation;
    for (size_t i = 0; i < chosen->count; i++) {
        const struct deviation *deviation = chosen->list[i];
        bool ends = deviation_ends(deviation, "hang") || deviation_ends(deviation, "close");
        if (!ends && !alter_message(call, deviation, arena, message)) {
            *message = (struct str){0};
            return;
        }
    }
}

void deviations_rpc_finish(struct rpc_call *call)
{
    struct chosen *chosen = call->deviation;
    if (call->refused_by && deviations_are_by_header())
        rpc_trailing_metadata(call, "oip-refused-by", refusing_key(call, call->arena));
    if (!chosen)
        return;
    if (chosen->is_known)
        rpc_trailing_metadata(call, "oip-deviate", str_of(chosen->is_known));
    for (size_t i = 0; i < chosen->count; i++)
        deviate(call, chosen->list[i]);
    if (chosen->unknown.size > 0)
        call->status =
            status_invalid(call->arena, "there is no deviation '%s'; --list-deviations prints those that exist",
                           str_printable(call->arena, chosen->unknown));
}

static uint32_t malformed_named(struct str name)
{
    static const char *const names[] = {"name", "value", "pseudo", "connection", "length"}; /* as enum malformed */
    return FIRST(i, COUNT_OF(names), str_is(name, names[i]), 1U << i, 0);
}

void deviations_of_rpc(struct rpc_options *options)
{
    options->receive = frames_choose(deviations_bits("read_over", frames_kind), deviations_bits("end_at", frames_kind))
                           ? frames_receive
                           : NULL;
    options->takes_malformed = deviations_bits("take_malformed", malformed_named);
    options->begin = begin;
    options->before_message = before_message;
    options->release = release;
    options->alter = alter_each;
    options->finish = deviations_rpc_finish;
}
