/* SVMClassifier and SVMRegressor of ai.onnx.ml: a kernel of each support vector, then for each pair of classes a sum
 * that votes for one of the two. With prob_a and prob_b, the sums become probabilities, as libsvm computes them (Wu,
 * Lin and Weng, "Probability Estimates for Multi-class Classification by Pairwise Coupling", second method). */
#include "engine/families.h"
#include "engine/ml.h"

#include <math.h>

enum kernel { LINEAR, POLY, RBF, SIGMOID };

struct svm {
    enum kernel kernel;
    float gamma, coef0, degree;
    struct floats vectors, coefficients, rho, prob_a, prob_b;
    size_t vector_count, features, classes, pairs;
    const int64_t *per_class; /* how many vectors each class has */
    float *kernels, *sums;    /* room for what a classifier computes of a row */
    size_t *votes;
    double *work;
};

/* Reads a machine of so many vectors, each with that many coefficients. One without vectors is not supported. */
static struct status read_svm(const struct call *call, size_t vector_count, size_t lists, struct svm *svm)
{
    const int64_t features = rows_of(call).features;
    const struct floats parameters = node_floats(call->node, "kernel_params");
    svm->kernel = (enum kernel)node_choice(call->node, "kernel_type");
    if (parameters.count >= 3) {
        svm->gamma = parameters.list[0];
        svm->coef0 = parameters.list[1];
        svm->degree = parameters.list[2];
    }
    svm->vectors = node_floats(call->node, "support_vectors");
    svm->coefficients = node_floats(call->node, "coefficients");
    svm->rho = node_floats(call->node, "rho");
    svm->vector_count = vector_count;
    if (!vector_count)
        return call_unsupported(call, "it has no support vectors, which is not supported");
    svm->features = svm->vectors.count / vector_count;
    if (svm->vectors.count % vector_count || svm->coefficients.count / vector_count != lists ||
        svm->coefficients.count % vector_count || (features >= 0 && (size_t)features != svm->features))
        return call_refuse(call, "%zu numbers of vectors and %zu coefficients for %zu vectors and %lld features",
                           svm->vectors.count, svm->coefficients.count, vector_count, (long long)features);
    return STATUS_IS_OK;
}

static struct status read_classifier(const struct call *call, struct svm *svm)
{
    const Onnx__AttributeProto *per_class = node_attribute(call->node, "vectors_per_class");
    struct labels labels;
    size_t total = 0;
    TRY(read_labels(call, &labels));
    svm->classes = labels.count;
    svm->pairs = svm->classes * (svm->classes - 1) / 2;
    if (!per_class || per_class->n_ints != svm->classes || svm->classes < 2 || svm->classes > 4096)
        return call_refuse(call, "vectors_per_class does not fit %zu labels", svm->classes);
    svm->per_class = per_class->ints;
    for (size_t i = 0; i < svm->classes; i++)
        if (per_class->ints[i] < 0 || __builtin_add_overflow(total, (size_t)per_class->ints[i], &total))
            return call_refuse(call, "a class of %lld vectors", (long long)per_class->ints[i]);
    TRY(read_svm(call, total, svm->classes - 1, svm));
    svm->prob_a = node_floats(call->node, "prob_a");
    svm->prob_b = node_floats(call->node, "prob_b");
    if (svm->rho.count != svm->pairs || svm->prob_a.count != svm->prob_b.count ||
        (svm->prob_a.count && svm->prob_a.count != svm->pairs))
        return call_refuse(call, "%zu numbers in rho for %zu pairs", svm->rho.count, svm->pairs);
    return STATUS_IS_OK;
}

static struct status read_regressor(const struct call *call, struct svm *svm)
{
    const int64_t count = node_int(call->node, "n_supports", 0);
    TRY(read_svm(call, count < 0 || count > INT32_MAX ? 0 : (size_t)count, 1, svm));
    return svm->rho.count == 1 ? STATUS_IS_OK : call_unsupported(call, "%zu numbers in rho", svm->rho.count);
}

INFER(svm)
{
    const bool classifies = is_classifier(call->node);
    struct svm *svm = FOUND(call, struct svm);
    *svm = (struct svm){0};
    TRY(classifies ? read_classifier(call, svm) : read_regressor(call, svm));
    size_t scores = !classifies ? 1 : svm->prob_a.count || svm->pairs == 1 ? svm->classes : svm->pairs;
    return predictor_infer(call, made, scores);
}

static float kernel_of(const struct svm *svm, const float *a, const float *b)
{
    double sum = 0;
    for (size_t i = 0; i < svm->features; i++)
        sum += svm->kernel == RBF ? ((double)a[i] - (double)b[i]) * ((double)a[i] - (double)b[i])
                                  : (double)a[i] * (double)b[i];
    switch (svm->kernel) {
    case LINEAR:
        return (float)sum;
    case POLY:
        return (float)pow((double)svm->gamma * sum + (double)svm->coef0, (double)svm->degree);
    case RBF:
        return (float)exp(-(double)svm->gamma * sum);
    default:
        return (float)tanh((double)svm->gamma * sum + (double)svm->coef0);
    }
}

