/* Internals of v1 over HTTP. */
#pragma once

#include "trtis_v1/v1.h"

/* --- Inference (http_infer.c) --- */

/* `rest` is that of the path, after the name of the endpoint. */
void v1_http_infer(struct http_request *http, struct str rest);

/* Reads the header NV-InferRequest into an InferRequestHeader on the wire (http_header.c), which is valid until the
 * request ends. A client mostly sends the same header again, and to read it takes as long as a small inference, so a
 * worker keeps the last one. Fails as text_read does, and if there is none. */
struct status v1_http_read_header(struct http_request *http, struct str *message);
void v1_http_forget_header(void *cache);

/* --- Answers (http_answer.c) --- */

/* Answers a request that is none of v1: 400 without a message. */
void v1_http_answer_nothing(struct http_request *http);

/* Answers without memory. */
void v1_http_answer_no_memory(struct http_request *http);

/* Puts the outcome into NV-Status. */
void v1_http_say_outcome(struct http_request *http, const struct v1_outcome *outcome);

/* Answers with the outcome in NV-Status. The body is in the request. `content_type` is static. */
void v1_http_answer_outcome(struct http_request *http, const struct v1_outcome *outcome, int status,
                            const char *content_type);

#define V1_TEXT   "text/plain"
#define V1_BINARY "application/octet-stream"

/* Says whether a query asks for the binary form. */
bool v1_http_wants_binary(struct str query);

/* The form of the answers, for deviations (http_form.c). */
extern const struct http_form v1_form;
