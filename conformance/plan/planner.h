/* Internal to plan/: the functions that make a plan, and what they share while they do. */
#pragma once

#include "notation/axes.h"
#include "plan/plan.h"
#include "suite/faults.h"

struct planner {
    const struct suite *suite;
    const struct plan_target *target;
    struct arena *arena;
    struct faults *faults;
    struct list plays;  /* struct play */
    struct list groups; /* struct group */
    struct str lacking; /* which part of the probed model is missing that the play is made from; or empty */
};

/* A family with one combination of its values. All its groups, one for each encoding, share this. */
struct choice {
    const struct family *family;
    struct place place;         /* of the case */
    struct variable *variables; /* the values of the axes, then those of the target */
    size_t variable_count;
    size_t label_count; /* how many of the first variables are labels of IDs */
    struct str kit_model, model;
    const struct plan_target *target; /* for the model "*": `found` has one more member, `probe` */
    const struct tree *probe;         /* for the model "*": what was learned of the model; else NULL */
    bool no_probe;                    /* there is no model to probe: `probe` describes a model that does not exist */
};

/* An act by its member in a case or a step. */
struct named_act {
    const char *name;
    enum act act;
};

/* All acts. A case is played as the first of these acts that it, or one of its steps, has (family.c). */
#define ACTS 4
extern const struct named_act plan_acts[ACTS];

/* Makes the groups of a family (family.c). */
void plan_family(struct planner *planner, const struct family *family);

/* These return a copy of some part of the case, and of a member of the case by its name, with its variables replaced
 * (resolve.c). NULL if there is no such part or member, and after a fault. */
struct tree *plan_resolve(struct planner *planner, const struct choice *choice, struct place place,
                          const struct tree *part);
struct tree *plan_member(struct planner *planner, const struct choice *choice, const char *name);

/* Returns the target for one probed model (resolve.c): `found` gets the model's data as one more member, `probe`. */
const struct plan_target *plan_probed_target(struct planner *planner, const struct tree *probe);

/* Adds a fault if the status is an error (resolve.c). Returns whether it was none. */
bool plan_report(struct place place, const char *rule, struct status status);

/* Whether a member `over` (a name, or a list of names; NULL: all) names the encoding (resolve.c). */
bool plan_is_over(const struct tree *over, const struct encoding *encoding);

/* Makes the group of a choice in an encoding (group.c). `raw_act`: the act of the base, its codecs not yet resolved. */
void plan_group(struct planner *planner, const struct choice *choice, const struct tree *raw_act,
                const struct encoding *encoding, const struct profile *profile);

/* Why the play cannot run here (applicable.c); empty if it can. Both needs may be NULL. */
struct str plan_not_applicable(struct planner *planner, const struct choice *choice, const struct play *play,
                               const struct tree *base_needs, const struct tree *needs);

/* Replaces the names of observations in `expect` by the observations of the family, in place (observations.c).
 * `place` is that of `expect`. A word that is no observation is a fault. */
void plan_observations(struct planner *planner, const struct choice *choice, const struct play *play,
                       struct tree *expect, struct place place);

/* Appends the assertions of a play: its own keys, then those of a refusal (expect.c). `expect` is resolved. */
void plan_expect(struct planner *planner, struct play *play, const struct tree *expect, struct place place);

/* Makes the steps of a play (steps.c) with their assertions, and one assertion of the play for each key. `expect`
 * (resolved; may be NULL) belongs to the last step. Codecs of the act are resolved. False after a fault. */
bool plan_steps(struct planner *planner, const struct choice *choice, struct play *play, struct tree *act,
                struct tree *expect);

/* Collects the names whose values are known only when the case is played: the names that its steps save, and "i" if
 * steps are played together. `variables` has room for SAVED_MAX. Returns their number, which is above SAVED_MAX if they
 * do not fit. */
size_t plan_late_names(const struct tree *case_tree, struct variable *variables);

/* Finds the standard of each assertion "agrees" (standard.c). */
void plan_standards(struct plan *plan);

/* Turns the `control` of each base into plays and assertions, and checks that none waits for itself (control.c). */
void plan_controls(struct planner *planner, struct plan *plan);

/* Whether a glob of the user matches the text, or the play by its ID, with or without @..., or its file (filter.c). */
bool glob_meets(struct str text, const char *glob, struct arena *arena);
bool glob_meets_play(const struct play *play, const char *glob, struct arena *arena);

/* Marks the plays that the user left out (filter.c). */
void plan_filter(struct planner *planner, struct plan *plan);
