/* The backend for ONNX: <version folder>/model.onnx, run by engine/. Its names in config.pbtxt are those under which
 * the same repository loads in Triton. */
#ifndef BACKENDS_ONNX_H
#define BACKENDS_ONNX_H

#include "models/backend.h"

extern const struct backend backend_onnx;

#endif
