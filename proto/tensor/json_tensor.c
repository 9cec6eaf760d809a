/* Brackets are followed by a counter a level instead of recursion: what they enclose goes to one row-major block in the
 * order of the text, and the counters, compared with the shape when a bracket closes, tell the nesting. */
#include "tensor/json_tensor.h"
#include "tensor/half.h"
#include "tensor/raw.h"
#include "json/number.h"
#include "json/writer.h"

#include <float.h>
#include <math.h>

/* --- Reading ----------------------------------------------------------------------------------------------------- */

struct growing {
    struct arena *arena;
    char *data; /* 64-byte aligned */
    size_t size, capacity;
    size_t claimed; /* bytes that the shape asks for, 0 if unknown */
};

/* A claim is trusted up to 16 times what has really come: a long honest tensor is copied twice, a liar reserves little.
 */
static bool grow(struct growing *to, size_t more)
{
    size_t first = to->claimed && to->claimed < 4096 ? to->claimed : 4096;
    size_t capacity = to->capacity == 0                                                ? first
                      : to->claimed > to->capacity && to->claimed / 16 <= to->capacity ? to->claimed
                                                                                       : 2 * to->capacity;
    if (capacity < to->size + more)
        capacity = to->size + more;
    char *data = arena_alloc(to->arena, capacity + 63);
    if (!data)
        return false;
    data += -(uintptr_t)data & 63;
    if (to->size)
        memcpy(data, to->data, to->size);
    to->data = data;
    to->capacity = capacity;
    return true;
}

static const double powers_of_ten[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                       1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22, 1e23,
                                       1e24, 1e25, 1e26, 1e27, 1e28, 1e29, 1e30, 1e31, 1e32, 1e33, 1e34, 1e35,
                                       1e36, 1e37, 1e38, 1e39, 1e40, 1e41, 1e42, 1e43, 1e44, 1e45, 1e46};

/* Most integers of a tensor are short and plain; everything else takes the exact road. */
static bool read_plain_integer(struct str spelling, int64_t *value)
{
    size_t at = spelling.data[0] == '-';
    if (spelling.size - at > 18 || spelling.size == at)
        return false;
    int64_t magnitude = 0;
    for (size_t i = at; i < spelling.size; i++) {
        unsigned digit = (unsigned char)spelling.data[i] - '0';
        if (digit > 9)
            return false;
        magnitude = magnitude * 10 + digit;
    }
    *value = at ? -magnitude : magnitude;
    return true;
}

static bool read_integer(struct str spelling, int64_t *value)
{
    return read_plain_integer(spelling, value) || number_read_int64(spelling, value);
}

#define INTEGER_FROM_NUMBER(name, type, least, most)                                                                   \
    static bool name##_from_number(struct str spelling, char *to)                                                      \
    {                                                                                                                  \
        int64_t value;                                                                                                 \
        if (!read_integer(spelling, &value) || value < (int64_t)(least) || value > (int64_t)(most))                    \
            return false;                                                                                              \
        type element = (type)value;                                                                                    \
        memcpy(to, &element, sizeof element);                                                                          \
        return true;                                                                                                   \
    }
INTEGER_FROM_NUMBER(int8, int8_t, INT8_MIN, INT8_MAX)
INTEGER_FROM_NUMBER(int16, int16_t, INT16_MIN, INT16_MAX)
INTEGER_FROM_NUMBER(int32, int32_t, INT32_MIN, INT32_MAX)
INTEGER_FROM_NUMBER(int64, int64_t, INT64_MIN, INT64_MAX)
INTEGER_FROM_NUMBER(uint8, uint8_t, 0, UINT8_MAX)
INTEGER_FROM_NUMBER(uint16, uint16_t, 0, UINT16_MAX)
INTEGER_FROM_NUMBER(uint32, uint32_t, 0, UINT32_MAX)

static bool uint64_from_number(struct str spelling, char *to)
{
    int64_t plain;
    uint64_t value;
    if (read_plain_integer(spelling, &plain) && plain >= 0)
        value = (uint64_t)plain;
    else if (!number_read_uint64(spelling, &value))
        return false;
    memcpy(to, &value, sizeof value);
    return true;
}

