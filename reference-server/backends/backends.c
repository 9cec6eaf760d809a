#include "backends/backends.h"

#include "backends/builtin/builtin.h"

const struct backend *const backends[] = {&backend_onnx, &backend_builtin, NULL};
