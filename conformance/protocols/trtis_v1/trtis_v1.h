/* TensorRT Inference Server v1 (002): how the judge writes inferences, reads answers and asks in discovery.
 *
 * Requests of v1 name no datatypes, and leave the dimension of the batch out of shapes; answers do the same. Both stand
 * in the configurations of the models, which the status of the server has. So the details of a model (protocol.h) are
 * {max_batch_size, inputs, outputs: [{name, datatype, shape}]}, with the words and shapes of 000: the batch is the
 * first dimension of a model that has max_batch_size.
 *
 * The folder protocols/trtis_v1/ is the only one that may name paths, headers, rpcs and messages of v1. It uses
 * protocols/, notation/ and support/; it may not include probe/, plan/, judge/ or another protocol's folder. */
#pragma once

#include "protocols/protocol.h"
#include "tensor/datatype.h"

extern const struct protocol trtis_v1;

/* The numbers of an enumeration, as the schema has them: what the judge itself looks at. */
enum trtis_code { TRTIS_SUCCESS = 1 };
enum trtis_ready { TRTIS_MODEL_READY = 1 }; /* 0: the status does not say it */

/* The datatype that the number of a DataType means; DATATYPE_NONE for TYPE_INVALID and for what is none (types.c). */
enum datatype trtis_datatype(int64_t number);

/* Whether v1 has a type for the datatype. */
bool trtis_has(enum datatype datatype);

/* Whether the name of a model can be in a path. It stands there as it is: release 1.4.0 decodes nothing. */
bool trtis_path_holds(struct str model);

/* These write an inference as a POST with the header NV-InferRequest and raw tensors, or as an InferRequest
 * (request.c). They name the outputs that the act asks for, else all that the model has, since v1 returns no others.
 * UNIMPLEMENTED for what v1 has not: parameters, ids and versions that are no numbers, BF16. */
struct status trtis_encode_http(const struct meaning *meaning, struct arena *arena, struct request *request);
struct status trtis_encode_grpc(const struct meaning *meaning, struct arena *arena, struct request *request);

/* Read answers; both fulfil protocols/protocol.h (answer.c). Over HTTP trtis_decode adds `message`, in the form in
 * which gRPC has it: `request_status` is the header NV-Status; of an inference `meta_data` is the header
 * NV-InferResponse, `raw_output` has the bytes of each output, empty for a classification, and `trailer` is the
 * InferResponseHeader after them; of a status `server_status` is the body. It also adds `format`, text or binary: the
 * form of that trailer or body. */
void trtis_decode(struct answer_reading *reading, struct tree *tree);
void trtis_read(struct answer_reading *reading, struct tree *tree);

extern const struct inquiry trtis_inquiries[]; /* how discovery asks (discover.c) */
