/* What can run a model. The backend of a model is the `backend` of its config.pbtxt; ONNX if that says none. */
#ifndef MODELS_BACKENDS_H
#define MODELS_BACKENDS_H

#include "models/config.h"
#include "models/model.h"

/* backend "onnxruntime" or platform "onnxruntime_onnx" (the names under which the same repository loads in Triton), or
 * none: <directory>/model.onnx, run by engine/. */
extern const struct backend backend_onnx;

/* backend "oip": built-in models for what ONNX cannot express; the parameter `kind` of config.pbtxt says which. */
extern const struct backend backend_oip;

/* NULL if this server has no such backend. */
const struct backend *backend_for(const struct model_config *config);

#endif
