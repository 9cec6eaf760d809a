/* Nested arrays are read without recursion, with one counter for each level. All elements go to one row-major block, in
 * the order of the text. When a bracket closes, its counter is compared with the shape; this tells the nesting. */
#include "tensor/half_text.h"
#include "tensor/json_tensor.h"
#include "tensor/raw.h"
#include "json/number.h"

#include <math.h>

/* --- Memory that grows --- */

struct growing {
    struct arena *arena;
    char *data; /* aligned to 64 bytes */
    size_t size, capacity;
    size_t claimed; /* bytes that the shape asks for; 0 if unknown */
};

/* Makes room for `more` bytes. The size that a shape claims is reserved only when a sixteenth of it has really come. So
 * a long tensor is copied at most twice, and a wrong shape reserves little memory. */
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

/* --- Elements --- */

typedef uint16_t fp16_t, bf16_t;
typedef float fp32_t;
typedef double fp64_t;

/* NAME_element stores a number as an element; returns false if the datatype cannot hold it. */
#define ELEMENT(name, type, fits)                                                                                      \
    static bool name##_element(type value, char *to)                                                                   \
    {                                                                                                                  \
        name##_t element = (name##_t)value;                                                                            \
        memcpy(to, &element, sizeof element);                                                                          \
        return fits;                                                                                                   \
    }
ELEMENT(int8, int64_t, value >= INT8_MIN && value <= INT8_MAX)
ELEMENT(int16, int64_t, value >= INT16_MIN && value <= INT16_MAX)
ELEMENT(int32, int64_t, value >= INT32_MIN && value <= INT32_MAX)
ELEMENT(int64, int64_t, true)
ELEMENT(uint8, int64_t, value >= 0 && value <= UINT8_MAX)
ELEMENT(uint16, int64_t, value >= 0 && value <= UINT16_MAX)
ELEMENT(uint32, int64_t, value >= 0 && value <= UINT32_MAX)
ELEMENT(uint64, uint64_t, true)
ELEMENT(fp16, uint16_t, (value & 0x7fff) != 0x7c00)
ELEMENT(fp32, float, true)
ELEMENT(fp64, double, true)
ELEMENT(bf16, uint16_t, (value & 0x7fff) != 0x7f80)

/* NAME_scan reads the element at the start of a text. NAME_run reads as many elements as there is room for, and returns
 * how many. */
