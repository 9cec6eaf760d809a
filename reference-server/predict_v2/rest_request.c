/* The body of an inference request as a whole (000, "Inference Request JSON Object"). */
#include "predict_v2/rest_binary.h"

#include "base/count.h"

#include <stdlib.h>

/* --- The outputs (000, "Request Output") --- */

static bool read_output_name(struct decode *decode, void *target)
{
    return read_text(decode, &((struct infer_requested_output *)target)->name);
}

static bool read_output_parameters(struct decode *decode, void *target)
{
    return read_parameters(decode, &((struct infer_requested_output *)target)->parameters);
}

static const struct member output_members[] = {
    {STR("name"), JSON_STRING, "output-name-string", "output-name-required", read_output_name, NULL},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, read_output_parameters, NULL},
};

static bool read_output(struct decode *decode, bool is_object)
{
    struct infer_request *request = decode->request;
    request->requested = grow_list(decode, request->requested, request->requested_count, sizeof(*request->requested));
    if (!request->requested)
        return false;
    struct infer_requested_output *output = &request->requested[request->requested_count];
    *output = (struct infer_requested_output){0};
    if (is_object && !read_object(decode, output_members, COUNT_OF(output_members), output))
        return false;
    request->requested_count += output->name.data != NULL;
    return true;
}

/* v2-rest.output-object v2-rest.outputs-empty */
static bool read_outputs(struct decode *decode, void *request)
{
    ((struct infer_request *)request)->requested_count = 0;
    return read_objects(decode, "outputs", "output-object", read_output);
}

/* --- The object --- */

static bool read_id(struct decode *decode, void *target)
{
    return read_text(decode, &((struct infer_request *)target)->id);
}

static bool read_request_parameters(struct decode *decode, void *target)
{
    return read_parameters(decode, &((struct infer_request *)target)->parameters);
}

static const struct member request_members[] = {
    {STR("id"), JSON_STRING, "id-string", NULL, read_id, NULL},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, read_request_parameters, NULL},
    {STR("inputs"), JSON_ARRAY, "inputs-array", "inputs-required", read_inputs, NULL},
    {STR("outputs"), JSON_ARRAY, "outputs-array", NULL, read_outputs, NULL},
};

/* --- The text --- */

#define BYTE_ORDER_MARK STR("\xef\xbb\xbf")

/* v2-rest.bom */
static bool check_start(struct decode *decode)
{
    if (!str_starts(decode->text, BYTE_ORDER_MARK))
        return true;
    if (stands(decode, "bom")) {
        decode->status = status_broken(decode->arena, STATUS_INVALID_ARGUMENT, "bom",
                                       "the body starts with a byte order mark, which JSON text must not have");
        return false;
    }
    decode->text = str_from(decode->text, BYTE_ORDER_MARK.size);
    return true;
}

/* Returns a copy in which each byte that is not UTF-8 is a question mark, for when v2-rest.utf8-valid is off. */
static struct str with_question_marks(struct str text, struct arena *arena)
{
    char *copy = arena_alloc_zero(arena, 1, text.size + JSON_PADDING);
    if (!copy)
        return text;
    memcpy(copy, text.data, text.size);
    for (size_t i = 0; i < text.size;) {
        size_t width = str_utf8_first((struct str){copy + i, text.size - i});
        if (width == 0)
            copy[i] = '?';
        i += width ? width : 1;
    }
    return (struct str){copy, text.size};
}

/* Finds the requirement that a text breaks which is not valid JSON, unless the reader has named it
 * (v2-rest.lone-surrogate,
 * v2-rest.depth-limit). `status` is the reader's; `whole` says that a complete value was read. Returns OK if the duty
 * is off. v2-rest.utf8-valid v2-rest.trailing-text v2-rest.json-valid */
static struct status judge_text(const struct decode *decode, struct status status, bool whole)
{
    if (status.broken)
        return status;
    if (!str_is_utf8(decode->text)) {
        status.broken = "utf8-valid"; /* this duty is on: with it off, the text has question marks and is UTF-8 */
        return status;
    }
    status.broken = whole ? "trailing-text" : "json-valid";
    bool is_off = whole ? !stands(decode, "trailing-text") : !stands(decode, "json-valid");
    return is_off ? STATUS_IS_OK : status;
}

/* v2-rest.body-object */
static void read_body(struct decode *decode)
{
    enum json_type type = json_type(decode->json);
    if (type == JSON_OBJECT)
        read_object(decode, request_members, COUNT_OF(request_members), decode->request);
    else if (!pass_over(decode))
        return;
    else if (stands(decode, "body-object"))
        refuse(decode, "body-object", "the body must be a JSON object, not %s", type_name(type));
    else
        take_the_models_inputs(decode);
}

/* --- The whole --- */

struct rest_kept *rest_kept(struct rest_call *call)
{
    struct rest_kept *kept = *call->http->kept;
    if (kept)
        return kept;
    kept = calloc(1, sizeof(*kept));
    if (kept && !(kept->reader = json_reader_create(call->arena->purse))) {
        free(kept);
        kept = NULL;
    }
    *call->http->kept = kept;
    return kept;
}

void rest_worker_end(void *pointer)
{
    struct rest_kept *kept = pointer;
    json_reader_destroy(kept->reader);
    json_reader_destroy(kept->second);
    free(kept);
}

struct status rest_decode_infer(struct rest_call *call, struct str body, struct infer_request *request)
{
    struct rest_kept *kept = rest_kept(call);
    if (!kept)
        return status_no_memory();
    struct decode decode = {.call = call, .arena = call->arena, .json = kept->reader, .request = request, .text = body};
    if (!split_body(&decode))
        return decode.status;
    if (!stands(&decode, "utf8-valid") && !str_is_utf8(decode.text))
        decode.text = with_question_marks(decode.text, call->arena);
    if (!check_start(&decode))
        return decode.status;
    json_begin(decode.json, decode.text);
    read_body(&decode);
    if (!is_ok(decode.status))
        return decode.status;
    bool whole = !json_failed(decode.json);
    struct status status = json_end(decode.json, call->arena);
    if (!is_ok(status))
        status = judge_text(&decode, status, whole);
    return is_ok(status) && !binary_is_taken(&decode) ? decode.status : status;
}
