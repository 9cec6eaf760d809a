/* The plan: every play of a run, made before the first byte is sent, so that the number of planned, run and reported
 * assertions is the same.
 *
 * A group is one case with one choice of its `for` values in one encoding: the base and its neighbours, which one
 * thread plays in order on one connection. A play is one exchange, or the steps of a case that has them; all its
 * changes are applied and all its ${variables} and codecs are resolved. An assertion is one key of one play.
 *
 * The folder plan/ decides what is sent and expected, and what cannot run here. It sends nothing itself. It uses
 * suite/, notation/, pattern/, protocols/, probe/ and client/ (addresses); it may not include judge/ or any folder that
 * uses judge/. */
#pragma once

#include "probe/discovery.h"

struct play;
struct group;

struct assertion {
    struct str id; /* "v2/infer/x/y@rest-flat#v2-rest.data-count" */
    const struct requirement *requirement;
    const struct tree *observation; /* resolved: "refused", "same", "agrees", "answered", or a pattern */
    const struct play *standard;    /* for "agrees": the play whose answer is the standard; else NULL */
    bool of_refusal;     /* encodings.json adds it to "refused"; it is judged only if the answer is a refusal */
    struct str disabled; /* why the user left out this assertion of a play that is played; empty if not */
    struct play *play;
};

/* What must hold before a play counts: one key of another play, or all keys of it that its neighbours need. The other
 * play is played once, and its results are kept. Alternatives, of which one must hold, follow each other in the
 * list. */
struct control {
    struct play *play;
    const struct assertion *assertion; /* NULL: the play as a whole */
    bool or_next;                      /* an alternative follows: this one or the next must hold */
};

#define SAVED_MAX 32 /* names of values that are known only when a case is played (plan_late_names) */

enum step_way {
    WAY_EXCHANGE, /* a request, and its answer */
    WAY_BYTES,    /* bytes on a connection, or an answer that is read there */
    WAY_SEND,     /* a request on a connection of its own, whose answer is not waited for */
    WAY_READ,     /* the answer to a request of an earlier step */
    WAY_STREAM,   /* messages of a stream on a connection of its own */
};

/* One step of a play that has several: what is sent, and what is expected of the answer. */
struct step {
    struct play *play; /* its act and its assertions; not in the plan's list. Its group is that of the case, or, if the
                          step uses the other transport, one with that transport's profile */
    enum step_way way;
    struct str conn;           /* the name of the connection; empty: none */
    const struct tree *save;   /* {name: pointer into the answer}; or NULL */
    size_t times, together;    /* how often it is played in sequence; how many times at once; both are normally 1 */
    const struct tree *values; /* the values of ${i} for those that are played at once; NULL: numbers from 0 */
    double within;   /* seconds during which it is repeated until the answer is as expected; 0: it is played once */
    bool is_order;   /* it loads or unloads a model */
    bool half_close; /* nothing more is sent on the connection after this step */
    bool opens;      /* it begins the stream */
    bool cancels;    /* it cancels the stream */
    size_t reads;    /* how many messages of the stream it reads; SIZE_MAX: all, to its end */
    bool late;       /* it uses ${i} or a value that an earlier step saves, so its variables are replaced when it is
                        played */
};

struct play {
    struct str id; /* "v2/infer/x/y@label@rest-flat" */
    struct str says;
    struct group *group;
    bool is_base;
    const struct tree *act;        /* resolved case tree: infer, http or grpc with their members */
    const struct tree *base_act;   /* in a neighbour: the act of its base, by whose datatypes and shapes the data is
                                      packed */
    const struct tree *bytes_edit; /* the change `bytes`, or NULL */
    const struct tree *answer;     /* in a base of a nominal plan: a correct answer, resolved, for people who learn
                                      (play_right_exchange); or NULL */
    struct step *steps;            /* of a case with steps, or of a tcp case, which is one step */
    size_t step_count;             /* number of all steps, those of `finally` included */
    size_t finally_count;          /* how many of the last steps belong to `finally`: they are played whatever happened
                                      before */
    bool watches;                  /* it has `on`: it sends nothing and looks at the exchanges of all others */
    struct assertion *assertions;
    size_t assertion_count;
    struct str waits_for;     /* in a neighbour: the ID of an earlier neighbour that must hold; or empty */
    struct control *controls; /* in a neighbour: the play of waits_for; the base is not among them */
    size_t control_count;
    struct str not_applicable; /* why it cannot run here (needs, model not hosted, encoding); empty if it can */
    struct str disabled;       /* why the user left it out (--filter, --skip); empty if not */
    struct str state;          /* needs.state: it is played against the URL of that state; empty: the default server */
    size_t index;              /* index in plan->plays */
};

struct group {
    const struct family *family;
    const struct encoding *encoding;
    const struct profile *profile; /* it defines success and refusal, and completes bare slugs */
    struct str not_offered;        /* why the target does not offer this encoding at all; empty if it does */
    struct str kit_model;          /* "simple"; empty if there is none */
    struct str model;              /* the target's name for it (--map) */
    const struct tree *probe; /* for the model "*": what was learned of the played model (probe/learn.h); else NULL */
    struct play **plays;      /* the base first */
    size_t play_count;
    bool large;   /* the answers of the probed model may be large */
    bool alone;   /* no other group is played at the same time: because of needs.alone, or because large answers of
                     several groups would need too much memory */
    bool mutates; /* needs.allow: it changes the server's models; it is alone, and played after all that does not */
};

