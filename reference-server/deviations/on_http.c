/* Deviations on HTTP: an answer as the tree {status, headers, json | body}, and back. */
#include "deviations/deviation.h"

#include <ctype.h>

static struct str lower_case(struct str text, struct arena *arena)
{
    char *copy = arena_alloc(arena, text.size);
    for (size_t i = 0; copy && i < text.size; i++)
        copy[i] = (char)tolower((unsigned char)text.data[i]);
    return (struct str){copy, copy ? text.size : 0};
}

/* The name of the model in /v2/models/NAME..., as it stands there. */
static struct str model_of(struct str path)
{
    struct str before = STR("/v2/models/");
    if (!str_starts(path, before))
        return STR("");
    path = str_from(path, before.size);
    const char *slash = path.size ? memchr(path.data, '/', path.size) : NULL;
    return (struct str){path.data, slash ? (size_t)(slash - path.data) : path.size};
}

void deviations_http_begin(struct http_request *request)
{
    struct asked asked = {.method = request->method, .path = request->path, .model = model_of(request->path)};
    const struct chosen *chosen =
        deviations_choose(&asked, false, http_header_value(request, "OIP-Deviate"), request->arena);
    request->deviation = chosen;
    for (size_t i = 0; chosen && i < chosen->count; i++)
        if (deviation_closes(chosen->list[i]))
            request->ending = HTTP_CLOSE;
    if (chosen && chosen->switches.count > 0)
        request->switches = &chosen->switches;
}

static struct tree *answer_to_tree(const struct http_request *request, struct arena *arena)
{
    struct str body = request->answer_buf.size > 0 ? buf_str(&request->answer_buf) : request->answer_body;
    struct tree *answer = tree_new(arena, TREE_OBJECT), *headers = tree_new(arena, TREE_OBJECT), *json = NULL;
    if (!answer || !headers)
        return NULL;
    body = arena_copy(arena, body);
    tree_add(answer, STR("status"), tree_int(arena, request->status));
    if (request->content_type.size > 0)
        tree_add(headers, STR("content-type"), tree_string(arena, request->content_type));
    tree_add(headers, STR("content-length"), tree_string(arena, arena_printf(arena, "%zu", body.size)));
    for (size_t i = 0; i < request->answer_header_count; i++)
        tree_add(headers, lower_case(request->answer_headers[i].name, arena),
                 tree_string(arena, request->answer_headers[i].value));
    tree_add(answer, STR("headers"), headers);
    if (str_starts(request->content_type, STR("application/json")) && is_ok(tree_parse(body, arena, &json)))
        tree_add(answer, STR("json"), json);
    else
        tree_add(answer, STR("body"), tree_string(arena, body));
    return answer;
}

static void set_headers(struct http_request *request, const struct tree *headers, struct str old_length)
{
    request->answer_header_count = 0;
    request->content_type = STR("");
    request->no_content_length = true;
    for (const struct tree *header = headers ? headers->first : NULL; header; header = header->next) {
        if (header->type != TREE_STRING && header->type != TREE_NUMBER)
            continue;
        if (str_is(header->name, "content-type")) {
            request->content_type = header->text;
        } else if (str_is(header->name, "content-length")) {
            request->no_content_length = false;
            if (!str_equal(header->text, old_length)) /* not the one that was counted: a wrong one is wanted */
                request->content_length = header->text;
        } else {
            http_answer_header(request, header->name, header->text);
        }
    }
}

static void set_body(struct http_request *request, const struct tree *answer)
{
    const struct tree *json = tree_member(answer, "json"), *body = tree_member(answer, "body");
    buf_clear(&request->answer_buf);
    request->answer_body = STR("");
    if (body && body->type == TREE_STRING)
        buf_append_str(&request->answer_buf, body->text);
    else if (json)
        tree_write(json, &request->answer_buf);
}

static void alter(struct http_request *request, const struct deviation *deviation)
{
    struct tree *answer = answer_to_tree(request, request->arena);
    int64_t status;
    if (!answer)
        return;
    bool had_no_length = request->no_content_length;
    struct str old_length = tree_text(tree_member(answer, "headers"), "content-length");
    if (!deviation_change(deviation, &answer, request->arena) || answer->type != TREE_OBJECT)
        return;
    if (tree_to_int64(tree_member(answer, "status"), &status) && status >= 100 && status <= 999)
        request->status = (int)status;
    set_headers(request, tree_member(answer, "headers"), old_length);
    request->no_content_length |= had_no_length;
    set_body(request, answer);
}

static void refuse_unknown(struct http_request *request, struct str name)
{
    buf_clear(&request->answer_buf);
    request->answer_body = arena_printf(request->arena,
                                        "{\"error\":\"there is no deviation of the name in OIP-Deviate (%zu "
                                        "bytes); --list-deviations prints those that exist\"}",
                                        name.size);
    request->status = 400;
    request->content_type = STR("application/json");
}

void deviations_http_finish(struct http_request *request)
{
    const struct chosen *chosen = request->deviation;
    if (request->refused_by && deviations_are_by_header())
        http_answer_header(request, STR("OIP-Refused-By"), str_of(request->refused_by));
    if (!chosen)
        return;
    if (chosen->is_known)
        http_answer_header(request, STR("OIP-Deviate"), str_of(chosen->is_known));
    for (size_t i = 0; i < chosen->count; i++) {
        const struct deviation *deviation = chosen->list[i];
        if (deviation_hangs(deviation) || deviation_closes(deviation))
            request->ending = deviation_hangs(deviation) ? HTTP_HANG : HTTP_CLOSE;
        else if (!deviation->skips)
            alter(request, deviation);
    }
    if (chosen->unknown.size > 0)
        refuse_unknown(request, chosen->unknown);
}
