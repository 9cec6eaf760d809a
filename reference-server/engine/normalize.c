/* Operators that scale elements by what is known of their neighbours: BatchNormalization, InstanceNormalization,
 * LayerNormalization, LRN. FP32. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/fast.h"
#include "engine/move.h"
#include "engine/window.h"

#include <math.h>

/* Checks that all inputs but the first one have this shape; -1: not known. */
static struct status check_parameters(const struct call *call, const int64_t *shape, size_t rank)
{
    for (size_t i = 1; i < call->node->input_count; i++)
        if (!operand_fits(call, i, shape, rank))
            return call_refuse(call, "a parameter of shape %s, not %s", input_text(call, i),
                               shape_text(call->arena, shape, rank));
    return STATUS_IS_OK;
}

static int64_t channels_of(const struct call *call, const struct type *type)
{
    int64_t shape[TENSOR_RANK_MAX];
    return type->rank < 2 || form_logical(call->node->form, type->shape, type->rank, shape) < 2 ? 1 : shape[1];
}

/* --- BatchNormalization, InstanceNormalization --- */

INFER(batch)
{
    return check_parameters(call, (const int64_t[]){channels_of(call, in)}, 1);
}

ALWAYS_INLINE float bounded(float x, float least, float most)
{
    x = x < least ? least : x;
    return x > most ? most : x;
}

/* The channels are in blocks, and each block has `plane` elements for each of its channels. */
FAST static void scale_channels(const float *in, size_t count, size_t channels, size_t block, size_t plane,
                                const float *scale, const float *shift, float least, float most, float *restrict out)
{
    for (size_t at = 0, c = 0; at < count; at += block * plane, c = c + block == channels ? 0 : c + block)
        if (block == 1)
            for (size_t i = 0; i < plane; i++)
                out[at + i] = bounded(in[at + i] * scale[c] + shift[c], least, most);
        else
            for (size_t i = at; i < at + block * plane; i += block)
                for (size_t j = 0; j < block; j++)
                    out[i + j] = bounded(in[i + j] * scale[c + j] + shift[c + j], least, most);
}

COMPUTE(batch)
{
    size_t channels = (size_t)channels_of(call, &call->inputs[0].type);
    float *scale = arena_alloc_zero(call->arena, channels, sizeof(*scale)),
          *shift = arena_alloc_zero(call->arena, channels, sizeof(*shift));
    NEED(scale && shift);
    batch_fold(call->inputs[1].tensor->data, call->inputs[2].tensor->data, call->inputs[3].tensor->data,
               call->inputs[4].tensor->data, node_float(call->node, "epsilon", 1e-5F), channels, scale, shift);
    if (in->count == 0)
        return STATUS_IS_OK;
    size_t block = call->node->form == FORM_ROW_MAJOR ? 1 : (size_t)in->shape[in->rank - 1],
           plane = in->count / (size_t)in->shape[0] / channels;
    const struct after *after = &call->node->after;
    float least = after->kind == ACTIVATION_NONE   ? -INFINITY
                  : after->kind == ACTIVATION_RELU ? 0
                                                   : after->alpha,
          most = after->kind == ACTIVATION_CLIP ? after->beta : INFINITY;
    scale_channels(in->data, in->count, channels, block, plane, scale, shift, least, most, out->data);
    return STATUS_IS_OK;
}

void batch_fold(const float *gain, const float *bias, const float *mean, const float *variance, float epsilon,
                size_t channels, float *scale, float *shift)
{
    for (size_t i = 0; i < channels; i++) {
        scale[i] = gain[i] / sqrtf(variance[i] + epsilon);
        shift[i] = bias[i] - mean[i] * scale[i];
    }
}

#define SUMS 16

/* Adds up x - middle, or the squares, in several sums, which a compiler can add to at once. */
ALWAYS_INLINE double sum_of(const float *in, size_t count, float middle, bool squares)
{
    float sums[SUMS] = {0};
    double sum = 0;
    size_t i = 0;
    for (; i + SUMS <= count; i += SUMS)
        for (size_t j = 0; j < SUMS; j++) {
            float x = in[i + j] - middle;
            sums[j] += squares ? x * x : x;
        }
    for (size_t j = 0; j < SUMS; j++)
        sum += (double)sums[j];
    for (; i < count; i++)
        sum += (double)(in[i] - middle) * (squares ? (double)(in[i] - middle) : 1);
    return sum;
}

