/* What asks the target before the first case: one question after the other, and what is to be kept of the answers. */
#ifndef PROBE_PROBER_H
#define PROBE_PROBER_H

#include "client/exchange.h"
#include "suite/encoding.h"
#include "probe/discovery.h"

#define UNANSWERED_MAX 3 /* questions, until a transport is asked no more */

/* One transport while it is asked. */
struct line {
    bool asked_for, answered;
    bool lost; /* the last question: no answer came, or none that ends */
    int unanswered;
};

struct prober {
    struct client *client;
    struct arena *arena;  /* for what is found */
    struct arena scratch; /* for one question and its answer */
    struct arena held;    /* for the answer before, after prober_hold */
    struct discovery *discovery;
    struct line rest, grpc;
    bool versions_known; /* whether REST infers without a version has been found out */
    struct buf notes;
};

/* Whether the transport may be asked one more question. */
bool prober_may_ask(const struct line *line);

/* The answer as a tree (answer_tree) in the scratch memory, until the next question; NULL without one. `evidence` gets
 * "GET /v2 gave 404". */
struct tree *prober_ask(struct prober *prober, const struct request *request, enum encoding encoding,
                        const char *question, struct str *evidence);

/* Lets the last answer live through the next question, until the next call of this. */
void prober_hold(struct prober *prober);

/* A copy in the prober's arena, which does not hang on the scratch memory; NULL if `tree` is NULL. */
struct tree *prober_keep(struct prober *prober, const struct tree *tree);

/* Whether GET `path` is answered with success. */
bool prober_succeeds(struct prober *prober, struct str path);

/* GET `path`: the JSON object of a success; POST {} to it: the JSON list (or object). Kept; NULL if there is none. */
struct tree *prober_get(struct prober *prober, struct str path, struct str *evidence);
struct tree *prober_post(struct prober *prober, struct str path, struct str *evidence);

/* The message that answers `rpc` ("ModelReady") about the model, or about the server if `model` is empty, kept; NULL if
 * it failed. */
struct tree *prober_call(struct prober *prober, const char *rpc, struct str model, struct str *evidence);

/* "/v2/models/NAME" and what is below it. */
struct str prober_path(struct prober *prober, struct str name, const char *below);

/* Metadata of the model; NULL if it is not hosted, then `evidence` says why (discovery.c). */
struct tree *prober_metadata(struct prober *prober, struct str name, struct str *evidence);

/* What an inference of the act in this encoding came to. */
enum inferred {
    INFERRED,        /* it succeeded */
    INFER_REFUSED,   /* it was answered otherwise */
    INFER_UNSAYABLE, /* the encoding cannot carry it: nothing was sent */
    INFER_SILENT,    /* there was no answer */
};

/* Sends the act; `answer` (may be NULL) gets the answer in scratch memory. */
enum inferred prober_infer(struct prober *prober, const struct tree *act, enum encoding encoding, struct str version,
                           struct tree **answer, struct str *evidence);

#endif
