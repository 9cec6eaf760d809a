/* Writes an infer act as a ModelInferRequest (000, gRPC), with data in typed contents or in raw_input_contents. If
 * protobuf cannot say it (a name that is a number, a member that the message lacks, a parameter that is null), that is
 * an error: the play is not for this encoding. */
#include "protocols/predict_v2/predict_v2.h"

#include "inference.pb-c.h"
#include "notation/data.h"
#include "protocols/packing.h"
#include "support/memory.h"
#include "wire/message.h"

static struct status add_parameters(struct tree *to, const struct tree *parameters, struct arena *arena)
{
    struct tree *map;
    struct status status = packing_parameters(parameters, arena, &map);
    if (is_ok(status))
        tree_add(to, STR("parameters"), map);
    return status;
}

static struct status add_typed(struct tree *to, const struct tree *data, enum datatype datatype, struct arena *arena)
{
    if (datatype == DATATYPE_NONE || datatype_table[datatype].contents_field == 0)
        return status_error(arena, STATUS_UNIMPLEMENTED, "InferTensorContents has no field for %s",
                            datatype == DATATYPE_NONE ? "an unknown datatype" : datatype_name(datatype));
    struct tree *list;
    struct status status = data_elements(data, datatype, arena, &list);
    if (!is_ok(status))
        return status;
    tree_add(to, STR("contents"), tree_object(arena, {datatype_table[datatype].contents, list}));
    return STATUS_IS_OK;
}

static struct status add_raw(struct tree *raw, const struct tree *data, enum datatype datatype, struct arena *arena)
{
    struct buf bytes = {0};
    struct status status = data_raw(data, datatype, arena, &bytes);
    struct str taken = arena_take(arena, &bytes);
    if (is_ok(status))
        tree_append(raw, tree_string(arena, taken));
    return status;
}

/* Makes a tensor of the message: an input, or a requested output, which has no data. `raw`: NULL: typed contents. */
static struct status make_tensor(const struct tree *tensor, enum datatype datatype, struct tree *raw,
                                 struct arena *arena, struct tree **made)
{
    if (tensor->type != TREE_OBJECT)
        return status_error(arena, STATUS_UNIMPLEMENTED, "a tensor must be a message in protobuf");
    *made = tree_new(arena, TREE_OBJECT);
    struct status status = STATUS_IS_OK;
    for (const struct tree *member = tensor->first; member && is_ok(status); member = member->next) {
        if (str_is(member->name, "parameters"))
            status = add_parameters(*made, member, arena);
        else if (!str_is(member->name, "data"))
            tree_add(*made, member->name, tree_copy(arena, member));
        else if (raw == NULL)
            status = add_typed(*made, member, datatype, arena);
        else
            status = add_raw(raw, member, datatype, arena);
    }
    return status;
}

static struct status add_inputs(const struct meaning *meaning, const struct tree *inputs, struct tree *message,
                                struct arena *arena)
{
    if (inputs->type != TREE_ARRAY)
        return status_error(arena, STATUS_UNIMPLEMENTED, "inputs must be a list in protobuf");
    struct tree *list = tree_new(arena, TREE_ARRAY), *raw = tree_new(arena, TREE_ARRAY);
    size_t index = 0;
    for (const struct tree *input = inputs->first; input; input = input->next, index++) {
        enum datatype datatype = packing_datatype(packing_input(meaning, input, index));
        struct tree *made = NULL;
        struct status status = make_tensor(input, datatype, meaning->form->way == GRPC_RAW ? raw : NULL, arena, &made);
        if (!is_ok(status))
            return status;
        tree_append(list, made);
    }
    tree_add(message, STR("inputs"), list);
    if (raw->count > 0)
        tree_add(message, STR("raw_input_contents"), raw);
    return STATUS_IS_OK;
}

static struct status add_outputs(const struct tree *outputs, struct tree *message, struct arena *arena)
{
    if (outputs->type != TREE_ARRAY)
        return status_error(arena, STATUS_UNIMPLEMENTED, "outputs must be a list in protobuf");
    struct tree *list = tree_new(arena, TREE_ARRAY);
    FOR_EACH_IN(output, outputs->first) {
        struct tree *made = NULL;
        struct status status = make_tensor(output, DATATYPE_NONE, NULL, arena, &made);
        if (!is_ok(status))
            return status;
        tree_append(list, made);
    }
    tree_add(message, STR("outputs"), list);
    return STATUS_IS_OK;
}

/* Appends the bytes of the message. */
static struct status write_message(const struct meaning *meaning, struct arena *arena, struct buf *bytes)
{
    const struct tree *id = tree_member(meaning->act, "id"), *parameters = tree_member(meaning->act, "parameters");
    const struct tree *inputs = tree_member(meaning->act, "inputs"), *outputs = tree_member(meaning->act, "outputs");
    struct tree *message =
        tree_object(arena, {"model_name", tree_string(arena, tree_text(meaning->act, "infer"))},
                    {"model_version", tree_string(arena, meaning->version)}, {"id", id ? tree_copy(arena, id) : NULL});
    struct status status = parameters ? add_parameters(message, parameters, arena) : STATUS_IS_OK;
    if (is_ok(status) && inputs != NULL)
        status = add_inputs(meaning, inputs, message, arena);
    if (is_ok(status) && outputs != NULL)
        status = add_outputs(outputs, message, arena);
    if (!is_ok(status))
        return status;
    status = wire_from_tree(&inference__model_infer_request__descriptor, message, bytes, arena);
    if (status.code == STATUS_INVALID_ARGUMENT) /* protobuf has no such member, or none of that type */
        status.code = STATUS_UNIMPLEMENTED;
    return status;
}

struct status grpc_encode(const struct meaning *meaning, struct arena *arena, struct request *request)
{
    struct buf bytes = {0};
    struct arena trees = memory_arena(); /* large if there are many elements */
    struct status status = write_message(meaning, &trees, &bytes);
    status.message = arena_copy(arena, status.message);
    arena_free(&trees);
    request->rpc = arena_printf(arena, "/%.*s/%s", STR_ARG(meaning->profile->service), meaning->form->rpc);
    request->message = arena_take(arena, &bytes);
    request->streams = meaning->form->streams;
    if (request->streams) {
        request->messages = arena_new_of(arena, struct str);
        request->messages[request->message_count++] = request->message;
        request->message = (struct str){0};
    }
    return status;
}
