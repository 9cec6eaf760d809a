/* Reads an InferRequest (004, "InferRequest"). Inputs and outputs without names are the model's, in its order. */
#include "base/search.h"
#include "graphpipe/graphpipe_call.h"

#define LIST_MAX ((size_t)1024) /* tensors or names in a list, if the model has not more itself */

#define SHOWN(call, s) str_printable((call)->arena, (s))

/* The memory for a list is many times as large as its offsets, so its length is limited. */
static size_t most_of(size_t count)
{
    return count > LIST_MAX ? count : LIST_MAX;
}

/* --- Inputs --- */

/* Refuses a model that this protocol cannot give its inputs. graphpipe.type-lacking */
static struct status check_model(const struct graphpipe_call *call)
{
    const struct model *model = call->hold.model;
    for (size_t i = 0; i < model->input_count; i++)
        if (graphpipe_type(model->inputs[i].datatype) == GRAPHPIPE_NULL)
            return status_breaks(
                call->arena, "type-lacking", "input '%s' of model '%s' is %s, which GraphPipe has no type for",
                SHOWN(call, model->inputs[i].name), SHOWN(call, model->name), datatype_name(model->inputs[i].datatype));
    return STATUS_IS_OK;
}

/* graphpipe.names-count */
static struct status check_counts(const struct graphpipe_call *call, size_t tensors, size_t names)
{
    const struct model *model = call->hold.model;
    if (names > 0 && names != tensors && !call->service->is_lenient)
        return status_breaks(call->arena, "names-count", "the request has %zu input_names for %zu input_tensors", names,
                             tensors);
    if (tensors > most_of(model->input_count))
        return status_error(call->arena, STATUS_RESOURCE_EXHAUSTED, "the request has %zu inputs; model '%s' needs %zu",
                            tensors, SHOWN(call, model->name), model->input_count);
    return STATUS_IS_OK;
}

/* Names an input after the model's own input at its position, if the request does not name it.
 * graphpipe.default-inputs graphpipe.name-empty graphpipe.input-known */
static struct status name_input(const struct graphpipe_call *call, struct str given, size_t position, size_t count,
                                struct str *name)
{
    const struct model *model = call->hold.model;
    *name = given;
    if (given.size > 0) {
        if (tensor_spec_named(model->inputs, model->input_count, given))
            return STATUS_IS_OK;
        return status_breaks(call->arena, "input-known", "model '%s' has no input '%s'", SHOWN(call, model->name),
                             SHOWN(call, given));
    }
    if (position >= model->input_count)
        return status_breaks(call->arena, "input-known", "the request has %zu inputs; model '%s' needs %zu", count,
                             SHOWN(call, model->name), model->input_count);
    *name = model->inputs[position].name;
    return STATUS_IS_OK;
}

/* Keeps the last of the inputs that have one name, as the original server does. */
static void keep_the_last_of_each(struct infer_request *request)
{
    size_t kept = 0;
    const struct infer_input *inputs = request->inputs;
    size_t count = request->input_count;
    for (size_t i = 0; i < count; i++)
        if (!ANY(j, count, j > i && str_equal(inputs[j].tensor.name, inputs[i].tensor.name)))
            request->inputs[kept++] = inputs[i];
    request->input_count = kept;
}

static struct status read_inputs(struct graphpipe_call *call, struct flat_reader *reader,
                                 const struct flat_object *object)
{
    struct infer_request *request = &call->request;
    struct flat_list names = flat_list(reader, object, INFER_REQUEST_INPUT_NAMES, 4);
    struct flat_list tensors = flat_list(reader, object, INFER_REQUEST_INPUT_TENSORS, 4);
    TRY(reader->fault ? STATUS_IS_OK : check_counts(call, tensors.count, names.count));
    request->inputs = arena_alloc_zero(call->arena, tensors.count, sizeof(*request->inputs));
    NEED(request->inputs);
    request->input_count = tensors.count;
    for (size_t i = 0; i < tensors.count; i++) {
        struct tensor *tensor = &request->inputs[i].tensor;
        struct flat_object one;
        struct str name = i < names.count ? flat_list_string(reader, &names, i) : (struct str){0};
        if (!flat_list_object(reader, &tensors, i, &one))
            break; /* a fault */
        TRY(name_input(call, name, i, tensors.count, &tensor->name));
        TRY(graphpipe_read_tensor(call, reader, &one, tensor));
    }
    if (call->service->is_lenient)
        keep_the_last_of_each(request);
    return STATUS_IS_OK;
}

