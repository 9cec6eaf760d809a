/* Inside of the decoding of a ModelInferRequest into an infer_request (000, "GRPC": Inference, "Raw Tensor Contents").
 *
 * The message is checked as a whole, walked once for its names and shapes (grpc_envelope.c), and then held against the
 * table of duties (grpc_duties.c): every row is asked of every input. A row that is broken but switched off amends the
 * input instead. The data is read last (grpc_request.c). */
#ifndef PREDICT_V2_GRPC_DECODE_H
#define PREDICT_V2_GRPC_DECODE_H

#include "inference/infer.h"
#include "predict_v2/grpc.h"
#include "predict_v2/grpc_contents.h"
#include "wire/field.h"

/* Decodes the call's message into `request`, whose arena, repository and switches are set. All of it is copied into the
 * arena, raw data once and 64-byte aligned; nothing points into the message. Fails with INVALID_ARGUMENT when a duty of
 * the table in grpc_duties.c is broken; with RESOURCE_EXHAUSTED when the arena gives out. *is_raw: the data came as
 * raw_input_contents. */
struct status grpc_decode_request(const struct rpc_call *call, struct infer_request *request, bool *is_raw);

/* What of an input has no place in infer_input. */
struct input_message {
    struct str bytes; /* the whole InferInputTensor */
    struct str datatype;
    struct contents_counts contents;
    size_t contents_elements; /* of all fields */
    bool is_zero;             /* its data is zeros, whatever came */
};

struct decoding {
    const struct rpc_call *call;
    struct infer_request *request;
    struct input_message *messages; /* one an input */
    struct str *raw;
    size_t raw_count;
};

/* The next occurrence of the field `contents` in an input's message. */
bool next_contents(struct wire_cursor *at, struct str *contents);

/* Reads everything but the data. `message` is well-formed. False: the arena is exhausted. */
bool read_envelope(struct decoding *decoding, struct str message);

/* Holds the request against the table of duties; reads raw data. */
struct status check_request_duties(struct decoding *decoding);

#endif
