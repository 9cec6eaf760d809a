/* Inference over GraphPipe (004, "InferResponse"). */
#include "graphpipe/graphpipe_call.h"

#include "base/search.h"
#include "tensor/raw.h"

#define REPEATED_MAX ((size_t)1 << 20) /* bytes of outputs that are repeated in an answer */

/* graphpipe.strings graphpipe.answer-strings graphpipe.answer-aligned graphpipe.answer-one-data */
static void write_strings(struct flat_writer *writer, struct flat_slot from, const struct tensor *tensor)
{
    struct flat_slot slot = flat_write_list(writer, from, tensor->count);
    struct str element;
    for (size_t offset = 0; raw_next_bytes(tensor, &offset, &element); slot = flat_slot_next(slot))
        flat_write_string(writer, slot, element);
}

/* Writes shape and data also where they are empty, because some clients read them without asking whether they are
 * there. graphpipe.output-datatype graphpipe.output-shape graphpipe.types */
static void write_tensor(struct flat_writer *writer, struct flat_slot from, const struct tensor *tensor)
{
    struct flat_slot slots[FLAT_FIELDS_MAX];
    unsigned values = tensor->datatype == DATATYPE_BYTES ? TENSOR_STRING_VAL : TENSOR_DATA;
    flat_write_table(writer, from, &graphpipe_tensor, 1u << TENSOR_TYPE | 1u << TENSOR_SHAPE | 1u << values, slots);
    flat_write_scalar(writer, slots[TENSOR_TYPE], graphpipe_type(tensor->datatype), 1);
    flat_write_longs(writer, slots[TENSOR_SHAPE], tensor->shape, tensor->rank);
    if (tensor->datatype == DATATYPE_BYTES)
        write_strings(writer, slots[TENSOR_STRING_VAL], tensor);
    else
        flat_write_bytes(writer, slots[TENSOR_DATA], (struct str){tensor->data, tensor->size});
}

static const struct tensor *output_named(const struct infer_response *response, struct str name)
{
    return FIRST(i, response->output_count, str_equal(response->outputs[i].tensor.name, name),
                 &response->outputs[i].tensor, NULL);
}

/* Lists the outputs as the request asks for them. graphpipe.outputs-order graphpipe.outputs-on-request
 * graphpipe.output-once graphpipe.default-outputs */
static size_t choose(const struct graphpipe_call *call, const struct infer_response *response,
                     const struct tensor **chosen)
{
    size_t count = 0;
    if (call->asked_count == 0 || call->request.requested_count == 0)
        for (; count < response->output_count; count++)
            chosen[count] = &response->outputs[count].tensor;
    else
        for (size_t i = 0; i < call->asked_count; i++)
            if ((chosen[count] = output_named(response, call->asked[i])))
                count++;
    return count;
}

/* Refuses to repeat outputs that are large together: a small request must not ask for a large answer. */
static struct status check_repetitions(const struct graphpipe_call *call, const struct tensor *const *chosen,
                                       size_t count)
{
    size_t repeated = SUM(i, count, ANY(k, i, chosen[k] == chosen[i]) ? chosen[i]->size : 0);
    if (repeated <= REPEATED_MAX)
        return STATUS_IS_OK;
    return status_error(call->arena, STATUS_RESOURCE_EXHAUSTED,
                        "outputs that are named more than once add %zu bytes; this server adds at most %zu", repeated,
                        REPEATED_MAX);
}

static struct status emit(struct infer_request *request, const struct infer_response *response)
{
    struct graphpipe_call *call = request->context;
    const struct tensor **chosen =
        arena_alloc(call->arena, (call->asked_count + response->output_count + 1) * sizeof(const struct tensor *));
    NEED(chosen);
    size_t count = choose(call, response, chosen);
    for (size_t i = 0; i < count; i++)
        if (graphpipe_type(chosen[i]->datatype) == GRAPHPIPE_NULL)
            return status_breaks(call->arena, "type-lacking", "output '%s' is %s, which GraphPipe has no type for",
                                 str_printable(call->arena, chosen[i]->name), datatype_name(chosen[i]->datatype));
    TRY(check_repetitions(call, chosen, count));
    struct flat_writer *writer = &call->writer;
    *writer = flat_writer_begin(&call->http->answer_buf, call->arena);
    struct flat_slot slots[FLAT_FIELDS_MAX], root = flat_write_root(writer);
    flat_write_table(writer, root, &graphpipe_infer_response, 1u << INFER_RESPONSE_OUTPUT_TENSORS, slots);
    struct flat_slot slot = flat_write_list(writer, slots[INFER_RESPONSE_OUTPUT_TENSORS], count);
    for (size_t i = 0; i < count; i++, slot = flat_slot_next(slot))
        write_tensor(writer, slot, chosen[i]);
    return STATUS_IS_OK;
}

/* This runs inside infer, or later on another thread. It must not use the call after the answer. */
static void done(struct infer_request *request)
{
    struct graphpipe_call *call = request->context;
    if (is_ok(request->status))
        graphpipe_answer(call, &call->writer);
    else
        graphpipe_refuse(call, request->status);
}

static bool is_awaited(const struct infer_request *request)
{
    const struct graphpipe_call *call = request->context;
    return http_is_awaited(call->http);
}

/* graphpipe.infer-answers */
void graphpipe_infer(struct graphpipe_call *call)
{
    call->request.emit = emit;
    call->request.done = done;
    call->request.is_awaited = is_awaited;
    call->request.context = call;
    infer(&call->request);
}
