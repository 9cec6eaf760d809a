/* NegativeLogLikelihoodLoss, and SoftmaxCrossEntropyLoss, which is the same of the logarithm of a softmax: what it
 * costs that the input [N, C, d1, ...] gives the labels [N, d1, ...] this probability. FP32. */
#include "engine/call.h"
#include "engine/families.h"
#include "engine/move.h"

#include <math.h>

enum { MEAN, SUM_OF_ALL, NONE }; /* the reduction */

INFER(loss)
{
    const struct type *labels = &call->inputs[1].type;
    const struct tensor *weights = call_tensor(call, 2);
    if (in->rank < 2 || labels->rank != in->rank - 1 || !dimensions_fit(in->shape, labels->shape, 1) ||
        !dimensions_fit(in->shape + 2, labels->shape + 1, labels->rank - 1) ||
        (weights && in->shape[1] >= 0 && weights->count != (size_t)in->shape[1]))
        return call_refuse(call, "labels of shape %s for %s, or not one weight for each class", input_text(call, 1),
                           input_text(call, 0));
    made_like(made, labels);
    made->datatype = DATATYPE_FP32;
    made->rank = node_choice(call->node, "reduction") == NONE ? made->rank : 0;
    return STATUS_IS_OK;
}

/* Computes the logarithm of the softmax over `classes` elements, `step` apart. */
static void log_softmax(const float *in, size_t classes, size_t step, float *out)
{
    float most = -INFINITY;
    double sum = 0;
    for (size_t c = 0; c < classes; c++)
        most = fmaxf(most, in[c * step]);
    for (size_t c = 0; c < classes; c++)
        sum += exp((double)in[c * step] - (double)most);
    for (size_t c = 0; c < classes; c++)
        out[c * step] = (float)((double)in[c * step] - (double)most - log(sum));
}

COMPUTE(loss)
{
    const struct tensor *labels = call->inputs[1].tensor, *weights = call_tensor(call, 2);
    const Onnx__AttributeProto *ignored = node_attribute(call->node, "ignore_index");
    const size_t reduction = node_choice(call->node, "reduction");
    const int64_t *list = tensor_integers(labels, call->arena);
    bool is_softmax = strcmp(call->node->op->name, "SoftmaxCrossEntropyLoss") == 0;
    struct split split = split_at(in, 1);
    size_t classes = split.length, step = split.behind;
    float *logarithms = !is_softmax                    ? in->data
                        : call->node->output_count > 1 ? call->outputs[1]->data
                                                       : arena_alloc(call->arena, in->size);
    double sum = 0, total = 0;
    NEED(list && logarithms);
    for (size_t i = 0; i < labels->count; i++) {
        size_t at = i / step * classes * step + i % step;
        if (is_softmax)
            log_softmax((const float *)in->data + at, classes, step, logarithms + at);
        bool counts = !ignored || list[i] != ignored->i;
        if (counts && (list[i] < 0 || list[i] >= (int64_t)classes))
            return call_refuse(call, "label %lld of %zu classes", (long long)list[i], classes);
        double weight = !counts   ? 0
                        : weights ? (double)((const float *)weights->data)[list[i]]
                                  : 1,
               loss = counts ? -weight * (double)logarithms[at + (size_t)list[i] * step] : 0;
        if (reduction == NONE)
            ((float *)out->data)[i] = (float)loss;
        sum += loss;
        total += weight;
    }
    if (reduction != NONE)
        *(float *)out->data = (float)(reduction == MEAN ? sum / total : sum);
    return STATUS_IS_OK;
}
