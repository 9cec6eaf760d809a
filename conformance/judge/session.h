/* The session: the state of a run while it goes on. It holds which plays are wanted and their results so far.
 *
 * A control is a play like any other: its verdicts are its results, and no play is played twice for being a control. A
 * play that the user filtered out, but that is needed as a control, is played and reported as disabled. */
#pragma once

#include "judge/exchange.h"
#include "judge/server.h"
#include "judge/watchers.h"

#include <stdatomic.h>

struct replay;

struct played {
    bool wanted;                 /* it is played, either for itself or as a control */
    bool answered, succeeded;    /* a complete answer came; it was a success, by the profile's pattern */
    bool accepted;               /* plays that build on it can be played (play_accepted in exchange.h) */
    bool is_standard;            /* other plays compare their answers with its answer ("agrees") */
    const struct tree *standard; /* that answer, copied; NULL: none */
    struct result *results;      /* one for each assertion */
    struct replay *replays;      /* the replays that failed, in order */
    struct replay **last_replay;
};

struct session {
    const struct suite *suite;
    const struct plan *plan;
    const struct run_options *options;
    struct arena *arena; /* lives as long as the run */
    struct servers servers;
    struct watchers *watchers;
    struct played *plays;
    atomic_bool load_timed_out; /* a request to load or unload was not answered within the load timeout; later ones do
                              not get so much time */
    struct str unrestored;      /* which models could not be put back after a case; or empty */
    pthread_mutex_t mutex;      /* guards the arena and everything that changes here, except: */
    size_t reported;            /* number of results that were passed to `progress` */
    pthread_mutex_t telling;    /* guards `reported`; a thread may hold it for long if nobody reads what it prints */
    bool frozen;                /* nothing more is recorded or reported, although threads that were left behind go on */
};

/* Makes everything except the watchers, which belong to the run. */
void session_open(struct session *session, const struct suite *suite, const struct plan *plan,
                  const struct run_options *options, struct arena *arena);
void session_close(struct session *session);

static inline struct played *played_of(const struct session *session, const struct play *play)
{
    return &session->plays[play->index];
}

/* Gives all assertions of a play that is not judged one verdict and reason. `waits_for` is the play that had to pass
 * before; NULL: there is none. From any thread. */
void session_decide(struct session *session, const struct play *play, enum verdict verdict, struct str why,
                    const struct play *waits_for);

/* Keeps copies of the verdicts of a play that was judged. From any thread. */
void session_record(struct session *session, const struct play *play, const struct exchange *exchange,
                    const struct result *results);

/* Returns the ID of the replay of a neighbour's base: "PATH/NEIGHBOUR/replay@ENCODING#KEY". */
struct str session_replay_id(const struct play *neighbour, struct str key, struct arena *arena);

/* Adds one more result after those of a neighbour: the replay of its base failed. The result is copied. */
void session_add_replay(struct session *session, const struct play *neighbour, const struct result *failed);

/* A control that does not hold. */
struct unmet {
    enum verdict verdict; /* of the play that needs it */
    struct str why;
    const struct play *control;
};

/* Whether the controls of a play hold, without those that are keys of its own exchange. The groups of the controls must
 * be done. `unmet` gets the first control that does not hold; among alternatives, the first that was judged. */
bool session_controls_hold(const struct session *session, const struct play *play, struct arena *arena,
                           struct unmet *unmet);

/* Returns "its control ID did not pass: ...", in the arena. */
struct str session_not_passed(struct str control, struct str reason, struct arena *arena);

/* Passes the results of a play to the run's `progress`. */
void session_report(struct session *session, const struct play *play);

/* Freezes the results while threads that were left behind still play: one that tries to record anything stops there
 * until the process ends. */
void session_freeze(struct session *session);

/* Called after everything was played, or after session_freeze: decides the watchers, then collects all results in the
 * plan's order, with the failed replays after the results of their neighbour. */
void session_collect(struct session *session, struct run *run);
