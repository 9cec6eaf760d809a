/* Binary tensors over REST (003, "Binary Tensor Extension"; what the document leaves out is a convention,
 * SPEC_NOTES.md, "Binary tensors"): the data of inputs and outputs follows the JSON, and the header
 * Inference-Header-Content-Length says where the JSON ends. */
#include "protocols/predict_v2/binary.h"

#include "base/search.h"
#include "notation/data.h"
#include "protocols/packing.h"

static const char size_name[] = "binary_data_size";

/* --- A request --- */

/* Returns `object` with one more parameter; if its parameters are not an object, they stay as they are. */
static struct tree *with_parameter(const struct tree *object, const char *name, struct tree *value, struct arena *arena)
{
    struct tree *made = tree_copy(arena, object), *parameters = tree_member(made, "parameters");
    if (!parameters) {
        parameters = tree_new(arena, TREE_OBJECT);
        tree_add(made, STR("parameters"), parameters);
    }
    if (parameters->type == TREE_OBJECT && !tree_member(parameters, name))
        tree_add(parameters, str_of(name), value);
    return made;
}

/* Moves the data of an input after the JSON, if it has any that can be packed. */
static struct status move_input(const struct meaning *meaning, const struct tree *input, size_t index,
                                struct arena *arena, struct buf *tail, struct tree **made)
{
    struct tree *data = input->type == TREE_OBJECT ? tree_member(input, "data") : NULL;
    size_t before = tail->size;
    *made = tree_share(arena, input);
    if (!data || !data_is(data))
        return STATUS_IS_OK;
    struct status status = data_raw(data, packing_datatype(packing_input(meaning, input, index)), arena, tail);
    if (!is_ok(status))
        return status;
    *made = with_parameter(input, size_name, tree_uint(arena, tail->size - before), arena);
    tree_remove(*made, tree_member(*made, "data"));
    return STATUS_IS_OK;
}

static struct status move_inputs(const struct meaning *meaning, struct tree *act, struct arena *arena, struct buf *tail)
{
    struct tree *inputs = tree_member(act, "inputs"), *moved = tree_new(arena, TREE_ARRAY);
    struct status status = STATUS_IS_OK;
    size_t index = 0;
    if (!inputs || inputs->type != TREE_ARRAY)
        return status;
    for (const struct tree *input = inputs->first; input && is_ok(status); input = input->next, index++) {
        struct tree *made;
        status = move_input(meaning, input, index, arena, tail, &made);
        tree_append(moved, made);
    }
    tree_set(act, STR("inputs"), moved);
    return status;
}

/* Asks for every output in binary form: each that is named, or else all of them. */
static struct tree *ask_for_binary(struct tree *act, struct arena *arena)
{
    struct tree *outputs = tree_member(act, "outputs"), *asked = tree_new(arena, TREE_ARRAY);
    if (!outputs || outputs->type != TREE_ARRAY || outputs->count == 0)
        return with_parameter(act, "binary_data_output", tree_bool(arena, true), arena);
    FOR_EACH_IN(output, outputs->first)
        tree_append(asked, output->type == TREE_OBJECT
                               ? with_parameter(output, "binary_data", tree_bool(arena, true), arena)
                               : tree_share(arena, output));
    tree_set(act, STR("outputs"), asked);
    return act;
}

struct status binary_meaning(const struct meaning *meaning, struct arena *arena, struct meaning *made, struct buf *tail)
{
    struct tree *act = tree_copy(arena, meaning->act);
    struct status status = move_inputs(meaning, act, arena, tail);
    *made = *meaning;
    made->act = ask_for_binary(act, arena);
    return status;
}

/* --- An answer, or a request that came --- */

/* Reads the bytes of JSON in a binary answer. Returns false if the answer is not binary. */
static bool json_size(const struct answer *answer, unsigned long long *size)
{
    return ANY(i, answer->headers.count,
               str_equal_ignoring_case(answer->headers.entries[i].name, STR(BINARY_LENGTH_HEADER)) &&
                   str_digits_to_uint64(answer->headers.entries[i].value, size));
}

struct str binary_json_part(const struct answer *answer)
{
    unsigned long long size;
    bool is_part = json_size(answer, &size) && size <= answer->body.size;
    return (struct str){answer->body.data, is_part ? (size_t)size : answer->body.size};
}

/* Reads the data of one output from the bytes that are left. */
static void read_output(struct answer_reading *reading, struct tree *output, struct str *left)
{
    const struct tree *parameter = tree_member(tree_member(output, "parameters"), size_name);
    const char *name = str_printable(reading->arena, tree_text(output, "name"));
    const char *word = reading->of_request ? "input" : "output";
    int64_t size;
    if (!parameter)
        return;
    if (parameter->type != TREE_NUMBER || !tree_to_int64(parameter, &size) || size < 0) {
        reading_note(reading, "%s '%s': binary_data_size is no size", word, name);
        return;
    }
    if ((uint64_t)size > left->size) {
        reading_note(reading, "%s '%s': binary_data_size is %lld, %zu bytes are left", word, name, (long long)size,
                     left->size);
        return;
    }
    struct str bytes = arena_copy(reading->arena, (struct str){left->data, (size_t)size});
    *left = str_from(*left, (size_t)size);
    if (tree_member(output, "data")) /* what JSON says counts; a row of its own says that it should not be there */
        return;
    tree_add(output, STR("data"),
             reading_raw(reading, bytes, datatype_from_name(tree_text(output, "datatype")),
                         arena_printf(reading->arena, "%s '%s'", word, name)));
}

/* Whether the data of the output is no bytes: nothing then stands behind the JSON, and servers leave out the header. */
static bool is_of_no_bytes(const struct tree *output)
{
    int64_t size;
    const struct tree *parameter = tree_member(tree_member(output, "parameters"), size_name);
    return parameter && tree_to_int64(parameter, &size) && size == 0;
}

void binary_read(struct answer_reading *reading, struct tree *outputs)
{
    unsigned long long size = reading->answer->body.size;
    bool is_binary = json_size(reading->answer, &size);
    if (size > reading->answer->body.size || outputs->type != TREE_ARRAY)
        return;
    struct str left = str_from(reading->answer->body, (size_t)size);
    for (struct tree *output = outputs->first; output; output = output->next)
        if (output->type == TREE_OBJECT && (is_binary || is_of_no_bytes(output)))
            read_output(reading, output, &left);
    if (left.size)
        reading_note(reading, "%zu bytes behind the JSON belong to no %s", left.size,
                     reading->of_request ? "input" : "output");
}

size_t binary_lacks(const struct answer *answer)
{
    unsigned long long size;
    return json_size(answer, &size) && size > answer->body.size ? (size_t)size - answer->body.size : 0;
}
