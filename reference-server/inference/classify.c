#include "inference/classify.h"

#include "base/search.h"
#include "models/config.h"
#include "tensor/cast.h"
#include "tensor/raw.h"
#include <stdlib.h>

/* An element on its way to be sorted. */
struct scored {
    uint64_t key; /* larger for larger values */
    size_t index;
};

/* The elements of an output in the widest datatype of their kind, row by row. */
struct rows {
    struct tensor tensor; /* INT64, UINT64 or FP64 */
    size_t count, classes, kept;
    size_t *indices; /* of the classes that are kept, row by row, those with the largest values first */
};

static const struct parameter *asked(const struct infer_requested_output *requested, bool *is_values)
{
    const struct parameter *texts = parameters_find(&requested->parameters, "classification");
    *is_values = !texts;
    return texts ? texts : parameters_find(&requested->parameters, "classification_count");
}

/* --- What may be asked for --- */

static struct status check(const struct infer_request *request, const struct infer_requested_output *requested)
{
    bool is_values;
    const struct parameter *classes = asked(requested, &is_values);
    const char *name = str_printable(request->arena, requested->name);
    if (!classes)
        return STATUS_IS_OK;
    if (!is_values && parameters_find(&requested->parameters, "classification_count"))
        return status_invalid(
            request->arena, "output '%s' is asked for with both \"classification\" and \"classification_count\"", name);
    if (classes->kind != PARAMETER_INT64 || classes->int64 < 1)
        return status_invalid(request->arena, "output '%s': \"%s\" must be the number of classes wanted, 1 or more",
                              name, is_values ? "classification_count" : "classification");
    if (requested->spec->datatype == DATATYPE_BYTES || requested->spec->datatype == DATATYPE_BOOL)
        return status_invalid(request->arena, "output '%s' is %s: only numbers can be sorted into classes", name,
                              datatype_name(requested->spec->datatype));
    return STATUS_IS_OK;
}

/* classification-rest.count-valid classification-grpc.count-valid */
struct status classify_check(const struct infer_request *request)
{
    for (size_t i = 0; i < request->requested_count; i++)
        if (request->requested[i].parameters.count)
            TRY(check(request, &request->requested[i]));
    return STATUS_IS_OK;
}

/* --- Sorting --- */

static enum datatype widest(enum datatype datatype)
{
    if (datatype_is_float(datatype))
        return DATATYPE_FP64;
    return datatype >= DATATYPE_INT8 ? DATATYPE_INT64 : DATATYPE_UINT64;
}

#define SIGN ((uint64_t)1 << 63)

/* Returns the key of a float. Keys of negative floats are in the reverse order of their bits; NaN has the least. */
static uint64_t key_of_double(double value)
{
    uint64_t bits;
    if (value != value)
        return 0;
    value += 0.0; /* -0 becomes 0, which is equal to it */
    memcpy(&bits, &value, sizeof(bits));
    return bits & SIGN ? ~bits : bits | SIGN;
}

static uint64_t key_of(const struct tensor *tensor, size_t at)
{
    switch (tensor->datatype) {
    case DATATYPE_INT64:
        return (uint64_t)((const int64_t *)tensor->data)[at] ^ SIGN;
    case DATATYPE_UINT64:
        return ((const uint64_t *)tensor->data)[at];
    default:
        return key_of_double(((const double *)tensor->data)[at]);
    }
}

static int largest_first(const void *left, const void *right)
{
    const struct scored *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? 1 : -1;
    return a->index < b->index ? -1 : a->index > b->index;
}

/* Sets the indices. Returns false without memory. */
static bool sort_rows(struct rows *rows, struct arena *arena)
{
    struct scored *sorted = arena_alloc_zero(arena, rows->classes, sizeof(*sorted));
    rows->indices = arena_alloc_zero(arena, rows->count * rows->kept, sizeof(*rows->indices));
    for (size_t row = 0; sorted && rows->indices && row < rows->count; row++) {
        for (size_t i = 0; i < rows->classes; i++)
            sorted[i] = (struct scored){key_of(&rows->tensor, row * rows->classes + i), i};
        qsort(sorted, rows->classes, sizeof(*sorted), largest_first);
        for (size_t i = 0; i < rows->kept; i++)
            rows->indices[row * rows->kept + i] = sorted[i].index;
    }
    return sorted && rows->indices;
}

/* Returns where in the tensor the element of a class is that is kept. */
static size_t place_of(const struct rows *rows, size_t kept)
{
    return kept / rows->kept * rows->classes + rows->indices[kept];
}

