#include "protocols/packing.h"

static const struct tree *input_named(const struct tree *act, struct str name)
{
    const struct tree *inputs = tree_member(act, "inputs");
    if (inputs == NULL || inputs->type != TREE_ARRAY)
        return NULL;
    FOR_EACH_IN(input, inputs->first) {
        const struct tree *has = tree_member(input, "name");
        if (has != NULL && has->type == TREE_STRING && str_equal(has->text, name))
            return input;
    }
    return NULL;
}

const struct tree *packing_input(const struct meaning *meaning, const struct tree *input, size_t index)
{
    if (meaning->base == meaning->act)
        return input;
    const struct tree *name = tree_member(input, "name");
    if (name != NULL && name->type == TREE_STRING) {
        const struct tree *same = input_named(meaning->base, name->text);
        if (same != NULL)
            return same;
    }
    const struct tree *inputs = tree_member(meaning->base, "inputs");
    const struct tree *there = inputs && inputs->type == TREE_ARRAY ? tree_at(inputs, index) : NULL;
    if (there != NULL && input_named(meaning->act, tree_text(there, "name")) == NULL)
        return there;
    return input;
}

enum datatype packing_datatype(const struct tree *packing)
{
    const struct tree *datatype = tree_member(packing, "datatype");
    return datatype && datatype->type == TREE_STRING ? datatype_from_name(datatype->text) : DATATYPE_NONE;
}

struct status packing_parameters(const struct tree *parameters, struct arena *arena, struct tree **map)
{
    *map = tree_new(arena, TREE_OBJECT);
    if (parameters && parameters->type != TREE_OBJECT)
        return status_error(arena, STATUS_UNIMPLEMENTED, "parameters must be a map in protobuf");
    FOR_EACH_IN(parameter, tree_first(parameters)) {
        int64_t integer;
        const char *choice = parameter->type == TREE_BOOL                                           ? "bool_param"
                             : parameter->type == TREE_STRING                                       ? "string_param"
                             : parameter->type == TREE_NUMBER && tree_to_int64(parameter, &integer) ? "int64_param"
                                                                                                    : NULL;
        if (choice == NULL)
            return status_error(arena, STATUS_UNIMPLEMENTED, "InferParameter cannot say the value of parameter '%s'",
                                str_printable(arena, parameter->name));
        tree_add(*map, parameter->name, tree_object(arena, {choice, tree_copy(arena, parameter)}));
    }
    return STATUS_IS_OK;
}
