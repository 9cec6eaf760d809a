/* reference-server/trtis_v1/ serves version 1 of the API of TensorRT Inference Server (002): over HTTP under /api, and
 * over gRPC. It may include proto/, http/, grpc/, services/, inference/ and models/; not deviations/, backends/,
 * engine/ or another protocol.
 *
 * v1.c, status.c and infer.c have what the endpoints of both transports share. http.c and grpc.c are their tables;
 * http_infer.c and grpc_infer.c put an inference into the form of their transport.
 *
 * What became of a request is said by a RequestStatus: in the header NV-Status, or in the answer of a call whose gRPC
 * status is OK. SPEC_NOTES.md, "TensorRT Inference Server v1", says what 002 leaves open. */
#pragma once

#include "services/service.h"

void *trtis_v1_open(const struct shared *shared, struct arena *arena);

extern const struct http_service trtis_v1_http;
extern const struct rpc_service trtis_v1_grpc;
