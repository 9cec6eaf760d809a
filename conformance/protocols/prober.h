/* Asks the target before the first case, one question after another, and keeps the counts that discovery needs. */
#pragma once

#include "base/buf.h"
#include "client/client.h"
#include "protocols/protocol.h"
#include "support/kinds.h"

/* A question that timed out so often in a row is not asked again, for any model: SILENT_MAX if it was answered before,
 * NEVER_HEARD_MAX if it never was. */
#define SILENT_MAX      4
#define NEVER_HEARD_MAX 2

/* The state of one endpoint. */
struct endpoint_state {
    bool asked_for, answered;
    bool lost;               /* the last question got no answer, or one without an end */
    struct kinds kinds;      /* the kinds of questions; if many different kinds in a row get no answer, the endpoint is
                                asked nothing more */
    bool limited;            /* the target limits requests, and is asked no more */
    struct str trouble;      /* why the first question without an answer got none; or empty */
    enum outcome lost_as;    /* the outcome of the last such question */
    struct str redirects_to; /* where the first answer that redirects leads; or empty */
    struct str only;         /* the status or code of every answer so far; empty: there was none, or they differ */
    bool succeeded;          /* at least one of them is a success, by the profile's pattern */
    bool differs;            /* not all answers had the same status or code */
};

struct prober {
    const struct registry *registry;
    struct client *client;
    const struct profile **profiles; /* those that are asked for, in the registry's order */
    size_t profile_count;
    const struct tree *claims; /* {ENDPOINT: extensions that the target claims there}; NULL: not known yet */
    bool unlisted;             /* no metadata of the server could list extensions: there is none */
    struct arena *arena;       /* for what is found */
    struct arena scratch;      /* for one question and its answer */
    struct arena held;         /* for an earlier answer, after prober_hold */
    struct endpoint_state endpoints[ENDPOINTS_MAX];
    struct str on_tape;       /* the name of the questions on a tape (client/tape.h); empty before the first case */
    struct str about;         /* the model that is asked about; empty: none */
    bool versionless_refused; /* requests (metadata, inferences) without a version are refused, with one they are
                                 accepted */
    bool versions_known;      /* it is known whether the target refuses them */
    struct tree *details;     /* {PROFILE: {MODEL: details}} of the profiles that were asked; NULL before the first */
    struct str evidence;      /* what the last question came to: "GET /v2 gave 404" */
    double seconds;           /* that the last answer took */
    double inferring;         /* seconds that all inferences took that succeeded */
    size_t inferences;        /* how many did */
    struct buf notes;         /* oddities, for the report, a line each */
    struct buf requests;      /* what each model is probed with, a line each */
};

/* Whether the profile's endpoint may be asked one more question. */
bool prober_may_ask(const struct prober *prober, const struct profile *profile);

/* Whether any endpoint gave any answer. */
bool prober_was_answered(const struct prober *prober);

/* Sends a question. Returns the answer as a tree (answer.h) in scratch memory, which the next question reuses; NULL if
 * there was none. The prober's `evidence` says what came. */
struct tree *prober_ask(struct prober *prober, const struct request *request, const struct encoding *encoding,
                        const struct profile *profile, const char *question);

/* Keeps the last answer alive during later questions, until the next call of this function. */
void prober_hold(struct prober *prober);

/* Sends GET, or POST with {}, and returns the answer, in scratch memory; NULL if there was none. */
struct tree *prober_send(struct prober *prober, const struct profile *profile, const char *method, struct str path);

/* Whether GET `path` is answered with success. */
bool prober_succeeds(struct prober *prober, const struct profile *profile, struct str path);

/* Sends the same, and returns the JSON object, or of a POST also the list, that answers with success, in the prober's
 * arena; NULL if none does. */
struct tree *prober_fetch(struct prober *prober, const struct profile *profile, const char *method, struct str path);

/* Sends a POST of {} to `path`. Returns whether it was answered with success, whatever the body. */
bool prober_order(struct prober *prober, const struct profile *profile, struct str path);

/* Returns the message that answers an rpc of the profile's service, in the prober's arena; NULL if the rpc failed.
 * `about` is named in the evidence, unless it is empty. */
struct tree *prober_call(struct prober *prober, const struct profile *profile, const char *rpc,
                         const struct tree *message, struct str about);

/* Returns the details of a model (struct inquiry), which the profile is asked for once; NULL if there are none. */
const struct tree *prober_details(struct prober *prober, const struct profile *profile, struct str model);

/* The result of an inference in one encoding. */
enum inferred {
    INFERRED,        /* it succeeded */
    INFER_REFUSED,   /* it was answered, but not with success */
    INFER_UNSAYABLE, /* the encoding cannot carry it, so nothing was sent */
    INFER_SILENT,    /* there was no answer */
    INFER_TOO_LONG,  /* it succeeded, but nobody reads so much: said by those that ask, not by prober_infer */
};

/* Sends the act. `outputs` are those of the model, by its metadata; NULL: not known. `answer` (may be NULL) gets the
 * answer in scratch memory. */
enum inferred prober_infer(struct prober *prober, const struct tree *act, const struct tree *outputs,
                           const struct encoding *encoding, struct str version, struct tree **answer);
