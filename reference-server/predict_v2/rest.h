/* Internals of V2 over REST: a request that found its endpoint, and the answers to it. */
#pragma once

#include "inference/infer.h"
#include "predict_v2/predict_v2.h"

struct rest_call {
    struct http_request *http;
    const struct shared *shared;
    struct arena *arena;
    struct str model;       /* decoded; empty if the path names no model */
    struct str version;     /* decoded; empty: the server chooses */
    struct str repository;  /* decoded; empty: any */
    struct str json_length; /* the header that says where binary data begins in the body; null if there is none */
    bool has_binary;        /* an output of the answer follows its JSON */
};

/* --- The endpoints, each a section of 000 --- */

void rest_server_live(struct rest_call *call);
void rest_server_ready(struct rest_call *call);
void rest_model_ready(struct rest_call *call);
void rest_server_metadata(struct rest_call *call);
void rest_model_metadata(struct rest_call *call);
void rest_models(struct rest_call *call);
void rest_infer(struct rest_call *call);

/* Triton's */
void rest_generate(struct rest_call *call);
void rest_generate_stream(struct rest_call *call);
void rest_model_config(struct rest_call *call);
void rest_model_statistics(struct rest_call *call);

/* 003, "Model Management"; 001, "RepositoryIndex" */
void rest_repository_index(struct rest_call *call);
void rest_repository_load(struct rest_call *call);
void rest_repository_unload(struct rest_call *call);

/* --- Answers (rest_answer.c) --- */

/* Answers 200 with the JSON in http->answer_buf, and with the binary data in http->answer_tail after it if there is
 * some. Refuses with the status if that is not OK, and with RESOURCE_EXHAUSTED if the buffer ran out of memory. */
void rest_answer(struct rest_call *call, struct status status);

/* Answers with the error body: the HTTP status of the code, the message, and the key of the requirement that was
 * broken. */
void rest_refuse(struct rest_call *call, struct status status) __attribute__((cold));

/* Does the same, with a given HTTP status. */
void rest_refuse_as(struct rest_call *call, int code, struct status status) __attribute__((cold));

/* Appends the error object. */
void rest_write_error(struct buf *out, struct str message);

/* Writes the error body for faults of the transport (http_service.write_refusal). */
const char *rest_write_refusal(struct http_request *http, int status, const char *message);

/* How deviations read and write answers (rest_form.c). */
extern const struct http_form rest_form;

/* --- Bodies of requests, for their fuzzers too --- */

/* Reads the body of a request to the model repository into an order whose kind and arena are set. Fails with
 * INVALID_ARGUMENT if it is not as it should be. */
struct order;
struct status rest_read_order(struct order *order, struct str body);

/* Translates the body of a request to `generate`, a flat object, into the body of an inference request to the model.
 * `text` lies in the arena, followed by JSON_PADDING bytes (json/reader.h). Fails with INVALID_ARGUMENT if the body is
 * no object. It does not check the values; rest_decode_infer does. */
struct status rest_generate_translate(const struct model *model, struct str body, struct arena *arena,
                                      struct str *text);

/* --- Parts of documents --- */

/* Begins the object of a response: {"id": id, "model_name": name, "model_version": version. A null id is left out. */
void rest_write_origin(struct str id, const struct infer_response *response, struct buf *out);

/* Writes the member "parameters" after another one, if there are any: {"name": value, ...}. Fails with INTERNAL, which
 * names a parameter that JSON cannot express. */
struct status rest_write_parameters(const struct parameters *parameters, struct buf *out, struct arena *arena);
void rest_write_shape(const int64_t *shape, size_t rank, struct buf *out);
