/* Writes the elements of a tensor as JSON. */
#include "tensor/half.h"
#include "tensor/half_text.h"
#include "tensor/json_tensor.h"
#include "tensor/raw.h"
#include "json/number.h"
#include "json/writer.h"

#include <math.h>

/* Writes an element as JSON and returns the length. It is 0 if the element is not finite: JSON has no such number. */
static size_t bool_text(char value, char *text)
{
    size_t length = value ? 4 : 5;
    memcpy(text, value ? "true" : "false", length);
    return length;
}

static size_t fp32_text(float value, char *text)
{
    return isfinite(value) ? number_write_float(value, text) : 0;
}

static size_t fp64_text(double value, char *text)
{
    return isfinite(value) ? number_write_double(value, text) : 0;
}

static size_t fp16_text(uint16_t bits, char *text)
{
    return isfinite(half_to_float(bits)) ? half_write(bits, text) : 0;
}

static size_t bf16_text(uint16_t bits, char *text)
{
    return isfinite(bfloat16_to_float(bits)) ? bfloat16_write(bits, text) : 0;
}

/* Writes elements, each with a comma after it, to *at, which has room for all, and moves *at. Returns how many it
 * wrote; it stops before an element that JSON cannot express. */
#define LIST(name, type, text)                                                                                         \
    static size_t name##_list(const char *from, size_t count, char **at)                                               \
    {                                                                                                                  \
        size_t i = 0;                                                                                                  \
        char *to = *at;                                                                                                \
        for (; i < count; i++) {                                                                                       \
            type element;                                                                                              \
            memcpy(&element, from + i * sizeof element, sizeof element);                                               \
            size_t length = text(element, to);                                                                         \
            if (length == 0)                                                                                           \
                break;                                                                                                 \
            to += length;                                                                                              \
            *to++ = ',';                                                                                               \
        }                                                                                                              \
        *at = to;                                                                                                      \
        return i;                                                                                                      \
    }
LIST(bool, char, bool_text)
LIST(int8, int8_t, number_write_int64)
LIST(int16, int16_t, number_write_int64)
LIST(int32, int32_t, number_write_int64)
LIST(int64, int64_t, number_write_int64)
LIST(uint8, uint8_t, number_write_uint64)
LIST(uint16, uint16_t, number_write_uint64)
LIST(uint32, uint32_t, number_write_uint64)
LIST(uint64, uint64_t, number_write_uint64)
LIST(fp16, uint16_t, fp16_text)
LIST(fp32, float, fp32_text)
LIST(fp64, double, fp64_text)
LIST(bf16, uint16_t, bf16_text)

static size_t (*const lists[DATATYPE_COUNT])(const char *from, size_t count, char **at) = {
    [DATATYPE_BOOL] = bool_list,     [DATATYPE_UINT8] = uint8_list,   [DATATYPE_UINT16] = uint16_list,
    [DATATYPE_UINT32] = uint32_list, [DATATYPE_UINT64] = uint64_list, [DATATYPE_INT8] = int8_list,
    [DATATYPE_INT16] = int16_list,   [DATATYPE_INT32] = int32_list,   [DATATYPE_INT64] = int64_list,
    [DATATYPE_FP16] = fp16_list,     [DATATYPE_FP32] = fp32_list,     [DATATYPE_FP64] = fp64_list,
    [DATATYPE_BF16] = bf16_list,
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

#define WRITE_AT_ONCE 512 /* elements that are written before the room in `out` is checked again */

static struct status write_elements(const struct tensor *tensor, struct buf *out, struct arena *arena)
{
    size_t size = datatype_size(tensor->datatype);
    const char *from = tensor->data;
    for (size_t i = 0; i < tensor->count;) {
        size_t count = tensor->count - i < WRITE_AT_ONCE ? tensor->count - i : WRITE_AT_ONCE;
        char *end = buf_reserve(out, count * (NUMBER_TEXT_MAX + 1));
        NEED(end);
        size_t written = lists[tensor->datatype](from + i * size, count, &end);
        out->size = (size_t)(end - out->data);
        i += written;
        if (written < count)
            return cannot_say(tensor, i, "NaN or infinite", arena);
    }
    out->size -= tensor->count > 0; /* removes the last comma */
    return STATUS_IS_OK;
}

struct status json_write_tensor(const struct tensor *tensor, struct buf *out, struct arena *arena)
{
    buf_append_byte(out, '[');
    TRY(tensor->datatype == DATATYPE_BYTES ? write_strings(tensor, out, arena) : write_elements(tensor, out, arena));
    buf_append_byte(out, ']');
    return out->failed ? status_no_memory() : STATUS_IS_OK;
}
