/* Whether the suite notices what it says it would: every deviation of a server that can deviate on demand (header and
 * metadata `oip-deviate`) is tried on every assertion of the requirement that it breaks. */
#ifndef MUTATION_MUTATION_H
#define MUTATION_MUTATION_H

#include "judge/run.h"
#include "mutation/case_key.h"

/* One deviation. */
struct mutant {
    const struct deviation *deviation;
    bool asked;                     /* the plan has an assertion of its requirement that the user did not leave out */
    bool in_part;                   /* the user left other assertions of that requirement out */
    size_t tried;                   /* assertions that pass without it and were played with it */
    size_t killed;                  /* of those: turned to fail, timeout, warn, or another name */
    size_t masked;                  /* of those not killed: refused all the same, by another row */
    const struct assertion *killer; /* the first in the plan's order; NULL */
    struct str masked_by;           /* that row; or empty */
    bool is_known;                  /* the target has it; or, of a whole process, a server with it was started */
    struct str trouble;             /* why it is not known; or empty */
};

struct mutation {
    struct arena arena;
    struct run run;         /* without deviations */
    struct mutant *mutants; /* in the suite's order */
    size_t mutant_count;
    struct case_keys keys;
    size_t exchanges; /* with a deviation */
};

enum fate { FATE_KILLED, FATE_SURVIVED, FATE_MASKED, FATE_DEAD, FATE_EQUIVALENT, FATE_NOT_TRIED, FATE_COUNT };

/* killed; survived: tried, never noticed; masked: another row refused first; dead: no assertion to try it on;
 * equivalent: declared so, and not noticed; not tried: its requirement was not asked for, or no server is known that
 * has it. */
enum fate mutant_fate(const struct mutant *mutant);

/* Whether it shows that the suite misses something: it survived, was masked or is dead, though no assertion of its
 * requirement was left out; or it was asked for, and the server has not got it. */
bool mutant_fails(const struct mutant *mutant);
const char *fate_name(enum fate fate);

/* Plays the plan undeviated, then the deviations. `server_command` starts a server for those of a whole process; NULL:
 * they are not tried. Fails as run_plan does. */
struct status mutation_run(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                           const char *server_command, struct mutation *mutation);
void mutation_free(struct mutation *mutation);

#endif
