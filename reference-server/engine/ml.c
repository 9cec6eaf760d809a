/* The domain ai.onnx.ml, which scikit-learn's models are converted to: what its operators share, and those that are a
 * line of arithmetic: Scaler, Normalizer, LinearClassifier, LinearRegressor, ArrayFeatureExtractor. */
#include "engine/ml.h"
#include "base/count.h"
#include "engine/families.h"
#include "engine/move.h"
#include "tensor/cast.h"

#include <math.h>

struct floats node_floats(const struct node *node, const char *name)
{
    const Onnx__AttributeProto *attribute = node_attribute(node, name);
    return attribute ? (struct floats){attribute->floats, attribute->n_floats} : (struct floats){0};
}

/* --- Rows --- */

struct status rows_infer(const struct call *call, int64_t *rows, int64_t *features)
{
    const struct type *in = &call->inputs[0].type;
    *rows = *features = -1;
    if (in->datatype != DATATYPE_FP32 && in->datatype != DATATYPE_FP64 && in->datatype != DATATYPE_INT32 &&
        in->datatype != DATATYPE_INT64)
        return call_error(call, STATUS_UNIMPLEMENTED, "%s is not supported", datatype_name(in->datatype));
    if (in->rank == RANK_UNKNOWN)
        return STATUS_IS_OK;
    if (in->rank != 1 && in->rank != 2)
        return call_refuse(call, "an input of %zu dimensions", in->rank);
    *rows = in->rank == 1 ? 1 : in->shape[0];
    *features = in->shape[in->rank - 1];
    return STATUS_IS_OK;
}

const float *rows_data(const struct call *call)
{
    struct tensor made, *in = &made;
    made = *call->inputs[0].tensor;
    return made.datatype == DATATYPE_FP32 || tensor_cast(&made, DATATYPE_FP32, call->arena, in) ? in->data : NULL;
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

struct status classifier_infer(const struct call *call, struct made *made, size_t scores)
{
    struct labels labels;
    int64_t rows, features;
    struct status status = rows_infer(call, &rows, &features);
    if (is_ok(status))
        status = read_labels(call, &labels);
    if (!is_ok(status))
        return status;
    if (call->node->output_count != 2)
        return call_refuse(call, "it has %zu outputs, not 2", call->node->output_count);
    made[0] = (struct made){labels.strings ? DATATYPE_BYTES : DATATYPE_INT64, 1, {rows}};
    made[1] = (struct made){DATATYPE_FP32, 2, {rows, (int64_t)scores}};
    return STATUS_IS_OK;
}

bool write_labels(const struct call *call, const struct labels *labels, const size_t *chosen)
{
    struct tensor *out = call->outputs[0];
    size_t size = 0;
    for (size_t i = 0; i < out->count && labels->integers; i++)
        ((int64_t *)out->data)[i] = labels->integers->ints[chosen[i]];
    if (labels->integers)
        return true;
    for (size_t i = 0; i < out->count; i++)
        size += 4 + labels->strings->strings[chosen[i]].len;
    char *to = out->data = arena_alloc(call->arena, size);
    out->size = size;
    for (size_t i = 0; to && i < out->count; i++) {
        const ProtobufCBinaryData *label = &labels->strings->strings[chosen[i]];
        uint32_t length = (uint32_t)label->len;
        memcpy(to, &length, 4);
        if (length)
            memcpy(to + 4, label->data, length);
        to += 4 + label->len;
    }
    return to != NULL;
}

/* --- Transforms --- */

struct status read_transform(const struct call *call, enum transform *transform)
{
    static const char *const names[] = {[TRANSFORM_NONE] = "NONE",
                                        [TRANSFORM_SOFTMAX] = "SOFTMAX",
                                        [TRANSFORM_LOGISTIC] = "LOGISTIC",
                                        [TRANSFORM_SOFTMAX_ZERO] = "SOFTMAX_ZERO"};
    struct str name = node_string(call->node, "post_transform", STR("NONE"));
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i])) {
            *transform = (enum transform)i;
            return STATUS_IS_OK;
        }
    return call_error(call, STATUS_UNIMPLEMENTED, "post_transform '%s' is not supported",
                      str_printable(call->arena, name));
}

void apply_transform(enum transform transform, float *scores, size_t count)
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

/* --- Scaler --- */

