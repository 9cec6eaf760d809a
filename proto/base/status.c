#include "base/status.h"

#include "base/search.h"

static struct status status_of(struct arena *arena, enum status_code code, const char *slug, const char *format,
                               va_list arguments)
{
    struct str message = arena_vprintf(arena, format, arguments);
    if (!message.data)
        message = STR("(no memory for the message)");
    return (struct status){.code = code, .message = message, .broken = slug};
}

struct status status_error(struct arena *arena, enum status_code code, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct status status = status_of(arena, code, NULL, format, arguments);
    va_end(arguments);
    return status;
}

struct status status_broken(struct arena *arena, enum status_code code, const char *slug, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    struct status status = status_of(arena, code, slug, format, arguments);
    va_end(arguments);
    return status;
}

static const char *const code_names[] = {
    [STATUS_OK] = "OK",
    [STATUS_CANCELLED] = "CANCELLED",
    [STATUS_UNKNOWN] = "UNKNOWN",
    [STATUS_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
    [STATUS_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
    [STATUS_NOT_FOUND] = "NOT_FOUND",
    [STATUS_ALREADY_EXISTS] = "ALREADY_EXISTS",
    [STATUS_PERMISSION_DENIED] = "PERMISSION_DENIED",
    [STATUS_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
    [STATUS_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
    [STATUS_ABORTED] = "ABORTED",
    [STATUS_OUT_OF_RANGE] = "OUT_OF_RANGE",
    [STATUS_UNIMPLEMENTED] = "UNIMPLEMENTED",
    [STATUS_INTERNAL] = "INTERNAL",
    [STATUS_UNAVAILABLE] = "UNAVAILABLE",
    [STATUS_DATA_LOSS] = "DATA_LOSS",
    [STATUS_UNAUTHENTICATED] = "UNAUTHENTICATED",
};

#define CODES COUNT_OF(code_names)

const char *status_code_name(enum status_code code)
{
    return (size_t)code < CODES ? code_names[code] : NULL;
}

bool status_code_from_name(struct str name, enum status_code *code)
{
    for (size_t i = 0; i < CODES; i++) {
        if (str_is(name, code_names[i])) {
            *code = (enum status_code)i;
            return true;
        }
    }
    return false;
}
