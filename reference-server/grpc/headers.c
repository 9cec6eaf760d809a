#include "grpc/headers.h"

#include "base/search.h"

#define TIMEOUT_DIGITS 8

/* "Content-Type", Requests */
bool header_is_grpc(struct str value)
{
    const struct str prefix = STR("application/grpc");
    if (!str_starts(value, prefix) &&
        (value.size < prefix.size || !str_equal_ignoring_case((struct str){value.data, prefix.size}, prefix)))
        return false;
    char next = value.size > prefix.size ? value.data[prefix.size] : ';';
    return next == ';' || next == '+' || next == ' ';
}

/* "Timeout", Requests */
bool header_timeout(struct str value, int64_t *nanoseconds)
{
    static const struct {
        char name;
        int64_t nanoseconds;
    } units[] = {{'H', 3600000000000}, {'M', 60000000000}, {'S', 1000000000}, {'m', 1000000}, {'u', 1000}, {'n', 1}};
    if (value.size < 2 || value.size > TIMEOUT_DIGITS + 1)
        return false;
    int64_t count = 0;
    for (size_t i = 0; i + 1 < value.size; i++) {
        if (value.data[i] < '0' || value.data[i] > '9')
            return false;
        count = count * 10 + (value.data[i] - '0');
    }
    for (size_t i = 0; i < COUNT_OF(units); i++) {
        if (units[i].name == value.data[value.size - 1]) {
            if (__builtin_mul_overflow(count, units[i].nanoseconds, nanoseconds))
                *nanoseconds = INT64_MAX;
            return true;
        }
    }
    return false;
}

/* "Status-Message", Responses */
struct str header_percent_encoded(struct arena *arena, struct str message)
{
    static const char digits[] = "0123456789ABCDEF";
    char *text = arena_alloc(arena, message.size * 3 + 1), *at = text;
    if (!text)
        return (struct str){0};
    for (size_t i = 0; i < message.size; i++) {
        unsigned char byte = (unsigned char)message.data[i];
        if (byte >= ' ' && byte <= '~' && byte != '%') {
            *at++ = (char)byte;
        } else {
            *at++ = '%';
            *at++ = digits[byte >> 4];
            *at++ = digits[byte & 15];
        }
    }
    return (struct str){text, (size_t)(at - text)};
}
