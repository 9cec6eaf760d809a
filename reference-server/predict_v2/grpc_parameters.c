/* Parameters over gRPC (000, "GRPC Parameters", message InferParameter): maps of the schema. */
#include "predict_v2/grpc.h"

#include "wire/field.h"

/* --- Reading --- */

/* The fields of an entry of the map. */
enum { ENTRY_KEY = 1, ENTRY_VALUE };

/* Reads the choices of an InferParameter: the last one counts. Returns whether there was one. */
static bool read_value(struct str bytes, struct parameter *parameter)
{
    bool is_set = false;
    struct wire_cursor at = wire_begin(bytes);
    for (struct wire_field choice; wire_next(&at, &choice);) {
        if (choice.number < PARAMETER_BOOL || choice.number > PARAMETER_UINT64)
            continue;
        parameter->kind = (enum parameter_kind)choice.number;
        if (parameter->kind == PARAMETER_STRING)
            parameter->string = choice.bytes;
        else if (parameter->kind == PARAMETER_BOOL)
            parameter->boolean = choice.value != 0;
        else
            parameter->uint64 = choice.value; /* the bits of each number */
        is_set = true;
    }
    return is_set;
}

static bool read_parameter(struct str entry, struct parameter *parameter)
{
    bool is_set = false;
    *parameter = (struct parameter){0};
    struct wire_cursor at = wire_begin(entry);
    for (struct wire_field field; wire_next(&at, &field);) {
        if (field.number == ENTRY_KEY)
            parameter->name = field.bytes;
        else if (field.number == ENTRY_VALUE)
            is_set |= read_value(field.bytes, parameter);
    }
    return is_set;
}

bool grpc_read_parameters(struct str message, uint32_t number, size_t count, struct arena *arena,
                          struct parameters *parameters)
{
    struct parameter *list = arena_alloc(arena, count * sizeof(*list));
    if (!list)
        return false;
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    size_t kept = 0;
    while (wire_next(&at, &field))
        if (field.number == number && read_parameter(field.bytes, &list[kept]))
            kept++;
    *parameters = (struct parameters){list, kept};
    return true;
}

/* --- Writing --- */

static void set_value(V2__InferParameter *value, const struct parameter *parameter)
{
    v2__infer_parameter__init(value);
    value->parameter_choice_case = (V2__InferParameter__ParameterChoiceCase)parameter->kind;
    if (parameter->kind == PARAMETER_STRING)
        value->string_param = structs_bytes(parameter->string);
    else if (parameter->kind == PARAMETER_BOOL)
        value->bool_param = parameter->boolean;
    else
        value->uint64_param = parameter->uint64; /* the bits of each number */
}

struct status grpc_parameters(struct arena *arena, const struct parameters *parameters,
                              const ProtobufCMessageDescriptor *entry, void *entries, size_t *count)
{
    if (parameters->count == 0)
        return STATUS_IS_OK;
    struct {
        GrpcParameter entry;
        V2__InferParameter value;
    } *made = arena_alloc(arena, parameters->count * sizeof(*made));
    GrpcParameter **list = arena_alloc(arena, parameters->count * sizeof(*list));
    NEED(made && list);
    for (size_t i = 0; i < parameters->count; i++) {
        protobuf_c_message_init(entry, &made[i].entry);
        made[i].entry.key = structs_bytes(parameters->list[i].name);
        made[i].entry.value = &made[i].value;
        set_value(&made[i].value, &parameters->list[i]);
        list[i] = &made[i].entry;
    }
    memcpy(entries, &list, sizeof(list));
    *count = parameters->count;
    return STATUS_IS_OK;
}
