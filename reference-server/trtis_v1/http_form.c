/* The answers over HTTP as trees, for deviations. The member "message" is what gRPC answers: {request_status,
 * meta_data, raw_output} of an inference, {request_status, server_status} of a status. "trailer" in it is the
 * InferResponseHeader after the outputs. "format" is the form of that or of the status, text or binary. A header that
 * the deviation itself changed stays as it is. The "message" of a request has its InferRequestHeader as "meta_data", as
 * over gRPC. */
#include "trtis_v1/http.h"

#include "base/search.h"
#include "wire/message.h"
#include <trtis_v1.pb-c.h>

typedef ProtobufCMessageDescriptor Type;

static const Type *const request_header = &nvidia__inferenceserver__infer_request_header__descriptor;
static const Type *const response_header = &nvidia__inferenceserver__infer_response_header__descriptor;
static const Type *const server_status = &nvidia__inferenceserver__server_status__descriptor;

/* --- Messages --- */

/* Adds a message as a tree, or nothing if the bytes, or the text, are none. Returns false without memory. */
static bool add_message(struct tree *object, const char *name, const Type *type, struct str bytes, bool is_text,
                        struct arena *arena)
{
    struct buf wire = {0};
    struct tree *tree = NULL;
    struct str message = bytes;
    struct status status = STATUS_IS_OK;
    if (is_text) {
        status = text_read(text_type_of("trtis_v1", type->short_name), bytes, arena, &wire);
        message = arena_take(arena, &wire);
        if (is_ok(status) && !message.data)
            status = status_no_memory();
    }
    if (is_ok(status))
        status = wire_to_tree(type, message, arena, &tree);
    return is_ok(status) ? tree_add(object, str_of(name), tree) : status.code != STATUS_RESOURCE_EXHAUSTED;
}

static struct status write_message(const Type *type, const struct tree *tree, bool is_text, enum text_form form,
                                   struct arena *arena, struct buf *out)
{
    struct buf wire = {0};
    struct status status = wire_from_tree(type, tree, is_text ? &wire : out, arena);
    if (is_ok(status) && is_text)
        status = text_print(text_type_of("trtis_v1", type->short_name), buf_str(&wire), form, arena, out);
    buf_free(&wire);
    return status;
}

/* --- Headers --- */

static const struct {
    const char *name, *member;
    const Type *type;
} texts[] = {
    {"nv-status", "request_status", &nvidia__inferenceserver__request_status__descriptor},
    {"nv-inferresponse", "meta_data", &nvidia__inferenceserver__infer_response_header__descriptor},
};

#define TEXTS COUNT_OF(texts)

/* Returns false without memory. */
static bool read_headers(const struct tree *headers, struct tree *answer, struct tree *message, struct arena *arena)
{
    struct tree *before = tree_new(arena, TREE_OBJECT);
    bool is_whole = tree_add(answer, STR("before"), before);
    for (size_t i = 0; is_whole && i < TEXTS; i++) {
        const struct tree *header = tree_member(headers, texts[i].name);
        if (!header)
            continue;
        is_whole = add_message(message, texts[i].member, texts[i].type, header->text, true, arena);
        if (is_whole && tree_member(message, texts[i].member))
            is_whole = tree_add(before, str_of(texts[i].name), tree_string(arena, header->text));
    }
    return is_whole;
}

static struct status write_headers(const struct tree *answer, const struct tree *message, struct arena *arena)
{
    struct tree *headers = tree_member(answer, "headers"), *before = tree_member(answer, "before");
    for (size_t i = 0; headers && i < TEXTS; i++) {
        const struct tree *part = tree_member(message, texts[i].member), *old = tree_member(before, texts[i].name);
        const struct tree *now = tree_member(headers, texts[i].name);
        struct buf text = {0};
        if (!part || (old && (!now || !str_equal(now->text, old->text))))
            continue;
        struct status status = write_message(texts[i].type, part, true, TEXT_LINE, arena, &text);
        struct str line = arena_take(arena, &text);
        if (!is_ok(status))
            return status;
        NEED(line.data && tree_set(headers, str_of(texts[i].name), tree_string(arena, line)));
    }
    return STATUS_IS_OK;
}

/* --- Bodies --- */

static size_t size_of_output(const struct tree *output, size_t most)
{
    int64_t size = 0;
    tree_to_int64(tree_member(tree_member(output, "raw"), "batch_byte_size"), &size);
    return size < 0 ? 0 : (size_t)size > most ? most : (size_t)size;
}

/* Splits the body of an inference into its outputs and what is after them. Returns false without memory. */
static bool read_inference(struct str body, bool is_text, struct tree *message, struct arena *arena)
{
    struct tree *list = tree_new(arena, TREE_ARRAY);
    const struct tree *outputs = tree_member(tree_member(message, "meta_data"), "output");
    bool is_whole = tree_add(message, STR("raw_output"), list);
    for (const struct tree *output = tree_first(outputs); is_whole && output; output = output->next) {
        size_t size = size_of_output(output, body.size);
        is_whole = tree_append(list, tree_string(arena, (struct str){body.data, size}));
        body = str_from(body, size);
    }
    return is_whole && add_message(message, "trailer", response_header, body, is_text, arena);
}

static struct status read_answer(const struct http_request *answered, struct str body, struct tree *answer)
{
    struct arena *arena = answered->arena;
    struct tree *message = tree_new(arena, TREE_OBJECT);
    bool is_text = !v1_http_wants_binary(answered->query);
    NEED(message);
    bool is_whole = read_headers(tree_member(answer, "headers"), answer, message, arena);
    if (is_whole && answered->status == 200 && tree_member(message, "meta_data"))
        is_whole = read_inference(body, is_text, message, arena);
    else if (is_whole && answered->status == 200 && body.size > 0)
        is_whole = add_message(message, "server_status", server_status, body, is_text, arena);
    is_whole = is_whole && tree_add(answer, STR("message"), message) &&
               tree_add(answer, STR("format"), tree_string(arena, is_text ? STR("text") : STR("binary")));
    return is_whole ? STATUS_IS_OK : status_no_memory();
}

static struct status write_answer(struct tree *answer, struct buf *out, struct arena *arena)
{
    const struct tree *message = tree_member(answer, "message"), *raw = tree_member(message, "raw_output");
    const struct tree *trailer = tree_member(message, "trailer"), *server = tree_member(message, "server_status");
    bool is_text = !str_is(tree_text(answer, "format"), "binary");
    struct status status = write_headers(answer, message, arena);
    for (const struct tree *output = tree_first(raw); output; output = output->next)
        buf_append_str(out, output->text);
    if (is_ok(status) && trailer)
        status = write_message(response_header, trailer, is_text, TEXT_LINES, arena, out);
    if (is_ok(status) && server)
        status = write_message(server_status, server, is_text, TEXT_LINES, arena, out);
    return status;
}

/* --- Requests --- */

static struct status read_request(const struct http_request *request, struct tree *asked)
{
    struct str header = http_header_value(request, "NV-InferRequest");
    struct tree *message = tree_new(request->arena, TREE_OBJECT);
    bool is_whole = !header.data || add_message(message, "meta_data", request_header, header, true, request->arena);
    return is_whole && tree_add(asked, STR("message"), message) ? STATUS_IS_OK : status_no_memory();
}

const struct http_form v1_form = {.read = read_answer, .write = write_answer, .read_request = read_request};
