/* The body of an inference request as a whole (000, "Inference Request JSON Object"). */
#include "predict_v2/rest_binary.h"

#include "base/search.h"

/* --- The outputs (000, "Request Output") --- */

#define IN_OUTPUT(member) offsetof(struct infer_requested_output, member)

static const struct member output_members[] = {
    {STR("name"), JSON_STRING, "output-name-string", "output-name-required", IN_OUTPUT(name), read_text, NULL},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, IN_OUTPUT(parameters), read_parameters, NULL},
};

static bool read_output(struct decode *decode)
{
    struct infer_request *request = decode->request;
    request->requested = grow_list(decode, request->requested, request->requested_count, sizeof(*request->requested));
    if (!request->requested)
        return false;
    struct infer_requested_output *output = &request->requested[request->requested_count];
    *output = (struct infer_requested_output){0};
    if (!read_object(decode, output_members, COUNT_OF(output_members), output))
        return false;
    request->requested_count++;
    return true;
}

/* v2-rest.output-object v2-rest.outputs-empty */
static bool read_outputs(struct decode *decode, void *request)
{
    ((struct infer_request *)request)->requested_count = 0;
    return read_objects(decode, "outputs", "output-object", read_output);
}

/* --- The object --- */

#define IN_REQUEST(member) offsetof(struct infer_request, member)

static const struct member request_members[] = {
    {STR("id"), JSON_STRING, "id-string", NULL, IN_REQUEST(id), read_text, NULL},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, IN_REQUEST(parameters), read_parameters, NULL},
    {STR("inputs"), JSON_ARRAY, "inputs-array", "inputs-required", 0, read_inputs, NULL},
    {STR("outputs"), JSON_ARRAY, "outputs-array", NULL, 0, read_outputs, NULL},
};

/* --- The text --- */

#define BYTE_ORDER_MARK STR("\xef\xbb\xbf")

/* v2-rest.bom */
static bool check_start(struct decode *decode)
{
    if (!str_starts(decode->text, BYTE_ORDER_MARK))
        return true;
    decode->status =
        status_breaks(decode->arena, "bom", "the body starts with a byte order mark, which JSON text must not have");
    return false;
}

/* Names the requirement that a text breaks that is not valid JSON, unless the reader has named it
 * (v2-rest.lone-surrogate, v2-rest.depth-limit). `status` is the reader's; `whole` says that a complete value was read.
 * v2-rest.utf8-valid v2-rest.trailing-text v2-rest.json-valid */
static struct status judge_text(const struct decode *decode, struct status status, bool whole)
{
    if (!status.broken)
        status.broken = !str_is_utf8(decode->text) ? "utf8-valid" : whole ? "trailing-text" : "json-valid";
    return status;
}

/* v2-rest.body-object */
static void read_body(struct decode *decode)
{
    enum json_type type = json_type(decode->json);
    if (type == JSON_OBJECT)
        read_object(decode, request_members, COUNT_OF(request_members), decode->request);
    else if (json_skip(decode->json, NULL))
        refuse(decode, "body-object", "the body must be a JSON object, not %s", type_name(type));
}

/* --- The whole --- */

void rest_free_cache(void *reader)
{
    json_reader_destroy(reader);
}

struct status rest_decode_infer(struct rest_call *call, struct str body, struct infer_request *request)
{
    void **cache = call->http->cache;
    if (!*cache)
        *cache = json_reader_create(call->arena->lease);
    NEED(*cache);
    struct decode decode = {.call = call, .arena = call->arena, .json = *cache, .request = request, .text = body};
    if (!split_body(&decode) || !check_start(&decode))
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
