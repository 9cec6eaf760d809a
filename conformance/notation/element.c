#include "notation/element.h"

#include "base/search.h"
#include "tensor/half.h"
#include "json/number.h"

#include <inttypes.h>
#include <math.h>

static bool is_signed(enum datatype datatype)
{
    return datatype >= DATATYPE_INT8 && datatype <= DATATYPE_INT64;
}

static uint64_t mask_of(enum datatype datatype)
{
    size_t size = datatype_size(datatype);
    return size >= 8 ? UINT64_MAX : ((uint64_t)1 << (8 * size)) - 1;
}

static uint64_t float_bits(double value, enum datatype datatype)
{
    if (datatype == DATATYPE_FP16)
        return half_from_double(value);
    if (datatype == DATATYPE_BF16)
        return bfloat16_from_double(value);
    if (datatype == DATATYPE_FP32) {
        float single = (float)value;
        uint32_t bits;
        memcpy(&bits, &single, sizeof(bits));
        return bits;
    }
    uint64_t bits;
    memcpy(&bits, &value, sizeof(bits));
    return bits;
}

static double float_value(const struct element *element)
{
    float single;
    double value;
    uint32_t low = (uint32_t)element->bits;
    switch (element->datatype) {
    case DATATYPE_FP16:
        return half_to_float((uint16_t)element->bits);
    case DATATYPE_BF16:
        return bfloat16_to_float((uint16_t)element->bits);
    case DATATYPE_FP32:
        memcpy(&single, &low, sizeof(single));
        return single;
    default:
        memcpy(&value, &element->bits, sizeof(value));
        return value;
    }
}

/* Reads NaN and the infinities in the spellings of proto3's JSON, Python, C and JavaScript. */
static bool read_special(struct str text, double *value)
{
    static const struct {
        const char *name;
        double value;
    } specials[] = {{"nan", NAN},       {"-nan", NAN},       {"inf", INFINITY},       {"infinity", INFINITY},
                    {"+inf", INFINITY}, {"-inf", -INFINITY}, {"-infinity", -INFINITY}};
    for (size_t i = 0; i < COUNT_OF(specials); i++)
        if (str_equal_ignoring_case(text, str_of(specials[i].name))) {
            *value = specials[i].value;
            return true;
        }
    return false;
}

static bool read_float(struct str spelling, bool number, struct element *element)
{
    double value;
    if (read_special(spelling, &value)) {
        element->bits = float_bits(value, element->datatype);
        return true;
    }
    if (!number)
        return false;
    float single;
    if (element->datatype == DATATYPE_FP32) {
        if (!number_read_float(spelling, &single))
            return false;
        value = single;
    } else if (!number_read_double(spelling, &value)) {
        return false;
    }
    element->bits = float_bits(value, element->datatype);
    struct element read = *element;
    return !isinf(float_value(&read));
}

static bool read_integer(struct str spelling, struct element *element)
{
    size_t bits = 8 * datatype_size(element->datatype);
    if (is_signed(element->datatype)) {
        int64_t value;
        int64_t highest = (int64_t)(mask_of(element->datatype) >> 1);
        if (!number_read_int64(spelling, &value) || (bits < 64 && (value > highest || value < -highest - 1)))
            return false;
        element->bits = (uint64_t)value & mask_of(element->datatype);
        return true;
    }
    uint64_t value;
    if (!number_read_uint64(spelling, &value) || value > mask_of(element->datatype))
        return false;
    element->bits = value;
    return true;
}

static bool read_bool(const struct tree *tree, struct element *element)
{
    if (tree->type == TREE_BOOL) {
        element->bits = tree->boolean;
        return true;
    }
    return tree->type == TREE_NUMBER && number_read_uint64(tree->text, &element->bits) && element->bits <= 1;
}

bool element_read(const struct tree *tree, enum datatype datatype, enum element_side side, struct element *element)
{
    *element = (struct element){.datatype = datatype};
    if (datatype == DATATYPE_BYTES) {
        element->bytes = tree->text;
        return tree->type == TREE_STRING;
    }
    if (datatype == DATATYPE_BOOL)
        return read_bool(tree, element);
    if (tree->type != TREE_NUMBER && tree->type != TREE_STRING)
        return false;
    bool number = tree->type == TREE_NUMBER ||
                  (side == ELEMENT_EXPECTED && tree->text.size && number_first(tree->text) == tree->text.size);
    if (datatype_is_float(datatype))
        return read_float(tree->text, number, element);
    return number && read_integer(tree->text, element);
}

