/* Deviations on HTTP. An answer is converted to the tree {status, method, headers, body} and back. `method` is the one
 * that is answered. The body has the form of the service (http_form), or JSON if the Content-Type says so. A body that
 * does not have that form is the string "body". */
#include "deviations/deviation.h"

#include <ctype.h>

#define FAILS_FROM 400 /* a status */

/* --- The answer as a tree, and back --- */

static struct status read_json(const struct http_request *answered, struct str body, struct tree *answer)
{
    struct tree *json;
    if (!str_starts(answered->content_type, STR("application/json")))
        return status_invalid(answered->arena, "the body is not JSON");
    TRY(tree_parse(body, answered->arena, &json));
    return tree_add(answer, STR("json"), json) ? STATUS_IS_OK : status_no_memory();
}

static struct status write_json(struct tree *answer, struct buf *out, struct arena *)
{
    const struct tree *json = tree_member(answer, "json");
    if (json)
        tree_write(json, out);
    return STATUS_IS_OK;
}

static const struct http_form json_form = {.read = read_json, .write = write_json};

static const struct http_form *form_of(const struct http_request *request)
{
    return request->service->form ? request->service->form : &json_form;
}

/* Takes the whole body as it would be sent into the arena. Returns false without memory. */
static bool body_of(const struct http_request *request, struct arena *arena, struct str *body)
{
    struct buf whole = {0};
    buf_append_str(&whole, request->answer_buf.size > 0 ? buf_str(&request->answer_buf) : request->answer_body);
    for (size_t i = 0; i < request->answer_tail_count; i++)
        buf_append_str(&whole, request->answer_tail[i]);
    *body = arena_take(arena, &whole);
    return body->data != NULL;
}

/* Returns a copy with its letters of ASCII small; null data without memory. */
static struct str lower_case(struct str text, struct arena *arena)
{
    char *copy = arena_alloc(arena, text.size);
    for (size_t i = 0; copy && i < text.size; i++)
        copy[i] = (char)tolower((unsigned char)text.data[i]);
    return (struct str){copy, copy ? text.size : 0};
}

/* Adds header lines, whose names become lower case. */
static struct tree *with_headers(struct tree *headers, const struct http_header *list, size_t count,
                                 struct arena *arena)
{
    for (size_t i = 0; i < count; i++) {
        struct str name = lower_case(list[i].name, arena);
        headers = tree_with(headers, name, name.data ? tree_string(arena, list[i].value) : NULL);
    }
    return headers;
}

static struct tree *headers_to_tree(const struct http_request *request, size_t length, struct arena *arena)
{
    struct tree *headers = tree_new(arena, TREE_OBJECT);
    if (request->content_type.size > 0)
        headers = tree_with_text(headers, "content-type", request->content_type, arena);
    headers = tree_with_text(headers, "content-length", arena_printf(arena, "%zu", length), arena);
    return with_headers(headers, request->answer_headers, request->answer_header_count, arena);
}

/* Returns NULL without memory, of which a large answer may need more than the request has left. Without a form the body
 * is bytes, whatever they are. */
static struct tree *answer_to_tree(const struct http_request *request, const struct http_form *form,
                                   struct arena *arena)
{
    struct str body;
    if (!body_of(request, arena, &body))
        return NULL;
    struct tree *answer = tree_with(tree_new(arena, TREE_OBJECT), STR("status"), tree_int(arena, request->status));
    answer = tree_with_text(answer, "method", request->method, arena);
    answer = tree_with(answer, STR("headers"), headers_to_tree(request, body.size, arena));
    struct status status = answer && form ? form->read(request, body, answer) : STATUS_IS_OK;
    if (status.code == STATUS_RESOURCE_EXHAUSTED)
        return NULL;
    return form && is_ok(status) ? answer : tree_with_text(answer, "body", body, arena);
}

/* Adds what stands for the request in the form of its service; what has no form there is JSON, whatever its type
 * says. */
static struct status read_asked(const struct http_request *request, struct tree *asked)
{
    const struct http_form *form = form_of(request);
    struct http_request sent = {.arena = request->arena, .content_type = STR("application/json")};
    return form->read_request ? form->read_request(request, asked) : form->read(&sent, request->body, asked);
}

/* The header lines as they came, each with a line feed after it, which also stands for an empty line before the head.
 */
