/* Parameters over gRPC (000, "GRPC Parameters", message InferParameter): maps of the schema. */
#include "predict_v2/grpc.h"

#include "wire/field.h"

/* --- Reading --- */

static struct parameter read_parameter(struct str entry, bool *is_set)
{
    struct parameter parameter = {0};
    struct wire_cursor at = wire_begin(entry);
    struct wire_field field, choice;
    while (wire_next(&at, &field)) {
        if (field.number == 1)
            parameter.name = field.bytes;
        if (field.number != 2)
            continue;
        struct wire_cursor value = wire_begin(field.bytes);
        while (wire_next(&value, &choice)) {
            *is_set |= choice.number >= 1 && choice.number <= 5;
            switch (choice.number) {
            case 1:
                parameter.kind = PARAMETER_BOOL;
                parameter.boolean = choice.value != 0;
                break;
            case 2:
                parameter.kind = PARAMETER_INT64;
                parameter.int64 = (int64_t)choice.value;
                break;
            case 3:
                parameter.kind = PARAMETER_STRING;
                parameter.string = choice.bytes;
                break;
            case 4:
                parameter.kind = PARAMETER_DOUBLE;
                memcpy(&parameter.number, &choice.value, sizeof(parameter.number));
                break;
            case 5:
                parameter.kind = PARAMETER_UINT64;
                parameter.uint64 = choice.value;
                break;
            default:
                break;
            }
        }
    }
    return parameter;
}

bool grpc_read_parameters(struct str message, uint32_t number, size_t count, struct arena *arena,
                          struct parameters *parameters)
{
    if (count == 0)
        return true;
    struct parameter *list = arena_alloc(arena, count * sizeof(*list));
    if (!list)
        return false;
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    size_t kept = 0;
    while (wire_next(&at, &field)) {
        bool is_set = false;
        if (field.number != number)
            continue;
        struct parameter parameter = read_parameter(field.bytes, &is_set);
        if (is_set)
            list[kept++] = parameter;
    }
    *parameters = (struct parameters){list, kept};
    return true;
}

/* --- Writing --- */

static void set_value(V2__InferParameter *value, const struct parameter *parameter)
{
    v2__infer_parameter__init(value);
    switch (parameter->kind) {
    case PARAMETER_BOOL:
        value->parameter_choice_case = V2__INFER_PARAMETER__PARAMETER_CHOICE_BOOL_PARAM;
        value->bool_param = parameter->boolean;
        break;
    case PARAMETER_INT64:
        value->parameter_choice_case = V2__INFER_PARAMETER__PARAMETER_CHOICE_INT64_PARAM;
        value->int64_param = parameter->int64;
        break;
    case PARAMETER_UINT64:
        value->parameter_choice_case = V2__INFER_PARAMETER__PARAMETER_CHOICE_UINT64_PARAM;
        value->uint64_param = parameter->uint64;
        break;
    case PARAMETER_DOUBLE:
        value->parameter_choice_case = V2__INFER_PARAMETER__PARAMETER_CHOICE_DOUBLE_PARAM;
        value->double_param = parameter->number;
        break;
    case PARAMETER_STRING:
        value->parameter_choice_case = V2__INFER_PARAMETER__PARAMETER_CHOICE_STRING_PARAM;
        value->string_param = grpc_bytes(parameter->string);
        break;
    }
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
    if (!made || !list)
        return status_no_memory();
    for (size_t i = 0; i < parameters->count; i++) {
        protobuf_c_message_init(entry, &made[i].entry);
        made[i].entry.key = grpc_bytes(parameters->list[i].name);
        made[i].entry.value = &made[i].value;
        set_value(&made[i].value, &parameters->list[i]);
        list[i] = &made[i].entry;
    }
    memcpy(entries, &list, sizeof(list));
    *count = parameters->count;
    return STATUS_IS_OK;
}
