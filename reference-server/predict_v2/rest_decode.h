/* Inside of the decoding of an inference request over REST, from the text straight into an infer_request. The tables of
 * rest_request.c and rest_input.c are the schemas of the document; rest_object.c reads any of them, in whatever order
 * the members come.
 *
 * A duty that is switched off leaves a defined path: a value of a wrong type is passed over as if it were absent, and
 * what is absent then is taken from the model (rest_tensor.c). */
#ifndef PREDICT_V2_REST_DECODE_H
#define PREDICT_V2_REST_DECODE_H

#include "predict_v2/rest.h"
#include "json/reader.h"

/* Reads the body of an inference request (000, "Inference Request JSON Object") into `request`, whose arena, switches
 * and repository are set. INVALID_ARGUMENT with the requirement that is broken. */
struct status rest_decode_infer(struct rest_call *call, struct str body, struct infer_request *request);

/* Frees what the decoding keeps with a worker (http_service.worker_end). */
void rest_worker_end(void *kept);

/* What a worker keeps from request to request. */
struct rest_kept {
    struct json_reader *reader;
    struct json_reader *second; /* for a value that can only be read after what follows it; NULL until then */
};
struct rest_kept *rest_kept(struct rest_call *call); /* NULL without memory */

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

/* Whether a duty stands. The usual answer costs one comparison. */
static inline bool stands(const struct decode *decode, const char *slug)
{
    return !duty_is_off(decode->request->switches, slug);
}

/* --- Objects and refusals (rest_object.c) --- */

/* A member of an object of the document. */
struct member {
    struct str name;
    enum json_type type;
    const char *mistyped;                              /* the requirement that a value of another type breaks */
    const char *required;                              /* the requirement that its absence breaks; NULL: #optional */
    bool (*read)(struct decode *decode, void *target); /* the value at the cursor, which has the type */
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Reads the object at the cursor by a table of at most 8 members into `target`. */
bool read_object(struct decode *decode, const struct member *table, size_t count, void *target);

/* Reads the list of objects at the cursor: "inputs" or "outputs". `read` gets the element at the cursor, and whether it
 * is an object at all (else it has been passed over, because the duty `not_object` is off). */
bool read_objects(struct decode *decode, const char *list, const char *not_object,
                  bool (*read)(struct decode *decode, bool is_object));

/* Room for one more element behind `count` of a list that grows by doubling; NULL without memory. */
void *grow_list(struct decode *decode, void *list, size_t count, size_t size);

/* Names of members, to see duplicates: v2-rest.member-once holds for any object. */
struct names {
    struct str *list;
    size_t count;
};
bool add_name(struct decode *decode, struct names *names, struct str name);
bool names_differ(struct decode *decode, struct names *names);

/* Sets the first refusal (unless the text itself is at fault: the reader knows it better) and returns false. */
bool refuse(struct decode *decode, const char *slug, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
bool no_memory(struct decode *decode) __attribute__((cold));

/* Passes over a value of a type that does not fit: its text is checked first, because the type is seen by one byte.
 * True: it is sound, and may be refused or left out. */
bool pass_over(struct decode *decode);

/* Whether reading can go on. */
static inline bool goes_on(const struct decode *decode)
{
    return is_ok(decode->status) && !json_failed(decode->json);
}

/* For a sentence: "inputs[2]" or "the request", and "a string". */
const char *place(const struct decode *decode);
const char *type_name(enum json_type type);

/* Where there are no inputs because their own row is off, the core must not miss them either. */
void take_the_models_inputs(struct decode *decode);

/* --- Values --- */

/* A string; never null data. v2-rest.string-nul: a NUL is a character like any other. */
static inline bool read_text(struct decode *decode, struct str *text)
{
    if (!json_read_string(decode->json, text))
        return false;
    if (!text->data)
        *text = STR(""); /* given, and empty */
    return true;
}

/* rest_parameters.c: an object of parameters. */
bool read_parameters(struct decode *decode, struct parameters *parameters);

/* rest_input.c: the list "inputs" into the request. */
bool read_inputs(struct decode *decode, void *request);

/* An input while its members come in, in any order. */
struct input_parts {
    struct infer_input *input;
    bool has_name, has_shape, has_datatype, has_data;
    struct str data; /* text of the member "data", when it must be read after the others */
};

/* rest_tensor.c: the member "data" at the cursor, and what is left to do when all members of an input are in. */
bool read_data(struct decode *decode, void *parts);
bool finish_input(struct decode *decode, struct input_parts *parts);

#endif
