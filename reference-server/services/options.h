/* The command line of oip-reference-server. The flags are stable: a command that starts the server today must also work
 * in later releases. */
#pragma once

#include "base/buf.h"
#include "base/status.h"

enum grpc_output { GRPC_OUTPUT_RAW, GRPC_OUTPUT_TYPED, GRPC_OUTPUT_MIRROR };

/* Whether clients may load and unload models. */
enum model_control { MODEL_CONTROL_UNSET, MODEL_CONTROL_NONE, MODEL_CONTROL_EXPLICIT };

/* An address at which the server listens. */
struct endpoint {
    const char *name;    /* its flag without the dashes ("http"); also printed when the server listens */
    bool is_grpc;        /* gRPC, otherwise HTTP */
    const char *address; /* "127.0.0.1:8000", "[::1]:8001"; NULL if it is not served */
};

#define ENDPOINT_COUNT 3

/* The values of a flag that may be given several times. */
struct texts {
    const char **list;
    size_t count;
};

struct options {
    struct texts models; /* [NAME=]DIR */
    struct texts loads;  /* the models to load at the start; all if there are none */
    enum model_control model_control;
    const char *repository_token; /* the file with it, or NULL */
    bool is_exposed;              /* an address is not of the loopback */
    struct endpoint endpoints[ENDPOINT_COUNT];
    enum grpc_output grpc_output;
    size_t grpc_padding;                                   /* bytes of each frame of an answer */
    size_t max_message;                                    /* bytes */
    size_t http_memory;                                    /* bytes that all requests over HTTP may hold together */
    double drain_timeout;                                  /* seconds */
    const char *tls_certificate, *tls_key, *tls_client_ca; /* files; NULL: without TLS, or clients need none */
    size_t connections;                                    /* HTTP connections that are open at once */
    const char *deviations;                                /* a file with further ones, or NULL */
    const char *deviate;                                   /* comma-separated names, or NULL */
    bool deviate_by_header;
    bool dialect_kserve, dialect_graphpipe_go;
    const char *protocols;     /* comma-separated names of services, or NULL: all */
    bool lenient_readiness;    /* v1 is ready also when models are not */
    const char *default_model; /* the model of GraphPipe requests that name none; NULL: the first of the repository */
    const char *log;           /* the file of the log, "-" for stderr, or NULL: there is none */
    bool log_json;
    bool list_deviations, help, version;
};

/* Reads the command line. Fails with INVALID_ARGUMENT, whose message names the flag. */
struct status options_parse(int count, char **arguments, struct options *options, struct arena *arena);

/* Writes the text of --help. */
void options_help(struct buf *out);