struct status scaler_infer(const struct call *call, struct made *made)
{
    struct floats offset = node_floats(call->node, "offset"), scale = node_floats(call->node, "scale");
    int64_t rows, features;
    struct status status = rows_infer(call, &rows, &features);
    if (!is_ok(status))
        return status;
    made_like(made, &call->inputs[0]);
    made->datatype = DATATYPE_FP32;
    if (!offset.count || !scale.count ||
        (features >= 0 && ((offset.count != 1 && offset.count != (size_t)features) ||
                           (scale.count != 1 && scale.count != (size_t)features))))
        return call_refuse(call, "%zu offsets and %zu scales for %lld features", offset.count, scale.count,
                           (long long)features);
    return STATUS_IS_OK;
}

struct status scaler_compute(const struct call *call)
{
    struct floats offset = node_floats(call->node, "offset"), scale = node_floats(call->node, "scale");
    int64_t rows, features;
    struct status status = rows_infer(call, &rows, &features);
    const float *in = rows_data(call);
    float *out = call->outputs[0]->data;
    if (!in || !offset.list || !scale.list)
        return status_no_memory();
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < features; j++, in++)
            *out++ = (*in - offset.list[offset.count > 1 ? j : 0]) * scale.list[scale.count > 1 ? j : 0];
    return status;
}

/* --- Normalizer --- */

struct status normalizer_infer(const struct call *call, struct made *made)
{
    struct str norm = node_string(call->node, "norm", STR("MAX"));
    int64_t rows, features;
    struct status status = rows_infer(call, &rows, &features);
    made_like(made, &call->inputs[0]);
    made->datatype = DATATYPE_FP32;
    if (is_ok(status) && !str_is(norm, "MAX") && !str_is(norm, "L1") && !str_is(norm, "L2"))
        status = call_refuse(call, "norm '%s'", str_printable(call->arena, norm));
    return status;
}

struct status normalizer_compute(const struct call *call)
{
    struct str norm = node_string(call->node, "norm", STR("MAX"));
    int64_t rows, features;
    struct status status = rows_infer(call, &rows, &features);
    const float *in = rows_data(call);
    float *out = call->outputs[0]->data;
    if (!in)
        return status_no_memory();
    for (int64_t i = 0; i < rows; i++, in += features, out += features) {
        double size = str_is(norm, "MAX") ? -(double)INFINITY : 0;
        for (int64_t j = 0; j < features; j++) {
            double x = (double)in[j];
            size = str_is(norm, "MAX") ? fmax(size, x) : size + (str_is(norm, "L1") ? fabs(x) : x * x);
        }
        if (str_is(norm, "L2"))
            size = sqrt(size);
        for (int64_t j = 0; j < features; j++)
            out[j] = size != 0 ? (float)((double)in[j] / size) : in[j];
    }
    return status;
}

/* --- LinearClassifier, LinearRegressor --- */

static struct status check_linear(const struct call *call, size_t targets, int64_t *rows, int64_t *features)
{
    struct floats coefficients = node_floats(call->node, "coefficients"),
                  intercepts = node_floats(call->node, "intercepts");
    struct status status = rows_infer(call, rows, features);
    if (is_ok(status) &&
        (targets == 0 || coefficients.count % targets || (intercepts.count && intercepts.count != targets) ||
         (*features >= 0 && coefficients.count / targets != (size_t)*features)))
        status = call_refuse(call, "%zu coefficients and %zu intercepts for %lld features and %zu targets",
                             coefficients.count, intercepts.count, (long long)*features, targets);
    return status;
}

/* Computes `targets` numbers for each row, and keeps room for `width`. Returns false without memory. */
static bool linear(const struct call *call, size_t rows, size_t targets, size_t width, float *out)
{
    struct floats coefficients = node_floats(call->node, "coefficients"),
                  intercepts = node_floats(call->node, "intercepts");
    const float *in = rows_data(call);
    size_t features = coefficients.count / targets;
    for (size_t i = 0; in && i < rows; i++, in += features)
        for (size_t j = 0; j < targets; j++) {
            float sum = intercepts.list ? intercepts.list[j] : 0;
            for (size_t k = 0; k < features && coefficients.list; k++)
                sum += in[k] * coefficients.list[j * features + k];
            out[i * width + j] = sum;
        }
    return in != NULL;
}

