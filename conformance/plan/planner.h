/* The parts that make a plan, and what they share while it is made. */
#ifndef PLAN_PLANNER_H
#define PLAN_PLANNER_H

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
};

/* One family with one choice of its values: what its groups (one for each encoding) have in common. */
struct choice {
    const struct family *family;
    struct str file;            /* for faults */
    struct variable *variables; /* the axes' values, then those of the target */
    size_t variable_count;
    struct str kit_model, model;
    const struct plan_target *target; /* in a case of the model "*": `found` has one member more, `probe` */
    const struct tree *probe;         /* in such a case: what was learned of the model; else NULL */
    bool no_probe;                    /* there is no model to probe: `probe` is of none */
};

/* Makes the groups of a family (family.c). */
void plan_family(struct planner *planner, const struct family *family);

/* A copy of a part of the case with its variables replaced; NULL for NULL, and after a fault. */
struct tree *plan_resolve(struct planner *planner, const struct choice *choice, struct str pointer,
                          const struct tree *part);

/* Adds the fault that a status is, if it is one; false then. */
bool plan_report(struct planner *planner, struct str file, struct str pointer, const char *rule, struct status status);

/* Whether a member `over` (a name or a list of them; NULL: all) has the encoding. */
bool plan_is_over(const struct tree *over, const struct encoding *encoding);

/* Makes the group of a choice in an encoding (group.c). `raw_act` is the base's act, its codecs not yet resolved;
 * the first `label_count` variables of the choice are labels of IDs. */
void plan_group(struct planner *planner, const struct choice *choice, size_t label_count, const struct tree *raw_act,
                const struct encoding *encoding, const struct profile *profile);

/* Why the play cannot run here (applicable.c); empty if it can. Both needs may be NULL. */
struct str plan_not_applicable(struct planner *planner, const struct choice *choice, const struct play *play,
                               const struct tree *base_needs, const struct tree *needs);

/* Replaces the words of `expect` that the family gives a meaning in `observations` by what they mean, in place
 * (observations.c). `pointer` is where `expect` stands; what is no observation there is a fault. */
void plan_observations(struct planner *planner, const struct choice *choice, const struct play *play,
                       struct tree *expect, struct str pointer);

/* Appends the assertions of a play: its own keys, then those of a refusal (expect.c). `expect` is resolved;
 * `pointer` is where it stands. */
void plan_expect(struct planner *planner, struct play *play, const struct tree *expect, struct str file,
                 struct str pointer);

/* Makes the steps of a play whose act has them (steps.c): with their assertions, which become the play's too, and
 * `expect` (resolved; may be NULL) for the last step. Codecs of the act are resolved. False after a
 * fault. */
bool plan_steps(struct planner *planner, const struct choice *choice, struct play *play, struct tree *act,
                struct tree *expect);

#define LATE_NAMES_MAX 32

/* Names that a case's steps save, and "i" of those that are played together: their ${name} stays until it is known. */
size_t plan_late_names(const struct tree *case_tree, struct variable *variables, size_t room);

/* Finds whose answer those that say "agrees" must agree with (standard.c). */
void plan_standards(struct plan *plan);

/* Turns the `control` of every base into plays and assertions of the plan, and sees that none waits for itself
 * (control.c). */
void plan_controls(struct planner *planner, struct plan *plan);

/* Says which plays the user left out (filter.c). */
void plan_filter(struct planner *planner, struct plan *plan);

#endif
