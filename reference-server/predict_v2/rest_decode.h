/* Internals of the decoding of an inference request over REST, from its text directly into an infer_request. The tables
 * in rest_request.c and rest_input.c are the schemas of the document. rest_object.c reads objects by these tables, with
 * their members in any order. */
#pragma once

#include "predict_v2/rest.h"
#include "json/reader.h"

/* Reads the body of an inference request (000, "Inference Request JSON Object") into `request`; the caller has set its
 * arena. Fails with INVALID_ARGUMENT and the requirement that is broken. */
struct status rest_decode_infer(struct rest_call *call, struct str body, struct infer_request *request);

/* Frees the reader that a worker keeps from request to request (http_service.free_cache). */
void rest_free_cache(void *cache);

/* A text while it is decoded into an infer_request. After the first refusal, all functions return false. */
struct decode {
    struct rest_call *call;
    struct arena *arena;
    struct json_reader *json;
    struct infer_request *request;
    struct status status;
    const char *list;  /* the list in the body where the reader is: "inputs", "outputs", or NULL for the body itself */
    size_t index;      /* the position in that list */
    struct str text;   /* the JSON: the whole body, unless binary data follows it */
    bool has_binary;   /* the request says where its JSON ends */
    struct str binary; /* what follows the JSON and belongs to no input yet */
};

/* --- Objects and refusals (rest_object.c) --- */

/* A row of a schema: a member of an object. */
struct member {
    struct str name;
    enum json_type type;
    const char *mistyped; /* the requirement that a value of another type breaks */
    const char *required; /* the requirement that is broken if the member is absent; NULL if it is optional */
    size_t place;         /* in the target: where its value goes, or 0 if `read` needs the whole target */
    bool (*read)(struct decode *decode, void *at); /* reads the value at the cursor, which has the right type */
    bool (*given_otherwise)(const struct decode *decode,
                            const void *target); /* whether another member or the body replaces it; may be NULL */
};

/* Reads the object at the cursor into `target`, by a table of at most 8 members. */
bool read_object(struct decode *decode, const struct member *table, size_t count, void *target);

/* Reads the list of objects at the cursor: "inputs" or "outputs". `read` is called with the cursor at each of them. An
 * element that is no object breaks the requirement `not_object`. */
bool read_objects(struct decode *decode, const char *list, const char *not_object, bool (*read)(struct decode *decode));

/* Does the same as arena_room, and refuses the request if there is no memory. */
void *grow_list(struct decode *decode, void *list, size_t count, size_t size);

/* Names of members, to find duplicates: v2-rest.member-once applies to every object. */
struct names {
    struct str *list;
    size_t count;
};
bool add_name(struct decode *decode, struct names *names, struct str name);
bool names_differ(struct decode *decode, struct names *names);

/* Refuses the request, unless it is refused already, and returns false. It does nothing if the JSON itself is invalid,
 * because the message of the reader is better. The type of a value is known from its first byte alone; so the caller
 * must first skip a value of a wrong type, which checks its text. */
bool refuse(struct decode *decode, const char *slug, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));
bool no_memory(struct decode *decode) __attribute__((cold));

/* Says whether reading can go on. */
static inline bool goes_on(const struct decode *decode)
{
    return is_ok(decode->status) && !json_failed(decode->json);
}

/* Return texts for a message: place gives "inputs[2]" or "the request", type_name gives "a string". */
const char *place(const struct decode *decode);
const char *type_name(enum json_type type);

/* --- Values --- */

/* Reads a string into a struct str; its data is never null. v2-rest.string-nul: a NUL is a character like any other. */
bool read_text(struct decode *decode, void *text);

/* Reads an object of parameters into a struct parameters (rest_parameters.c). */
bool read_parameters(struct decode *decode, void *parameters);

/* Reads the list "inputs" into the request (rest_input.c). */
bool read_inputs(struct decode *decode, void *request);

/* An input while its members are read, in any order. */
struct input_parts {
    struct infer_input input;
    bool has_shape, has_datatype, has_data;
    struct str data; /* the text of the member "data" if it must be read after the others */
};

/* In rest_tensor.c: read_data reads the member "data" at the cursor. finish_input, called after all members of an
 * input, reads the data that could not be read before. */
bool read_data(struct decode *decode, void *parts);
bool finish_input(struct decode *decode, struct input_parts *parts);