static struct str head_of(const struct http_request *request, struct arena *arena)
{
    struct buf head = {0};
    if (request->arrival.behind_empty_line)
        buf_append_byte(&head, '\n');
    for (size_t i = 0; i < request->header_count; i++) {
        struct str name = request->headers[i].name, value = request->headers[i].value;
        const char *after = name.data + name.size + 1;
        buf_append_str(&head, name);
        buf_append_byte(&head, ':');
        if (request->arrival.is_as_it_came && value.size > 0)
            buf_append(&head, after, (size_t)(value.data - after) + strlen(value.data));
        buf_append_byte(&head, '\n');
    }
    return arena_take(arena, &head);
}

static struct tree *with_arrival(struct tree *tree, const struct http_request *request, struct arena *arena)
{
    static const char *const outcomes[] = {
        [HTTP_NOTHING] = "nothing", [HTTP_ANSWERED] = "answered", [HTTP_REFUSED] = "refused"};
    const struct http_arrival *arrival = &request->arrival;
    struct str head = head_of(request, arena);
    struct tree *before = tree_new(arena, TREE_OBJECT);
    before = tree_with_text(before, "outcome", str_of(outcomes[arrival->before.outcome]), arena);
    before = tree_with(before, STR("length"), tree_int(arena, arrival->before.length));
    tree = tree_with(tree, STR("head"), head.data ? tree_string(arena, head) : NULL);
    tree = tree_with(tree, STR("reads"), tree_int(arena, (long long)arrival->reads));
    return tree_with(tree, STR("before"), before);
}

/* Returns the target as it was sent. The server has cut off the query, which may be empty. */
static struct str target_of(const struct http_request *request, struct arena *arena)
{
    return request->query.data ? arena_printf(arena, "%.*s?%.*s", STR_ARG(request->target), STR_ARG(request->query))
                               : request->target;
}

/* Reads the request into the tree {method, path, query, target, version, head, reads, before, headers, body} with what
 * stands for the body, too. Returns NULL without memory. */
static struct tree *request_to_tree(struct http_request *request, struct arena *arena)
{
    struct tree *headers = with_headers(tree_new(arena, TREE_OBJECT), request->headers, request->header_count, arena);
    struct tree *tree = tree_with_text(tree_new(arena, TREE_OBJECT), "method", request->method, arena);
    tree = tree_with_text(tree, "path", request->path, arena);
    tree = tree_with_text(tree, "query", request->query, arena);
    tree = tree_with_text(tree, "target", target_of(request, arena), arena);
    tree = tree_with_text(tree, "version", request->version, arena);
    tree = tree_with_text(tree, "body", request->body, arena);
    tree = tree_with(with_arrival(tree, request, arena), STR("headers"), headers);
    return tree && read_asked(request, tree).code != STATUS_RESOURCE_EXHAUSTED ? tree : NULL;
}

/* --- Which deviations --- */

static const char *const http_texts[] = {"http", "json", NULL};

void deviations_http_begin(struct http_request *request)
{
    const struct http_service *service = request->service;
    struct asked asked = {
        .profile = service->profile,
        .texts = http_texts,
        .method = request->method,
        .path = request->path,
        .model = service->model_of ? service->model_of(request->path) : STR(""),
    };
    const struct chosen *chosen = deviations_choose(&asked, http_header_value(request, "OIP-Deviate"), request->arena);
    request->deviation = chosen;
    const struct tree *asks = deviations_read_request(chosen) ? request_to_tree(request, request->arena) : NULL;
    if (deviations_end_at_once(chosen, "close", asks, request->arena))
        request->delivery = HTTP_CLOSE;
}

/* --- The altered answer --- */

static void set_headers(struct http_request *request, const struct tree *headers, struct str old_length)
{
    request->answer_header_count = 0;
    request->content_type = STR("");
    request->no_content_length = true;
    for (const struct tree *header = tree_first(headers); header; header = header->next) {
        if (header->type != TREE_STRING && header->type != TREE_NUMBER)
            continue;
        if (str_is(header->name, "content-type")) {
            request->content_type = header->text;
        } else if (str_is(header->name, "content-length")) {
            request->no_content_length = false;
            if (!str_equal(header->text, old_length)) /* the deviation changed the length */
                request->content_length = header->text;
        } else {
            http_answer_header(request, header->name, header->text);
        }
    }
}

