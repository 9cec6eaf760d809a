/* Internals of the decoding of a ModelInferRequest into an infer_request (000, "GRPC Inference" and "GRPC Tensor
 * Data").
 *
 * The message is walked once for its names, shapes and parameters, and checked on the way (grpc_envelope.c). Then every
 * row of the table of duties is checked for every input (grpc_duties.c); the last rows read the data. */
#pragma once

#include "predict_v2/grpc.h"
#include "predict_v2/grpc_contents.h"
#include "wire/field.h"

/* The fields of ModelInferRequest (raw_input_contents are gathered before), of its InferInputTensor and of its
 * InferRequestedOutputTensor. */
enum {
    REQUEST_MODEL_NAME = 1,
    REQUEST_MODEL_VERSION,
    REQUEST_ID,
    REQUEST_PARAMETERS,
    REQUEST_INPUTS,
    REQUEST_OUTPUTS,
    REQUEST_RAW
};
enum { INPUT_NAME = 1, INPUT_DATATYPE, INPUT_SHAPE, INPUT_PARAMETERS, INPUT_CONTENTS };
enum { OUTPUT_NAME = 1, OUTPUT_PARAMETERS };

/* How the data of a request came. */
struct data_form {
    bool is_raw;        /* as raw_input_contents */
    bool is_in_message; /* some of it is used where it lies in the message */
};

/* Decodes the call's message into `request`; the caller has set its arena and repository. All of it is copied
 * into that arena (raw data once, aligned to 64 bytes), except raw data that stands aligned in the message of a call
 * with one message. Fails with INVALID_ARGUMENT if a duty in grpc_duties.c is broken, and with
 * RESOURCE_EXHAUSTED if the arena is exhausted. */
struct status grpc_decode_request(const struct rpc_call *call, struct infer_request *request, struct data_form *form);

/* Returns where in a request the first raw data begins (struct rpc_method, `aligned`). */
size_t grpc_data_begins(struct str start);

/* The parts of an input that have no place in infer_input. */
struct input_message {
    struct str bytes; /* the whole InferInputTensor */
    struct str datatype;
    struct contents_counts contents;
};

struct decoding {
    const struct rpc_call *call;
    struct infer_request *request;
    struct input_message *messages; /* one for each input */
    struct str *raw;
    size_t raw_count;
};

/* The most inputs, outputs and parameters that are read, of the request, or parameters of one input or output. Each
 * takes a hundred times as much memory as its two bytes in the message. REST has the same limit for the members of an
 * object. */
#define ENTRIES_MAX ((size_t)65536)

/* Reads everything but the data. Fails also if the message is malformed; grpc_check says why. */
struct status read_envelope(struct decoding *decoding, struct str message);

/* Checks the request against the table of duties, and reads the data. */
struct status check_request_duties(const struct decoding *decoding);
