/* A status: a code, and a sentence that tells a user what to do. Functions return errors as values. Only the transports
 * turn them into HTTP or gRPC. The codes are those of google.rpc.Code, so gRPC needs no table. */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum status_code {
    STATUS_OK = 0,
    STATUS_CANCELLED = 1,
    STATUS_UNKNOWN = 2,
    STATUS_INVALID_ARGUMENT = 3,
    STATUS_DEADLINE_EXCEEDED = 4,
    STATUS_NOT_FOUND = 5,
    STATUS_ALREADY_EXISTS = 6,
    STATUS_PERMISSION_DENIED = 7,
    STATUS_RESOURCE_EXHAUSTED = 8,
    STATUS_FAILED_PRECONDITION = 9,
    STATUS_ABORTED = 10,
    STATUS_OUT_OF_RANGE = 11,
    STATUS_UNIMPLEMENTED = 12,
    STATUS_INTERNAL = 13,
    STATUS_UNAVAILABLE = 14,
    STATUS_DATA_LOSS = 15,
    STATUS_UNAUTHENTICATED = 16,
};

struct status {
    enum status_code code;
    struct str message; /* UTF-8, in the arena of the function that made it; empty when the code is OK */
    /* The requirement that was broken, or NULL; static storage. It is a slug ("data-count") of the profile under which
     * the request is judged, or, if it has a dot in it, a whole key ("http.host"). */
    const char *broken;
};

#define STATUS_IS_OK ((struct status){0})

static inline bool is_ok(struct status status)
{
    return status.code == STATUS_OK;
}

/* Returns a failed status whose message is formatted into the arena. Callers pass names and values that a peer sent
 * through str_printable first. `cold` keeps the code of failures apart from the code of valid requests. */
struct status status_error(struct arena *arena, enum status_code code, const char *format, ...)
    __attribute__((cold, format(printf, 3, 4)));

/* Does the same, and also names the requirement that the check enforces. */
struct status status_broken(struct arena *arena, enum status_code code, const char *slug, const char *format, ...)
    __attribute__((cold, format(printf, 4, 5)));

/* The same with INVALID_ARGUMENT, the code of most failures. */
#define status_invalid(arena, ...)      status_error((arena), STATUS_INVALID_ARGUMENT, __VA_ARGS__)
#define status_breaks(arena, slug, ...) status_broken((arena), STATUS_INVALID_ARGUMENT, (slug), __VA_ARGS__)

/* A failed status with a message that is a literal. */
#define status_plain(code, message) ((struct status){(code), STR(message), NULL})

/* Returns RESOURCE_EXHAUSTED, "out of memory", for an arena or a buf that has no more memory. It allocates nothing. */
__attribute__((cold)) static inline struct status status_no_memory(void)
{
    return (struct status){STATUS_RESOURCE_EXHAUSTED, STR("out of memory"), NULL};
}

/* TRY returns from the function with the status of a step that failed; NEED, with status_no_memory() unless there is
 * `memory`. A function that must clean up first does not use them. */
#define TRY(...)                                                                                                       \
    do {                                                                                                               \
        struct status tried_ = (__VA_ARGS__);                                                                          \
        if (!is_ok(tried_))                                                                                            \
            return tried_;                                                                                             \
    } while (0)
#define NEED(memory)                                                                                                   \
    do {                                                                                                               \
        if (!(memory))                                                                                                 \
            return status_no_memory();                                                                                 \
    } while (0)

/* status_code_name returns a name as "INVALID_ARGUMENT", or NULL for a number that is no code. status_code_from_name
 * does the reverse; it returns false if `name` is no name of a code. */
const char *status_code_name(enum status_code code);
bool status_code_from_name(struct str name, enum status_code *code);
