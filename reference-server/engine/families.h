/* The functions of the operator families, for the table in operators.c. */
#ifndef ENGINE_FAMILIES_H
#define ENGINE_FAMILIES_H

#include "engine/operator.h"

#define OPERATOR_FUNCTIONS(name)                                                                                       \
    struct status name##_load(struct network *network, struct node *node);                                             \
    struct status name##_run(const struct node *node, const struct run *run)

/* elementwise.c */
OPERATOR_FUNCTIONS(arithmetic); /* Add, Sub, Mul, Div */
OPERATOR_FUNCTIONS(comparison); /* Equal, Less, LessOrEqual, Greater, GreaterOrEqual */
OPERATOR_FUNCTIONS(logic);      /* And, Or, Xor */

/* unary.c */
OPERATOR_FUNCTIONS(unary); /* Relu, Neg, Abs, Sqrt, Exp, Log, Sigmoid, Tanh, Floor, Ceil, Not */

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