/* --- Outputs --- */

static void ask_for(struct infer_request *request, struct str name)
{
    if (!ANY(i, request->requested_count, str_equal(request->requested[i].name, name)))
        request->requested[request->requested_count++].name = name;
}

/* The default outputs are all that have a type. graphpipe.default-outputs */
static struct status ask_for_all(struct graphpipe_call *call)
{
    const struct model *model = call->hold.model;
    struct infer_request *request = &call->request;
    size_t typed = SUM(i, model->output_count, graphpipe_type(model->outputs[i].datatype) != GRAPHPIPE_NULL);
    if (typed == model->output_count || typed == 0)
        return STATUS_IS_OK; /* if none has a type, the answer is refused and names one */
    request->requested = arena_alloc_zero(call->arena, typed, sizeof(*request->requested));
    NEED(request->requested);
    for (size_t i = 0; i < model->output_count; i++)
        if (graphpipe_type(model->outputs[i].datatype) != GRAPHPIPE_NULL)
            ask_for(request, model->outputs[i].name);
    return STATUS_IS_OK;
}

/* graphpipe.output-name-known */
static struct status check_output(const struct graphpipe_call *call, struct str name)
{
    const struct model *model = call->hold.model;
    if (tensor_spec_named(model->outputs, model->output_count, name))
        return STATUS_IS_OK;
    return status_breaks(call->arena, "output-name-known", "model '%s' has no output '%s'", SHOWN(call, model->name),
                         SHOWN(call, name));
}

/* Each output is computed once, even if it is asked for twice. graphpipe.output-once graphpipe.names-empty */
static struct status read_outputs(struct graphpipe_call *call, struct flat_reader *reader,
                                  const struct flat_object *object)
{
    struct infer_request *request = &call->request;
    struct flat_list names = flat_list(reader, object, INFER_REQUEST_OUTPUT_NAMES, 4);
    if (names.count == 0)
        return ask_for_all(call);
    if (names.count > most_of(call->hold.model->output_count))
        return status_error(call->arena, STATUS_RESOURCE_EXHAUSTED,
                            "the request has %zu output_names; this server takes %zu", names.count,
                            most_of(call->hold.model->output_count));
    struct str *asked = arena_alloc_zero(call->arena, names.count, sizeof(*asked));
    request->requested = arena_alloc_zero(call->arena, names.count, sizeof(*request->requested));
    NEED(asked && request->requested);
    call->asked = asked;
    for (size_t i = 0; i < names.count; i++) {
        struct str name = flat_list_string(reader, &names, i);
        TRY(check_output(call, name));
        asked[call->asked_count++] = name;
        ask_for(request, name);
    }
    return STATUS_IS_OK;
}

/* --- The request --- */

struct status graphpipe_read_request(struct graphpipe_call *call, struct flat_reader *reader,
                                     const struct flat_object *object)
{
    struct infer_request *request = &call->request;
    request->arena = call->arena;
    request->repository = call->service->repository;
    request->model_name = call->hold.model->name;
    TRY(model_readiness(call->hold.model, call->arena));
    TRY(check_model(call));
    TRY(graphpipe_read_config(call, flat_string(reader, object, INFER_REQUEST_CONFIG), &request->parameters));
    TRY(read_inputs(call, reader, object));
    return read_outputs(call, reader, object);
}
