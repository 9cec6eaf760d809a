/* Internals of GraphPipe: a request, the parts that read it, and the answers to it. */
#pragma once

#include "flat/flat.h"
#include "flat/writer.h"
#include "graphpipe/graphpipe.h"
#include "inference/infer.h"
#include "schema/graphpipe.h"

/* The context of all requests. */
struct graphpipe {
    struct repository *repository;
    const char *name, *version; /* of the server */
    const char *default_model;  /* NULL: the first of the repository */
    bool is_lenient;            /* --dialect graphpipe-go */
};

struct graphpipe_call {
    struct http_request *http;
    const struct graphpipe *service;
    struct arena *arena;
    struct model_hold hold; /* the model of the path; released with the answer */
    struct infer_request request;
    const struct str *asked;   /* the outputs in the order of the request, which may name one twice */
    size_t asked_count;        /* 0: the outputs that the infer_request asks for */
    struct flat_writer writer; /* of the answer, from emit to done */
};

/* --- Types (graphpipe_types.c) --- */

/* Return DATATYPE_NONE for Null and for a number that is no type, and GRAPHPIPE_NULL for a datatype that GraphPipe does
 * not have (BOOL, BF16). */
enum datatype graphpipe_datatype(uint64_t type);
enum graphpipe_type graphpipe_type(enum datatype datatype);

/* --- Requests --- */

/* Reads an InferRequest into call->request (graphpipe_request.c). */
struct status graphpipe_read_request(struct graphpipe_call *call, struct flat_reader *reader,
                                     const struct flat_object *object);

/* Reads a tensor; its name is set (graphpipe_tensor.c). */
struct status graphpipe_read_tensor(struct graphpipe_call *call, struct flat_reader *reader,
                                    const struct flat_object *object, struct tensor *tensor);

/* Reads `config`: the parameters of the request as a JSON object (graphpipe_config.c). */
struct status graphpipe_read_config(struct graphpipe_call *call, struct str config, struct parameters *parameters);

/* --- Answers --- */

/* Runs the inference in call->request, and answers (graphpipe_infer.c). */
void graphpipe_infer(struct graphpipe_call *call);

/* Answer with the description of the model (graphpipe_metadata.c). */
void graphpipe_answer_metadata(struct graphpipe_call *call);
void graphpipe_answer_metadata_as_json(struct graphpipe_call *call);

/* Answers 200 with a written message. Its large data is sent from where it lies (graphpipe_answer.c). */
void graphpipe_answer(struct graphpipe_call *call, const struct flat_writer *writer);

/* Answers with an error (graphpipe_errors.c). */
void graphpipe_refuse(struct graphpipe_call *call, struct status status) __attribute__((cold));

/* Writes the error for faults of the transport (http_service.write_refusal). */
const char *graphpipe_write_refusal(struct http_request *http, int status, const char *message);

/* The form of the answers, for deviations (graphpipe_form.c). */
extern const struct http_form graphpipe_form;

#define GRAPHPIPE_CONTENT_TYPE "application/octet-stream"
