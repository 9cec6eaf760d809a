#include "grpc/headers.h"

#include "base/base64.h"
#include "base/count.h"

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

/* --- Binary-Header --- */

bool header_is_binary(struct str name)
{
    return name.size > 4 && memcmp(name.data + name.size - 4, "-bin", 4) == 0;
}

struct str header_base64(struct arena *arena, struct str bytes)
{
    struct str text = base64_write(bytes, arena);
    while (text.size > 0 && text.data[text.size - 1] == '=')
        text.size--;
    return text;
}

struct str header_from_base64(struct arena *arena, struct str text)
{
    static const char *const paddings[] = {"", "===", "==", "="}; /* of which three are no base64 */
    struct str bytes;
    if (!str_has(text, '='))
        text = arena_printf(arena, "%.*s%s", STR_ARG(text), paddings[text.size % 4]);
    base64_read(text, arena, &bytes);
    return bytes;
}

/* --- Custom-Metadata --- */

bool header_name_is_legal(struct str name)
{
    for (size_t i = 0; i < name.size; i++) {
        char c = name.data[i];
        if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.'))
            return false;
    }
    return name.size > 0;
}

bool header_value_is_legal(struct str value)
{
    for (size_t i = 0; i < value.size; i++)
        if (value.data[i] < ' ' || value.data[i] > '~')
            return false;
    return value.size == 0 || (value.data[0] != ' ' && value.data[value.size - 1] != ' ');
}
