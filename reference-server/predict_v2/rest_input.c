/* Inputs of a request (000, "Request Input"): name, datatype and shape. rest_tensor.c reads the data. */
#include "predict_v2/rest_binary.h"

#include "base/search.h"
#include "json/number.h"

/* v2-rest.datatype-known */
static bool read_datatype(struct decode *decode, void *target)
{
    struct input_parts *parts = target;
    struct str name;
    if (!read_text(decode, &name))
        return false;
    enum datatype datatype = datatype_from_name(name);
    if (datatype == DATATYPE_NONE)
        return refuse(decode, "datatype-known", "%s: there is no datatype \"%s\"", place(decode),
                      str_printable(decode->arena, name));
    parts->input.tensor.datatype = datatype;
    parts->has_datatype = true;
    return true;
}

/* v2-rest.shape-integers */
static bool read_dimension(struct decode *decode, size_t axis, int64_t *dimension)
{
    enum json_type type = json_type(decode->json);
    struct str text;
    uint64_t large;
    if (type != JSON_NUMBER ? !json_skip(decode->json, &text) : !json_read_number(decode->json, &text))
        return false;
    if (type == JSON_NUMBER && number_read_int64(text, dimension))
        return true;
    if (type == JSON_NUMBER && number_read_uint64(text, &large))
        return refuse(decode, "data-count", "%s: dimension %zu of the shape is %s, more than any data can fill",
                      place(decode), axis, str_printable(decode->arena, text));
    return refuse(decode, "shape-integers", "%s: dimension %zu of the shape must be an integer, not %s", place(decode),
                  axis, str_printable(decode->arena, text));
}

static bool read_shape(struct decode *decode, void *target)
{
    struct input_parts *parts = target;
    int64_t shape[TENSOR_RANK_MAX];
    json_enter_array(decode->json);
    struct json_run run = json_run_begin(decode->json, TENSOR_RANK_MAX);
    const char *text;
    while ((text = json_run_element(&run)) && json_run_take(&run, number_scan_int64(text, run.end, &shape[run.count])))
        continue;
    size_t rank = json_run_end(decode->json, run);
    for (; json_next_element(decode->json); rank++) {
        if (rank == TENSOR_RANK_MAX)
            return refuse(decode, "shape-matches", "%s: the shape has more than %d dimensions", place(decode),
                          TENSOR_RANK_MAX);
        if (!read_dimension(decode, rank, &shape[rank]))
            return false;
    }
    int64_t *copy = arena_alloc(decode->arena, (rank + 1) * sizeof(*copy));
    if (!copy)
        return no_memory(decode);
    memcpy(copy, shape, rank * sizeof(*copy));
    parts->input.tensor.shape = copy;
    parts->input.tensor.rank = rank;
    parts->has_shape = true;
    return true;
}

#define IN_INPUT(member) offsetof(struct input_parts, member)

static const struct member input_members[] = {
    {STR("name"), JSON_STRING, "name-string", "name-required", IN_INPUT(input.tensor.name), read_text, NULL},
    {STR("shape"), JSON_ARRAY, "shape-array", "shape-required", 0, read_shape, NULL},
    {STR("datatype"), JSON_STRING, "datatype-string", "datatype-required", 0, read_datatype, NULL},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, IN_INPUT(input.parameters), read_parameters, NULL},
    {STR("data"), JSON_ARRAY, "data-array", "data-required", 0, read_data, is_binary_input},
};

static bool read_input(struct decode *decode)
{
    struct infer_request *request = decode->request;
    request->inputs = grow_list(decode, request->inputs, request->input_count, sizeof(*request->inputs));
    if (!request->inputs)
        return false;
    struct input_parts parts = {0};
    if (!read_object(decode, input_members, COUNT_OF(input_members), &parts) || !finish_input(decode, &parts))
        return false;
    request->inputs[request->input_count++] = parts.input;
    return true;
}

/* v2-rest.input-object */
bool read_inputs(struct decode *decode, void *request)
{
    ((struct infer_request *)request)->input_count = 0;
    return read_objects(decode, "inputs", "input-object", read_input);
}
