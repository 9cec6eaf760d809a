/* The services, and what is made for each of them at the start. A request finds its service by the port of its
 * connection and its path. */
#pragma once

#include "base/budget.h"
#include "http/http.h"

/* Returns how much memory all requests with compressed bodies may hold together. */
size_t http_inflated_memory(const struct http_options *options);

/* An answer to requests that find no memory. It is written at the start, so that sending it needs none. */
struct prepared_answer {
    int status;
    struct str text; /* the whole answer, except its Date */
    size_t date;     /* where in it the Date belongs */
    size_t head;     /* bytes of the head in it */
};

/* The answers of a service: to requests as they are, and to those whose body is compressed. */
typedef struct prepared_answer prepared_answers[2][SHORTAGES];

/* Writes the answers into the arena, in the form of the service's refusals. Their messages name the limits in `memory`:
 * of all requests, and of those with a compressed body. (prepared.c) */
struct status prepared_make(const struct http_service *service, const size_t memory[2], struct arena *arena,
                            prepared_answers answers);

/* A service with its place. */
struct mount {
    const struct http_service *service;
    void *context;
    struct str prefix;
    int port; /* the port of its listener; known when the ports are open */
    prepared_answers prepared;
};

struct mounts {
    struct mount *list; /* in the order of the options */
    size_t count;
};

/* Takes over the mounts of the options, without their ports, and prepares their answers. */
struct status mounts_make(const struct http_options *options, struct arena *arena, struct mounts *mounts);

/* Sets the port of the mounts of a listener. */
void mounts_set_port(struct mounts *mounts, const char *listener, int port);

/* Returns the mount for a request that came to `port`. `path` is empty if it could not be read. */
const struct mount *mount_of(const struct mounts *mounts, int port, struct str path);
