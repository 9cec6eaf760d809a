/* Reads the message of an ONNX file. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "onnx.pb-c.h"

/* Reads an encoded onnx.ModelProto, hostile or not, as a struct in `memory`, an empty arena: its budget is set for the
 * time of reading. Large weights are moved out of `onnx`, whose bytes are not defined afterwards, so that they are in
 * memory once. Messages of errors lie in `scratch`. Fails with INVALID_ARGUMENT, and with RESOURCE_EXHAUSTED if it is
 * too large when unpacked. */
struct status unpack_model(struct str onnx, struct arena *memory, struct arena *scratch, Onnx__ModelProto **model);