/* --- Classes as texts: "VALUE:INDEX", or "VALUE:INDEX:LABEL" --- */

static struct str text_of(const struct rows *rows, size_t kept, const struct tensor_spec *spec, struct arena *arena)
{
    size_t at = place_of(rows, kept), index = rows->indices[kept];
    struct str value;
    if (rows->tensor.datatype == DATATYPE_INT64)
        value = arena_printf(arena, "%lld:%zu", (long long)((const int64_t *)rows->tensor.data)[at], index);
    else if (rows->tensor.datatype == DATATYPE_UINT64)
        value = arena_printf(arena, "%llu:%zu", (unsigned long long)((const uint64_t *)rows->tensor.data)[at], index);
    else
        value = arena_printf(arena, "%f:%zu", ((const double *)rows->tensor.data)[at], index);
    if (!value.data || index >= spec->label_count)
        return value;
    return arena_printf(arena, "%.*s:%.*s", STR_ARG(value), STR_ARG(spec->labels[index]));
}

static bool make_texts(const struct rows *rows, const struct tensor_spec *spec, struct arena *arena,
                       struct tensor *made)
{
    struct str *texts = arena_alloc_zero(arena, made->count, sizeof(*texts));
    if (!texts)
        return false;
    for (size_t i = 0; i < made->count; i++)
        texts[i] = text_of(rows, i, spec, arena);
    made->datatype = DATATYPE_BYTES;
    return !ANY(i, made->count, !texts[i].data) && raw_join_bytes(texts, made->count, arena, made);
}

/* --- Classes as their values, FP32 --- */

static bool make_values(const struct rows *rows, struct arena *arena, struct tensor *made)
{
    struct tensor floats;
    float *values = arena_alloc_zero(arena, made->count, sizeof(*values));
    if (!values || !tensor_cast(&rows->tensor, DATATYPE_FP32, arena, &floats))
        return false;
    for (size_t i = 0; i < made->count; i++)
        values[i] = ((const float *)floats.data)[place_of(rows, i)];
    made->datatype = DATATYPE_FP32;
    made->data = values;
    made->size = made->count * sizeof(*values);
    return true;
}

/* --- An output --- */

/* Sets the rows of an output, and the shape and the count of what becomes of it. Returns false without memory. */
static bool find_rows(const struct tensor *tensor, bool is_batch, size_t wanted, struct arena *arena, struct rows *rows,
                      struct tensor *made)
{
    int64_t *shape = arena_alloc_zero(arena, 2, sizeof(*shape));
    rows->count = is_batch ? (size_t)tensor->shape[0] : 1;
    rows->classes = 1;
    for (size_t i = is_batch; i < tensor->rank; i++)
        rows->classes *= (size_t)tensor->shape[i];
    rows->kept = wanted < rows->classes ? wanted : rows->classes;
    if (!shape || !tensor_cast(tensor, widest(tensor->datatype), arena, &rows->tensor))
        return false;
    shape[0] = (int64_t)rows->count;
    shape[is_batch] = (int64_t)rows->kept;
    made->shape = shape;
    made->rank = 1 + is_batch;
    made->count = rows->count * rows->kept;
    return sort_rows(rows, arena);
}

bool classes_find(const struct tensor *tensor, bool is_batch, size_t wanted, struct arena *arena,
                  struct classes *classes)
{
    struct rows rows = {0};
    struct tensor made = *tensor;
    if (!find_rows(tensor, is_batch, wanted, arena, &rows, &made) || !make_values(&rows, arena, &made))
        return false;
    *classes = (struct classes){.rows = rows.count, .kept = rows.kept, .indices = rows.indices, .values = made.data};
    return true;
}

struct status classify(const struct infer_requested_output *requested, const struct model *model, struct arena *arena,
                       struct model_output *output)
{
    bool is_values, is_batch = model->config->max_batch_size > 0 && output->tensor.rank > 0;
    const struct parameter *classes = requested->parameters.count ? asked(requested, &is_values) : NULL;
    struct rows rows = {0};
    struct tensor made = output->tensor;
    if (!classes)
        return STATUS_IS_OK;
    bool is_done = find_rows(&output->tensor, is_batch, (size_t)classes->int64, arena, &rows, &made) &&
                   (is_values ? make_values(&rows, arena, &made) : make_texts(&rows, requested->spec, arena, &made));
    output->tensor = made;
    return is_done ? STATUS_IS_OK : status_no_memory();
}
