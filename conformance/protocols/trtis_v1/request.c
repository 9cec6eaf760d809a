/* Writes requests of TensorRT Inference Server v1 from the meaning of an inference. */
#include "protocols/trtis_v1/trtis_v1.h"

#include "base/search.h"
#include "notation/data.h"
#include "notation/text_message.h"
#include "protocols/packing.h"
#include "support/memory.h"
#include "trtis_v1.pb-c.h"
#include "wire/message.h"
#include "json/number.h"

bool trtis_path_holds(struct str model)
{
    return !ANY(i, model.size, (unsigned char)model.data[i] <= ' ' || strchr("/?#%\x7f", model.data[i]));
}

/* A request while it is made: the InferRequestHeader, and the raw tensors of its inputs. */
struct request_writing {
    const struct meaning *meaning;
    struct arena *arena;
    struct tree *header;
    struct tree *raw;
    bool batches;       /* the first dimension of each shape is the batch */
    int64_t batch_size; /* -1: no input has said it yet */
};

static struct status lacks(struct arena *arena, const char *what)
{
    return status_error(arena, STATUS_UNIMPLEMENTED, "v1 has no %s", what);
}

static struct request_writing begin(const struct meaning *meaning, struct arena *arena)
{
    return (struct request_writing){.meaning = meaning,
                                    .arena = arena,
                                    .header = tree_new(arena, TREE_OBJECT),
                                    .raw = tree_new(arena, TREE_ARRAY),
                                    .batch_size = -1};
}

/* --- Tensors --- */

/* Starts a tensor of the header with its name. */
static struct status begin_tensor(const struct request_writing *writing, const struct tree *tensor, struct tree **made)
{
    const struct tree *name = tree_member(tensor, "name");
    if (!name || name->type != TREE_STRING)
        return lacks(writing->arena, "tensor without a name that is a string");
    if (tree_member(tensor, "parameters"))
        return lacks(writing->arena, "parameters");
    *made = tree_object(writing->arena, {"name", tree_string(writing->arena, name->text.data ? name->text : STR(""))});
    return STATUS_IS_OK;
}

/* Adds the shape without the batch, whose size must be the same for all inputs. */
static struct status add_dims(struct request_writing *writing, const struct tree *input, struct tree *made)
{
    const struct tree *shape = tree_member(input, "shape");
    struct tree *dims = tree_new(writing->arena, TREE_ARRAY);
    int64_t dimension;
    bool is_batch = writing->batches;
    if (!shape || shape->type != TREE_ARRAY || (is_batch && !shape->first))
        return lacks(writing->arena, "shape that is no list, or has no batch");
    for (const struct tree *at = shape->first; at; at = at->next, is_batch = false) {
        if (at->type != TREE_NUMBER || !tree_to_int64(at, &dimension))
            return lacks(writing->arena, "dimension that is no integer of 64 bits");
        if (!is_batch) {
            tree_append(dims, tree_int(writing->arena, dimension));
            continue;
        }
        if (dimension < 0 || dimension > UINT32_MAX || (writing->batch_size >= 0 && writing->batch_size != dimension))
            return lacks(writing->arena, "batch of a negative size, nor inputs with batches of different sizes");
        writing->batch_size = dimension;
    }
    tree_add(made, STR("dims"), dims);
    return STATUS_IS_OK;
}

/* Appends the bytes of the input. Their number is said for texts, whose size nothing else tells. */
static struct status add_data(struct request_writing *writing, const struct tree *input, const struct tree *packing,
                              struct tree *made)
{
    const struct tree *data = tree_member(input, "data");
    enum datatype datatype = packing_datatype(packing);
    struct buf bytes = {0};
    if (!str_equal(tree_text(input, "datatype"), tree_text(packing, "datatype")))
        return lacks(writing->arena, "datatypes in requests");
    if (!trtis_has(datatype))
        return lacks(writing->arena, "type for this datatype");
    if (!data || !data_is(data))
        return lacks(writing->arena, "input without data that is a list");
    struct status status = data_raw(data, datatype, writing->arena, &bytes);
    struct str raw = arena_take(writing->arena, &bytes);
    if (!is_ok(status))
        return status;
    tree_append(writing->raw, tree_string(writing->arena, raw));
    if (datatype == DATATYPE_BYTES)
        tree_add(made, STR("batch_byte_size"), tree_uint(writing->arena, raw.size));
    return STATUS_IS_OK;
}

static struct status add_inputs(struct request_writing *writing)
{
    const struct tree *inputs = tree_member(writing->meaning->act, "inputs");
    struct tree *list = tree_new(writing->arena, TREE_ARRAY);
    size_t index = 0;
    if (inputs && inputs->type != TREE_ARRAY)
        return lacks(writing->arena, "inputs that are no list");
    for (const struct tree *input = tree_first(inputs); input; input = input->next, index++) {
        struct tree *made = NULL;
        struct status status = begin_tensor(writing, input, &made);
        if (is_ok(status))
            status = add_dims(writing, input, made);
        if (is_ok(status))
            status = add_data(writing, input, packing_input(writing->meaning, input, index), made);
        if (!is_ok(status))
            return status;
        tree_append(list, made);
    }
    tree_add(writing->header, STR("input"), list);
    return STATUS_IS_OK;
}

/* Returns the tensor of that name from `one` on, or NULL. */
static const struct tree *tensor_from(const struct tree *one, struct str name)
{
    while (one && !str_equal(tree_text(one, "name"), name))
        one = one->next;
    return one;
}

/* Whether the status has the tensor with a number that is no type of the schema, so that nobody can read its data.
 * `*near` is where the search begins, since both lists usually have the same order. */
