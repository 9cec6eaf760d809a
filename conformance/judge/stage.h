/* What is known of the plays of a run while it goes on, beside the plan: which are wanted, and their results so far.
 *
 * A control is a play like any other: its verdicts are its results, and none is played twice. What is only needed as a
 * control (its own result was filtered away) is played and reported as disabled. */
#ifndef JUDGE_STAGE_H
#define JUDGE_STAGE_H

#include "judge/player.h"
#include "judge/server.h"
#include "judge/watch.h"

struct replay;

struct part {
    bool wanted; /* played, for its own sake or as a control */
    bool answered;
    bool is_standard;            /* others must agree with its answer */
    const struct tree *standard; /* that answer, kept; NULL without */
    struct result *results;      /* one each assertion */
    struct replay *replays;      /* that failed, in order */
    struct replay **last_replay;
};

struct stage {
    const struct suite *suite;
    const struct plan *plan;
    const struct run_options *options;
    struct arena *arena; /* of the run */
    struct servers servers;
    struct watch *watch;
    struct part *parts;
    size_t told;
    pthread_mutex_t mutex; /* of the arena, and of what changes here */
};

/* Makes everything but the watch, which is the run's. */
void stage_set(struct stage *stage, const struct suite *suite, const struct plan *plan,
               const struct run_options *options, struct arena *arena);
void stage_clear(struct stage *stage);

static inline struct part *part_of(const struct stage *stage, const struct play *play)
{
    return &stage->parts[play->index];
}

/* All assertions of a play that is not judged. */
void stage_settle(struct stage *stage, const struct play *play, enum verdict verdict, struct str why);

/* The verdicts of a play that was judged; copied. */
void stage_keep(struct stage *stage, const struct play *play, const struct exchange *exchange,
                const struct result *results);

/* One more result behind those of a neighbour: its base was answered otherwise after it. Copied. */
void stage_add_replay(struct stage *stage, const struct play *neighbour, const struct result *failed);

/* Whether a control, whose group is done, holds; else the verdict of the play that needs it, and why. */
bool stage_control_holds(const struct stage *stage, const struct control *control, struct arena *arena,
                         enum verdict *verdict, struct str *why);

/* "its control ID did not pass: ..." */
struct str stage_not_passed(struct str control, struct str reason, struct arena *arena);

/* Tells the progress: what became of a play. */
void stage_tell(struct stage *stage, const struct play *play);

/* When everything was played: what the watchers saw; then all results in the plan's order, replays behind their play's.
 */
void stage_collect(struct stage *stage, struct run *run);

#endif
