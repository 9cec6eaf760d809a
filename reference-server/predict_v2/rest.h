/* Inside of V2 over REST: a request that found its endpoint. */
#ifndef PREDICT_V2_REST_H
#define PREDICT_V2_REST_H

#include "inference/infer.h"
#include "inference/switches.h"
#include "predict_v2/predict_v2.h"
#include "json/reader.h"

struct rest_call {
    struct http_request *http;
    struct predict_v2 *v2;
    struct arena *arena;
    struct str model;   /* decoded; empty if the path names none */
    struct str version; /* decoded; empty: the server chooses */
};

/* What a worker keeps from request to request. */
struct rest_kept {
    struct json_reader *reader;
    struct json_reader *second; /* for a value that can only be read after what follows it */
};
struct rest_kept *rest_kept(struct rest_call *call); /* NULL without memory */

static inline bool rest_duty_is_off(const struct rest_call *call, const char *slug)
{
    return duty_is_off(call->http->switches, slug);
}

/* The endpoints, one a section of 000. */
void rest_server_live(struct rest_call *call);
void rest_server_ready(struct rest_call *call);
void rest_model_ready(struct rest_call *call);
void rest_server_metadata(struct rest_call *call);
void rest_model_metadata(struct rest_call *call);
void rest_infer(struct rest_call *call);

/* Answers 200 with the JSON in http->answer_buf; INTERNAL if the buffer ran out of memory. */
void rest_answer_json(struct rest_call *call);

/* Answers with the error body: the HTTP status of the code, the sentence, and the key of the requirement that was
 * broken. */
void rest_refuse(struct rest_call *call, struct status status) __attribute__((cold));

/* The model that the path names, if it is ready; the caller releases it. NOT_FOUND (model-known, version-known),
 * FAILED_PRECONDITION (model-ready); then none is held. */
struct status rest_find_ready(struct rest_call *call, struct model_hold *hold);

/* Reads the body of an inference request (000, "Inference Request JSON Object") into `request`, whose arena, switches
 * and repository are set. INVALID_ARGUMENT with the requirement that is broken. */
struct status rest_decode_infer(struct rest_call *call, struct str body, struct infer_request *request);

/* Writes the answer (000, "Inference Response JSON Object"); INTERNAL names an output that JSON cannot say. */
struct status rest_encode_infer(struct rest_call *call, const struct infer_request *request,
                                const struct infer_response *response, struct buf *out);

/* {"name": value, ...} */
struct status rest_write_parameters(const struct parameters *parameters, struct buf *out, struct arena *arena);
void rest_write_shape(const int64_t *shape, size_t rank, struct buf *out);

#endif
