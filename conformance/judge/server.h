/* The servers of a run: the target, and one for each state that was given (--state); and whether they still answer. */
#ifndef JUDGE_SERVER_H
#define JUDGE_SERVER_H

#include "judge/run.h"

#include <pthread.h>

/* A server's endpoint, while it is asked. */
struct asked {
    struct str gone;  /* why nothing more is sent there; or empty */
    size_t silent;    /* exchanges in a row without an answer */
    struct str since; /* the play whose exchange was the first of them */
};

struct server {
    struct str state;             /* empty: the target */
    struct client_options client; /* with the addresses that it has */
    struct asked asked[ENDPOINTS_MAX];
};

struct servers {
    struct server *list; /* the target first */
    size_t count;
    size_t jobs;             /* that ask them at the same time */
    size_t exchanges;        /* so far */
    size_t answers;          /* of those: what came was an answer, or began as one */
    struct str unresponsive; /* as in a run */
    struct arena arena;
    pthread_mutex_t mutex; /* of all that changes here */
};

void servers_make(const struct run_options *options, const struct registry *registry, struct servers *servers);
void servers_free(struct servers *servers);

/* NULL: that state was not given. The empty state is the target. */
struct server *servers_find(const struct servers *servers, struct str state);

/* Counts what came of an exchange of `play`. After 2 x jobs of them in a row without a whole answer the server is gone,
 * and unresponsive unless answers began; from any thread. */
void servers_note(struct servers *servers, struct server *server, const struct play *play, const struct answer *answer);

/* Why nothing more is sent to this server; or empty. From any thread. */
struct str servers_gone(struct servers *servers, const struct server *server, const struct endpoint *endpoint);

/* Said behind the ID of what harmed a server: where others are played beside it, it may have been one of those. */
const char *servers_beside(const struct servers *servers);

#endif
