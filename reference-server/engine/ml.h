/* What the classifiers and regressors of the domain ai.onnx.ml share. They see their input as rows of features. */
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

/* Sets the types of a classifier's outputs: one label and `scores` numbers for each row. */
struct status classifier_infer(const struct call *call, struct made *made, size_t scores);

/* Writes the labels with these positions, one for each row. */
bool write_labels(const struct call *call, const struct labels *labels, const size_t *chosen);

/* How many rows an input of FP32 has, and how many features each. An input of one dimension is one row. */
struct status rows_infer(const struct call *call, int64_t *rows, int64_t *features);

/* Returns the input as FP32, or NULL without memory. */
const float *rows_data(const struct call *call);

enum transform { TRANSFORM_NONE, TRANSFORM_SOFTMAX, TRANSFORM_LOGISTIC, TRANSFORM_SOFTMAX_ZERO, TRANSFORM_PROBIT };
struct status read_transform(const struct call *call, enum transform *transform);
void apply_transform(enum transform transform, float *scores, size_t count);
