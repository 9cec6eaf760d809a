#include "backends/backends.h"

#include "backends/builtin/builtin.h"
#include "backends/onnx.h"

const struct backend *const backends[] = {&backend_onnx, &backend_builtin, NULL};
