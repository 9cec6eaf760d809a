/* The command line of oip-reference-server (DESIGN: the flags are a promise). */
#ifndef OPTIONS_H
#define OPTIONS_H

#include "base/buf.h"
#include "base/status.h"
#include "predict_v2/predict_v2.h"

struct options {
    const char **models; /* [NAME=]DIR */
    size_t model_count;
    const char *http; /* "127.0.0.1:8000"; NULL: not served */
    const char *grpc;
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
