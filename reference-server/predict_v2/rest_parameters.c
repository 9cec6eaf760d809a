/* Parameters over REST (000, "Parameters"): strings, numbers and booleans by name. */
#include "predict_v2/rest_decode.h"

#include "json/writer.h"

/* --- Reading --- */

static bool read_parameter(struct decode *decode, struct parameter *parameter)
{
    struct json_reader *json = decode->json;
    enum json_type type = json_type(json);
    struct str spelling;
    switch (type) {
    case JSON_BOOL:
        parameter->kind = PARAMETER_BOOL;
        return json_read_bool(json, &parameter->boolean);
    case JSON_STRING:
        parameter->kind = PARAMETER_STRING;
        return read_text(decode, &parameter->string);
    case JSON_NUMBER:
        if (!json_read_number(json, &spelling))
            return false;
        return parameter_set_number(parameter, spelling) ||
               refuse(decode, "parameter-kind", "%s: parameter \"%s\" is the number %s, which is too large",
                      place(decode), str_printable(decode->arena, parameter->name),
                      str_printable(decode->arena, spelling));
    default:
        return json_skip(json, NULL) &&
               refuse(decode, "parameter-kind", "%s: parameter \"%s\" must be a string, a number or a boolean, not %s",
                      place(decode), str_printable(decode->arena, parameter->name), type_name(type));
    }
}

/* v2-rest.parameters-accepted v2-rest.parameter-kind */
bool read_parameters(struct decode *decode, void *parameters)
{
    struct parameter *list = NULL;
    struct names names = {0};
    size_t count = 0;
    struct str name;
    json_enter_object(decode->json);
    while (json_next_member(decode->json, &name)) {
        list = grow_list(decode, list, count, sizeof(*list));
        if (!list)
            return false;
        list[count].name = name;
        if (!add_name(decode, &names, name) || !read_parameter(decode, &list[count]))
            return false;
        count++;
    }
    *(struct parameters *)parameters = (struct parameters){list, count};
    return goes_on(decode) && names_differ(decode, &names);
}

/* --- Writing --- */

struct status rest_write_parameters(const struct parameters *parameters, struct buf *out, struct arena *arena)
{
    if (parameters->count == 0)
        return STATUS_IS_OK;
    buf_append_literal(out, ",\"parameters\":{");
    for (size_t i = 0; i < parameters->count; i++) {
        const struct parameter *parameter = &parameters->list[i];
        json_write_name(out, parameter->name);
        switch (parameter->kind) {
        case PARAMETER_BOOL:
            buf_append_str(out, parameter->boolean ? STR("true") : STR("false"));
            break;
        case PARAMETER_INT64:
            json_write_int64(out, parameter->int64);
            break;
        case PARAMETER_UINT64:
            json_write_uint64(out, parameter->uint64);
            break;
        case PARAMETER_DOUBLE:
            if (!__builtin_isfinite(parameter->number))
                return status_error(arena, STATUS_INTERNAL,
                                    "parameter '%s' of the answer is not finite, and JSON cannot express it",
                                    str_printable(arena, parameter->name));
            json_write_double(out, parameter->number);
            break;
        case PARAMETER_STRING:
            if (!str_is_utf8(parameter->string))
                return status_error(arena, STATUS_INTERNAL,
                                    "parameter '%s' of the answer is not UTF-8: JSON cannot express it",
                                    str_printable(arena, parameter->name));
            json_write_string(out, parameter->string);
            break;
        }
    }
    buf_append_byte(out, '}');
    return STATUS_IS_OK;
}
