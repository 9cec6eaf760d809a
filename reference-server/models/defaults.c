#include "models/defaults.h"

#include "tree/tree.h"

#include <stdlib.h>

static const struct str KEY = {"default_parameters", sizeof("default_parameters") - 1};

static int by_name(const void *a, const void *b)
{
    return str_compare(((const struct parameter *)a)->name, ((const struct parameter *)b)->name);
}

/* Reads the JSON object of a setting, which is an entry of config.pbtxt. */
static struct status read_object(const struct parameter *setting, struct arena *arena, struct parameters *parameters)
{
    struct tree *object;
    TRY(tree_parse(setting->string, arena, &object));
    if (object->type != TREE_OBJECT)
        return status_invalid(arena, "not a JSON object, but %s", tree_type_name(object->type));
    struct parameter *list = arena_alloc_zero(arena, object->count, sizeof(*list));
    NEED(list);
    size_t count = 0;
    for (const struct tree *member = object->first; member; member = member->next) {
        list[count].name = member->name;
        if (!parameter_set_value(&list[count++], member))
            return status_invalid(arena, "'%s' must be a text, a boolean or a number that a double can hold",
                                  str_printable(arena, member->name));
    }
    qsort(list, count, sizeof(*list), by_name);
    for (size_t i = 1; i < count; i++)
        if (str_equal(list[i - 1].name, list[i].name))
            return status_invalid(arena, "'%s' is given twice", str_printable(arena, list[i].name));
    *parameters = (struct parameters){list, count};
    return STATUS_IS_OK;
}

/* Gives `parameters` to every tensor of that name (an input and an output may have one name). Returns how many there
 * are. */
static size_t give(struct tensor_spec *specs, size_t count, struct str name, struct parameters parameters)
{
    size_t given = 0;
    for (size_t i = 0; i < count; i++)
        if (str_equal(specs[i].name, name)) {
            specs[i].parameters = parameters;
            given++;
        }
    return given;
}

static struct status read_setting(struct model *model, const struct parameter *setting)
{
    struct parameters parameters = {0};
    TRY(read_object(setting, &model->arena, &parameters));
    if (setting->name.size == KEY.size) {
        model->parameters = parameters;
        return STATUS_IS_OK;
    }
    struct str tensor = str_from(setting->name, KEY.size + 1);
    if (give(model->inputs, model->input_count, tensor, parameters) +
            give(model->outputs, model->output_count, tensor, parameters) >
        0)
        return STATUS_IS_OK;
    return status_invalid(&model->arena, "the model has no input and no output of that name");
}

static bool is_default(struct str name)
{
    return str_starts(name, KEY) && (name.size == KEY.size || name.data[KEY.size] == '.');
}

struct status defaults_read(struct model *model)
{
    for (size_t i = 0; i < model->settings.count; i++) {
        const struct parameter *setting = &model->settings.list[i];
        struct status status = is_default(setting->name) ? read_setting(model, setting) : STATUS_IS_OK;
        if (status.code == STATUS_INVALID_ARGUMENT)
            return status_invalid(&model->arena, "config.pbtxt, %s: %.*s", str_printable(&model->arena, setting->name),
                                  STR_ARG(status.message));
        TRY(status);
    }
    return STATUS_IS_OK;
}