/* Gives a row the mean 0 and the variance 1. */
FAST static void standardize(const float *in, size_t count, float epsilon, float *out, float *mean, float *factor)
{
    float middle = (float)(sum_of(in, count, 0, false) / (double)count);
    float scale = (float)(1 / sqrt(sum_of(in, count, middle, true) / (double)count + (double)epsilon));
    for (size_t i = 0; i < count; i++)
        out[i] = (in[i] - middle) * scale;
    *mean = middle;
    *factor = scale;
}

/* Standardizes rows, and multiplies by a gain and adds a bias: those of the channel of the row or, without channels,
 * those of each element. More outputs get the mean and the factor. */
static struct status normalize_rows(const struct call *call, size_t rows, size_t channels)
{
    const struct tensor *in = call->inputs[0].tensor, *bias = call_tensor(call, 2);
    const float *gains = call->inputs[1].tensor->data, *biases = bias ? bias->data : NULL;
    float statistics[2] = {0}, epsilon = node_float(call->node, "epsilon", 1e-5F);
    for (size_t i = 0; i < rows && in->count; i++) {
        const size_t count = in->count / rows, first = channels ? i % channels : 0, step = channels ? 0 : 1;
        float *to = (float *)call->outputs[0]->data + i * count;
        standardize((const float *)in->data + i * count, count, epsilon, to, &statistics[0], &statistics[1]);
        for (size_t j = 0; j < count; j++)
            to[j] = to[j] * gains[first + j * step] + (biases ? biases[first + j * step] : 0);
        for (size_t j = 1; j < call->node->output_count; j++)
            ((float *)call->outputs[j]->data)[i] = statistics[j - 1];
    }
    return STATUS_IS_OK;
}

INFER(instance)
{
    return check_parameters(call, in->shape + 1, 1);
}

COMPUTE(instance)
{
    return normalize_rows(call, (size_t)(in->shape[0] * in->shape[1]), (size_t)in->shape[1]);
}

/* --- LayerNormalization --- */

INFER(layer)
{
    for (size_t i = 1; i < call->node->output_count; i++)
        for (size_t d = call->axis; d < in->rank; d++)
            made[i].shape[d] = 1;
    return check_parameters(call, in->shape + call->axis, in->rank - call->axis);
}

COMPUTE(layer)
{
    return normalize_rows(call, split_at(in, call->axis).before, 0);
}

/* --- LRN: over the channels around each one --- */

INFER(lrn)
{
    const int64_t size = node_int(call->node, "size", 0);
    return size < 1 ? call_refuse(call, "a size of %lld", (long long)size) : STATUS_IS_OK;
}

COMPUTE(lrn)
{
    if (in->count == 0)
        return STATUS_IS_OK;
    int64_t channels = in->shape[1], size = node_int(call->node, "size", 1);
    size_t plane = in->count / (size_t)(in->shape[0] * channels);
    float alpha = node_float(call->node, "alpha", 1e-4F) / (float)size, beta = node_float(call->node, "beta", 0.75F),
          bias = node_float(call->node, "bias", 1);
    for (int64_t i = 0; i < in->shape[0] * channels; i++) {
        int64_t c = i % channels, first = c - (size - 1) / 2, last = c + size / 2;
        first = first < 0 ? 0 : first;
        last = last >= channels ? channels - 1 : last;
        const float *here = (const float *)in->data + (size_t)i * plane;
        float *to = (float *)out->data + (size_t)i * plane;
        for (size_t j = 0; j < plane; j++) {
            float sum = 0;
            for (int64_t k = first - c; k <= last - c; k++) {
                float x = here[(int64_t)j + k * (int64_t)plane];
                sum += x * x;
            }
            to[j] = here[j] * powf(bias + alpha * sum, -beta);
        }
    }
    return STATUS_IS_OK;
}