/* Most decimals are digits and a point: up to 15 digits divided by up to 10^22 are both exact in a double, so that the
 * quotient is the nearest double to the decimal. */
static bool read_plain_decimal(struct str spelling, double *value)
{
    const char *at = spelling.data, *end = at + spelling.size;
    bool negative = *at == '-';
    at += negative;
    if (end - at > 16)
        return false;
    int64_t digits = 0;
    const char *point = NULL;
    for (; at < end; at++) {
        unsigned digit = (unsigned char)*at - '0';
        if (digit <= 9)
            digits = digits * 10 + digit;
        else if (*at == '.')
            point = at;
        else
            return false;
    }
    double magnitude = (double)digits / powers_of_ten[point ? end - point - 1 : 0];
    *value = negative ? -magnitude : magnitude;
    return (point != NULL) + 15 >= end - spelling.data - negative;
}

/* A double that is no midpoint between two floats rounds to the float that the decimal itself rounds to. */
static bool read_plain_float(struct str spelling, float *value)
{
    double wide;
    uint64_t bits;
    if (!read_plain_decimal(spelling, &wide))
        return false;
    memcpy(&bits, &wide, sizeof bits);
    *value = (float)wide;
    return (bits & 0x1fffffff) != 0x10000000 && (fabs(wide) >= (double)FLT_MIN || wide == 0);
}

static bool fp32_from_number(struct str spelling, char *to)
{
    float value;
    if (!read_plain_float(spelling, &value) && !number_read_float(spelling, &value))
        return false;
    memcpy(to, &value, sizeof value);
    return true;
}

static bool read_double(struct str spelling, double *value)
{
    return read_plain_decimal(spelling, value) || number_read_double(spelling, value);
}

static bool fp64_from_number(struct str spelling, char *to)
{
    double value;
    if (!read_double(spelling, &value))
        return false;
    memcpy(to, &value, sizeof value);
    return true;
}

static bool fp16_from_number(struct str spelling, char *to)
{
    double value;
    if (!read_double(spelling, &value))
        return false;
    uint16_t half = half_from_double(value);
    memcpy(to, &half, sizeof half);
    return (half & 0x7fff) != 0x7c00;
}

static bool bf16_from_number(struct str spelling, char *to)
{
    double value;
    if (!read_double(spelling, &value))
        return false;
    uint16_t bits = bfloat16_from_double(value);
    memcpy(to, &bits, sizeof bits);
    return (bits & 0x7fff) != 0x7f80;
}

static bool (*const from_number[DATATYPE_COUNT])(struct str spelling, char *to) = {
    [DATATYPE_UINT8] = uint8_from_number,   [DATATYPE_UINT16] = uint16_from_number,
    [DATATYPE_UINT32] = uint32_from_number, [DATATYPE_UINT64] = uint64_from_number,
    [DATATYPE_INT8] = int8_from_number,     [DATATYPE_INT16] = int16_from_number,
    [DATATYPE_INT32] = int32_from_number,   [DATATYPE_INT64] = int64_from_number,
    [DATATYPE_FP16] = fp16_from_number,     [DATATYPE_FP32] = fp32_from_number,
    [DATATYPE_FP64] = fp64_from_number,     [DATATYPE_BF16] = bf16_from_number,
};

/* Which requirement an element breaks that is not exactly of the datatype: null, a number of the right kind that the
 * datatype cannot hold, or something of another kind. */
static const char *slug_of_wrong(enum datatype datatype, struct str text)
{
    bool is_number = text.data[0] == '-' || (text.data[0] >= '0' && text.data[0] <= '9');
    if (str_is(text, "null"))
        return "element-null";
    if (!is_number || !from_number[datatype])
        return "element-type";
    bool takes_fractions = datatype == DATATYPE_FP16 || datatype == DATATYPE_FP32 || datatype == DATATYPE_FP64 ||
                           datatype == DATATYPE_BF16;
    double value;
    bool is_whole = !number_read_double(text, &value) || value == floor(value);
    return takes_fractions || is_whole ? "element-range" : "element-type";
}