#define SCAN_AND_RUN(name, type, scan_number)                                                                          \
    static const char *name##_scan(const char *text, const char *end, char *to)                                        \
    {                                                                                                                  \
        type value;                                                                                                    \
        const char *stopped = scan_number(text, end, &value);                                                          \
        return stopped && name##_element(value, to) ? stopped : NULL;                                                  \
    }                                                                                                                  \
    static size_t name##_run(struct json_reader *json, char *to, size_t room)                                          \
    {                                                                                                                  \
        const size_t size = sizeof(name##_t);                                                                          \
        struct json_run run = json_run_begin(json, room / size);                                                       \
        const char *text;                                                                                              \
        while ((text = json_run_element(&run)) && json_run_take(&run, name##_scan(text, run.end, to)))                 \
            to += size;                                                                                                \
        return json_run_end(json, run);                                                                                \
    }

/* NAME_read reads a whole spelling. Integers may have a fraction or an exponent here; floats are read as in
 * NAME_scan. */
#define INTEGER(name, type, scan_number, read_number)                                                                  \
    SCAN_AND_RUN(name, type, scan_number)                                                                              \
    static bool name##_read(struct str spelling, char *to)                                                             \
    {                                                                                                                  \
        type value;                                                                                                    \
        return read_number(spelling, &value) && name##_element(value, to);                                             \
    }
#define FLOAT(name, scan_number)                                                                                       \
    SCAN_AND_RUN(name, name##_t, scan_number)                                                                          \
    static bool name##_read(struct str spelling, char *to)                                                             \
    {                                                                                                                  \
        return name##_scan(spelling.data, spelling.data + spelling.size, to) != NULL;                                  \
    }
INTEGER(int8, int64_t, number_scan_int64, number_read_int64)
INTEGER(int16, int64_t, number_scan_int64, number_read_int64)
INTEGER(int32, int64_t, number_scan_int64, number_read_int64)
INTEGER(int64, int64_t, number_scan_int64, number_read_int64)
INTEGER(uint8, int64_t, number_scan_int64, number_read_int64)
INTEGER(uint16, int64_t, number_scan_int64, number_read_int64)
INTEGER(uint32, int64_t, number_scan_int64, number_read_int64)
INTEGER(uint64, uint64_t, number_scan_uint64, number_read_uint64)
FLOAT(fp16, half_scan)
FLOAT(fp32, number_scan_float)
FLOAT(fp64, number_scan_double)
FLOAT(bf16, bfloat16_scan)

static const struct {
    size_t (*run)(struct json_reader *json, char *to, size_t room);
    bool (*read)(struct str spelling, char *to);
} from_number[DATATYPE_COUNT] = {
    [DATATYPE_UINT8] = {uint8_run, uint8_read},    [DATATYPE_UINT16] = {uint16_run, uint16_read},
    [DATATYPE_UINT32] = {uint32_run, uint32_read}, [DATATYPE_UINT64] = {uint64_run, uint64_read},
    [DATATYPE_INT8] = {int8_run, int8_read},       [DATATYPE_INT16] = {int16_run, int16_read},
    [DATATYPE_INT32] = {int32_run, int32_read},    [DATATYPE_INT64] = {int64_run, int64_read},
    [DATATYPE_FP16] = {fp16_run, fp16_read},       [DATATYPE_FP32] = {fp32_run, fp32_read},
    [DATATYPE_FP64] = {fp64_run, fp64_read},       [DATATYPE_BF16] = {bf16_run, bf16_read},
};

/* --- Elements that are wrong --- */

/* Returns which requirement an element breaks that is not exactly of the datatype: it is null, a number of the right
 * kind that the datatype cannot hold, or something of another kind. */
static const char *slug_of_wrong(enum datatype datatype, struct str text)
{
    bool is_number = text.data[0] == '-' || (text.data[0] >= '0' && text.data[0] <= '9');
    if (str_is(text, "null"))
        return "element-null";
    if (!is_number || !from_number[datatype].read)
        return "element-type";
    double value;
    bool is_whole = !number_read_double(text, &value) || value == floor(value);
    return datatype_is_float(datatype) || is_whole ? "element-range" : "element-type";
}

static struct status wrong_element(const struct tensor *tensor, size_t position, struct str text, struct arena *arena)
{
    const char *slug = slug_of_wrong(tensor->datatype, text);
    if (text.size > 60)
        text.size = 60;
    return status_breaks(arena, slug, "data of tensor '%s': element %zu is %s, which is not a valid %s",
                         str_printable(arena, tensor->name), position, str_printable(arena, text),
                         datatype_name(tensor->datatype));
}

/* Refuses the value at the cursor, which has another JSON type. If it is not valid JSON, json_end reports that
 * instead. */
static struct status wrong_type(struct json_reader *json, const struct tensor *tensor, size_t position,
                                struct arena *arena)
{
    struct str text;
    if (!json_skip(json, &text))
        return STATUS_IS_OK;
    return wrong_element(tensor, position, text, arena);
}

/* --- Lists --- */

/* The run of elements up to a nested array or the end of the list. `more` says that a nested array follows. */
struct run {
    size_t count;
    bool more;
};

static struct status read_numbers(struct json_reader *json, const struct tensor *tensor, size_t position,
                                  struct growing *to, struct run *run)
{
    size_t size = datatype_size(tensor->datatype);
    for (;; run->count++) {
        size_t taken = from_number[tensor->datatype].run(json, to->data + to->size, to->capacity - to->size);
        to->size += taken * size;
        run->count += taken;
        run->more = json_next_element(json);
        if (!run->more)
            break;
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
        if (!from_number[tensor->datatype].read(spelling, to->data + to->size))
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
        raw_put_bytes(to->data + to->size, value); /* its length fits, because the reader takes no text of 4 GB */
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
        return status_breaks(arena, "data-array", "data of tensor '%s' is not an array",
                             str_printable(arena, tensor->name));
    }
    read_run read = tensor->datatype == DATATYPE_BOOL    ? read_bools
                    : tensor->datatype == DATATYPE_BYTES ? read_strings
                                                         : read_numbers;
    struct growing to = {.arena = arena};
    size_t claimed;
    if (tensor->shape && shape_count(tensor->shape, tensor->rank, &claimed))
        to.claimed = claimed * datatype_size(tensor->datatype);
    NEED(grow(&to, 0));

    size_t children[JSON_DEPTH]; /* how many values each open bracket has so far */
    size_t depth = 0, count = 0;
    children[0] = 0;
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
            return STATUS_IS_OK; /* json_end reports that the nesting is deeper than the reader allows */
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
