/* The data of an input (000, "Tensor Data"). Members may come in any order. Data that comes before its datatype or
 * shape is skipped and only checked as text; another reader reads it when the input is complete. */
#include "predict_v2/rest_binary.h"

#include "tensor/json_tensor.h"

/* Checks that the data is flat or nested as its shape says. Other brackets are refused, except if the data does not
 * fill the shape: the duty data-count of inference/ finds that. v2-rest.data-flat v2-rest.data-nested
 * v2-rest.data-nesting */
static bool nesting_fits(struct decode *decode, const struct tensor *tensor, enum nesting nesting)
{
    size_t count;
    if (nesting != NESTING_OTHER || !shape_count(tensor->shape, tensor->rank, &count) || count != tensor->count)
        return true;
    return refuse(decode, "data-nesting", "the brackets in the data of input '%s' do not follow its shape %s",
                  str_printable(decode->arena, tensor->name), shape_text(decode->arena, tensor->shape, tensor->rank));
}

static bool read_tensor(struct decode *decode, struct json_reader *json, struct tensor *tensor)
{
    enum nesting nesting = NESTING_FLAT;
    struct status status = json_read_tensor(json, tensor, &nesting, decode->arena);
    if (json_failed(json))
        return false;
    if (!is_ok(status)) {
        decode->status = status;
        return false;
    }
    return nesting_fits(decode, tensor, nesting);
}

bool read_data(struct decode *decode, void *target)
{
    struct input_parts *parts = target;
    parts->has_data = true;
    parts->data = (struct str){0};
    if (parts->has_datatype && parts->has_shape)
        return read_tensor(decode, decode->json, &parts->input.tensor);
    return json_skip(decode->json, &parts->data);
}

static bool read_later(struct decode *decode, struct input_parts *parts)
{
    struct json_reader *json = json_reader_create(decode->arena->lease);
    if (!json)
        return no_memory(decode);
    json_begin(json, parts->data);
    bool is_read = read_tensor(decode, json, &parts->input.tensor);
    if (!is_read && is_ok(decode->status)) /* that reader failed; its json_end says why */
        decode->status = json_end(json, decode->arena);
    json_reader_destroy(json);
    return is_read;
}

bool finish_input(struct decode *decode, struct input_parts *parts)
{
    if (is_binary_input(decode, parts))
        return take_binary(decode, parts);
    return !parts->data.data || read_later(decode, parts);
}