static struct status wrong_element(const struct tensor *tensor, size_t position, struct str text, struct arena *arena)
{
    const char *slug = slug_of_wrong(tensor->datatype, text);
    if (text.size > 60)
        text.size = 60;
    return status_broken(arena, STATUS_INVALID_ARGUMENT, slug, "data of tensor '%s': element %zu is %s, which is no %s",
                         str_printable(arena, tensor->name), position, str_printable(arena, text),
                         datatype_name(tensor->datatype));
}

/* The value at the cursor is of another JSON type, unless it is no JSON at all: that fault is the reader's. */
static struct status wrong_type(struct json_reader *json, const struct tensor *tensor, size_t position,
                                struct arena *arena)
{
    struct str text;
    if (!json_skip(json, &text))
        return STATUS_IS_OK;
    return wrong_element(tensor, position, text, arena);
}

/* The run of elements up to a nested array or the end of the list; `more` says which. */
struct run {
    size_t count;
    bool more;
};

static struct status read_numbers(struct json_reader *json, const struct tensor *tensor, size_t position,
                                  struct growing *to, struct run *run)
{
    size_t size = datatype_size(tensor->datatype);
    bool (*convert)(struct str, char *) = from_number[tensor->datatype];
    for (; (run->more = json_next_element(json)); run->count++) {
        enum json_type type = json_type(json);
        if (type == JSON_ARRAY)
            break;
        if (type != JSON_NUMBER)
            return wrong_type(json, tensor, position + run->count, to->arena);
        struct str spelling;
        if (!json_read_number(json, &spelling))
            break;
        if (to->size + size > to->capacity && !grow(to, size))
            return status_no_memory();
        if (!convert(spelling, to->data + to->size))
            return wrong_element(tensor, position + run->count, spelling, to->arena);
        to->size += size;
    }
    return STATUS_IS_OK;
}

static struct status read_bools(struct json_reader *json, const struct tensor *tensor, size_t position,
                                struct growing *to, struct run *run)
{
    for (; (run->more = json_next_element(json)); run->count++) {
        enum json_type type = json_type(json);
        if (type == JSON_ARRAY)
            break;
        if (type != JSON_BOOL)
            return wrong_type(json, tensor, position + run->count, to->arena);
        bool value;
        if (!json_read_bool(json, &value))
            break;
        if (to->size == to->capacity && !grow(to, 1))
            return status_no_memory();
        to->data[to->size++] = (char)value;
    }
    return STATUS_IS_OK;
}

static struct status read_strings(struct json_reader *json, const struct tensor *tensor, size_t position,
                                  struct growing *to, struct run *run)
{
    for (; (run->more = json_next_element(json)); run->count++) {
        enum json_type type = json_type(json);
        if (type == JSON_ARRAY)
            break;
        if (type != JSON_STRING)
            return wrong_type(json, tensor, position + run->count, to->arena);
        struct str value;
        if (!json_read_string(json, &value))
            break;
        size_t size = sizeof(uint32_t) + value.size;
        if (to->capacity - to->size < size && !grow(to, size))
            return status_no_memory();
        uint32_t length = (uint32_t)value.size; /* the reader takes no text of 4 GB */
        memcpy(to->data + to->size, &length, sizeof length);
        if (value.size)
            memcpy(to->data + to->size + sizeof length, value.data, value.size);
        to->size += size;
    }
    return STATUS_IS_OK;
}

typedef struct status (*read_run)(struct json_reader *json, const struct tensor *tensor, size_t position,
                                  struct growing *to, struct run *run);