/* An encoding and profile that the target does not offer. */
struct not_offered {
    const struct encoding *encoding;
    const struct profile *profile;
    struct str why;
};

/* Groups of encodings that the target does not offer are not planned: their plays and assertions are not counted. But
 * they follow the others in the lists, because a control may name them. */
struct plan {
    struct arena arena;
    struct play *plays;
    size_t play_count;
    size_t reachable_count; /* number of plays, including those that are not offered */
    struct group *groups;
    size_t group_count;
    size_t assertion_count;
    struct not_offered *not_offered; /* each encoding and profile once */
    size_t not_offered_count;
};

/* What the user chooses of the suite. */
struct selection {
    struct values profiles; /* names given with --profile; none: all */
    struct values filters;  /* globs of --filter; a play is in if one of them matches its ID, its ID without @..., its
                               file, or the ID or key of one of its assertions; none: all */
    struct values skips;    /* globs of --skip; an assertion is out if one of them matches its ID, its key, its play's
                               ID with or without @..., or its file */
    struct values plays;    /* IDs of plays, sorted: only these are in; none: all */
    size_t shard, shards;   /* --shard: every `shards`-th group, from the `shard`-th, which counts from 1; 0: all */
};

/* What the plan needs to know of the target. list, lint and coverage have no target: they use plan_nominal(). */
struct plan_target {
    struct address addresses[ENDPOINTS_MAX]; /* by the endpoint's index; empty: not asked for */
    struct target_flags flags;
    struct selection selected;
    struct discovery discovery;    /* a case of the model "*" is expanded by the probes that it found */
    const struct secrets *secrets; /* hidden in IDs and in the reasons of `not_offered`; NULL: none */
    bool nominal;                  /* every claim and every need counts as met */
};

/* Returns a target that hosts the whole kit and offers every encoding and state. Its texts lie in the arena. */
struct plan_target plan_nominal(const struct suite *suite, struct arena *arena);

/* Makes the plan, which plan_free frees, after a failure too. INVALID_ARGUMENT gives the first fault of the suite; the
 * lint finds all of them. */
struct status plan_make(const struct suite *suite, const struct plan_target *target, struct plan *plan);

/* Makes the plan and collects all faults; what has no fault is in the plan. */
struct faults;
void plan_make_all(const struct suite *suite, const struct plan_target *target, struct plan *plan,
                   struct faults *faults);

void plan_free(struct plan *plan);

/* Returns the play of the case at that path that has an `answer`; NULL if there is none. */
const struct play *plan_answered(const struct plan *plan, struct str path);

/* Returns a sentence about the first glob of the user that matches nothing: no case or assertion, not even one that
 * this target is not asked for, and no key of the ledger. Empty if there is no such glob. (filter.c) */
struct str plan_unmatched_glob(const struct suite *suite, const struct plan_target *target, const struct plan *plan,
                               struct arena *arena);

/* Whether a glob of --filter names only rows about the transport, by their keys or by cases that expect nothing else.
 * Then the user wants these rows to be judged like all others. (filter.c) */
bool plan_asks_for_transport(const struct suite *suite, const struct plan_target *target, const struct plan *plan);

/* plan_builds_on: whether this assertion of a play must hold for its neighbours, and for the cases that have the play
 * as a control. These are the assertions that the play's own `control` names ("#KEY"). If it names none, it is the
 * play's first MUST of a document, or else its first MUST about the transport. plan_names_own_keys: whether it names
 * any. (prerequisites.c) */
bool plan_builds_on(const struct play *play, const struct assertion *assertion);
bool plan_names_own_keys(const struct play *play);

/* Returns the number of alternatives that begin with this control: one of so many must hold. */
static inline size_t control_choices(const struct control *first)
{
    size_t count = 1;
    while (first[count - 1].or_next)
        count++;
    return count;
}

/* Counts the plays that must pass before this one means anything: its base, its controls, and theirs. Of alternative
 * controls, only the first is counted. (prerequisites.c) */
size_t plan_prerequisites(const struct play *play);

/* Why the profile is not asked for, in the arena; empty if it is. A profile is asked for if its endpoint has an
 * address, and either --profile names it, or --profile is not given and the server claims it. (profile.c) */
struct str profile_not_asked(const struct plan_target *target, const struct profile *profile, struct arena *arena);

/* Why a case of the profile is not played in the encoding at all, in the arena; empty if it is. (profile.c) */
struct str encoding_not_offered(const struct plan_target *target, const struct encoding *encoding,
                                const struct profile *profile, struct arena *arena);

/* Whether the server's metadata over the profile's transport lists the extension (probe/claims.h), or the user does. */
bool target_claims(const struct plan_target *target, const struct profile *profile, struct str extension);

/* The row of the ledger that a member of `expect` means in an encoding under a profile. A bare slug means a row of the
 * profile; if that has none, a row of the profile that the encoding inherits from. NULL: there is none. (expect.c) */
const struct requirement *plan_requirement(const struct suite *suite, const struct encoding *encoding,
                                           const struct profile *profile, struct str key, struct arena *arena);