static size_t regress(const void *predictor, const float *row, float *scores, enum transform *)
{
    const struct svm *svm = predictor;
    double sum = svm->rho.list ? (double)svm->rho.list[0] : 0;
    for (size_t i = 0; i < svm->vector_count && svm->coefficients.list; i++)
        sum += (double)(svm->coefficients.list[i] * kernel_of(svm, row, svm->vectors.list + i * svm->features));
    *scores = (float)sum;
    return 0;
}

/* --- Classes --- */

/* Finds the sum of each pair of classes, and the votes. */
static void vote(const struct svm *svm)
{
    size_t i_begin = 0, pair = 0;
    memset(svm->votes, 0, svm->classes * sizeof(*svm->votes));
    if (!svm->rho.list || !svm->coefficients.list) /* there is a pair at least, so there are both */
        return;
    for (size_t i = 0; i < svm->classes; i_begin += (size_t)svm->per_class[i++])
        for (size_t j = i + 1, j_begin = i_begin + (size_t)svm->per_class[i]; j < svm->classes;
             j_begin += (size_t)svm->per_class[j++], pair++) {
            const float *of_i = svm->coefficients.list + svm->vector_count * (j - 1),
                        *of_j = svm->coefficients.list + svm->vector_count * i;
            double sum = (double)svm->rho.list[pair];
            for (size_t k = i_begin; k < i_begin + (size_t)svm->per_class[i]; k++)
                sum += (double)(of_i[k] * svm->kernels[k]);
            for (size_t k = j_begin; k < j_begin + (size_t)svm->per_class[j]; k++)
                sum += (double)(of_j[k] * svm->kernels[k]);
            svm->sums[pair] = (float)sum;
            svm->votes[sum > 0 ? i : j]++;
        }
}

/* Makes probabilities p of the probabilities r of the pairs. */
static void couple(const struct svm *svm, float *p)
{
    size_t k = svm->classes, pair = 0;
    double *r = svm->work, *q = r + k * k, *qp = q + k * k;
    for (size_t i = 0; i < k; i++)
        for (size_t j = i + 1; j < k; j++, pair++) {
            double x =
                1 /
                (1 + exp((double)svm->sums[pair] * (double)svm->prob_a.list[pair] + (double)svm->prob_b.list[pair]));
            r[i * k + j] = fmin(fmax(x, 1e-7), 1 - 1e-7);
            r[j * k + i] = 1 - r[i * k + j];
        }
    for (size_t t = 0; t < k; t++) {
        p[t] = 1 / (float)k;
        q[t * k + t] = 0;
        for (size_t j = 0; j < k; j++)
            if (j != t) {
                q[t * k + t] += r[j * k + t] * r[j * k + t];
                q[t * k + j] = -r[j * k + t] * r[t * k + j];
            }
    }
    for (size_t round = 0; round < (k > 100 ? k : 100); round++) {
        double all = 0, error = 0;
        for (size_t t = 0; t < k; t++) {
            qp[t] = 0;
            for (size_t j = 0; j < k; j++)
                qp[t] += q[t * k + j] * (double)p[j];
            all += (double)p[t] * qp[t];
        }
        for (size_t t = 0; t < k; t++)
            error = fmax(error, fabs(qp[t] - all));
        if (error < 0.005 / (double)k)
            return;
        for (size_t t = 0; t < k; t++) {
            double step = (all - qp[t]) / q[t * k + t];
            p[t] += (float)step;
            all = (all + step * (step * q[t * k + t] + 2 * qp[t])) / (1 + step) / (1 + step);
            for (size_t j = 0; j < k; j++) {
                qp[j] = (qp[j] + step * q[t * k + j]) / (1 + step);
                p[j] /= (float)(1 + step);
            }
        }
    }
}

static size_t classify(const void *predictor, const float *row, float *scores, enum transform *)
{
    const struct svm *svm = predictor;
    const size_t k = svm->classes;
    size_t chosen = 0;
    for (size_t i = 0; i < svm->vector_count; i++)
        svm->kernels[i] = kernel_of(svm, row, svm->vectors.list + i * svm->features);
    vote(svm);
    if (svm->prob_a.count)
        couple(svm, scores);
    else if (svm->pairs == 1)
        scores[0] = -(scores[1] = svm->sums[0]);
    else
        memcpy(scores, svm->sums, svm->pairs * sizeof(*scores));
    for (size_t i = 1; i < k; i++)
        chosen = svm->votes[i] > svm->votes[chosen] ? i : chosen;
    return chosen;
}

COMPUTE(svm)
{
    struct svm svm = *(const struct svm *)call->found;
    if (!is_classifier(call->node))
        return predict(call, &svm, regress);
    svm.kernels = arena_alloc(call->arena, (svm.vector_count + svm.pairs) * sizeof(*svm.kernels));
    svm.votes = arena_alloc(call->arena, svm.classes * sizeof(*svm.votes));
    svm.work = arena_alloc(call->arena, svm.classes * (2 * svm.classes + 1) * sizeof(*svm.work));
    NEED(svm.kernels && svm.votes && svm.work);
    svm.sums = svm.kernels + svm.vector_count;
    return predict(call, &svm, classify);
}
