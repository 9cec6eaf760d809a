/* The plan: every exchange of a run, made before the first byte is sent, so that planned = run = reported.
 *
 * A group is one case with one choice of its `for` values in one encoding: the base and its neighbours, played in order
 * on one connection by one job. A play is one exchange; its request tree has all changes applied and all ${variables}
 * and codecs resolved; an assertion is one key of one play. */
#ifndef PLAN_PLAN_H
#define PLAN_PLAN_H

#include "client/client.h"
#include "suite/suite.h"

struct play;
struct group;

struct assertion {
    struct str id; /* "v2/infer/x/y@rest-flat#v2-rest.data-count" */
    const struct requirement *requirement;
    const struct tree *observation; /* resolved: "refused", "same", "agrees", "answered", or a pattern */
    const struct play *standard;    /* of "agrees": whose answer this one must agree with; else NULL */
    bool of_refusal; /* added by "refused" from encodings.json: judged only when the answer is a refusal */
    struct play *play;
};

/* What must hold before a play counts: another play's key (or all its keys), run once and remembered. */
struct control {
    struct play *play;
    const struct assertion *assertion; /* NULL: all of the play */
};

/* One step of a play that has several: what is done, and what is expected of its answer. */
struct step {
    struct play *play;         /* its act and its own assertions; not in the plan's list */
    struct str conn;           /* of tcp: the connection's name */
    const struct tree *save;   /* {name: pointer into the answer}, or NULL */
    size_t times, together;    /* one after the other, at the same time; 1 */
    const struct tree *values; /* of those together: ${i} of each; NULL: their number, from 0 */
    double within;             /* seconds in which it may be asked again until the answer is as expected; 0: once */
    bool half_close;           /* then nothing more is sent on the connection */
    bool late;                 /* holds ${...} of what an earlier step saves, or ${i}: resolved when it is played */
};

struct play {
    struct str id; /* "v2/infer/x/y@label@rest-flat" */
    struct str says;
    struct group *group;
    bool is_base;
    const struct tree *act;        /* resolved case tree: infer / http / grpc with their members */
    const struct tree *base_act;   /* of a neighbour: the base's, whose datatypes and shapes pack the data */
    const struct tree *bytes_edit; /* the change `bytes`, or NULL */
    struct step *steps;   /* of a case with steps (or tcp, which is one step); then `assertions` are the keys */
    size_t step_count;    /* of all steps, each once, with its first observation */
    size_t finally_count; /* of the steps, the last ones: played whatever became of the others */
    bool watches;         /* `on`: sends nothing, looks at the exchanges of all others */
    struct assertion *assertions;
    size_t assertion_count;
    struct control *controls; /* of a base; a neighbour's control is its base */
    size_t control_count;
    struct str not_applicable; /* why it cannot run here (needs, model not hosted, encoding); empty if it can */
    struct str disabled;       /* the user's filter or profile leaves it out; empty if not */
    struct str state;          /* needs.state: plays against the URL of that state; empty: the default server */
    size_t index;              /* in plan->plays */
};

struct group {
    const struct family *family;
    const struct encoding *encoding;
    const struct profile *profile; /* what success and refusal are there, and which bare slugs are meant */
    struct str not_offered;        /* why the target is not asked this way at all; empty: it is */
    struct str kit_model;          /* "simple", or empty */
    struct str model;              /* the target's name for it (--map) */
    const struct tree
        *probe;          /* of the model "*": what was learned of the one that is played (probe/learn.h); or NULL */
    struct play **plays; /* the base first */
    size_t play_count;
    bool large; /* the probed model's answers may be large */
    bool alone; /* needs.alone, or large: what several large answers take would add up */
};

/* A way of asking that the target has not got. */
struct not_offered {
    const struct encoding *encoding;
    const struct profile *profile;
    struct str why;
};

/* What the target does not offer is not planned: neither its groups nor its plays and assertions are counted. They
 * stand behind the others, because a control may name them. */
struct plan {
    struct arena arena;
    struct play *plays;
    size_t play_count;
    size_t reachable_count; /* plays, with those that are not offered */
    struct group *groups;
    size_t group_count;
    size_t assertion_count;
    struct not_offered *not_offered; /* by encoding and profile, each once */
    size_t not_offered_count;
};

/* What the plan needs to know of the target. For list, lint and coverage: plan_nominal(). */
struct plan_target {
    struct address addresses[ENDPOINTS_MAX]; /* by the endpoint's index; empty: not asked for */
    const struct tree *found; /* discovery: {server: {...}, models: {KIT: metadata}, absent: {KIT: why}, probes: {MODEL:
                                 what was learned (probe/learn.h)}}; a case of the model "*" is expanded by probes; KIT
                                 models that are not in models are not hosted; `absent` may say with what evidence */
    const char *const *map;   /* "KIT=THEIRS" */
    size_t map_count;
    struct str no_model;       /* a name that discovery found unknown */
    bool versionless_refused;  /* an inference without a version is refused: requests get the model's last */
    const char *const *states; /* names given with --state */
    size_t state_count;
    const char *const *profiles; /* none: all */
    size_t profile_count;
    const char *const *filters; /* globs; a play is in if one meets its ID, that without @..., its file or an
                                   assertion's ID; none: all */
    size_t filter_count;
    bool allow_mutation;
    bool nominal; /* every claim and every need of discovery is taken as met */
};

/* A target that hosts the whole kit and offers every encoding and state. */
struct plan_target plan_nominal(const struct suite *suite, struct arena *arena);

/* Fails only on a fault of the suite (lint finds them first). */
struct status plan_make(const struct suite *suite, const struct plan_target *target, struct plan *plan);

/* The same, with all faults instead of the first; what is not at fault stands in the plan. */
struct faults;
void plan_make_all(const struct suite *suite, const struct plan_target *target, struct plan *plan,
                   struct faults *faults);

void plan_free(struct plan *plan);

/* Whether the text is one of the words that are observations in every case: refused, same, agrees, answered.
 * (observations.c) */
bool observation_is_word(struct str text);

/* Why the profile is not asked for; empty if it is: its endpoint has an address, and it is named by --profile, or
 * nothing is named and the server claims it. (profile.c) */
struct str profile_not_asked(const struct plan_target *target, const struct profile *profile, struct arena *arena);

/* Whether the server's metadata lists the extension. */
bool target_claims(const struct plan_target *target, struct str extension);

/* The row of the ledger that a member of `expect` means in an encoding under a profile: a bare slug is one of the
 * profile, or where that has none, of the one that the encoding inherits from. NULL if there is no such row. */
const struct requirement *plan_requirement(const struct suite *suite, const struct encoding *encoding,
                                           const struct profile *profile, struct str key, struct arena *arena);

#endif
