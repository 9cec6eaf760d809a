/* The functions of the operator families, for the table in operators.c. */
#ifndef ENGINE_FAMILIES_H
#define ENGINE_FAMILIES_H

#include "engine/operator.h"

#define OPERATOR_FUNCTIONS(name)                                                                                       \
    struct status name##_load(struct network *network, struct node *node);                                             \
    struct status name##_run(const struct node *node, const struct run *run)

/* elementwise.c */
OPERATOR_FUNCTIONS(binary); /* Add, Sub, Min, Mod, PRelu, Equal, Less, And and so on */
OPERATOR_FUNCTIONS(pow);

/* Computes out[i] = a[i * a_step] + b[i * b_step], or another operator of two tensors. A step is 0 or 1. */
typedef void binary_kernel(const void *a, size_t a_step, const void *b, size_t b_step, void *out, size_t count);

/* Returns the kernel of Add, Mul or another operator of the family, or NULL if it has none for the datatype. */
binary_kernel *binary_kernel_of(const char *op_type, enum datatype datatype);

/* unary.c */
OPERATOR_FUNCTIONS(unary); /* Relu, Neg, Exp, Sigmoid, Erf and so on */

/* In the short form */
#define SHORT_FUNCTIONS(name)                                                                                          \
    struct status name##_infer(const struct call *call, struct made *made);                                            \
    struct status name##_compute(const struct call *call)

/* unary.c */
SHORT_FUNCTIONS(curve); /* LeakyRelu, Elu, Celu, Selu, HardSigmoid, ThresholdedRelu, Shrink */
SHORT_FUNCTIONS(clip);
SHORT_FUNCTIONS(is); /* IsNaN, IsInf */

/* rearrange.c */
SHORT_FUNCTIONS(concat);
SHORT_FUNCTIONS(split);
SHORT_FUNCTIONS(slice);
SHORT_FUNCTIONS(pad);
SHORT_FUNCTIONS(tile);
SHORT_FUNCTIONS(expand);
SHORT_FUNCTIONS(where);
SHORT_FUNCTIONS(gather);
SHORT_FUNCTIONS(space); /* DepthToSpace, SpaceToDepth */

/* generate.c */
SHORT_FUNCTIONS(shape);
SHORT_FUNCTIONS(size);
SHORT_FUNCTIONS(constant_of_shape);
SHORT_FUNCTIONS(range);

/* reduce.c */
SHORT_FUNCTIONS(reduce);
SHORT_FUNCTIONS(find); /* ArgMax, ArgMin */

/* normalize.c */
SHORT_FUNCTIONS(batch);
SHORT_FUNCTIONS(instance);
SHORT_FUNCTIONS(layer);
SHORT_FUNCTIONS(lrn);

/* Finds what BatchNormalization does to each channel: x becomes scale x + shift. */
void batch_fold(const float *gain, const float *bias, const float *mean, const float *variance, float epsilon,
                size_t channels, float *scale, float *shift);

/* recurrent.c: LSTM, GRU, RNN */
SHORT_FUNCTIONS(recurrent);

/* ml.c, svm.c, trees.c */
SHORT_FUNCTIONS(scaler);
SHORT_FUNCTIONS(normalizer);
SHORT_FUNCTIONS(extractor);
SHORT_FUNCTIONS(linear_regressor);
SHORT_FUNCTIONS(linear_classifier);
SHORT_FUNCTIONS(svm_regressor);
SHORT_FUNCTIONS(svm_classifier);
SHORT_FUNCTIONS(tree_regressor);
SHORT_FUNCTIONS(tree_classifier);
struct status tree_regressor_load(struct network *network, struct node *node);
struct status tree_classifier_load(struct network *network, struct node *node);

/* shape.c */
OPERATOR_FUNCTIONS(identity);
OPERATOR_FUNCTIONS(constant);
OPERATOR_FUNCTIONS(cast);
OPERATOR_FUNCTIONS(reshape);
OPERATOR_FUNCTIONS(flatten);
OPERATOR_FUNCTIONS(squeeze);
OPERATOR_FUNCTIONS(unsqueeze);
OPERATOR_FUNCTIONS(transpose);

/* On oneDNN: gemm.c, conv.c, pool.c, softmax.c */
OPERATOR_FUNCTIONS(gemm);
OPERATOR_FUNCTIONS(matmul);
void gemm_unload(struct node *node); /* for Gemm and MatMul */
OPERATOR_FUNCTIONS(conv);
void conv_unload(struct node *node);
OPERATOR_FUNCTIONS(pool); /* MaxPool, AveragePool, GlobalMaxPool, GlobalAveragePool */
void pool_unload(struct node *node);
OPERATOR_FUNCTIONS(softmax); /* Softmax, LogSoftmax */
void softmax_unload(struct node *node);

#endif
