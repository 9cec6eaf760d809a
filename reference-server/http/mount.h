/* Finds the service for a request, by the port of its connection and its path. */
#pragma once

#include "http/prepared.h"

/* Returns what all requests may hold together whose body is compressed. */
size_t http_inflated_memory(const struct http_options *options);

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

/* Takes over the mounts of the options, without their ports, and prepares their answers (prepared.h). */
struct status mounts_make(const struct http_options *options, struct arena *arena, struct mounts *mounts);

/* Sets the port of the mounts of a listener. */
void mounts_set_port(struct mounts *mounts, const char *listener, int port);

/* Returns the mount for a request that came to `port`. `path` is empty if it could not be read. */
const struct mount *mount_of(const struct mounts *mounts, int port, struct str path);
