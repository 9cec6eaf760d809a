#include "tensor/half.h"
#include "tensor/json_tensor.h"
#include "tensor/raw.h"
#include "json/number.h"
#include "json/writer.h"

#include <math.h>

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
    return isfinite(half_to_float(bits)) ? number_write_half(bits, text) : 0;
}

static size_t bf16_to_number(const char *from, char *text)
{
    uint16_t bits;
    memcpy(&bits, from, sizeof bits);
    return isfinite(bfloat16_to_float(bits)) ? number_write_bfloat16(bits, text) : 0;
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
