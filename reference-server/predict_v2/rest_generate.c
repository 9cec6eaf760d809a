/* Triton's endpoints for models that generate text: POST v2/models/NAME[/versions/VERSION]/generate answers with one
 * object, and generate_stream with any number of them, as events.
 *
 * The object of a request names the inputs of the model: {"text_input": "...", "parameters": {...}}. The value of an
 * input is an element or a flat list of them. "id" is that of the request, and other members are parameters, as are
 * those in "parameters". The official schema of text generation fits in that form. The object of an answer names the
 * outputs in the same way, beside model_name and model_version. */
#include "predict_v2/rest_decode.h"
#include "predict_v2/rest_events.h"

#include "models/config.h"
#include "tensor/json_tensor.h"
#include "tree/tree.h"
#include "json/writer.h"

/* --- The request --- */

/* Writes the object of an input. Models with batches get a batch of one. */
static void write_input(const struct tensor_spec *spec, const struct model_config *config, const struct tree *value,
                        struct buf *out)
{
    bool is_list = value->type == TREE_ARRAY;
    buf_append_literal(out, "{\"name\":");
    json_write_string(out, spec->name);
    buf_printf(out, ",\"datatype\":\"%s\",\"shape\":[%s%zu],\"data\":", datatype_name(spec->datatype),
               config->max_batch_size > 0 ? "1," : "", is_list ? value->count : 1);
    if (!is_list)
        buf_append_byte(out, '[');
    tree_write(value, out);
    if (!is_list)
        buf_append_byte(out, ']');
    buf_append_byte(out, '}');
}

static void write_inputs(const struct model *model, const struct tree *object, struct buf *out)
{
    buf_append_literal(out, ",\"inputs\":[");
    for (const struct tree *member = object->first; member; member = member->next) {
        const struct tensor_spec *spec = tensor_spec_named(model->inputs, model->input_count, member->name);
        if (!spec)
            continue;
        json_write_next(out);
        write_input(spec, model->config, member, out);
    }
    buf_append_byte(out, ']');
}

/* Writes the value of a parameter. The official schema of text generation has one that is a list, `stop`; parameters of
 * models are no lists, so they get its JSON text. */
static void write_parameter(const struct tree *value, struct buf *out)
{
    struct buf text = {0};
    if (value->type != TREE_ARRAY || !str_is(value->name, "stop")) {
        tree_write(value, out);
        return;
    }
    tree_write(value, &text);
    json_write_string(out, buf_str(&text));
    out->failed = out->failed || text.failed;
    buf_free(&text);
}

static void write_parameters(const struct model *model, const struct tree *object, struct buf *out)
{
    const struct tree *nested = tree_member(object, "parameters");
    if (nested && nested->type != TREE_OBJECT)
        nested = NULL; /* it is read, and refused, as a parameter of that name */
    buf_append_literal(out, "\"parameters\":{");
    for (int round = 0; round < 2; round++) {
        const struct tree *from = round == 0 ? object : nested;
        for (const struct tree *member = tree_first(from); member; member = member->next) {
            bool is_other = round == 0 && (member == nested || str_is(member->name, "id") ||
                                           tensor_spec_named(model->inputs, model->input_count, member->name));
            if (is_other)
                continue;
            json_write_name(out, member->name);
            write_parameter(member, out);
        }
    }
    buf_append_byte(out, '}');
}

struct status rest_generate_translate(const struct model *model, struct str body, struct arena *arena, struct str *text)
{
    static const char padding[JSON_PADDING];
    struct tree *object;
    struct buf out = {0};
    TRY(tree_parse(body, arena, &object));
    const struct tree *id = tree_member(object, "id");
    if (object->type != TREE_OBJECT)
        return status_invalid(arena, "the body must be a JSON object, not %s", tree_type_name(object->type));
    buf_append_byte(&out, '{');
    if (id && id->type != TREE_NULL) {
        buf_append_literal(&out, "\"id\":");
        tree_write(id, &out);
        buf_append_byte(&out, ',');
    }
    write_parameters(model, object, &out);
    write_inputs(model, object, &out);
    buf_append_byte(&out, '}');
    size_t size = out.size;
    buf_append(&out, padding, sizeof(padding));
    *text = arena_take(arena, &out);
    text->size = text->data ? size : 0;
    return text->data ? STATUS_IS_OK : status_no_memory();
}

static struct status read_request(struct rest_call *call, struct infer_request *request)
{
    struct str body = {0}, text = {0};
    struct model_hold hold;
    TRY(http_read_body(call->http, &body));
    TRY(predict_v2_find_ready(call->shared->repository, call->model, call->version, call->arena, &hold));
    struct status status = rest_generate_translate(hold.model, body, call->arena, &text);
    model_release(&hold);
    call->json_length = (struct str){0};
    TRY(status);
    return rest_decode_infer(call, text, request);
}

/* --- The answer --- */

static struct status write_output(const struct tensor *tensor, struct buf *out, struct arena *arena)
{
    size_t before = out->size;
    TRY(json_write_tensor(tensor, out, arena));
    if (tensor->count == 1 && !out->failed) { /* without the brackets */
        memmove(out->data + before, out->data + before + 1, out->size - before - 2);
        out->size -= 2;
    }
    return STATUS_IS_OK;
}

/* Writes the details of a text (the official schema of text generation), which a model gives as the parameter
 * "details", an object in JSON. generate-rest.details generate-rest.finish-reason */
static void write_details(const struct parameters *parameters, struct arena *arena, struct buf *out)
{
    const struct parameter *details = parameters_find(parameters, "details");
    struct tree *object;
    if (!details || details->kind != PARAMETER_STRING || !is_ok(tree_parse(details->string, arena, &object)) ||
        object->type != TREE_OBJECT)
        return;
    buf_append_literal(out, ",\"details\":");
    buf_append_str(out, details->string);
}

static struct status encode(const struct infer_request *request, const struct infer_response *response, struct buf *out)
{
    rest_write_origin(request->id.size ? request->id : (struct str){0}, response, out);
    for (size_t i = 0; i < response->output_count; i++) {
        json_write_name(out, response->outputs[i].tensor.name);
        TRY(write_output(&response->outputs[i].tensor, out, request->answer_arena));
    }
    write_details(&response->parameters, request->answer_arena, out);
    buf_append_byte(out, '}');
    return STATUS_IS_OK;
}

/* --- The endpoints --- */

static void generate(struct rest_call *call, enum events_form form)
{
    struct infer_request request = {
        .arena = call->arena,
        .repository = call->shared->repository,
        .model_name = call->model,
        .model_version = call->version,
        .admitted = !infer_draining(),
    };
    struct status status = read_request(call, &request);
    if (is_ok(status))
        rest_answer_events(call, &request, form, encode);
    else
        rest_refuse(call, status);
}

void rest_generate(struct rest_call *call)
{
    generate(call, EVENTS_ONE);
}

void rest_generate_stream(struct rest_call *call)
{
    generate(call, EVENTS_MANY);
}
