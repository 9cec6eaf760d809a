/* Internals of the deviations. This header is for files of this folder. */
#pragma once

#include "deviations/deviations.h"
#include "tree/tree.h"

/* A deviation that only code can make. It changes the tree of an answer, or returns false if it does not fit the
 * answer. Over HTTP the tree has a copy of the request, `request`, if `on` has one. */
typedef bool (*deviation_code)(struct tree *answer, struct arena *arena);

struct deviation {
    const char *name;
    const char *key;    /* "v2-rest.data-count" */
    struct str prefix;  /* of the key, "v2-rest", or the profile that this one extends: whose requests it changes */
    bool accepts;       /* what was refused because of the key is answered as a success */
    struct tree *alter; /* NULL if there is none */
    deviation_code code;
    struct tree *on; /* NULL if there is none */
    bool is_active;  /* true: for every request */
};

/* The deviations that apply to one request. */
struct chosen {
    const struct deviation **list;
    size_t count;
    struct str model;           /* that the request names, or empty */
    const struct tree *request; /* over gRPC, if deviations_read_request; of a call with many messages NULL */
    struct buf heard;           /* the last message of such a call */
    struct str unknown;         /* the name in the request that is no deviation; empty if all are known */
    const char *is_known; /* "known" or "unknown" if the request asked whether a deviation exists, otherwise NULL */
};

/* What decides whether a deviation fits a request. `model` is empty if the request names none. */
struct asked {
    const char *profile;      /* the profile under which the request is judged: "v2-rest" */
    const char *const *texts; /* prefixes of the texts about its transport: "http"; the last is NULL */
    struct str method, path;  /* of HTTP requests */
    struct str rpc;           /* of gRPC calls: "ModelInfer" */
    struct str model;
};

/* Says whether the deviation applies to the request, by its key and its `on`, as far as `asked`, the last order
 * and the models show. */
bool deviation_fits(const struct deviation *deviation, const struct asked *asked, struct arena *arena);

/* Remembers the request if it is an order to load or unload a model (orders.c). May be called on any thread. */
void orders_remember(const struct asked *asked);

/* Says whether the glob fits the last order: its path, "RPC/MODEL", or "" if none came. In the glob "${model}" stands
 * for the model that is asked for. */
bool orders_fit(struct str glob, struct str model, struct arena *arena);

/* A request with its answer as the server would give it without deviations. */
struct exchanged {
    const struct tree *request; /* NULL if it cannot be decoded, or no deviation asks for it */
    const struct tree *answer;
    bool fails;            /* the answer is a refusal or an error */
    struct str refused_by; /* the whole key of the requirement that a refusal enforces; empty if none is known */
};

/* Says whether the deviation applies to the exchange, by what its `on` says of request and answer. What fails is
 * altered only if it was refused because of the deviation's own requirement, unless `on` says otherwise. */
bool deviation_alters(const struct deviation *deviation, const struct exchanged *exchanged, struct arena *arena);

/* Says whether any of the deviations, which may be NULL, looks at the request as a tree. */
bool deviations_read_request(const struct chosen *chosen);

/* Returns the whole key of a duty under a profile, in the arena: "v2-rest.data-count" for "v2-rest" and "data-count". A
 * duty with a dot in it is a whole key; that of NULL is empty. Without memory the result has null data. */
struct str deviation_key(const char *profile, const char *duty, struct arena *arena);

/* Returns the function of that name, or NULL. */
deviation_code deviation_code_named(const char *name);

/* Applies `alter`, "accept", or the code, to the tree of an answer; "${model}" stands for the model. Returns false if
 * it does not fit; the tree must not be used then. */
bool deviation_change(const struct deviation *deviation, struct str model, struct tree **answer, struct arena *arena);

/* Says whether `alter` sets the value at that pointer, and does nothing else. */
bool deviation_only_sets(const struct deviation *deviation, const char *pointer);

/* Says whether `alter` copies the body, which is then bytes, whatever its form. */
bool deviation_copies_body(const struct deviation *deviation);

/* Says whether `alter` has that ending: "hang", "close" or "stay". */
bool deviation_ends(const struct deviation *deviation, const char *ending);

/* Says whether a deviation has the ending for this request, whatever the answer would be. `chosen` may be NULL. */
bool deviations_end_at_once(const struct chosen *chosen, const char *ending, const struct tree *request,
                            struct arena *arena);

/* Returns the deviations for a request: those in the value of its header, and those that are active for all requests.
 * Returns NULL if there are none. */
struct chosen *deviations_choose(const struct asked *asked, struct str names, struct arena *arena);
bool deviations_are_by_header(void);

/* Returns the bits of all names in the list of that name of each deviation that is active for all requests. */
uint32_t deviations_bits(const char *list, uint32_t (*bit_of)(struct str name));