bool element_unpack(struct str *packed, enum datatype datatype, struct element *element)
{
    *element = (struct element){.datatype = datatype};
    size_t size = datatype_size(datatype);
    if (datatype == DATATYPE_BYTES) {
        uint32_t length;
        if (packed->size < sizeof(length))
            return false;
        memcpy(&length, packed->data, sizeof(length));
        if (length > packed->size - sizeof(length))
            return false;
        element->bytes = (struct str){packed->data + sizeof(length), length};
        *packed = str_from(*packed, sizeof(length) + length);
        return true;
    }
    if (size == 0 || packed->size < size)
        return false;
    memcpy(&element->bits, packed->data, size);
    *packed = str_from(*packed, size);
    return true;
}

bool element_equal(const struct element *a, const struct element *b)
{
    if (a->datatype != b->datatype)
        return false;
    if (a->datatype == DATATYPE_BYTES)
        return str_equal(a->bytes, b->bytes);
    return a->bits == b->bits || (datatype_is_float(a->datatype) && isnan(float_value(a)) && isnan(float_value(b)));
}

/* Maps floats to integers in the same order, so that neighbouring floats differ by one. Negative floats are mirrored;
 * -0 and 0 differ by one. */
static uint64_t ordered(const struct element *element)
{
    uint64_t mask = mask_of(element->datatype), sign = (mask >> 1) + 1;
    return element->bits & sign ? mask - element->bits : element->bits | sign;
}

bool element_within(const struct element *a, const struct element *b, uint64_t distance)
{
    if (element_equal(a, b))
        return true;
    if (a->datatype != b->datatype || !datatype_is_float(a->datatype) || isnan(float_value(a)) || isnan(float_value(b)))
        return false;
    uint64_t low = ordered(a), high = ordered(b);
    return (low < high ? high - low : low - high) <= distance;
}

bool element_close(const struct element *a, const struct element *b)
{
    if (element_equal(a, b))
        return true;
    if (a->datatype != b->datatype || !datatype_is_float(a->datatype))
        return false;
    bool half = a->datatype == DATATYPE_FP16 || a->datatype == DATATYPE_BF16;
    double relative = half ? 2e-2 : 1e-3, absolute = half ? 1e-3 : 1e-5;
    double x = float_value(a), y = float_value(b);
    return fabs(x - y) <= absolute + relative * fmax(fabs(x), fabs(y));
}

bool element_is_zero(const struct element *element)
{
    if (element->datatype == DATATYPE_BYTES)
        return element->bytes.size == 0;
    return datatype_is_float(element->datatype) ? float_value(element) == 0 : element->bits == 0;
}

/* Returns the spelling that JSON has for a number; one that is not finite has none. */
static struct str spelling_of(const struct element *element, struct arena *arena)
{
    char text[NUMBER_TEXT_MAX];
    size_t size;
    uint64_t mask = mask_of(element->datatype), sign = (mask >> 1) + 1;
    if (element->datatype == DATATYPE_FP64)
        size = number_write_double(float_value(element), text);
    else if (datatype_is_float(element->datatype))
        size = number_write_float((float)float_value(element), text);
    else if (is_signed(element->datatype))
        size = number_write_int64((int64_t)(element->bits & sign ? element->bits | ~mask : element->bits), text);
    else
        size = number_write_uint64(element->bits, text);
    return arena_copy(arena, (struct str){text, size});
}

/* Returns the name of a float that is not finite; NULL: it is finite, or no float. */
static const char *special_name(const struct element *element)
{
    double value = datatype_is_float(element->datatype) ? float_value(element) : 0;
    return isfinite(value) ? NULL : isnan(value) ? "NaN" : value < 0 ? "-Infinity" : "Infinity";
}

struct tree *element_tree(const struct element *element, struct arena *arena)
{
    const char *special = special_name(element);
    if (element->datatype == DATATYPE_BYTES)
        return tree_string(arena, element->bytes);
    if (element->datatype == DATATYPE_BOOL)
        return tree_bool(arena, element->bits != 0);
    return special ? tree_string(arena, str_of(special)) : tree_number(arena, spelling_of(element, arena));
}

struct str element_text(const struct element *element, struct arena *arena)
{
    const char *special = special_name(element);
    if (element->datatype == DATATYPE_BYTES)
        return arena_printf(arena, "\"%s\"", str_printable(arena, element->bytes));
    if (element->datatype == DATATYPE_BOOL)
        return element->bits ? STR("true") : STR("false");
    if (special)
        return arena_printf(arena, "%s (0x%0*" PRIx64 ")", special, (int)(2 * datatype_size(element->datatype)),
                            element->bits);
    return spelling_of(element, arena);
}
