/* Writes requests of GraphPipe from the meaning of an inference. */
#include "protocols/graphpipe/graphpipe.h"

#include "flat/message.h"
#include "notation/data.h"
#include "notation/tensors.h"
#include "protocols/packing.h"
#include "support/percent.h"

struct str graphpipe_path(struct str model, struct arena *arena)
{
    return str_is(model, "/") ? model : arena_printf(arena, "/%.*s", STR_ARG(path_segment(model, arena)));
}

static struct status lacks(struct arena *arena, const char *what)
{
    return status_error(arena, STATUS_UNIMPLEMENTED, "GraphPipe has no %s", what);
}

static struct status name_of(const struct tree *tensor, struct arena *arena, struct str *name)
{
    const struct tree *given = tree_member(tensor, "name");
    if (!given || given->type != TREE_STRING)
        return lacks(arena, "tensor without a name that is a string");
    if (tree_member(tensor, "parameters"))
        return lacks(arena, "parameters");
    *name = given->text.data ? given->text : STR("");
    return STATUS_IS_OK;
}

static struct status type_of(struct str datatype, struct arena *arena, const char **type)
{
    *type = graphpipe_type(datatype_from_name(datatype));
    return *type ? STATUS_IS_OK : lacks(arena, arena_printf(arena, "type for %s", str_printable(arena, datatype)).data);
}

static struct status shape_of(const struct tree *input, struct arena *arena, struct tree **shape)
{
    const struct tree *given = tree_member(input, "shape");
    int64_t dimension;
    if (!given || given->type != TREE_ARRAY)
        return lacks(arena, "shape that is no list");
    FOR_EACH_IN(at, given->first)
        if (at->type != TREE_NUMBER || !tree_to_int64(at, &dimension))
            return lacks(arena, "dimension that is no integer of 64 bits");
    *shape = tree_copy(arena, given);
    return STATUS_IS_OK;
}

/* Adds the elements: texts in `string_val`, the bytes of numbers in `data`. They are packed by the base's datatype. */
static struct status add_data(const struct tree *input, const struct tree *packing, const char *type,
                              struct arena *arena, struct tree *tensor)
{
    const struct tree *data = tree_member(input, "data");
    enum datatype datatype = packing_datatype(packing);
    bool texts = datatype == DATATYPE_BYTES;
    struct tree *list;
    struct buf bytes = {0};
    if (!data || !data_is(data))
        return lacks(arena, "tensor without data that is a list");
    if (texts != (graphpipe_datatype(str_of(type)) == DATATYPE_BYTES))
        return lacks(arena, "place for strings in a tensor of numbers, nor for numbers in one of strings");
    struct status status =
        texts ? data_elements(data, datatype, arena, &list) : data_raw(data, datatype, arena, &bytes);
    for (const struct tree *text = texts && is_ok(status) ? list->first : NULL; text && is_ok(status);
         text = text->next)
        if (text->type != TREE_STRING)
            status = lacks(arena, "element of a String that is no string");
    struct str raw = arena_take(arena, &bytes);
    if (is_ok(status))
        tree_add(tensor, texts ? STR("string_val") : STR("data"), texts ? list : tree_string(arena, raw));
    return status;
}

static struct status add_input(const struct meaning *meaning, const struct tree *input, size_t index,
                               struct arena *arena, struct tree *names, struct tree *tensors)
{
    struct tree *shape = NULL;
    const char *type = NULL;
    struct str name = STR("");
    struct status status = name_of(input, arena, &name);
    if (is_ok(status))
        status = type_of(tree_text(input, "datatype"), arena, &type);
    if (is_ok(status))
        status = shape_of(input, arena, &shape);
    if (!is_ok(status))
        return status;
    struct tree *tensor = tree_object(arena, {"type", tree_string(arena, str_of(type))}, {"shape", shape});
    tree_append(names, tree_string(arena, name));
    tree_append(tensors, tensor);
    return add_data(input, packing_input(meaning, input, index), type, arena, tensor);
}

/* Whether GraphPipe can carry the output: its type is known to be one of GraphPipe's, or not known at all. */
static struct status check_output(const struct tensors *known, struct str name, struct arena *arena)
{
    const char *type;
    size_t place;
    const struct tree *output = tensors_find(known, name, &place);
    return output ? type_of(tree_text(output, "datatype"), arena, &type) : STATUS_IS_OK;
}

static struct status add_outputs(const struct meaning *meaning, struct arena *arena, struct tree *names)
{
    const struct tree *asked = tree_member(meaning->act, "outputs"), *outputs = asked ? asked : meaning->outputs;
    struct status status = STATUS_IS_OK;
    if (outputs && outputs->type != TREE_ARRAY)
        return lacks(arena, "outputs that are no list");
    const struct tree *own = meaning->outputs ? meaning->outputs : tree_new(arena, TREE_ARRAY);
    const struct tensors known = tensors_of(own, outputs ? outputs->count : 0, arena);
    for (const struct tree *output = tree_first(outputs); output && is_ok(status); output = output->next) {
        struct str name = tree_text(output, "name");
        if (!asked && !name.size)
            continue;
        if (asked)
            status = name_of(output, arena, &name);
        if (is_ok(status))
            status = check_output(&known, name, arena);
        if (is_ok(status))
            tree_append(names, tree_string(arena, name));
    }
    return status;
}

static struct status infer_request(const struct meaning *meaning, struct arena *arena, struct tree **made)
{
    const struct tree *inputs = tree_member(meaning->act, "inputs");
    struct tree *input_names = tree_new(arena, TREE_ARRAY), *output_names = tree_new(arena, TREE_ARRAY);
    struct tree *tensors = tree_new(arena, TREE_ARRAY);
    struct status status = add_outputs(meaning, arena, output_names);
    size_t index = 0;
    if (tree_member(meaning->act, "parameters"))
        return lacks(arena, "parameters");
    if (meaning->version.size)
        return lacks(arena, "versions");
    if (inputs && inputs->type != TREE_ARRAY)
        return lacks(arena, "inputs that are no list");
    for (const struct tree *input = tree_first(inputs); input && is_ok(status); input = input->next, index++)
        status = input->type == TREE_OBJECT ? add_input(meaning, input, index, arena, input_names, tensors)
                                            : lacks(arena, "input that is no object");
    *made =
        tree_object(arena, {"input_names", input_names}, {"input_tensors", tensors}, {"output_names", output_names});
    return status;
}

struct status graphpipe_encode(const struct meaning *meaning, struct arena *arena, struct request *request)
{
    struct tree *infer = NULL;
    struct buf body = {0};
    struct status status = infer_request(meaning, arena, &infer);
    if (!is_ok(status))
        return status;
    const struct tree *message =
        tree_object(arena, {"req_type", tree_string(arena, STR("InferRequest"))}, {"req", infer});
    status = flat_from_tree(&graphpipe_request, message, &body, arena);
    request->method = STR("POST");
    request->path = graphpipe_path(tree_text(meaning->act, "infer"), arena);
    request->body = arena_take(arena, &body);
    request->has_body = true;
    return status;
}

struct tree *graphpipe_request_of(struct str body, struct arena *arena)
{
    struct tree *message = NULL;
    return is_ok(flat_to_tree(&graphpipe_request, body, arena, &message, NULL)) ? message : NULL;
}
