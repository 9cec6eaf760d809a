#include "probe/example.h"

#include "notation/data.h"
#include "support/files.h"

static struct status bad(struct arena *arena, const char *file, const char *what)
{
    return status_error(arena, STATUS_INVALID_ARGUMENT, "--example %s: %s", file, what);
}

/* Copies the input with flat data; the shape must hold exactly that data. */
static struct status read_input(const struct tree *input, const char *file, struct arena *arena, struct tree **made)
{
    int64_t shape[TENSOR_RANK_MAX];
    size_t rank, count;
    struct tree *data = input->type == TREE_OBJECT ? data_flat(tree_member(input, "data"), arena) : NULL;
    if (!tree_text(input, "name").size || !data)
        return bad(arena, file, "each input needs a name, a datatype, a shape and data");
    if (datatype_from_name(tree_text(input, "datatype")) == DATATYPE_NONE)
        return bad(arena, file, "an input's datatype is none of the protocol");
    if (!data_shape(tree_member(input, "shape"), shape, &rank) || !shape_count(shape, rank, &count) ||
        count != data->count)
        return bad(arena, file, "the data of an input does not fill its shape");
    *made = tree_copy(arena, input);
    tree_set(*made, STR("data"), data);
    return STATUS_IS_OK;
}

static struct status read_example(const char *file, struct arena *arena, struct tree *examples)
{
    struct str text;
    struct tree *tree, *example = tree_new(arena, TREE_OBJECT), *made = tree_new(arena, TREE_ARRAY);
    struct status status = file_read(file, arena, &text);
    if (is_ok(status))
        status = tree_parse(text, arena, &tree);
    if (!is_ok(status))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--example %s: %.*s", file, STR_ARG(status.message));
    struct str model = tree_text(tree, "model");
    const struct tree *inputs = tree_member(tree, "inputs"), *parameters = tree_member(tree, "parameters");
    if (!model.size || !inputs || inputs->type != TREE_ARRAY)
        return bad(arena, file, "needs {\"model\": NAME, \"inputs\": [...]}");
    for (const struct tree *input = inputs->first; input && is_ok(status); input = input->next) {
        struct tree *one = NULL;
        status = read_input(input, file, arena, &one);
        if (is_ok(status))
            tree_append(made, one);
    }
    tree_add(example, STR("inputs"), made);
    if (parameters)
        tree_add(example, STR("parameters"), tree_copy(arena, parameters));
    tree_set(examples, model, example);
    return status;
}

struct status examples_read(const char *const *files, size_t count, struct arena *arena, struct tree **examples)
{
    struct status status = STATUS_IS_OK;
    *examples = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < count && is_ok(status); i++)
        status = read_example(files[i], arena, *examples);
    return status;
}
