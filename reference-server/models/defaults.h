/* The default parameters of a model (001, "ModelMetadataResponse": of a request, and of a tensor), as its config.pbtxt
 * declares them. Triton's form has no place for them but its `parameters`, whose values are texts: in these they stand
 * as JSON objects, written as the parameters of a request are.
 *
 *     parameters { key: "default_parameters" value { string_value: '{"count": 3, "verbose": true}' } }
 *     parameters { key: "default_parameters.INPUT0" value { string_value: '{"unit": "mm"}' } }
 *
 * The first are the model's, the second those of the input or output of that name. Metadata shows them; where a request
 * lacks one of them, infer puts it there. */
#ifndef MODELS_DEFAULTS_H
#define MODELS_DEFAULTS_H

#include "base/status.h"
#include "models/model.h"

/* Sets the parameters of a loaded model and of its tensors, in the order of their names, in its arena.
 * INVALID_ARGUMENT: the model has no tensor of that name, or the text is no JSON object of texts, numbers and booleans
 * with different names. */
struct status defaults_read(struct model *model);

#endif
