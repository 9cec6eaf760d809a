/* Internals of v1 over HTTP. */
#ifndef TRTIS_V1_HTTP_H
#define TRTIS_V1_HTTP_H

#include "trtis_v1/v1.h"

struct v1_call {
    struct http_request *http;
    struct trtis_v1 *v1;
    struct arena *arena;
    struct str rest;   /* of the path, behind the name of the endpoint */
    bool wants_binary; /* ?format=binary */
};

/* --- The endpoints --- */

void http_health(struct v1_call *call);
void http_status(struct v1_call *call);
void http_profile(struct v1_call *call);
void http_infer(struct v1_call *call); /* http_infer.c */

/* --- Answers --- */

/* Answers a request that is none of v1: 400 without a message. */
void http_answer_nothing(struct v1_call *call);

/* Answers with the outcome in NV-Status. The body is in call->http. `content_type` is static. */
void http_answer_outcome(struct v1_call *call, const struct v1_outcome *outcome, int status, const char *content_type);

#define V1_TEXT   "text/plain"
#define V1_BINARY "application/octet-stream"

/* Says whether a query asks for the binary form. */
bool http_wants_binary(struct str query);

/* The form of the answers, for deviations (http_form.c). */
extern const struct http_form v1_form;

#endif
