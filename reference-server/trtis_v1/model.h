/* A model as v1 sees it: its configuration, and its tensors without the dimension of the batch. */
#pragma once

#include "models/model.h"
#include "trtis_v1/v1.h"

/* A tensor of a model. `dims` are what clients send and get. The model itself has `shape` in their place if the
 * configuration reshapes the tensor. */
struct v1_tensor {
    const struct tensor_spec *spec;
    const int64_t *dims; /* -1: any size */
    size_t rank;
    bool is_reshaped;
    const int64_t *shape;
    size_t shape_rank;
};

struct v1_tensor v1_input(const struct model *model, const struct tensor_spec *spec);
struct v1_tensor v1_output(const struct model *model, const struct tensor_spec *spec);

/* Whether v1 has a type for each tensor of the model. It has none for BF16; such a model is not served over v1. */
bool v1_has_types(const struct model *model);

/* Returns the version as a number; versions of models are numbers. */
int64_t v1_version_number(struct str version);

/* Returns the whole configuration of the model, completed as the original server completes it. Fails without
 * memory. */
struct status v1_config(const struct model *model, struct arena *arena, V1__ModelConfig **config);
