/* An ONNX graph made ready to run: nodes in order, each a kernel from its operator family's file, with oneDNN
 * primitives cached by shape. */
#ifndef ENGINE_NETWORK_H
#define ENGINE_NETWORK_H

#include "base/status.h"
#include "models/backend.h"

struct network;

/* Reads an encoded onnx.ModelProto (hostile: sizes, depth and references are checked), sets model->inputs and ->outputs
 * from the graph, and model->on_compute_thread if an operator uses oneDNN. Fails with INVALID_ARGUMENT or UNIMPLEMENTED
 * naming the node, the operator and what it cannot do ("node 'conv1': operator 'Foo' is not supported"). */
struct status network_load(struct str onnx, struct model *model, struct network **network);

/* Computes one response: fills the execution's outputs and leaves emit and done to the caller. */
struct status network_run(struct network *network, struct execution *execution);
void network_free(struct network *network);

#endif
