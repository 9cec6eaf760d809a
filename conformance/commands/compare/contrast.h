/* Where two targets answer the same requests differently, whether a requirement judges it or not. */
#pragma once

#include "judge/exchange.h"

/* The answers of one target. */
struct answers;

struct answers *answers_new(void);
void answers_free(struct answers *answers);

/* Keeps an answer, by its request and its play; for `on_exchange` of run_options, whose context is a struct answers.
 * From any thread. If an answer is too large, or too many were kept, only its text is kept. */
void answers_note(void *answers, const struct play *play, const struct exchange *exchange,
                  const struct result *results);

/* A place at which answers differ in the same way. */
struct contrast {
    struct str request;       /* the first request with this difference: "POST /v2/models/simple/infer" */
    struct str place;         /* "/json/inputs/@/name" */
    struct str first, second; /* what was there: "200", "a list"; "nothing" */
    struct str play;          /* the first that asked so */
    size_t count;             /* of requests */
};

struct contrasts {
    struct contrast *items; /* the most frequent first */
    size_t count;
    size_t both, first_alone, second_alone; /* requests that both targets were asked, and only one of them */
    size_t judged;   /* requests whose answers differ, and also a verdict of their play; they are not in `items` */
    size_t unsteady; /* places where one target answered the same request differently; they are in no other count */
};

/* Compares what was kept; secrets are hidden. `again` is what the first target answered when it was played once more.
 * `differs` says whether the play of that ID was judged differently. Everything lies in the arena. */
struct contrasts answers_compare(const struct answers *first, const struct answers *again, const struct answers *second,
                                 bool (*differs)(const void *context, struct str play), const void *context,
                                 const struct secrets *secrets, struct arena *arena);
