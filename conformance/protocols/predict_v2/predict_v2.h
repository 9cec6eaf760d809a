/* Predict Protocol V2 (000; its gRPC also 001): how the judge writes inferences, reads answers and asks in discovery.
 *
 * The folder protocols/predict_v2/ is the only one that may name paths, rpcs and members of V2. It uses protocols/,
 * notation/ and support/; it may not include probe/, plan/, judge/ or another protocol's folder. */
#pragma once

#include "protocols/protocol.h"

extern const struct protocol predict_v2;

/* Writes the body of 000, "Inference Request JSON Object", with flat or nested data, or with the data after the JSON,
 * and outputs asked for in that form (rest.c, binary.c). */
enum rest_way { REST_FLAT, REST_NESTED, REST_BINARY };
struct status rest_encode(const struct meaning *meaning, struct arena *arena, struct request *request);

/* Writes a ModelInferRequest, with raw or typed contents; to an rpc that streams it is the only message (grpc.c). */
enum grpc_way { GRPC_RAW, GRPC_TYPED };
struct status grpc_encode(const struct meaning *meaning, struct arena *arena, struct request *request);

/* predict_v2_read reads what an answer says about an inference, predict_v2_read_inputs the inputs of a request;
 * predict_v2_mend removes what other editions of the schema have differently (answer.c). They fulfil
 * protocols/protocol.h. */
void predict_v2_read(struct answer_reading *reading, struct tree *tree);
void predict_v2_read_inputs(struct answer_reading *reading, struct tree *tree);
struct str predict_v2_mend(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

/* How discovery asks (discover.c). */
extern const struct inquiry predict_v2_inquiries[];

/* Returns "/v2/models/M/infer" with "/versions/V" after the model, in the arena (rest.c). */
#define REST_BELOW_MODEL "/versions/"
struct str rest_versioned_path(struct str path, struct str model, struct str version, struct arena *arena);
