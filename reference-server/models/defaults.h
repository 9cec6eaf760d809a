/* The default parameters of a model, for requests and for tensors (001, "ModelMetadataResponse"; SPEC_NOTES.md, note
 * 31). config.pbtxt declares them. Triton's schema has only one place for them: the field `parameters`, whose values
 * are strings. Such a string is a JSON object, written as the parameters of a request are.
 *
 *     parameters { key: "default_parameters" value { string_value: '{"count": 3, "verbose": true}' } }
 *     parameters { key: "default_parameters.INPUT0" value { string_value: '{"unit": "mm"}' } }
 *
 * The first line is for the model, the second for the input or output of that name. Metadata shows them. If a request
 * lacks one of them, infer adds it. */
#pragma once

#include "base/status.h"
#include "models/model.h"

/* Sets the parameters of a loaded model and of its tensors, sorted by name, in the arena of the model. Fails with
 * INVALID_ARGUMENT if the model has no tensor of that name, or if the text is not a JSON object with different names
 * whose values are strings, numbers and booleans. */
struct status defaults_read(struct model *model);
