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
    decode->status =
        status_breaks(decode->arena, "bom", "the body starts with a byte order mark, which JSON text must not have");
    return false;
}

/* Finds the requirement that a text breaks which is not valid JSON, unless the reader has named it
 * (v2-rest.lone-surrogate,
 * v2-rest.depth-limit). `status` is the reader's; `whole` says that a complete value was read.
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
    else if (pass_over(decode))
        refuse(decode, "body-object", "the body must be a JSON object, not %s", type_name(type));
}

/* --- The whole --- */

/* Returns the readers that the worker keeps, or NULL without memory. */
static struct rest_readers *readers_of(struct rest_call *call)
{
    struct rest_readers *readers = *call->http->cache;
    if (readers)
        return readers;
    readers = calloc(1, sizeof(*readers));
    if (readers && !(readers->first = json_reader_create(call->arena->lease))) {
        free(readers);
        readers = NULL;
    }
    *call->http->cache = readers;
    return readers;
}

void rest_free_cache(void *pointer)
{
    struct rest_readers *readers = pointer;
    json_reader_destroy(readers->first);
    json_reader_destroy(readers->later);
    free(readers);
}

struct status rest_decode_infer(struct rest_call *call, struct str body, struct infer_request *request)
{
    struct rest_readers *readers = readers_of(call);
    if (!readers)
        return status_no_memory();
    struct decode decode = {.call = call,
                            .arena = call->arena,
                            .readers = readers,
                            .json = readers->first,
                            .request = request,
                            .text = body};
    if (!split_body(&decode))
        return decode.status;
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
