/* Parameters: named values beside a request, a tensor or an answer (000, "Parameters"). REST knows strings, numbers and
 * booleans, gRPC booleans, int64 and strings, and by convention uint64 and double. */
#ifndef MODELS_PARAMETERS_H
#define MODELS_PARAMETERS_H

#include "base/arena.h"
#include "base/str.h"
#include <stdint.h>

enum parameter_kind { PARAMETER_BOOL, PARAMETER_INT64, PARAMETER_UINT64, PARAMETER_DOUBLE, PARAMETER_STRING };

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

/* The last parameter of that name, which is the one that counts (proto3's maps); NULL if there is none. */
const struct parameter *parameters_find(const struct parameters *parameters, const char *name);

bool parameters_add(struct parameters *own, const struct parameters *defaults, struct arena *arena);

/* Adds to `own` those of `defaults` that it does not name. Copies only if there are both. False: the arena is
 * exhausted. */
static inline bool parameters_complete(struct parameters *own, const struct parameters *defaults, struct arena *arena)
{
    return defaults->count == 0 || parameters_add(own, defaults, arena);
}

/* Gives a parameter the value and kind of a JSON number: INT64, else UINT64, else DOUBLE if it has a fraction or an
 * exponent or is larger. False: it is larger than a double. */
bool parameter_set_number(struct parameter *parameter, struct str spelling);

#endif
