/* Elements are converted in two steps, a few at a time, so that 13 types need 13 readers and 13 writers instead of 169
 * loops. Between the steps an integer is stored in 64 bits (a UINT64 by its bits) and a float in a double; both are
 * exact. */
#include "tensor/cast.h"

#include "tensor/half.h"

#define STEP ((size_t)128)

enum carrier { CARRY_SIGNED, CARRY_UNSIGNED, CARRY_FLOAT };

union carried {
    int64_t integer[STEP];
    double number[STEP];
};

/* X(datatype, C type, carrier) for the types that C can convert. */
#define PLAIN_TYPES(X)                                                                                                 \
    X(DATATYPE_BOOL, uint8_t, CARRY_SIGNED)                                                                            \
    X(DATATYPE_UINT8, uint8_t, CARRY_SIGNED)                                                                           \
    X(DATATYPE_UINT16, uint16_t, CARRY_SIGNED)                                                                         \
    X(DATATYPE_UINT32, uint32_t, CARRY_SIGNED)                                                                         \
    X(DATATYPE_UINT64, uint64_t, CARRY_UNSIGNED)                                                                       \
    X(DATATYPE_INT8, int8_t, CARRY_SIGNED)                                                                             \
    X(DATATYPE_INT16, int16_t, CARRY_SIGNED)                                                                           \
    X(DATATYPE_INT32, int32_t, CARRY_SIGNED)                                                                           \
    X(DATATYPE_INT64, int64_t, CARRY_SIGNED)                                                                           \
    X(DATATYPE_FP32, float, CARRY_FLOAT)                                                                               \
    X(DATATYPE_FP64, double, CARRY_FLOAT)

static enum carrier read_elements(enum datatype datatype, const void *data, size_t at, size_t count,
                                  union carried *carried)
{
    switch (datatype) {
#define READ(DATATYPE, TYPE, CARRIER)                                                                                  \
    case DATATYPE:                                                                                                     \
        for (size_t i = 0; i < count; i++)                                                                             \
            if ((CARRIER) == CARRY_FLOAT)                                                                              \
                carried->number[i] = (double)((const TYPE *)data)[at + i];                                             \
            else                                                                                                       \
                carried->integer[i] = (int64_t)((const TYPE *)data)[at + i];                                           \
        return CARRIER;
        PLAIN_TYPES(READ)
#undef READ
    case DATATYPE_FP16:
        for (size_t i = 0; i < count; i++)
            carried->number[i] = (double)half_to_float(((const uint16_t *)data)[at + i]);
        return CARRY_FLOAT;
    default:
        for (size_t i = 0; i < count; i++)
            carried->number[i] = (double)bfloat16_to_float(((const uint16_t *)data)[at + i]);
        return CARRY_FLOAT;
    }
}

/* The ranges to which floats are clamped when they become integers. 2^63 and 2^64 are the first doubles beyond the
 * range. */
static const struct {
    double low, high;
} ranges[DATATYPE_COUNT] = {
    [DATATYPE_UINT8] = {0, UINT8_MAX},         [DATATYPE_UINT16] = {0, UINT16_MAX},
    [DATATYPE_UINT32] = {0, UINT32_MAX},       [DATATYPE_UINT64] = {0, 0x1p64},
    [DATATYPE_INT8] = {INT8_MIN, INT8_MAX},    [DATATYPE_INT16] = {INT16_MIN, INT16_MAX},
    [DATATYPE_INT32] = {INT32_MIN, INT32_MAX}, [DATATYPE_INT64] = {-0x1p63, 0x1p63},
};

static int64_t integer_of(double number, enum datatype datatype)
{
    if (!(number > ranges[datatype].low)) /* true for NaN too */
        return number <= ranges[datatype].low ? (int64_t)ranges[datatype].low : 0;
    if (number >= ranges[datatype].high)
        number = ranges[datatype].high;
    if (number >= 0x1p64)
        return -1; /* the bits of UINT64_MAX */
    if (number >= 0x1p63)
        return datatype == DATATYPE_UINT64 ? (int64_t)(uint64_t)number : INT64_MAX;
    return (int64_t)number;
}

static double number_of(const union carried *carried, enum carrier carrier, size_t i)
{
    if (carrier == CARRY_FLOAT)
        return carried->number[i];
    return carrier == CARRY_UNSIGNED ? (double)(uint64_t)carried->integer[i] : (double)carried->integer[i];
}

/* Converts the integer directly, because a conversion through a double would round it twice. */
static float float_of(const union carried *carried, enum carrier carrier, size_t i)
{
    if (carrier == CARRY_FLOAT)
        return (float)carried->number[i];
    return carrier == CARRY_UNSIGNED ? (float)(uint64_t)carried->integer[i] : (float)carried->integer[i];
}

static void write_elements(enum datatype datatype, void *data, size_t at, size_t count, const union carried *carried,
                           enum carrier carrier)
{
    switch (datatype) {
    case DATATYPE_BOOL:
        for (size_t i = 0; i < count; i++)
            ((uint8_t *)data)[at + i] = carrier == CARRY_FLOAT ? carried->number[i] != 0 : carried->integer[i] != 0;
        return;
    case DATATYPE_FP16:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)data)[at + i] = half_from_double(number_of(carried, carrier, i));
        return;
    case DATATYPE_BF16:
        for (size_t i = 0; i < count; i++)
            ((uint16_t *)data)[at + i] = bfloat16_from_double(number_of(carried, carrier, i));
        return;
    case DATATYPE_FP32:
        for (size_t i = 0; i < count; i++)
            ((float *)data)[at + i] = float_of(carried, carrier, i);
        return;
    case DATATYPE_FP64:
        for (size_t i = 0; i < count; i++)
            ((double *)data)[at + i] = number_of(carried, carrier, i);
        return;
    default:
        for (size_t i = 0; i < count; i++) {
            int64_t integer = carrier == CARRY_FLOAT ? integer_of(carried->number[i], datatype) : carried->integer[i];
            memcpy((char *)data + (at + i) * datatype_size(datatype), &integer, datatype_size(datatype));
        }
    }
}

bool tensor_cast(const struct tensor *from, enum datatype datatype, struct arena *arena, struct tensor *to)
{
    const struct tensor source = *from;
    size_t size;
    if (__builtin_mul_overflow(source.count, datatype_size(datatype), &size))
        return false;
    void *data = arena_alloc(arena, size);
    if (!data)
        return false;
    for (size_t at = 0; at < source.count; at += STEP) {
        union carried carried;
        size_t count = source.count - at < STEP ? source.count - at : STEP;
        enum carrier carrier = read_elements(source.datatype, source.data, at, count, &carried);
        write_elements(datatype, data, at, count, &carried, carrier);
    }
    to->datatype = datatype;
    to->data = data;
    to->size = size;
    to->count = source.count;
    return true;
}
