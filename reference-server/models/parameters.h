/* Parameters: named values of a request, a tensor or an answer (000, "Parameters"). REST has strings, numbers and
 * booleans. gRPC has booleans, int64 and strings, and by convention also uint64 and double. */
#pragma once

#include "base/arena.h"
#include "base/str.h"
#include <stdint.h>

struct tree;

/* The numbers are those of the fields of InferParameter (000). */
enum parameter_kind { PARAMETER_BOOL = 1, PARAMETER_INT64, PARAMETER_STRING, PARAMETER_DOUBLE, PARAMETER_UINT64 };

struct parameter {
    struct str name;
    enum parameter_kind kind;
    union {
        bool boolean;
        int64_t int64;
        uint64_t uint64;
        double number;
        struct str string;
    };
};

struct parameters {
    const struct parameter *list;
    size_t count;
};

/* Returns the last parameter of that name, because the last one counts in proto3's maps; NULL if there is none. */
const struct parameter *parameters_find(const struct parameters *parameters, const char *name);

/* Says whether a parameter of that name is true. */
bool parameters_say(const struct parameters *parameters, const char *name);

/* Adds the parameters of `defaults` whose names `own` does not have. Copies only if both have any. Returns false if the
 * arena is exhausted. */
bool parameters_complete(struct parameters *own, const struct parameters *defaults, struct arena *arena);

/* Gives a parameter the value of a member of JSON, and its kind. Returns false if that is neither a text nor a boolean
 * nor a number that a double can hold. */
bool parameter_set_value(struct parameter *parameter, const struct tree *value);

/* Gives a parameter the value of a JSON number, and its kind: INT64 or UINT64 if it fits, otherwise DOUBLE. Returns
 * false if it is too large for a double. */
bool parameter_set_number(struct parameter *parameter, struct str spelling);
