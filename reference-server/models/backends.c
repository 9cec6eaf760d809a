#include "models/backends.h"

const struct backend *backend_for(const struct model_config *config)
{
    if (str_is(config->backend, "oip"))
        return &backend_oip;
    if (str_is(config->backend, "onnxruntime") || str_is(config->platform, "onnxruntime_onnx"))
        return &backend_onnx;
    return config->backend.size == 0 && config->platform.size == 0 ? &backend_onnx : NULL;
}
