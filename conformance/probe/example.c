#include "probe/example.h"

#include "base/search.h"
#include "notation/data.h"
#include "notation/element.h"
#include "probe/request.h"
#include "support/files.h"
#include "support/printable.h"

#include <assert.h>
#include <stdarg.h>

#define SHOWN 60 /* bytes of a value in a sentence */

/* A file while it is read. */
struct example_reading {
    const char *file;
    const struct tree *root;
    struct arena *scratch; /* what the file holds */
    struct arena *arena;   /* what is kept of it */
};

/* --- What is wrong, and where --- */

/* Finds the node below `tree`, and puts its place before `pointer`: "/inputs/0". */
static bool locate(const struct tree *tree, const struct tree *node, struct arena *arena, struct str *pointer)
{
    size_t index = 0;
    for (const struct tree *child = tree->first; child && tree != node; child = child->next, index++) {
        if (!locate(child, node, arena, pointer))
            continue;
        *pointer = tree->type == TREE_OBJECT
                       ? arena_printf(arena, "/%s%.*s", str_printable(arena, child->name), STR_ARG(*pointer))
                       : arena_printf(arena, "/%zu%.*s", index, STR_ARG(*pointer));
        return true;
    }
    return tree == node;
}

static struct status bad(const struct example_reading *reading, const char *what)
{
    return status_invalid(reading->arena, "--example %s: %s", reading->file, what);
}

/* Returns the error about the value at `node`: its place, the sentence, and the value. */
static struct status __attribute__((format(printf, 3, 4)))
bad_value(const struct example_reading *reading, const struct tree *node, const char *sentence, ...)
{
    struct arena *arena = reading->arena;
    struct str pointer = STR("");
    struct buf json = {0}, line = {0};
    va_list arguments;
    va_start(arguments, sentence);
    struct str says = arena_vprintf(arena, sentence, arguments);
    va_end(arguments);
    locate(reading->root, node, arena, &pointer);
    tree_write_start(node, &json, SHOWN);
    append_printable(&line, buf_str(&json), SHOWN);
    struct str shown = arena_take(arena, &line);
    buf_free(&json);
    return status_invalid(arena, "--example %s%s%.*s: %.*s: %.*s", reading->file, pointer.size ? ", " : "",
                          STR_ARG(pointer), STR_ARG(says), STR_ARG(shown));
}

/* The members of an object, and of what type each must be. */
struct member {
    const char *name;
    enum tree_type type;
    bool required;
};

static const struct member of_request[] = {{"model", TREE_STRING, false},      {"id", TREE_STRING, false},
                                           {"parameters", TREE_OBJECT, false}, {"inputs", TREE_ARRAY, true},
                                           {"outputs", TREE_ARRAY, false},     {"answer", TREE_OBJECT, false}};
static const struct member of_tensor[] = {{"name", TREE_STRING, true},
                                          {"datatype", TREE_STRING, true},
                                          {"shape", TREE_ARRAY, true},
                                          {"data", TREE_ARRAY, true},
                                          {"parameters", TREE_OBJECT, false}};
static const struct member of_output[] = {{"name", TREE_STRING, true}, {"parameters", TREE_OBJECT, false}};

/* Checks the members of an object, which is called `what`. */
static struct status check_members(const struct example_reading *reading, const struct tree *object, const char *what,
                                   const struct member *members, size_t count)
{
    if (object->type != TREE_OBJECT)
        return bad_value(reading, object, "%s must be an object", what);
    FOR_EACH_IN(member, object->first) {
        const struct member *known = FIND(members, i, count, str_is(member->name, members[i].name));
        if (!known)
            return bad_value(reading, member, "%s has no such member", what);
        if (member->type != known->type)
            return bad_value(reading, member, "this must be of type %s", tree_type_name(known->type));
    }
    for (size_t i = 0; i < count; i++)
        if (members[i].required && !tree_member(object, members[i].name))
            return bad_value(reading, object, "%s needs a member '%s'", what, members[i].name);
    return STATUS_IS_OK;
}

/* Checks the parameters of an object, if it has some. */
static struct status check_parameters(const struct example_reading *reading, const struct tree *object)
{
    FOR_EACH_IN(at, tree_first(tree_member(object, "parameters")))
        if (at->type != TREE_STRING && at->type != TREE_NUMBER && at->type != TREE_BOOL)
            return bad_value(reading, at, "a parameter must be a string, a number or a boolean");
    return STATUS_IS_OK;
}