struct status json_read_tensor(struct json_reader *json, struct tensor *tensor, enum nesting *nesting,
                               struct arena *arena)
{
    enum json_type type = json_type(json);
    if (type != JSON_ARRAY) {
        if (!json_skip(json, NULL))
            return STATUS_IS_OK;
        return status_broken(arena, STATUS_INVALID_ARGUMENT, "data-array", "data of tensor '%s' is no array",
                             str_printable(arena, tensor->name));
    }
    read_run read = tensor->datatype == DATATYPE_BOOL    ? read_bools
                    : tensor->datatype == DATATYPE_BYTES ? read_strings
                                                         : read_numbers;
    struct growing to = {.arena = arena};
    size_t claimed;
    if (tensor->shape && shape_count(tensor->shape, tensor->rank, &claimed))
        to.claimed = claimed * datatype_size(tensor->datatype);
    if (!grow(&to, 0))
        return status_no_memory();

    size_t children[JSON_DEPTH] = {0}; /* of each open bracket */
    size_t depth = 0, count = 0;
    bool flat = true, shaped = tensor->shape != NULL;
    json_enter_array(json);
    for (;;) {
        struct run run = {0};
        struct status status = read(json, tensor, count, &to, &run);
        if (!is_ok(status) || json_failed(json))
            return status;
        count += run.count;
        children[depth] += run.count + run.more;
        shaped = shaped && (run.count == 0 || depth + 1 == tensor->rank);
        if (run.more && depth + 1 < JSON_DEPTH && json_enter_array(json)) {
            children[++depth] = 0;
            flat = false;
        } else if (run.more) {
            return STATUS_IS_OK; /* deeper than the reader allows: its fault */
        } else {
            shaped = shaped && depth < tensor->rank && children[depth] == (uint64_t)tensor->shape[depth];
            if (depth-- == 0)
                break;
        }
    }
    if (nesting)
        *nesting = flat ? NESTING_FLAT : shaped ? NESTING_SHAPED : NESTING_OTHER;
    tensor->data = to.data;
    tensor->size = to.size;
    tensor->count = count;
    return STATUS_IS_OK;
}

/* --- Writing ----------------------------------------------------------------------------------------------------- */

static double scaled(double value, int power)
{
    return power < 0 ? value / powers_of_ten[-power] : value * powers_of_ten[power];
}

/* The decimal with the fewest digits that narrows to the same 16 bits as `value` does, the nearest of them. Such a
 * decimal has at most 5 digits and a float holds 6, so that the shortest text of the float is this decimal. */
static float shortest_decimal(double value, uint16_t (*narrow)(double))
{
    double magnitude = fabs(value);
    uint16_t bits = narrow(magnitude);
    if (bits == 0)
        return (float)value;
    int exponent = (int)floor(log10(magnitude));
    for (int digits = 1; digits <= 5; digits++) {
        int power = digits - 1 - exponent;
        double exact = scaled(magnitude, power), below = floor(exact);
        double near = exact - below <= 0.5 ? below : below + 1, far = near == below ? below + 1 : below;
        for (int second = 0; second < 2; second++) {
            double decimal = scaled(second ? far : near, -power);
            if (narrow(decimal) == bits)
                return (float)copysign(decimal, value);
        }
    }
    return (float)value;
}

#define INTEGER_TO_NUMBER(name, type, write)                                                                           \
    static size_t name##_to_number(const char *from, char *text)                                                       \
    {                                                                                                                  \
        type element;                                                                                                  \
        memcpy(&element, from, sizeof element);                                                                        \
        return write(element, text);                                                                                   \
    }
INTEGER_TO_NUMBER(int8, int8_t, number_write_int64)
INTEGER_TO_NUMBER(int16, int16_t, number_write_int64)
INTEGER_TO_NUMBER(int32, int32_t, number_write_int64)
INTEGER_TO_NUMBER(int64, int64_t, number_write_int64)
INTEGER_TO_NUMBER(uint8, uint8_t, number_write_uint64)
INTEGER_TO_NUMBER(uint16, uint16_t, number_write_uint64)
INTEGER_TO_NUMBER(uint32, uint32_t, number_write_uint64)
INTEGER_TO_NUMBER(uint64, uint64_t, number_write_uint64)

/* 0: the value is not finite, which no JSON number can be. */
static size_t fp32_to_number(const char *from, char *text)
{
    float value;
    memcpy(&value, from, sizeof value);
    return isfinite(value) ? number_write_float(value, text) : 0;
}