static size_t targets_of(const struct call *call)
{
    int64_t targets = node_int(call->node, "targets", 1);
    return targets < 1 || targets > INT32_MAX ? 0 : (size_t)targets;
}

struct status linear_regressor_infer(const struct call *call, struct made *made)
{
    enum transform transform;
    int64_t rows, features;
    struct status status = check_linear(call, targets_of(call), &rows, &features);
    *made = (struct made){DATATYPE_FP32, 2, {rows, (int64_t)targets_of(call)}};
    return is_ok(status) ? read_transform(call, &transform) : status;
}

struct status linear_regressor_compute(const struct call *call)
{
    const struct tensor *out = call->outputs[0];
    size_t rows = (size_t)out->shape[0], targets = (size_t)out->shape[1];
    enum transform transform;
    struct status status = read_transform(call, &transform);
    if (!linear(call, rows, targets, targets, out->data))
        return status_no_memory();
    for (size_t i = 0; i < rows; i++)
        apply_transform(transform, (float *)out->data + i * targets, targets);
    return status;
}

/* One row of coefficients for two labels gives the score of the second. */
static size_t linear_scores(const struct call *call, const struct labels *labels)
{
    size_t intercepts = node_floats(call->node, "intercepts").count;
    return labels->count == 2 && intercepts == 1 ? 1 : labels->count;
}

struct status linear_classifier_infer(const struct call *call, struct made *made)
{
    struct labels labels;
    enum transform transform;
    int64_t rows, features;
    struct status status = read_labels(call, &labels);
    if (is_ok(status))
        status = check_linear(call, linear_scores(call, &labels), &rows, &features);
    if (is_ok(status))
        status = read_transform(call, &transform);
    return is_ok(status) ? classifier_infer(call, made, labels.count) : status;
}

struct status linear_classifier_compute(const struct call *call)
{
    struct tensor *out = call->outputs[1];
    size_t rows = (size_t)out->shape[0], count = (size_t)out->shape[1];
    struct labels labels;
    enum transform transform = TRANSFORM_NONE;
    struct status status = read_labels(call, &labels);
    size_t scores = linear_scores(call, &labels), *chosen = arena_alloc_zero(call->arena, rows, sizeof(*chosen));
    if (is_ok(status))
        status = read_transform(call, &transform);
    if (!chosen || !linear(call, rows, scores, count, out->data))
        return status_no_memory();
    for (size_t i = 0; i < rows; i++) {
        float *to = (float *)out->data + i * count;
        if (scores < count) {
            to[1] = to[0];
            to[0] = transform == TRANSFORM_NONE ? 1 - to[1] : -to[1];
            chosen[i] = to[1] > (transform == TRANSFORM_NONE ? 0.5F : 0);
        } else {
            for (size_t j = 1; j < count; j++)
                chosen[i] = to[j] > to[chosen[i]] ? j : chosen[i];
        }
        apply_transform(transform, to, count);
    }
    return is_ok(status) && !write_labels(call, &labels, chosen) ? status_no_memory() : status;
}

/* --- ArrayFeatureExtractor: chosen columns of the last dimension --- */

struct status extractor_infer(const struct call *call, struct made *made)
{
    const struct type *in = &call->inputs[0].type, *index = &call->inputs[1].type;
    if (in->rank == RANK_UNKNOWN || index->rank == RANK_UNKNOWN)
        return STATUS_IS_OK;
    if (in->rank == 0)
        return call_refuse(call, "an input without dimensions");
    made_like(made, &call->inputs[0]);
    size_t count;
    made->shape[made->rank - 1] = shape_count(index->shape, index->rank, &count) ? (int64_t)count : -1;
    if (made->rank == 1) {
        made->rank = 2;
        made->shape[1] = made->shape[0];
        made->shape[0] = 1;
    }
    return STATUS_IS_OK;
}

struct status extractor_compute(const struct call *call)
{
    const struct tensor *in = call->inputs[0].tensor, *index = call->inputs[1].tensor;
    struct split split = split_at(in, in->rank - 1);
    for (size_t i = 0; i < index->count; i++)
        if (((const int64_t *)index->data)[i] < 0) /* here it does not count from the end */
            return call_refuse(call, "column %lld of %zu", (long long)((const int64_t *)index->data)[i], split.length);
    return gather_along(call, &split, index->data, index->count);
}