static struct status check_name(const struct example_reading *reading, const struct tree *tensor)
{
    const struct tree *name = tree_member(tensor, "name");
    if (!name->text.size)
        return bad_value(reading, name, "the name must not be empty");
    return name->text.size > REQUEST_NAME_MAX ? bad_value(reading, name, "the name is longer than the judge sends")
                                              : STATUS_IS_OK;
}

/* --- Tensors --- */

static struct status check_elements(const struct example_reading *reading, const struct tree *data,
                                    enum datatype datatype)
{
    struct status status = STATUS_IS_OK;
    struct element element;
    for (const struct tree *at = data->first; at && is_ok(status); at = at->next)
        if (at->type == TREE_ARRAY)
            status = check_elements(reading, at, datatype);
        else if (!element_read(at, datatype, ELEMENT_RECEIVED, &element))
            status = bad_value(reading, at, "this is not of datatype %s", datatype_name(datatype));
    return status;
}

/* Copies a tensor with flat data. `listable`: as request_data has it. */
static struct status read_tensor(const struct example_reading *reading, const struct tree *tensor, size_t *listable,
                                 struct tree **made)
{
    int64_t dimensions[TENSOR_RANK_MAX];
    size_t rank, count;
    struct status status = check_members(reading, tensor, "a tensor", of_tensor, COUNT_OF(of_tensor));
    if (is_ok(status))
        status = check_name(reading, tensor);
    if (is_ok(status))
        status = check_parameters(reading, tensor);
    if (!is_ok(status))
        return status;
    const struct tree *shape = tree_member(tensor, "shape"), *data = tree_member(tensor, "data");
    enum datatype datatype = datatype_from_name(tree_text(tensor, "datatype"));
    if (datatype == DATATYPE_NONE)
        return bad_value(reading, tree_member(tensor, "datatype"), "the protocol has no such datatype");
    if (!data_shape(shape, dimensions, &rank) || !shape_count(dimensions, rank, &count))
        return bad_value(reading, shape, "a shape must be a list of sizes");
    status = check_elements(reading, data, datatype);
    if (!is_ok(status))
        return status;
    struct tree *flat = data_flat(data, reading->scratch);
    if (flat->count != count)
        return bad_value(reading, shape, "the shape has %zu elements, but the data has %zu", count, flat->count);
    struct tree *copy = tree_new(reading->arena, TREE_OBJECT);
    FOR_EACH_IN(member, tensor->first)
        tree_add(copy, arena_copy(reading->arena, member->name),
                 member == data ? request_data(flat, datatype, listable, reading->arena)
                                : tree_copy_whole(reading->arena, member));
    *made = copy;
    return STATUS_IS_OK;
}

static struct status read_tensors(const struct example_reading *reading, const struct tree *list, size_t most,
                                  struct tree **made)
{
    size_t listable = REQUEST_LISTED;
    struct status status = STATUS_IS_OK;
    *made = tree_new(reading->arena, TREE_ARRAY);
    if (list->count > most)
        return bad_value(reading, list, "the judge takes at most %zu tensors, not %zu", most, list->count);
    for (const struct tree *tensor = list->first; tensor && is_ok(status); tensor = tensor->next) {
        struct tree *one = NULL;
        status = read_tensor(reading, tensor, &listable, &one);
        if (is_ok(status))
            tree_append(*made, one);
    }
    return status;
}

/* --- The request and its answer --- */

static struct status check_outputs(const struct example_reading *reading, const struct tree *outputs)
{
    struct status status = STATUS_IS_OK;
    if (outputs->count > REQUEST_OUTPUTS_MAX)
        return bad_value(reading, outputs, "the judge reads no list of outputs that is so long");
    for (const struct tree *output = outputs->first; output && is_ok(status); output = output->next) {
        status = check_members(reading, output, "an output that is asked for", of_output, COUNT_OF(of_output));
        if (is_ok(status))
            status = check_name(reading, output);
        if (is_ok(status))
            status = check_parameters(reading, output);
    }
    return status;
}

