/* libprotobuf reads the text and the JSON; what it read is looked at, and completed, as a tree. */
#include "models/config.h"

#include "base/search.h"
#include "models/config_json.h"
#include "text/text.h"
#include "wire/message.h"
#include "json/number.h"

#include <model_config.pb-c.h>

#define SEQUENCE_IDLE_US 1000000
#define TREE_MAX         ((size_t)64 << 20) /* bytes, for a configuration as a tree */

/* By the numbers of DataType in model_config.proto. */
static const enum datatype datatypes[] = {
    DATATYPE_NONE,   DATATYPE_BOOL, DATATYPE_UINT8, DATATYPE_UINT16, DATATYPE_UINT32,
    DATATYPE_UINT64, DATATYPE_INT8, DATATYPE_INT16, DATATYPE_INT32,  DATATYPE_INT64,
    DATATYPE_FP16,   DATATYPE_FP32, DATATYPE_FP64,  DATATYPE_BYTES,  DATATYPE_BF16,
};

/* --- Reading --- */

static int64_t int_of(const struct tree *object, const char *name)
{
    int64_t value = 0;
    const struct tree *number = tree_member(object, name);
    return number && tree_to_int64(number, &value) ? value : 0;
}

static uint64_t uint_of(const struct tree *object, const char *name)
{
    uint64_t value = 0;
    const struct tree *number = tree_member(object, name);
    return number && number_read_uint64(number->text, &value) ? value : 0;
}

/* Returns a list of integers. It is empty without memory. */
static const int64_t *integers_of(const struct tree *object, const char *name, struct arena *arena, size_t *count)
{
    const struct tree *from = tree_member(object, name);
    int64_t *list = from ? arena_alloc_zero(arena, from->count, sizeof(*list)) : NULL;
    *count = 0;
    for (const struct tree *one = list ? from->first : NULL; one; one = one->next)
        tree_to_int64(one, &list[(*count)++]);
    return list;
}

static const struct config_tensor *read_tensors(const struct tree *list, struct arena *arena, size_t *count)
{
    struct config_tensor *tensors = arena_alloc_zero(arena, list->count, sizeof(*tensors));
    *count = 0;
    for (const struct tree *one = tensors ? list->first : NULL; one; one = one->next) {
        struct config_tensor *tensor = &tensors[(*count)++];
        size_t type = (size_t)int_of(one, "data_type");
        tensor->name = tree_text(one, "name");
        tensor->datatype = type < COUNT_OF(datatypes) ? datatypes[type] : DATATYPE_NONE;
        tensor->dims = integers_of(one, "dims", arena, &tensor->rank);
        tensor->is_reshaped = tree_member(one, "reshape");
        tensor->shape = integers_of(tree_member(one, "reshape"), "shape", arena, &tensor->shape_rank);
        tensor->label_filename = tree_text(one, "label_filename");
    }
    return tensors;
}

static struct parameters read_parameters(const struct tree *map, struct arena *arena)
{
    struct parameter *list = arena_alloc_zero(arena, map->count, sizeof(*list));
    size_t count = 0;
    for (const struct tree *one = list ? map->first : NULL; one; one = one->next)
        list[count++] =
            (struct parameter){.name = one->name, .kind = PARAMETER_STRING, .string = tree_text(one, "string_value")};
    return (struct parameters){list, count};
}

static void read_versions(const struct tree *policy, struct arena *arena, struct model_config *config)
{
    const struct tree *latest = tree_member(policy, "latest"), *specific = tree_member(policy, "specific");
    if (tree_member(policy, "all"))
        config->version_policy = VERSIONS_ALL;
    else if (specific)
        config->version_policy = VERSIONS_SPECIFIC;
    config->versions = integers_of(specific, "versions", arena, &config->version_count);
    if (int_of(latest, "num_versions") > 0)
        config->latest = (uint32_t)int_of(latest, "num_versions");
}

static struct config_batching read_batching(const struct tree *batching, struct arena *arena)
{
    struct config_batching read = {
        .is_wanted = batching,
        .delay_us = uint_of(batching, "max_queue_delay_microseconds"),
        .queue_max = (uint32_t)int_of(tree_member(batching, "default_queue_policy"), "max_queue_size"),
    };
    read.preferred = integers_of(batching, "preferred_batch_size", arena, &read.preferred_count);
    return read;
}

struct model_config config_default(void)
{
    return (struct model_config){.latest = 1, .sequence_idle_us = SEQUENCE_IDLE_US};
}

