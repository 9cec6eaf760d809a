/* Mutation: whether the suite notices the faults that it claims to notice. Every deviation of a server that deviates on
 * demand (header and metadata `oip-deviate`) is tried on every assertion of the requirement that it breaks.
 *
 * The folder mutation/ judges the suite, not a server: it plays the plan again with deviations and compares verdicts.
 * It decides no verdict itself and prints nothing. It uses judge/, plan/, suite/, client/ and support/; it may not
 * include report/, lint/ or commands/. */
#pragma once

#include "judge/run.h"
#include "mutation/case_key.h"

/* A trial: one deviation and what came of it. */
struct trial {
    const struct deviation *deviation;
    bool asked;    /* the plan has an assertion of its requirement that the user did not leave out */
    bool in_part;  /* the user left other assertions of its requirement out */
    size_t tried;  /* number of assertions that pass without it and were played with it */
    size_t killed; /* how many of those noticed it: the verdict became fail, timeout or warn, or another name was
                      observed */
    size_t masked; /* how many of those not killed were refused, but because of another row */
    const struct assertion *killer; /* the first assertion of the plan that noticed it; NULL: none */
    const struct play *altered;     /* a play whose answer the trial changed without being noticed; NULL: none yet */
    struct str masked_by;           /* the row that the server named instead; or empty */
    bool is_known;      /* the target has it; for a deviation of a whole process: a server with it was started */
    struct str trouble; /* why it is not known; or empty */
};

struct mutation {
    struct arena arena;
    struct run run;       /* the run without deviations */
    struct trial *trials; /* in the suite's order */
    size_t trial_count;
    struct case_keys keys;
    size_t exchanges; /* number of exchanges with a deviation */
};

enum fate { FATE_KILLED, FATE_SURVIVED, FATE_MASKED, FATE_DEAD, FATE_EQUIVALENT, FATE_NOT_TRIED, FATE_COUNT };

/* The fates. killed: an assertion noticed it. survived: it was tried, and no assertion noticed it. masked: the same,
 * but another row refused the request first. dead: there is no assertion to try it on. equivalent: its file declares
 * that it cannot be noticed, and it was not. not tried: its requirement was not asked for, or no server is known that
 * has it. */
enum fate trial_fate(const struct trial *trial);

/* Whether the trial shows a fault of the suite: it survived, is masked or dead, though no assertion of its requirement
 * was left out; or it was asked for and the server does not have it. */
bool trial_fails(const struct trial *trial);
const char *fate_name(enum fate fate);

/* Plays the plan without deviations, then with each. `server_command` starts a server for deviations of a whole
 * process; NULL: these are not tried. Fails as run_plan does. mutation_free frees the result. */
struct status mutation_run(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                           const char *server_command, struct mutation *mutation);
void mutation_free(struct mutation *mutation);
