/* What asks the target before the first case: one question after the other, and what is to be kept of the answers. */
#ifndef PROTOCOLS_PROBER_H
#define PROTOCOLS_PROBER_H

#include "base/buf.h"
#include "client/client.h"
#include "protocols/protocol.h"

#define UNANSWERED_MAX 3 /* questions, until an endpoint is asked no more */

/* One endpoint while it is asked. */
struct line {
    bool asked_for, answered;
    bool lost; /* the last question: no answer came, or none that ends */
    int unanswered;
};

struct prober {
    const struct registry *registry;
    struct client *client;
    const struct profile **profiles; /* those that are asked for, in the registry's order */
    size_t profile_count;
    struct arena *arena;  /* for what is found */
    struct arena scratch; /* for one question and its answer */
    struct arena held;    /* for the answer before, after prober_hold */
    struct line lines[ENDPOINTS_MAX];
    bool versionless_refused; /* an inference without a version is refused where it is taken with one */
    bool versions_known;      /* whether that is so has been found out */
    struct buf notes;         /* for the report, a line each */
};

/* Whether the profile's endpoint may be asked one more question. */
bool prober_may_ask(const struct prober *prober, const struct profile *profile);

/* Whether any endpoint gave any answer. */
bool prober_was_answered(const struct prober *prober);

/* The answer as a tree (answer.h) in the scratch memory, until the next question; NULL without one. `evidence` gets
 * "GET /v2 gave 404". */
struct tree *prober_ask(struct prober *prober, const struct request *request, const struct encoding *encoding,
                        const struct profile *profile, const char *question, struct str *evidence);

/* Lets the last answer live through the next question, until the next call of this. */
void prober_hold(struct prober *prober);

/* Whether GET `path` is answered with success. */
bool prober_succeeds(struct prober *prober, const struct profile *profile, struct str path);

/* GET `path`: the JSON object of a success; POST {} to it: the JSON list (or object). In the prober's arena; NULL if
 * there is none. */
struct tree *prober_get(struct prober *prober, const struct profile *profile, struct str path, struct str *evidence);
struct tree *prober_post(struct prober *prober, const struct profile *profile, struct str path, struct str *evidence);

/* The message that answers an rpc of the profile's service, in the prober's arena; NULL if it failed. `about` is named
 * in the evidence, unless it is empty. */
struct tree *prober_call(struct prober *prober, const struct profile *profile, const char *rpc,
                         const struct tree *message, struct str about, struct str *evidence);

/* What an inference in an encoding came to. */
enum inferred {
    INFERRED,        /* it succeeded */
    INFER_REFUSED,   /* it was answered otherwise */
    INFER_UNSAYABLE, /* the encoding cannot carry it: nothing was sent */
    INFER_SILENT,    /* there was no answer */
};

/* Sends the act; `answer` (may be NULL) gets the answer in scratch memory. */
enum inferred prober_infer(struct prober *prober, const struct tree *act, const struct encoding *encoding,
                           struct str version, struct tree **answer, struct str *evidence);

#endif
