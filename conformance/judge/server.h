/* The servers of a run: the target, and one for each --state. Counts whether they still answer. */
#pragma once

#include "judge/run.h"
#include "support/kinds.h"

#include <pthread.h>

/* A server's endpoint during the run. */
struct server_endpoint {
    struct str given_up; /* why the endpoint is given up: nothing more is sent there; or empty */
    struct kinds kinds;  /* the kinds of requests that were sent there */
    bool answered;       /* something was answered there before the run */
    size_t silent;       /* exchanges in a row without a whole answer */
    struct str since;    /* ID of the play of the first of them */
};

struct server {
    struct str state;             /* empty: the target */
    struct client_options client; /* with the addresses of this server */
    struct server_endpoint endpoints[ENDPOINTS_MAX];
};

struct servers {
    struct server *list; /* the target first */
    size_t count;
    size_t jobs;             /* number of threads that send at the same time */
    size_t exchanges;        /* so far, over all servers */
    size_t answers;          /* how many of those exchanges got an answer, or the beginning of one */
    struct str unresponsive; /* why the run is unresponsive; or empty */
    struct arena arena;
    pthread_mutex_t mutex; /* guards everything that changes here */
};

/* Makes the target and a server for each state of the options, which must live as long. servers_free frees them. */
void servers_make(const struct run_options *options, const struct registry *registry, struct servers *servers);
void servers_free(struct servers *servers);

/* The server of that state. NULL: the state was not given. The empty state is the target. */
struct server *servers_find(const struct servers *servers, struct str state);

/* servers_note_request counts the outcome of one request. servers_request_given_up returns why requests of its kind are
 * given up: 2 x jobs of them in a row got no answer in time; empty if they are not. From any thread. */
void servers_note_request(struct servers *servers, struct server *server, const struct play *play,
                          const struct request *request, const struct answer *answer);
struct str servers_request_given_up(struct servers *servers, struct server *server, const struct play *play,
                                    const struct request *request);

/* Counts the outcome of an exchange of `play`. After 2 x jobs exchanges in a row without a complete answer, the
 * endpoint is given up, unless only some kinds of requests are not answered in time, and others are. The run then is
 * unresponsive too, unless the last answer had begun. From any thread. */
void servers_note(struct servers *servers, struct server *server, const struct play *play, const struct answer *answer);

/* Why nothing more is sent to this server over the endpoint; or empty. From any thread. */
struct str servers_given_up(struct servers *servers, const struct server *server, const struct endpoint *endpoint);

/* A text to print after the ID of a play that harmed a server: if other plays ran at the same time, one of them may
 * have done it. */
const char *servers_beside(const struct servers *servers);
