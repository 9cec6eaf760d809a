/* The answers over REST as trees, for deviations. A JSON answer is the member "json". Of a binary answer, the bytes
 * after the JSON are the member "binary". Events are the member "events", a list of their JSON. */
#include "predict_v2/rest.h"

#include "tree/tree.h"

/* --- Events (rest_events.c) --- */

#define BEFORE STR("data: ")
#define BEHIND STR("\n\n")

static struct status read_events(struct str body, struct arena *arena, struct tree *answer)
{
    struct tree *events = tree_new(arena, TREE_ARRAY), *json;
    while (events && body.size > 0) {
        const char *end = memmem(body.data, body.size, BEHIND.data, BEHIND.size);
        if (!end || !str_starts(body, BEFORE))
            return status_invalid(arena, "the body holds no events");
        body = str_from(body, BEFORE.size);
        struct str data = {body.data, (size_t)(end - body.data)};
        body = str_from(body, data.size + BEHIND.size);
        TRY(tree_parse(data, arena, &json));
        tree_append(events, json);
    }
    return tree_add(answer, STR("events"), events) ? STATUS_IS_OK : status_no_memory();
}

static void write_events(const struct tree *events, struct buf *out)
{
    for (const struct tree *event = tree_first(events); event; event = event->next) {
        buf_append_str(out, BEFORE);
        tree_write(event, out);
        buf_append_str(out, BEHIND);
    }
}

/* --- Bodies --- */

#define LENGTH_MEMBER "inference-header-content-length"

static struct status read_answer(const struct http_request *answered, struct str body, struct tree *answer)
{
    struct tree *json;
    if (str_starts(answered->content_type, STR("text/event-stream")))
        return read_events(body, answered->arena, answer);
    unsigned long long length;
    struct str header = tree_text(tree_member(answer, "headers"), LENGTH_MEMBER);
    bool is_binary = header.size && str_digits_to_uint64(header, &length) && length <= body.size;
    if (!is_binary)
        length = body.size;
    if (!is_binary && !str_starts(answered->content_type, STR("application/json")))
        return status_invalid(answered->arena, "the body is not JSON");
    TRY(tree_parse((struct str){body.data, length}, answered->arena, &json));
    bool is_whole = tree_add(answer, STR("json"), json);
    if (is_binary)
        is_whole = is_whole && tree_add(answer, STR("binary"), tree_string(answered->arena, str_from(body, length))) &&
                   tree_add(answer, STR("json-size"), tree_string(answered->arena, header));
    return is_whole ? STATUS_IS_OK : status_no_memory();
}

/* The header follows the JSON, unless the deviation changed the header itself. */
static struct status write_answer(struct tree *answer, struct buf *out, struct arena *arena)
{
    const struct tree *json = tree_member(answer, "json");
    struct tree *headers = tree_member(answer, "headers");
    struct str before = tree_text(answer, "json-size");
    if (json)
        tree_write(json, out);
    write_events(tree_member(answer, "events"), out);
    if (headers && before.size && str_equal(tree_text(headers, LENGTH_MEMBER), before)) {
        struct str length = arena_printf(arena, "%zu", out->size);
        NEED(length.data && tree_set(headers, STR(LENGTH_MEMBER), tree_string(arena, length)));
    }
    buf_append_str(out, tree_text(answer, "binary"));
    return STATUS_IS_OK;
}

const struct http_form rest_form = {.read = read_answer, .write = write_answer};
