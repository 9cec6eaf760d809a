/* What the classifiers and regressors of the domain ai.onnx.ml share. They see their input as rows of features; an
 * input of one dimension is one row. */
#pragma once

#include "engine/call.h"

/* Numbers of an attribute; an empty list if there is none. */
struct floats {
    const float *list;
    size_t count;
};
struct floats node_floats(const struct node *node, const char *name);

/* The labels of a classifier: strings, or integers. */
struct labels {
    const Onnx__AttributeProto *strings, *integers; /* one of them */
    size_t count;
};
struct status read_labels(const struct call *call, struct labels *labels);

/* How many rows the input has, and how many features each; -1: not known. */
struct rows {
    int64_t count, features;
};
struct rows rows_of(const struct call *call);

/* A classifier has two outputs: the label of each row, and scores. A regressor has only what corresponds to them. */
static inline bool is_classifier(const struct node *node)
{
    return node->op->outputs_max == 2;
}

/* Sets the types of the outputs, with so many numbers for each row. */
struct status predictor_infer(const struct call *call, struct made *made, size_t scores);

/* What becomes of the numbers of a row, in the order of the values of post_transform in the table of operators. */
enum transform { TRANSFORM_NONE, TRANSFORM_SOFTMAX, TRANSFORM_LOGISTIC, TRANSFORM_SOFTMAX_ZERO };

/* Computes the numbers of a row, and returns the position of its label; a regressor returns 0. *transform is the
 * post_transform of the node, and may be changed. */
typedef size_t predict_row(const void *predictor, const float *row, float *scores, enum transform *transform);

/* Computes the outputs row by row. */
struct status predict(const struct call *call, const void *predictor, predict_row *row);

/* Returns the position of the largest number, which is the first of equal ones. */
size_t largest(const float *numbers, size_t count);
