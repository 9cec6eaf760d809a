/* Inside of the deviations. */
#ifndef DEVIATIONS_DEVIATION_H
#define DEVIATIONS_DEVIATION_H

#include "deviations/deviations.h"
#include "inference/switches.h"
#include "tree/tree.h"

/* A deviation that only code can make: changes the answer's tree. False: it does not fit this answer. */
typedef bool (*deviation_code)(struct tree *answer, struct arena *arena);

struct deviation {
    const char *name;
    const char *key;   /* "v2-rest.data-count" */
    struct str prefix; /* within it: "v2-rest", which says what requests it concerns */
    bool skips;
    struct tree *alter; /* or NULL */
    deviation_code code;
    struct tree *on; /* or NULL */
    bool is_active;  /* for every request */
};

/* Those that hold for one request. */
struct chosen {
    const struct deviation **list;
    size_t count;
    struct switches switches;
    struct str unknown;   /* a name that was asked for and does not exist; empty if none */
    const char *is_known; /* "known" or "unknown", where a request asked whether there is a deviation; else NULL */
};

/* A request, as far as it matters whether a deviation fits it. `model` is empty if it names none. */
struct asked {
    const char *profile;      /* under which it is judged: "v2-rest" */
    const char *const *texts; /* prefixes of what its transport is judged by: "http", up to NULL */
    struct str method, path;  /* HTTP */
    struct str rpc;           /* gRPC: "ModelInfer" */
    struct str model;
};

/* Whether the deviation concerns the request by its key and its `on`. */
bool deviation_fits(const struct deviation *deviation, const struct asked *asked);

/* The function of that name; NULL if there is none. */
deviation_code deviation_code_named(const char *name);

/* Applies alter (or code) to an answer's tree. False: it does not fit, and the tree is not to be used. */
bool deviation_change(const struct deviation *deviation, struct tree **answer, struct arena *arena);

/* alter.hang, alter.close */
bool deviation_hangs(const struct deviation *deviation);
bool deviation_closes(const struct deviation *deviation);

/* Those chosen for a request by its header's value and those that are active anyway; NULL if there is none. */
const struct chosen *deviations_choose(const struct asked *asked, struct str names, struct arena *arena);
bool deviations_are_by_header(void);

#endif