static bool is_untyped(const struct tree *tensors, const struct tree **near, struct str name)
{
    const struct tree *found = tensor_from(*near, name);
    if (!found)
        found = tensor_from(tree_first(tensors), name);
    *near = found ? found->next : *near;
    return found && datatype_from_name(tree_text(found, "datatype")) == DATATYPE_NONE;
}

/* The outputs that the act asks for, else those of the model. */
static struct status add_outputs(const struct request_writing *writing)
{
    const struct meaning *meaning = writing->meaning;
    const struct tree *asked = tree_member(meaning->act, "outputs"), *own = tree_member(meaning->details, "outputs");
    const struct tree *outputs = asked ? asked : own ? own : meaning->outputs;
    const struct tree *near = tree_first(own);
    struct tree *list = tree_new(writing->arena, TREE_ARRAY);
    struct status status = STATUS_IS_OK;
    if (outputs && outputs->type != TREE_ARRAY)
        return lacks(writing->arena, "outputs that are no list");
    for (const struct tree *output = tree_first(outputs); output && is_ok(status); output = output->next) {
        struct tree *made = NULL;
        if (is_untyped(own, &near, tree_text(output, "name")))
            return status_error(writing->arena, STATUS_UNIMPLEMENTED,
                                "the status gives an output a type that the schema lacks, so its data cannot be read");
        status = begin_tensor(writing, output, &made);
        if (is_ok(status))
            tree_append(list, made);
    }
    tree_add(writing->header, STR("output"), list);
    return status;
}

/* --- The header --- */

static struct status add_id(const struct request_writing *writing)
{
    const struct tree *id = tree_member(writing->meaning->act, "id");
    uint64_t number;
    if (!id)
        return STATUS_IS_OK;
    struct tree *sent = id->type == TREE_STRING && number_read_uint64(id->text, &number) && number
                            ? tree_uint(writing->arena, number)
                            : NULL;
    if (!sent || !str_equal(sent->text, id->text))
        return lacks(writing->arena, "id that is no number above 0");
    tree_add(writing->header, STR("id"), sent);
    return STATUS_IS_OK;
}

static struct status read_version(const struct request_writing *writing, int64_t *version)
{
    struct str said = writing->meaning->version;
    *version = -1;
    if (said.size && (!number_read_int64(said, version) || *version < 0 ||
                      !str_equal(tree_int(writing->arena, *version)->text, said)))
        return lacks(writing->arena, "versions that are no numbers");
    return STATUS_IS_OK;
}

static struct status write_header(struct request_writing *writing, int64_t *version)
{
    const struct tree *most = tree_member(writing->meaning->details, "max_batch_size");
    int64_t batch = 0;
    writing->batches = most && tree_to_int64(most, &batch) && batch > 0;
    struct status status = read_version(writing, version);
    if (writing->meaning->details && !most)
        return status_error(writing->arena, STATUS_UNIMPLEMENTED,
                            "the status has no configuration of the model, which would tell the types of its tensors");
    if (is_ok(status) && tree_member(writing->meaning->act, "parameters"))
        status = lacks(writing->arena, "parameters");
    if (is_ok(status))
        status = add_id(writing);
    if (is_ok(status))
        status = add_inputs(writing);
    if (is_ok(status))
        status = add_outputs(writing);
    tree_add(writing->header, STR("batch_size"),
             tree_int(writing->arena, writing->batch_size >= 0 ? writing->batch_size : 1));
    return status;
}

/* What the schema cannot hold is no fault of the case: v1 cannot say it. */
static struct status as_unsayable(struct status status)
{
    if (status.code == STATUS_INVALID_ARGUMENT)
        status.code = STATUS_UNIMPLEMENTED;
    return status;
}

/* --- Over HTTP --- */

struct status trtis_encode_http(const struct meaning *meaning, struct arena *arena, struct request *request)
{
    struct request_writing writing = begin(meaning, arena);
    struct buf text = {0}, body = {0};
    struct str model = tree_text(meaning->act, "infer");
    int64_t version = -1;
    struct status status =
        trtis_path_holds(model) ? write_header(&writing, &version) : lacks(arena, "path for a model of this name");
    if (is_ok(status))
        status = as_unsayable(text_message_print(&nvidia__inferenceserver__infer_request_header__descriptor,
                                                 writing.header, arena, &text));
    FOR_EACH_IN(raw, is_ok(status) ? writing.raw->first : NULL)
        buf_append_str(&body, raw->text);
    header_list_add(&request->headers, (struct header){STR("Content-Type"), STR("application/octet-stream")}, arena);
    header_list_add(&request->headers, (struct header){STR("NV-InferRequest"), arena_take(arena, &text)}, arena);
    request->method = STR("POST");
    request->path = version < 0 ? arena_printf(arena, "/api/infer/%.*s", STR_ARG(model))
                                : arena_printf(arena, "/api/infer/%.*s/%lld", STR_ARG(model), (long long)version);
    request->body = arena_take(arena, &body);
    request->has_body = true;
    return status;
}

/* --- Over gRPC --- */

struct status trtis_encode_grpc(const struct meaning *meaning, struct arena *arena, struct request *request)
{
    struct request_writing writing = begin(meaning, arena);
    struct buf bytes = {0};
    int64_t version = -1;
    struct status status = write_header(&writing, &version);
    if (!is_ok(status))
        return status;
    const struct tree *message = tree_object(
        arena, {"model_name", tree_string(arena, tree_text(meaning->act, "infer"))},
        {"model_version", tree_int(arena, version)}, {"meta_data", writing.header}, {"raw_input", writing.raw});
    status = as_unsayable(wire_from_tree(&nvidia__inferenceserver__infer_request__descriptor, message, &bytes, arena));
    request->rpc = arena_printf(arena, "/%.*s/Infer", STR_ARG(meaning->profile->service));
    request->message = arena_take(arena, &bytes);
    return status;
}