static size_t fp64_to_number(const char *from, char *text)
{
    double value;
    memcpy(&value, from, sizeof value);
    return isfinite(value) ? number_write_double(value, text) : 0;
}

static size_t fp16_to_number(const char *from, char *text)
{
    uint16_t bits;
    memcpy(&bits, from, sizeof bits);
    float value = half_to_float(bits);
    return isfinite(value) ? number_write_float(shortest_decimal((double)value, half_from_double), text) : 0;
}

static size_t bf16_to_number(const char *from, char *text)
{
    uint16_t bits;
    memcpy(&bits, from, sizeof bits);
    float value = bfloat16_to_float(bits);
    return isfinite(value) ? number_write_float(shortest_decimal((double)value, bfloat16_from_double), text) : 0;
}

static size_t bool_to_literal(const char *from, char *text)
{
    size_t length = *from ? 4 : 5;
    memcpy(text, *from ? "true" : "false", length);
    return length;
}

static size_t (*const to_text[DATATYPE_COUNT])(const char *from, char *text) = {
    [DATATYPE_BOOL] = bool_to_literal,    [DATATYPE_UINT8] = uint8_to_number,   [DATATYPE_UINT16] = uint16_to_number,
    [DATATYPE_UINT32] = uint32_to_number, [DATATYPE_UINT64] = uint64_to_number, [DATATYPE_INT8] = int8_to_number,
    [DATATYPE_INT16] = int16_to_number,   [DATATYPE_INT32] = int32_to_number,   [DATATYPE_INT64] = int64_to_number,
    [DATATYPE_FP16] = fp16_to_number,     [DATATYPE_FP32] = fp32_to_number,     [DATATYPE_FP64] = fp64_to_number,
    [DATATYPE_BF16] = bf16_to_number,
};

static struct status cannot_say(const struct tensor *tensor, size_t position, const char *what, struct arena *arena)
{
    return status_error(arena, STATUS_INTERNAL, "output '%s' (%s): element %zu is %s, which JSON cannot express",
                        str_printable(arena, tensor->name), datatype_name(tensor->datatype), position, what);
}

static struct status write_strings(const struct tensor *tensor, struct buf *out, struct arena *arena)
{
    struct str element;
    size_t offset = 0;
    for (size_t i = 0; raw_next_bytes(tensor, &offset, &element); i++) {
        if (!str_is_utf8(element))
            return cannot_say(tensor, i, "not UTF-8", arena);
        if (i)
            buf_append_byte(out, ',');
        json_write_string(out, element);
    }
    return STATUS_IS_OK;
}

#define WRITE_AT_ONCE 512 /* elements between two looks at the room in `out` */

static struct status write_elements(const struct tensor *tensor, struct buf *out, struct arena *arena)
{
    size_t size = datatype_size(tensor->datatype);
    size_t (*convert)(const char *, char *) = to_text[tensor->datatype];
    const char *from = tensor->data;
    for (size_t i = 0; i < tensor->count;) {
        size_t until = tensor->count - i < WRITE_AT_ONCE ? tensor->count : i + WRITE_AT_ONCE;
        char *start = buf_reserve(out, (until - i) * (NUMBER_TEXT_MAX + 1));
        if (!start)
            return status_no_memory();
        char *at = start;
        for (; i < until; i++, from += size) {
            size_t length = convert(from, at);
            if (length == 0)
                return cannot_say(tensor, i, "NaN or infinite", arena);
            at += length;
            *at++ = ',';
        }
        out->size += (size_t)(at - start);
    }
    out->size -= tensor->count > 0; /* the last comma */
    return STATUS_IS_OK;
}

struct status json_write_tensor(const struct tensor *tensor, struct buf *out, struct arena *arena)
{
    buf_append_byte(out, '[');
    struct status status =
        tensor->datatype == DATATYPE_BYTES ? write_strings(tensor, out, arena) : write_elements(tensor, out, arena);
    if (!is_ok(status))
        return status;
    buf_append_byte(out, ']');
    return out->failed ? status_no_memory() : STATUS_IS_OK;
}
