#include "models/parameters.h"

#include "base/search.h"
#include "tree/tree.h"
#include "json/number.h"

static const struct parameter *find(const struct parameters *parameters, struct str name)
{
    for (size_t i = parameters->count; i-- > 0;)
        if (str_equal(parameters->list[i].name, name))
            return &parameters->list[i];
    return NULL;
}

const struct parameter *parameters_find(const struct parameters *parameters, const char *name)
{
    return find(parameters, str_of(name));
}

bool parameters_say(const struct parameters *parameters, const char *name)
{
    const struct parameter *found = parameters_find(parameters, name);
    return found && found->kind == PARAMETER_BOOL && found->boolean;
}

bool parameters_complete(struct parameters *own, const struct parameters *defaults, struct arena *arena)
{
    if (defaults->count == 0)
        return true;
    if (own->count == 0) {
        *own = *defaults;
        return true;
    }
    struct parameter *list = arena_alloc_zero(arena, own->count + defaults->count, sizeof(*list));
    if (!list)
        return false;
    memcpy(list, own->list, own->count * sizeof(*list));
    size_t count = own->count;
    for (size_t i = 0; i < defaults->count; i++)
        if (!find(own, defaults->list[i].name))
            list[count++] = defaults->list[i];
    *own = (struct parameters){list, count};
    return true;
}

bool parameter_set_number(struct parameter *parameter, struct str spelling)
{
    bool is_whole =
        ALL(i, spelling.size, spelling.data[i] != '.' && spelling.data[i] != 'e' && spelling.data[i] != 'E');
    if (is_whole && number_read_int64(spelling, &parameter->int64))
        parameter->kind = PARAMETER_INT64;
    else if (is_whole && number_read_uint64(spelling, &parameter->uint64))
        parameter->kind = PARAMETER_UINT64;
    else if (number_read_double(spelling, &parameter->number))
        parameter->kind = PARAMETER_DOUBLE;
    else
        return false;
    return true;
}

bool parameter_set_value(struct parameter *parameter, const struct tree *value)
{
    switch (value->type) {
    case TREE_BOOL:
        parameter->kind = PARAMETER_BOOL;
        parameter->boolean = value->boolean;
        return true;
    case TREE_STRING:
        parameter->kind = PARAMETER_STRING;
        parameter->string = value->text;
        return true;
    default:
        return value->type == TREE_NUMBER && parameter_set_number(parameter, value->text);
    }
}
