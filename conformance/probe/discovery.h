/* Discovery: finds out what the target is before the first case is played. It asks for the metadata of the server and
 * of each model of the kit (under the name that --map gives), for a model name that the target does not know, and
 * whether inferences need a version. For each probed model it finds a request that the model accepts (probe/learn.h).
 *
 * The folder probe/ asks, and judges nothing. How a question is asked is a matter of protocols/ (protocols/protocol.h,
 * struct inquiry). It uses suite/, protocols/, pattern/, notation/, client/ and support/; it may not include plan/,
 * judge/ or any folder that uses these. */
#pragma once

#include "client/client.h"
#include "suite/suite.h"
#include "support/values.h"

/* An extension that the target has, whatever it says (--claim). */
struct claim {
    const struct endpoint *endpoint; /* over which it has it; NULL: each */
    struct str extension;
};

/* What the user says of the target: discovery, the plan and the run all go by it. */
struct target_flags {
    struct values map;    /* "KIT=THEIRS" */
    struct values states; /* "NAME=URL": servers in a state of servers.json */
    struct values models; /* models to be probed, and globs over the list of the target; none: those of the list */
    size_t models_max;    /* models that the list may add to those that are named */
    const char *edition;  /* the edition to judge by; NULL: the one that the answers fit best */
    bool allow_mutation;  /* models may be loaded and unloaded */
    size_t seed;          /* of the data in requests */
    size_t jobs;          /* how many questions may be asked side by side; 0 means 1 */
    double wait;          /* seconds to wait until the target says that it is ready */
    double load_timeout;  /* seconds that loading or unloading a model may take */
};

struct discovery_options {
    const struct client_options *client;
    struct target_flags flags;
    const struct profile **profiles; /* those that are asked for, in the registry's order */
    size_t profile_count;
    const struct claim *claims;
    size_t claim_count;
    const char *only; /* the only model of the target that is asked about, or ""; NULL: all that are to be found */
    const struct tree *examples; /* {MODEL: request}: what the models accept (probe/example.h); or NULL */
    volatile int *interrupted;   /* set by a signal: it is waited for no longer; may be NULL */
};

/* What was found. Secrets are hidden in `notes`, `requests` and `hindered`, which reports show; the trees may hold
 * some, since they are sent again. Metadata comes from the first profile that gives it; it is {} if there is none. */
struct discovery {
    struct tree *server;    /* its metadata */
    struct tree *unspoken;  /* {PROFILE: the answer that came}: profiles that the target does not speak */
    struct tree *claims;    /* {ENDPOINT: extensions} (probe/claims.h) */
    struct tree *models;    /* {KIT: metadata} */
    struct tree *absent;    /* {KIT: "GET /v2/models/simple gave 404"} */
    struct tree *namesakes; /* {KIT: true}: models of `absent` whose name the target gives to a model of its own */
    struct tree *probes;    /* {MODEL: what probe/learn.h says} */
    struct tree *unasked; /* {WHY: [names]} of models that the target lists, and that are neither probed nor of the kit;
                             NULL: it gives no list */
    struct tree *unshown; /* {PROFILE: the answer that came}: extensions that a server without a list did not show */
    struct tree *unhosted; /* {PROFILE: {MODEL: why}}: models that the target hosts, but not under the profile */
    struct tree *batches;  /* {KIT: the largest batch} of models of the kit that have one; of a mapped model only if the
                              target says it */
    struct tree *fixed;    /* {ENDPOINT: why models cannot be loaded}; NULL: they may not be, so none was tried */
    struct tree *details;  /* {PROFILE: {MODEL: details}} (protocols/protocol.h), of profiles that say more than
                              metadata */
    struct tree *spellings;   /* {MODEL: a name that differs from it in the case of its letters and that the target does
                                 not know}, only where it knows the first one that was tried */
    struct tree *found;       /* {server: ..., unspoken: ...}: all these trees that are known, for the pointers of cases
                                 (`needs`, ${found:...}) */
    struct str no_model;      /* a name that the target does not know, for ${no-model} */
    bool knows_all;           /* every name that was tried for it has metadata */
    bool versionless_refused; /* the target refuses requests without a version and accepts them with one */
    bool answers[ENDPOINTS_MAX];   /* by the endpoint's index: at least one exchange over it was answered, in any way */
    bool succeeded[ENDPOINTS_MAX]; /* by the endpoint's index: at least one answer was a success */
    struct str hindered[ENDPOINTS_MAX]; /* by the endpoint's index: why nothing can be judged over it, and what helps:
                                           it never answered, wants credentials, limits requests; or empty */
    struct str unmatched_glob;          /* why a glob of `models` chose nothing; or empty */
    struct str edition;                 /* the edition, by its name in the registry, that its answers fit best */
    double inference_seconds; /* seconds that an inference takes on average if it is the only one; 0: not known */
    bool one_connection; /* the target serves one connection at a time: a second one waits until the first is closed */
    struct str notes;    /* a line for each oddity, for the report */
    struct str requests; /* a line for each model that is probed: what it is sent */
};

/* Asks over the endpoints whose addresses the options have. A question that gets no answer is given up for all models;
 * an endpoint is given up after three different questions in a row without an answer (support/kinds.h). A target whose
 * answers make no sense has no models; that is no error. Everything lies in the arena. */
void discover(const struct suite *suite, const struct discovery_options *options, struct arena *arena,
              struct discovery *discovery);
