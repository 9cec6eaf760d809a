/* Predict Protocol V2 (000; its gRPC also 001) as the judge speaks it: encodings, answers, discovery. */
#ifndef PREDICT_V2_PREDICT_V2_H
#define PREDICT_V2_PREDICT_V2_H

#include "protocols/protocol.h"

extern const struct protocol predict_v2;

/* The body of 000's Inference Request, its data flat or nested (rest.c). */
struct status rest_encode_flat(const struct meaning *meaning, const struct profile *profile, struct arena *arena,
                               struct request *request);
struct status rest_encode_nested(const struct meaning *meaning, const struct profile *profile, struct arena *arena,
                                 struct request *request);

/* A ModelInferRequest, its data in typed contents or in raw_input_contents (grpc.c). */
struct status grpc_encode_typed(const struct meaning *meaning, const struct profile *profile, struct arena *arena,
                                struct request *request);
struct status grpc_encode_raw(const struct meaning *meaning, const struct profile *profile, struct arena *arena,
                              struct request *request);

/* What an answer says of an inference (answer.c). */
void predict_v2_read(struct answer_reading *reading, const struct profile *profile, struct tree *tree);
struct str predict_v2_mend(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena);

/* Discovery (discover.c). */
#define PREDICT_V2_SIDES 2
extern const struct side predict_v2_sides[PREDICT_V2_SIDES];

/* "/v2/models/M/infer" with "/versions/V" behind the model (rest.c). */
struct str rest_versioned_path(struct str path, struct str model, struct str version, struct arena *arena);

#endif
