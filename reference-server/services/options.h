/* The command line of oip-reference-server. The flags are a promise: what starts the server today starts it tomorrow.
 */
#ifndef SERVICES_OPTIONS_H
#define SERVICES_OPTIONS_H

#include "base/buf.h"
#include "base/status.h"

enum grpc_output { GRPC_OUTPUT_RAW, GRPC_OUTPUT_TYPED, GRPC_OUTPUT_MIRROR };

/* An address that the server listens at. */
struct endpoint {
    const char *name;    /* of its flag, "--http", and where the server says that it listens */
    bool is_grpc;        /* else HTTP */
    const char *address; /* "127.0.0.1:8000"; NULL: not served */
};

#define ENDPOINT_COUNT 2

struct options {
    const char **models; /* [NAME=]DIR */
    size_t model_count;
    struct endpoint endpoints[ENDPOINT_COUNT];
    enum grpc_output grpc_output;
    size_t max_message;   /* bytes */
    double drain_timeout; /* seconds */
    size_t connections;   /* HTTP connections at once */
    const char *deviate;  /* comma-separated names, or NULL */
    bool deviate_by_header;
    bool dialect_kserve;
    bool list_deviations, help, version;
};

/* INVALID_ARGUMENT with a sentence that names the flag. */
struct status options_parse(int count, char **arguments, struct options *options, struct arena *arena);

/* What --help prints. */
void options_help(struct buf *out);

#endif
