/* The smallest request that still fails as a play did, and the nearest one that does not: delta debugging over the
 * meaning of the request.
 *
 * A request fails in the same way if the assertion has the same verdict, at the same place, with the same status or
 * code, and, unless the answer is a success, with the same text except its numbers. A neighbour is made smaller
 * together with its base: the base must stay a request that the target takes, and the two must still differ. So what is
 * found is wrong by nothing but the change. */
#pragma once

#include "judge/exchange.h"

struct shrink_options {
    const struct run_options *run; /* how the request is played */
    const struct play *play;       /* one exchange, without a change of bytes */
    struct str key;                /* of the assertion that fails; empty: the first that does */
    size_t max_requests;
    double max_time; /* seconds */
};

/* A request that was tried. */
struct tried {
    struct play play; /* with its act; its exchange is in no plan */
    struct exchange exchange;
    struct result result; /* of the assertion */
};

struct shrunk {
    struct str why_not; /* why nothing could be made smaller: it does not fail, or was not judged; or empty */
    bool holds;         /* the assertion passes */
    struct tried failing, passing; /* passing.play.act is NULL: none was found */
    size_t before, after;          /* bytes of the act as a text */
    size_t requests;
    bool is_smallest;       /* no limit ended the search */
    struct arena arenas[2]; /* of the failing and the passing one, since answers may be large */
};

/* Searches. What is not of the arenas of the result, which shrunk_free frees, lies in the arena. */
void shrink(const struct shrink_options *options, struct arena *arena, struct shrunk *shrunk);
void shrunk_free(struct shrunk *shrunk);
