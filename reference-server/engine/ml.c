/* The domain ai.onnx.ml, which scikit-learn's models are converted to: what its operators share, and those that are a
 * line of arithmetic: Scaler, Normalizer, LinearClassifier, LinearRegressor, ArrayFeatureExtractor. */
#include "engine/ml.h"
#include "base/search.h"
#include "engine/families.h"
#include "engine/move.h"

#include <math.h>

struct floats node_floats(const struct node *node, const char *name)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, name);
    return attribute ? (struct floats){attribute->floats, attribute->n_floats} : (struct floats){0};
}

/* --- Rows --- */

struct rows rows_of(const struct call *call)
{
    const struct type *in = &call->inputs[0].type;
    if (in->rank == RANK_UNKNOWN)
        return (struct rows){-1, -1};
    return (struct rows){in->rank == 1 ? 1 : in->shape[0], in->shape[in->rank - 1]};
}

/* Returns the input as FP32, or NULL without memory. */
static const float *rows_data(const struct call *call)
{
    return tensor_as(call->inputs[0].tensor, DATATYPE_FP32, call->arena);
}

/* --- Labels --- */

struct status read_labels(const struct call *call, struct labels *labels)
{
    static const char *const names[] = {"classlabels_strings", "classlabels_ints", "classlabels_int64s"};
    *labels = (struct labels){0};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        const Onnx__AttributeProto *attribute = node_attribute(call->node, names[i]);
        size_t count = !attribute ? 0 : i ? attribute->n_ints : attribute->n_strings;
        if (!count)
            continue;
        labels->count = count;
        *(i ? &labels->integers : &labels->strings) = attribute;
        return STATUS_IS_OK;
    }
    return call_refuse(call, "it has no labels");
}

struct status predictor_infer(const struct call *call, struct made *made, size_t scores)
{
    const int64_t rows = rows_of(call).count;
    struct labels labels;
    if (call->node->output_count != call->node->op->outputs_max)
        return call_refuse(call, "it has %zu outputs, not 2", call->node->output_count);
    if (is_classifier(call->node)) {
        TRY(read_labels(call, &labels));
        *made++ = (struct made){labels.strings ? DATATYPE_BYTES : DATATYPE_INT64, 1, {rows}};
    }
    *made = (struct made){DATATYPE_FP32, 2, {rows, (int64_t)scores}};
    return STATUS_IS_OK;
}

/* Writes the labels with these positions, one for each row. */
static bool write_labels(const struct call *call, const struct labels *labels, const size_t *chosen)
{
    struct tensor *out = call->outputs[0];
    for (size_t i = 0; i < out->count && labels->integers; i++)
        ((int64_t *)out->data)[i] = labels->integers->ints[chosen[i]];
    return labels->integers || texts_write(labels->strings->strings, chosen, out->count, call->arena, out);
}

/* --- Rows, one by one --- */

static void apply_transform(enum transform transform, float *scores, size_t count)
{
    float most = -INFINITY, sum = 0;
    if (transform == TRANSFORM_NONE)
        return;
    for (size_t i = 0; i < count; i++)
        most = fmaxf(most, scores[i]);
    for (size_t i = 0; i < count; i++) {
        if (transform == TRANSFORM_LOGISTIC)
            scores[i] = 1 / (1 + expf(-scores[i]));
        else if (transform == TRANSFORM_SOFTMAX || fabsf(scores[i]) > 1e-7F) /* SOFTMAX_ZERO leaves zeros alone */
            sum += scores[i] = expf(scores[i] - most);
    }
    for (size_t i = 0; i < count && transform != TRANSFORM_LOGISTIC; i++)
        scores[i] /= sum;
}

struct status predict(const struct call *call, const void *predictor, predict_row *row)
{
    struct tensor *out = call->outputs[call->node->output_count - 1];
    const size_t rows = (size_t)out->shape[0], width = (size_t)out->shape[1],
                 features = rows ? call->inputs[0].tensor->count / rows : 0;
    const enum transform wanted = (enum transform)node_choice(call->node, "post_transform");
    size_t *chosen = arena_alloc_zero(call->arena, rows, sizeof(*chosen));
    const float *in = rows_data(call);
    struct labels labels;
    NEED(chosen && in);
    for (size_t i = 0; i < rows; i++) {
        float *scores = (float *)out->data + i * width;
        enum transform transform = wanted;
        chosen[i] = row(predictor, in + i * features, scores, &transform);
        apply_transform(transform, scores, width);
    }
    if (!is_classifier(call->node))
        return STATUS_IS_OK;
    TRY(read_labels(call, &labels));
    NEED(write_labels(call, &labels, chosen));
    return STATUS_IS_OK;
}

size_t largest(const float *numbers, size_t count)
{
    size_t best = 0;
    for (size_t i = 1; i < count; i++)
        best = numbers[i] > numbers[best] ? i : best;
    return best;
}

/* --- Scaler --- */