/* Reads a ModelConfig on the wire. Its texts stay in the message. */
static struct status read_message(struct str message, struct arena *arena, struct model_config *config)
{
    struct tree *top;
    struct arena scratch = arena_new(TREE_MAX);
    struct status status = wire_to_tree(&inference__model_config__descriptor, message, &scratch, &top);
    if (is_ok(status)) {
        const struct tree *sequences = tree_member(top, "sequence_batching");
        uint64_t idle = uint_of(sequences, "max_sequence_idle_microseconds");
        *config = config_default();
        config->name = tree_text(top, "name");
        config->platform = tree_text(top, "platform");
        config->backend = tree_text(top, "backend");
        config->default_model_filename = tree_text(top, "default_model_filename");
        config->max_batch_size = (int32_t)int_of(top, "max_batch_size");
        config->has_sequences = sequences;
        if (idle)
            config->sequence_idle_us = idle;
        config->batching = read_batching(tree_member(top, "dynamic_batching"), arena);
        config->is_decoupled = tree_is_true(tree_member(top, "model_transaction_policy"), "decoupled");
        config->inputs = read_tensors(tree_member(top, "input"), arena, &config->input_count);
        config->outputs = read_tensors(tree_member(top, "output"), arena, &config->output_count);
        config->parameters = read_parameters(tree_member(top, "parameters"), arena);
        read_versions(tree_member(top, "version_policy"), arena, config);
        config->message = message;
    }
    status.message = arena_copy(arena, status.message);
    arena_free(&scratch);
    return status;
}

struct status config_read(struct str text, struct arena *arena, struct model_config *config)
{
    struct buf wire = {0};
    struct status status = text_read(text_type_of("model_config", "ModelConfig"), text, arena, &wire);
    struct str message = arena_take(arena, &wire);
    if (is_ok(status) && !message.data)
        status = status_no_memory();
    if (is_ok(status))
        status = read_message(message, arena, config);
    return is_ok(status) ? status : status_error(arena, status.code, "config.pbtxt, %.*s", STR_ARG(status.message));
}

struct status config_read_json(struct str json, struct arena *arena, struct model_config *config)
{
    struct str message;
    TRY(config_message_of_json(json, arena, &message));
    return read_message(message, arena, config);
}

/* --- Showing, as Triton does: config.pbtxt, completed --- */

static struct tree *dims_of(const struct config_tensor *tensor, struct arena *arena)
{
    struct tree *dims = tree_new(arena, TREE_ARRAY);
    for (size_t axis = 0; dims && axis < tensor->rank; axis++)
        if (!tree_append(dims, tree_int(arena, tensor->dims[axis])))
            return NULL;
    return dims;
}

/* Adds what a tensor does not say. Returns false without memory. */
static bool complete_tensor(struct tree *shown, const struct config_tensor *tensor, struct arena *arena)
{
    const struct tree *dims = tree_member(shown, "dims");
    long long type = FIRST(i, COUNT_OF(datatypes), datatypes[i] == tensor->datatype, (long long)i, 0);
    return (int_of(shown, "data_type") || tree_set(shown, STR("data_type"), tree_int(arena, type))) &&
           ((dims && dims->count) || tree_set(shown, STR("dims"), dims_of(tensor, arena)));
}

/* Adds the tensors that the list lacks, and what it does not say of the others. */
static bool complete_tensors(struct tree *list, const struct config_tensor *tensors, size_t count, struct arena *arena)
{
    bool is_whole = true;
    for (size_t i = 0; i < count && is_whole; i++) {
        struct tree *shown = FIND_IN(one, list->first, str_equal(tree_text(one, "name"), tensors[i].name));
        if (!shown) {
            shown = tree_with_text(tree_new(arena, TREE_OBJECT), "name", tensors[i].name, arena);
            is_whole = tree_append(list, shown);
        }
        is_whole = is_whole && complete_tensor(shown, &tensors[i], arena);
    }
    return is_whole;
}

static bool complete(struct tree *shown, const struct model_config *config, struct arena *arena)
{
    struct tree *latest = tree_with(tree_new(arena, TREE_OBJECT), STR("num_versions"), tree_int(arena, config->latest));
    struct tree *policy = tree_with(tree_new(arena, TREE_OBJECT), STR("latest"), latest);
    return (tree_member(shown, "version_policy") || tree_set(shown, STR("version_policy"), policy)) &&
           tree_set(shown, STR("name"), tree_string(arena, config->name)) &&
           tree_set(shown, STR("backend"), tree_string(arena, config->backend)) &&
           tree_set(shown, STR("platform"), tree_string(arena, config->platform)) &&
           complete_tensors(tree_member(shown, "input"), config->inputs, config->input_count, arena) &&
           complete_tensors(tree_member(shown, "output"), config->outputs, config->output_count, arena);
}

struct status config_show(const struct model_config *config, struct arena *arena, struct str *message)
{
    struct tree *shown;
    struct buf out = {0};
    TRY(wire_to_tree(&inference__model_config__descriptor, config->message, arena, &shown));
    NEED(complete(shown, config, arena));
    struct status status = wire_from_tree(&inference__model_config__descriptor, shown, &out, arena);
    *message = arena_take(arena, &out);
    return is_ok(status) && !message->data ? status_no_memory() : status;
}

struct status config_show_json(const struct model_config *config, struct arena *arena, struct buf *json)
{
    struct str message;
    TRY(config_show(config, arena, &message));
    return config_json_of_message(message, arena, json);
}
