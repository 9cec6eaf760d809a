/* What is known of the plays of a run while it goes on, beside the plan: which are wanted, and their results so far.
 *
 * A control is a play like any other: its verdicts are its results, and none is played twice. What is only needed as a
 * control (its own result was filtered away) is played and reported as disabled. */
#ifndef JUDGE_SESSION_H
#define JUDGE_SESSION_H

#include "judge/exchange.h"
#include "judge/server.h"
#include "judge/watch.h"

struct replay;

struct played {
    bool wanted; /* played, for its own sake or as a control */
    bool answered;
    bool is_standard;            /* others must agree with its answer */
    const struct tree *standard; /* that answer, kept; NULL without */
    struct result *results;      /* one each assertion */
    struct replay *replays;      /* that failed, in order */
    struct replay **last_replay;
};

struct session {
    const struct suite *suite;
    const struct plan *plan;
    const struct run_options *options;
    struct arena *arena; /* of the run */
    struct servers servers;
    struct watch *watch;
    struct played *plays;
    size_t reported;       /* results, to the progress */
    pthread_mutex_t mutex; /* of the arena, and of what changes here */
};

/* Makes everything but the watch, which is the run's. */
void session_open(struct session *session, const struct suite *suite, const struct plan *plan,
                  const struct run_options *options, struct arena *arena);
void session_close(struct session *session);

static inline struct played *played_of(const struct session *session, const struct play *play)
{
    return &session->plays[play->index];
}

/* All assertions of a play that is not judged. */
void session_decide(struct session *session, const struct play *play, enum verdict verdict, struct str why);

/* The verdicts of a play that was judged; copied. */
void session_record(struct session *session, const struct play *play, const struct exchange *exchange,
                    const struct result *results);

/* One more result behind those of a neighbour: its base was answered otherwise after it. Copied. */
void session_add_replay(struct session *session, const struct play *neighbour, const struct result *failed);

/* Whether a control, whose group is done, holds; else the verdict of the play that needs it, and why. */
bool session_control_holds(const struct session *session, const struct control *control, struct arena *arena,
                           enum verdict *verdict, struct str *why);

/* "its control ID did not pass: ..." */
struct str session_not_passed(struct str control, struct str reason, struct arena *arena);

/* Tells the progress: what became of a play. */
void session_report(struct session *session, const struct play *play);

/* When everything was played: what the watchers saw; then all results in the plan's order, replays behind their play's.
 */
void session_collect(struct session *session, struct run *run);

#endif
