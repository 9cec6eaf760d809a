/* The answers to requests that find no memory. They are written at the start, so that sending one needs none. */
#pragma once

#include "base/budget.h"
#include "http/http.h"

struct prepared_answer {
    int status;
    struct str text; /* the whole answer, but for its Date */
    size_t date;     /* where in it the Date belongs */
    size_t head;     /* bytes of the head in it */
};

/* The answers of a service: to requests as they are, and to those whose body is compressed. */
typedef struct prepared_answer prepared_answers[2][SHORTAGES];

/* Writes them as the service refuses, into the arena. They name what all such requests may hold. */
struct status prepared_make(const struct http_service *service, const size_t memory[2], struct arena *arena,
                            prepared_answers answers);
