/* Inside of the decoding of an inference request over REST. */
#ifndef PREDICT_V2_REST_DECODE_H
#define PREDICT_V2_REST_DECODE_H

#include "predict_v2/rest.h"

/* A text on its way into an infer_request. The first refusal stays; then everything returns false up to the top. */
struct decode {
    struct rest_call *call;
    struct arena *arena;
    struct json_reader *json;
    struct infer_request *request;
    struct status status;
    const char *list; /* where in the body: "inputs", "outputs", or NULL for the body itself */
    size_t index;     /* in that list */
    struct str text;  /* the whole body */
};

/* A member of an object of the document. Reading the tables of rest_decode.c is reading the schemas of 000. */
struct member {
    struct str name;
    enum json_type type;
    const char *mistyped;                              /* the requirement that a value of another type breaks */
    const char *required;                              /* the requirement that its absence breaks; NULL: #optional */
    bool (*read)(struct decode *decode, void *target); /* the value at the cursor, which has the type */
};

/* An input while its members come in, in any order. */
struct input_parts {
    struct infer_input *input;
    bool has_name, has_shape, has_datatype, has_data;
    struct str data; /* text of the member "data", when it must be read after the others */
};

/* Whether a duty stands. The usual answer costs one comparison. */
static inline bool stands(const struct decode *decode, const char *slug)
{
    return !duty_is_off(decode->request->switches, slug);
}

/* Sets the first refusal (unless the text itself is at fault: the reader knows it better) and returns false. */
bool refuse(struct decode *decode, const char *slug, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* "inputs[2]" or "the request", for a sentence. */
const char *place(const struct decode *decode);

/* rest_tensor.c: the member "data" at the cursor, and what is left to do when all members of an input are in. */
bool read_data(struct decode *decode, void *target);
bool finish_input(struct decode *decode, struct input_parts *parts);

#endif