/* Adds the outputs that must be answered, as a list. Nothing else of the answer counts. */
static struct status add_answer(const struct example_reading *reading, const struct tree *answer, struct tree *example)
{
    const struct tree *outputs = tree_member(answer, "outputs");
    struct tree *made = NULL;
    if (!outputs || outputs->type != TREE_ARRAY || !outputs->count)
        return bad_value(reading, answer, "an answer must be {\"outputs\": [{name, datatype, shape, data}, ...]}");
    struct status status = read_tensors(reading, outputs, REQUEST_OUTPUTS_MAX, &made);
    if (!is_ok(status))
        return status;
    for (struct tree *output = made->first; output; output = output->next)
        tree_remove(output, tree_member(output, "parameters"));
    tree_add(example, STR("answer"), made);
    return status;
}

static struct status read_request(const struct example_reading *reading, struct tree *example)
{
    const struct tree *root = reading->root;
    struct tree *inputs = NULL;
    assert(root);
    struct status status = check_members(reading, root, "an example", of_request, COUNT_OF(of_request));
    if (is_ok(status))
        status = check_parameters(reading, root);
    if (is_ok(status))
        status = read_tensors(reading, tree_member(root, "inputs"), REQUEST_INPUTS_MAX, &inputs);
    const struct tree *parameters = tree_member(root, "parameters"), *outputs = tree_member(root, "outputs"),
                      *answer = tree_member(root, "answer");
    if (is_ok(status) && outputs)
        status = check_outputs(reading, outputs);
    if (!is_ok(status))
        return status;
    if (parameters)
        tree_add(example, STR("parameters"), tree_copy_whole(reading->arena, parameters));
    tree_add(example, STR("inputs"), inputs);
    if (outputs)
        tree_add(example, STR("outputs"), tree_copy_whole(reading->arena, outputs));
    return answer ? add_answer(reading, answer, example) : STATUS_IS_OK;
}

static struct status parse(struct example_reading *reading, struct str text)
{
    struct tree *root;
    if (text.size > EXAMPLE_SIZE_MAX)
        return bad(reading, arena_printf(reading->arena, "it has %zu bytes, and the judge reads %zu", text.size,
                                         EXAMPLE_SIZE_MAX)
                                .data);
    if (tree_most_nodes(text) > EXAMPLE_VALUES_MAX)
        return bad(
            reading,
            arena_printf(reading->arena, "it has more values than the %zu that are read", EXAMPLE_VALUES_MAX).data);
    struct status status = tree_parse(text, reading->scratch, &root);
    reading->root = root;
    return is_ok(status) ? status : bad(reading, arena_copy(reading->arena, status.message).data);
}

static struct status read_example(struct example_reading *reading, const char *only, struct tree *examples)
{
    struct str text;
    struct tree *example = tree_new(reading->arena, TREE_OBJECT);
    struct status status = disk_read(reading->file, FILE_SIZE_MAX, reading->scratch, &text);
    if (!is_ok(status))
        return bad(reading, arena_copy(reading->arena, status.message).data);
    status = parse(reading, text);
    if (is_ok(status))
        status = read_request(reading, example);
    if (!is_ok(status))
        return status;
    struct str model = tree_text(reading->root, "model");
    if (!model.size && !only)
        return bad(reading, "it names no \"model\", which it must unless --model names exactly one");
    model = model.size ? arena_copy(reading->arena, model) : str_of(only);
    if (tree_member_str(examples, model))
        return bad(reading, "another example is of the same model");
    tree_add(examples, model, example);
    return STATUS_IS_OK;
}

struct status examples_read(const char *const *files, size_t count, const char *only, struct arena *arena,
                            struct tree **examples)
{
    struct status status = STATUS_IS_OK;
    *examples = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < count && is_ok(status); i++) {
        struct arena scratch = memory_arena();
        struct example_reading reading = {.file = files[i], .scratch = &scratch, .arena = arena};
        status = read_example(&reading, only, *examples);
        arena_free(&scratch);
    }
    return status;
}

struct str example_of_example(struct str model, struct arena *arena)
{
    struct buf text = {0};
    buf_append_literal(&text, "{\"model\": ");
    tree_write(tree_string(arena, model), &text);
    buf_append_literal(&text,
                       ", \"inputs\": [{\"name\": \"INPUT\", \"datatype\": \"FP32\", \"shape\": [1, 2], \"data\": "
                       "[1.5, 2]}], \"outputs\": [{\"name\": \"OUTPUT\"}]}");
    return arena_take(arena, &text);
}
