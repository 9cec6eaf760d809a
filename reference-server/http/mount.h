/* Which service a request goes to: by the port that it came to and by its path. */
#ifndef HTTP_MOUNT_H
#define HTTP_MOUNT_H

#include "http/http.h"

/* A service where it lives. */
struct mount {
    const struct http_service *service;
    void *context;
    struct str prefix;
    size_t index;          /* in the list */
    int port;              /* of its listener; known when the ports are open */
    bool is_first;         /* of its listener: it gets what lies under no prefix */
    struct buf no_memory;  /* the whole answer where there is no memory for another */
    size_t no_memory_head; /* bytes of it that are the head */
};

struct mounts {
    struct mount *list; /* the longest prefix first */
    size_t count;
};

/* Takes over what the options mount, all but ports, and prepares their answers without memory. */
struct status mounts_make(const struct http_options *options, struct arena *arena, struct mounts *mounts);
void mounts_free(struct mounts *mounts);

/* The listener of that name has its port now. */
void mounts_set_port(struct mounts *mounts, const char *listener, int port);

/* The mount that a request for `path` at `port` goes to. `path` may be empty: it could not be read. */
const struct mount *mount_of(const struct mounts *mounts, int port, struct str path);

#endif
