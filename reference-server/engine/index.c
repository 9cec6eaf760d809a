/* Operators whose inputs say where elements lie: Gather, GatherElements, GatherND, ScatterElements, ScatterND, OneHot.
 * To gather is to copy rows from their places in the data; to scatter is to copy rows to them. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"

/* Where the rows are: how many elements of the data lie before each. */
struct places {
    size_t *list, count;
    size_t row; /* elements */
};

/* Counts an index from the front. */
static struct status find_index(const struct call *call, int64_t given, int64_t limit, size_t *index)
{
    int64_t from_front = given < 0 ? given + limit : given;
    if (from_front < 0 || from_front >= limit)
        return call_refuse(call, "index %lld of %lld", (long long)given, (long long)limit);
    *index = (size_t)from_front;
    return STATUS_IS_OK;
}

static size_t count_of(const int64_t *shape, size_t from, size_t to)
{
    size_t count = 1;
    for (size_t i = from; i < to; i++)
        count *= (size_t)shape[i];
    return count;
}

/* Finds the kernel that joins a scattered element with the one that is there already; NULL: it replaces that. */
static struct status find_join(const struct call *call, binary_kernel **join)
{
    struct str name = node_string(call->node, "reduction", STR("none"));
    const char *op_type = str_is(name, "add") ? "Add" : str_is(name, "mul") ? "Mul" : NULL;
    *join = op_type ? binary_kernel_of(op_type, call->inputs[0].type.datatype) : NULL;
    return *join || str_is(name, "none")
               ? STATUS_IS_OK
               : call_unsupported(call, "reduction '%s' of %s is not supported", str_printable(call->arena, name),
                                  datatype_name(call->inputs[0].type.datatype));
}

static bool scatters(const struct call *call)
{
    return call->node->op->inputs_max == 3;
}

static struct status move_rows(const struct call *call, const struct places *places)
{
    const struct tensor *in = call->inputs[0].tensor;
    const char *from = scatters(call) ? call->inputs[2].tensor->data : in->data;
    size_t size = size_of(in), row = places->row * size;
    char *to = call->outputs[0]->data;
    binary_kernel *const *join = call->found;
    if (scatters(call) && in->size)
        memcpy(to, in->data, in->size);
    for (size_t i = 0; i < places->count && row; i++)
        if (!scatters(call))
            memcpy(to + i * row, from + places->list[i] * size, row);
        else if (!*join)
            memcpy(to + places->list[i] * size, from + i * row, row);
        else
            (*join)(to + places->list[i] * size, 1, from + i * row, 1, to + places->list[i] * size, places->row);
    return STATUS_IS_OK;
}

/* Sets the output of an operator that moves rows of this shape. The output of a gather has this shape; the output of a
 * scatter, whose third input has it, is like the data. */
static struct status move_infer(const struct call *call, const struct made *rows, struct made *made)
{
    if (!scatters(call) || (rows->rank != RANK_UNKNOWN && rows->rank > TENSOR_RANK_MAX)) {
        *made = *rows; /* the caller refuses so many dimensions */
        return STATUS_IS_OK;
    }
    TRY(find_join(call, FOUND(call, binary_kernel *)));
    return rows->rank == RANK_UNKNOWN || operand_fits(call, 2, rows->shape, rows->rank)
               ? STATUS_IS_OK
               : call_refuse(call, "updates of shape %s, not %s", input_text(call, 2),
                             shape_text(call->arena, rows->shape, rows->rank));
}

/* --- Gather: the same indices everywhere along one axis --- */

INFER(gather)
{
    const struct type *index = &call->inputs[1].type;
    made->rank = in->rank + index->rank - 1;
    for (size_t i = 0; i < made->rank && made->rank <= TENSOR_RANK_MAX; i++) /* the caller refuses more dimensions */
        made->shape[i] = i < call->axis                 ? in->shape[i]
                         : i < call->axis + index->rank ? index->shape[i - call->axis]
                                                        : in->shape[i - index->rank + 1];
    return STATUS_IS_OK;
}

struct status gather_along(const struct call *call, const struct split *split, const int64_t *indices, size_t count)
{
    struct places places = {.row = split->behind};
    if (call->outputs[0]->count == 0)
        return STATUS_IS_OK;
    places.list = arena_alloc_zero(call->arena, split->before, count * sizeof(size_t));
    NEED(places.list && indices);
    for (size_t i = 0; i < split->before; i++)
        for (size_t j = 0; j < count; j++) {
            size_t index = 0;
            TRY(find_index(call, indices[j], (int64_t)split->length, &index));
            places.list[places.count++] = (i * split->length + index) * split->behind;
        }
    return move_rows(call, &places);
}

COMPUTE(gather)
{
    const struct tensor *index = call->inputs[1].tensor;
    struct split split = split_at(in, call->axis);
    return gather_along(call, &split, tensor_integers(index, call->arena), index->count);
}

/* --- GatherElements, ScatterElements: an index for each element --- */

