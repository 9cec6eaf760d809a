/* An inference over v1, whatever its transport. It goes through these steps, and ends at once when one fails:
 *
 *   v1_infer_find      the model is found                                  (infer.c)
 *   v1_infer_check     the header is checked against the model             (infer_check.c)
 *   v1_infer_take      each input gets its bytes                           (infer_check.c)
 *   v1_infer_run       the request gets its id and is executed             (infer.c)
 *   answer             the transport answers; also where a step has failed
 *
 * The answer is an InferResponseHeader and the bytes of each output (infer_answer.c). */
#pragma once

#include "inference/infer.h"
#include "trtis_v1/model.h"

struct v1_infer {
    /* The transport sets these members. */
    struct infer_request request; /* arena, model_name, began, admitted, is_awaited; it must be first */
    struct trtis_v1 *v1;
    const V1__InferRequestHeader *header;
    int64_t version;                        /* -1: the latest */
    void (*answer)(struct v1_infer *asked); /* called exactly once, on any thread */

    struct model_hold hold; /* the model, from v1_infer_find to the answer */
    size_t *sizes;          /* bytes of each input */

    /* The answer. If the outcome is no success, the response has the id alone. */
    struct v1_outcome outcome;
    V1__InferResponseHeader *response;
    struct str *raw; /* the bytes of each output of the response; none of a classification */
};

/* Reads an InferRequestHeader. Fails as structs_read does. */
struct status v1_infer_read_header(struct str message, struct arena *arena, const V1__InferRequestHeader **header);

/* Each fails with a status that has the message of the original server. */
struct status v1_infer_find(struct v1_infer *asked);
struct status v1_infer_check(struct v1_infer *asked);

/* Gives the next input its bytes, which must have the size that was checked. */
struct status v1_infer_take(struct v1_infer *asked, size_t input, struct str bytes);

/* Checks what is checked when the request has its id: the outputs, and the rules of sequences. */
struct status v1_infer_check_scheduled(struct v1_infer *asked);

/* Runs the request and answers. */
void v1_infer_run(struct v1_infer *asked);

/* Answers with the failure of a step before v1_infer_run. */
void v1_infer_refuse(struct v1_infer *asked, struct status status) __attribute__((cold));

/* Makes the answer (infer_answer.c). v1_infer_respond is the `emit` of the request. v1_infer_empty_response returns a
 * response with the id of the request alone; NULL without memory. */
struct status v1_infer_respond(struct infer_request *request, const struct infer_response *response);
V1__InferResponseHeader *v1_infer_empty_response(const struct v1_infer *asked);
