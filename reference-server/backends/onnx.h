/* The backend for ONNX: engine/ runs <version folder>/model.onnx. In config.pbtxt it has the names that Triton uses, so
 * the same repository loads in both servers. */
#pragma once

#include "models/backend.h"

extern const struct backend backend_onnx;
