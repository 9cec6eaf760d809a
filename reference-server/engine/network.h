/* reference-server/engine/ runs ONNX graphs. It may include proto/ and models/ and nothing else: it knows no request,
 * no transport and no protocol.
 *
 * A network is an ONNX graph that is ready to run: its nodes in order, each with the kernel from the file of its
 * operator family. oneDNN primitives are cached by shape. */
#pragma once

#include "base/status.h"
#include "models/backend.h"

struct network;

/* Reads an encoded onnx.ModelProto. It may be hostile: sizes, depth and references are checked. Sets model->inputs,
 * model->outputs and the descriptions from the graph, and model->on_compute_thread if an operator is heavy. Fails
 * with INVALID_ARGUMENT or UNIMPLEMENTED, which names the node, the operator and what it cannot do ("node 'conv1':
 * operator 'Foo' is not supported"). The bytes of `onnx` are not defined afterwards: large weights are moved out of
 * them. network_free frees the network. */
struct status network_load(struct str onnx, struct model *model, struct network **network);

/* Computes one response into the outputs of the execution. The caller calls emit and done. Several threads may run one
 * network at the same time; `in_team`: a long operation may use all processors, because nobody else needs them. */
struct status network_run(struct network *network, struct execution *execution, bool in_team);
void network_free(struct network *network);