INFER(scaler)
{
    const size_t offsets = node_floats(call->node, "offset").count, scales = node_floats(call->node, "scale").count;
    const int64_t features = rows_of(call).features;
    bool fits = offsets && scales;
    if (features >= 0)
        fits &= (offsets == 1 || offsets == (size_t)features) && (scales == 1 || scales == (size_t)features);
    return fits ? STATUS_IS_OK
                : call_refuse(call, "%zu offsets and %zu scales for %lld features", offsets, scales,
                              (long long)features);
}

COMPUTE(scaler)
{
    struct floats offset = node_floats(call->node, "offset"), scale = node_floats(call->node, "scale");
    const int64_t features = rows_of(call).features;
    const float *from = rows_data(call);
    NEED(from && offset.list && scale.list);
    for (size_t i = 0; i < out->count; i++) {
        const size_t j = i % (size_t)features;
        ((float *)out->data)[i] =
            (from[i] - offset.list[offset.count > 1 ? j : 0]) * scale.list[scale.count > 1 ? j : 0];
    }
    return STATUS_IS_OK;
}

/* --- Normalizer --- */

enum norm { NORM_MAX, NORM_L1, NORM_L2 };

COMPUTE(normalizer)
{
    const enum norm norm = (enum norm)node_choice(call->node, "norm");
    const struct rows rows = rows_of(call);
    const float *from = rows_data(call);
    float *to = out->data;
    NEED(from);
    for (int64_t i = 0; i < rows.count; i++, from += rows.features, to += rows.features) {
        double size = norm == NORM_MAX ? -(double)INFINITY : 0;
        for (int64_t j = 0; j < rows.features; j++) {
            double x = (double)from[j];
            size = norm == NORM_MAX ? fmax(size, x) : size + (norm == NORM_L1 ? fabs(x) : x * x);
        }
        if (norm == NORM_L2)
            size = sqrt(size);
        for (int64_t j = 0; j < rows.features; j++)
            to[j] = size != 0 ? (float)((double)from[j] / size) : from[j];
    }
    return STATUS_IS_OK;
}

/* --- LinearClassifier, LinearRegressor --- */

struct linear {
    struct floats coefficients, intercepts;
    size_t targets, features;
    size_t scores; /* one more than targets, if one row of coefficients for two labels gives the score of the second */
};

INFER(linear)
{
    const int64_t features = rows_of(call).features, wanted = node_int(call->node, "targets", 1);
    const bool classifies = is_classifier(call->node);
    struct labels labels = {.count = wanted < 1 || wanted > INT32_MAX ? 0 : (size_t)wanted};
    struct linear *linear = FOUND(call, struct linear);
    if (classifies)
        TRY(read_labels(call, &labels));
    *linear = (struct linear){.coefficients = node_floats(call->node, "coefficients"),
                              .intercepts = node_floats(call->node, "intercepts"),
                              .scores = labels.count};
    const size_t count = linear->coefficients.count, intercepts = linear->intercepts.count;
    const size_t targets = classifies && labels.count == 2 && intercepts == 1 ? 1 : labels.count;
    if (targets == 0 || count % targets || (intercepts && intercepts != targets) ||
        (features >= 0 && count / targets != (size_t)features))
        return call_refuse(call, "%zu coefficients and %zu intercepts for %lld features and %zu targets", count,
                           intercepts, (long long)features, targets);
    linear->targets = targets;
    linear->features = count / targets;
    return predictor_infer(call, made, linear->scores);
}

static size_t predict_linear(const void *predictor, const float *row, float *scores, enum transform *transform)
{
    const struct linear *linear = predictor;
    for (size_t i = 0; i < linear->targets; i++) {
        float sum = linear->intercepts.list ? linear->intercepts.list[i] : 0;
        for (size_t k = 0; k < linear->features && linear->coefficients.list; k++)
            sum += row[k] * linear->coefficients.list[i * linear->features + k];
        scores[i] = sum;
    }
    if (linear->targets == linear->scores)
        return largest(scores, linear->scores);
    scores[1] = scores[0];
    scores[0] = *transform == TRANSFORM_NONE ? 1 - scores[1] : -scores[1];
    return scores[1] > (*transform == TRANSFORM_NONE ? 0.5F : 0);
}

COMPUTE(linear)
{
    return predict(call, call->found, predict_linear);
}

/* --- ArrayFeatureExtractor: chosen columns of the last dimension --- */

INFER(extractor)
{
    const struct type *index = &call->inputs[1].type;
    size_t count;
    made->shape[made->rank - 1] = shape_count(index->shape, index->rank, &count) ? (int64_t)count : -1;
    if (made->rank == 1)
        *made = (struct made){made->datatype, 2, {1, made->shape[0]}};
    return STATUS_IS_OK;
}

COMPUTE(extractor)
{
    const struct tensor *index = call->inputs[1].tensor;
    const int64_t *columns = index->data;
    struct split split = split_at(in, in->rank - 1);
    for (size_t i = 0; i < index->count; i++)
        if (columns[i] < 0) /* here it does not count from the end */
            return call_refuse(call, "column %lld of %zu", (long long)columns[i], split.length);
    return gather_along(call, &split, columns, index->count);
}