/* Returns false if the answer cannot be written; the request is not changed then. */
static bool set_body(struct http_request *request, struct tree *answer)
{
    const struct tree *body = tree_member(answer, "body");
    struct buf out = {0};
    if (body && body->type == TREE_STRING)
        buf_append_str(&out, body->text);
    else if (!is_ok(form_of(request)->write(answer, &out, request->arena)))
        out.failed = true;
    if (out.failed) {
        buf_free(&out);
        return false;
    }
    buf_free(&request->answer_buf);
    request->answer_buf = out;
    request->answer_body = STR("");
    request->answer_tail_count = 0;
    return true;
}

/* Answers as the service refuses a request. */
static void refuse(struct http_request *request, int status, const char *sentence)
{
    buf_clear(&request->answer_buf);
    request->answer_body = STR("");
    request->answer_tail_count = 0;
    request->status = status;
    request->content_type = str_of(request->service->write_refusal(request, status, sentence));
}

static void refuse_unknown(struct http_request *request, struct str name)
{
    struct str sentence = arena_printf(request->arena,
                                       "there is no deviation of the name in OIP-Deviate (%zu bytes); "
                                       "--list-deviations prints those that exist",
                                       name.size);
    refuse(request, 400, sentence.data);
}

/* Does to the answer what the deviation does. A success whose status alone becomes that of a failure is refused as the
 * service refuses. */
static void alter(struct http_request *request, const struct deviation *deviation, struct tree *answer)
{
    const struct chosen *chosen = request->deviation;
    int64_t status;
    bool had_no_length = request->no_content_length, succeeds = request->status < FAILS_FROM;
    struct str old_length = tree_text(tree_member(answer, "headers"), "content-length");
    if (!deviation_change(deviation, chosen->model, &answer, request->arena) || answer->type != TREE_OBJECT)
        return;
    bool is_status = tree_to_int64(tree_member(answer, "status"), &status) && status >= 100 && status <= 999;
    if (succeeds && is_status && status >= FAILS_FROM && deviation_only_sets(deviation, "/status")) {
        refuse(request, (int)status, "this request is not served");
        return;
    }
    if (!set_body(request, answer))
        return;
    if (is_status)
        request->status = (int)status;
    request->method = tree_text(answer, "method");
    set_headers(request, tree_member(answer, "headers"), old_length);
    request->no_content_length |= had_no_length;
}

/* --- Applying deviations to an answer --- */

static void deviate(struct http_request *request, const struct deviation *deviation, struct exchanged *exchanged)
{
    const struct http_form *form = deviation_copies_body(deviation) ? NULL : form_of(request);
    struct tree *answer = answer_to_tree(request, form, request->arena);
    exchanged->answer = answer;
    if (!answer || !deviation_alters(deviation, exchanged, request->arena))
        return;
    if (deviation->code && exchanged->request)
        tree_add(answer, STR("request"), tree_copy(request->arena, exchanged->request));
    if (deviation_ends(deviation, "hang"))
        request->delivery = HTTP_HANG;
    else if (deviation_ends(deviation, "close"))
        request->delivery = HTTP_CLOSE;
    else if (deviation_ends(deviation, "stay"))
        request->delivery = HTTP_STAY;
    else
        alter(request, deviation, answer);
}

void deviations_http_finish(struct http_request *request)
{
    const struct chosen *chosen = request->deviation;
    struct exchanged exchanged = {
        .fails = request->status >= FAILS_FROM || request->refused_by,
        .refused_by = deviation_key(request->service->profile, request->refused_by, request->arena),
    };
    if (request->refused_by && deviations_are_by_header())
        http_answer_header(request, STR("OIP-Refused-By"), exchanged.refused_by);
    if (!chosen)
        return;
    if (chosen->is_known)
        http_answer_header(request, STR("OIP-Deviate"), str_of(chosen->is_known));
    if (deviations_read_request(chosen))
        exchanged.request = request_to_tree(request, request->arena);
    for (size_t i = 0; i < chosen->count; i++)
        deviate(request, chosen->list[i], &exchanged);
    if (chosen->unknown.size > 0)
        refuse_unknown(request, chosen->unknown);
}