INFER(elements)
{
    const struct type *index = &call->inputs[1].type;
    struct made rows;
    made_like(&rows, index);
    rows.datatype = in->datatype;
    bool fits = in->rank == index->rank &&
                ALL(i, in->rank, i == call->axis || in->shape[i] < 0 || index->shape[i] <= in->shape[i]);
    return fits ? move_infer(call, &rows, made)
                : call_refuse(call, "indices of shape %s for %s", input_text(call, 1), input_text(call, 0));
}

COMPUTE(elements)
{
    const struct tensor *index = call->inputs[1].tensor;
    const int64_t *indices = tensor_integers(index, call->arena);
    struct places places = {arena_alloc_zero(call->arena, index->count, sizeof(size_t)), index->count, 1};
    size_t axis = call->axis, at = 0;
    int64_t steps[TENSOR_RANK_MAX];
    row_major(in->shape, in->rank, steps);
    NEED(indices && places.list);
    for (size_t i = 0; i < index->count; i++) {
        TRY(find_index(call, indices[i], in->shape[axis], &at));
        places.list[i] = at * (size_t)steps[axis];
        for (size_t d = in->rank, rest = i; d-- > 0; rest /= (size_t)index->shape[d])
            places.list[i] += d == axis ? 0 : rest % (size_t)index->shape[d] * (size_t)steps[d];
    }
    return move_rows(call, &places);
}

/* --- GatherND, ScatterND: the last dimension of the indices is a position in the first dimensions of the data --- */

INFER(nd)
{
    const struct type *index = &call->inputs[1].type;
    struct made rows = {.datatype = in->datatype, .rank = RANK_UNKNOWN};
    int64_t batch = node_int(call->node, "batch_dims", 0);
    if (index->rank == 0 || batch < 0 || batch >= (int64_t)index->rank || batch > (int64_t)in->rank)
        return call_refuse(call, "indices of %zu dimensions, %lld of them of batches", index->rank, (long long)batch);
    int64_t width = index->shape[index->rank - 1];
    if (width < 0)
        return move_infer(call, &rows, made);
    bool fits = width <= (int64_t)in->rank - batch && dimensions_fit(in->shape, index->shape, (size_t)batch);
    rows.rank = index->rank - 1;
    memcpy(rows.shape, index->shape, rows.rank * sizeof(*rows.shape));
    for (size_t i = (size_t)(batch + width); fits && i < in->rank; i++, rows.rank++)
        if (rows.rank < TENSOR_RANK_MAX) /* see move_infer */
            rows.shape[rows.rank] = in->shape[i];
    return fits ? move_infer(call, &rows, made)
                : call_refuse(call, "indices of shape %s for %s", input_text(call, 1), input_text(call, 0));
}

COMPUTE(nd)
{
    const struct tensor *index = call->inputs[1].tensor;
    size_t batch = (size_t)node_int(call->node, "batch_dims", 0), last = index->rank - 1, at = 0,
           width = (size_t)index->shape[last], per_batch = count_of(index->shape, batch, last);
    struct places places = {.count = count_of(index->shape, 0, last),
                            .row = count_of(in->shape, batch + width, in->rank)};
    if (out->count == 0)
        return STATUS_IS_OK;
    const int64_t *next = tensor_integers(index, call->arena);
    places.list = arena_alloc_zero(call->arena, places.count, sizeof(size_t));
    NEED(places.list && next);
    for (size_t i = 0; i < places.count; i++) {
        size_t place = i / per_batch;
        for (size_t k = batch; k < batch + width; k++) {
            TRY(find_index(call, *next++, in->shape[k], &at));
            place = place * (size_t)in->shape[k] + at;
        }
        places.list[i] = place * places.row;
    }
    return move_rows(call, &places);
}

/* --- OneHot: an index that is out of range gives a row without the other value --- */

INFER(one_hot)
{
    const struct tensor *depth = call->inputs[1].tensor, *values = call->inputs[2].tensor;
    const int64_t *size =
        depth && depth->count == 1 ? tensor_integers(depth, call->arena) : &(int64_t){depth ? -2 : -1};
    if (!size || *size < -1 || (depth && *size < 0) || (values && values->count != 2))
        return call_refuse(call, "its depth is not one size, or its values are not two");
    made->rank = in->rank + 1;
    for (size_t i = 0; i < made->rank && i < TENSOR_RANK_MAX; i++)
        made->shape[i] = i < call->axis ? in->shape[i] : i == call->axis ? *size : in->shape[i - 1];
    return STATUS_IS_OK;
}

COMPUTE(one_hot)
{
    const struct tensor *values = call->inputs[2].tensor;
    const int64_t *indices = tensor_integers(in, call->arena);
    struct split split = split_at(out, call->axis);
    size_t size = size_of(out);
    NEED(indices);
    fill(out, values->data);
    for (size_t i = 0; i < in->count; i++) {
        int64_t depth = (int64_t)split.length, at = indices[i] < 0 ? indices[i] + depth : indices[i];
        if (at >= 0 && at < depth)
            memcpy(element_at(out, (int64_t)((i / split.behind * split.length + (size_t)at) * split.behind +
                                             i % split.behind)),
                   element_at(values, 1), size);
    }
    return STATUS_IS_OK;
}
