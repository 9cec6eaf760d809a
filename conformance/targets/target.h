/* What every command that asks a server does first: load the suite, check the flags against it, run discovery, make the
 * plan.
 *
 * Only commands/ may include the folder targets/, which may include flags/, judge/, probe/ and what these may include.
 */
#pragma once

#include "flags/options.h"
#include "judge/run.h"
#include "probe/discovery.h"
#include "support/exit_code.h"

struct target {
    const struct options *options;
    struct arena arena;
    struct suite suite;
    struct client_options client;    /* with the addresses of the endpoints whose profiles are asked for */
    const struct profile **profiles; /* those that are asked for, in the registry's order */
    size_t profile_count;
    struct claim *claims;              /* those of --claim */
    struct plan_target known;          /* its jobs are those of the options, or one */
    const struct plan_target *planned; /* `known`, once a plan can be made of it; before that it knows nothing */
    struct plan plan;
    const char *only; /* the only model that discovery asks about, or ""; NULL: all that it finds */
    bool insecure;    /* the certificate of an endpoint is not checked */
    bool left; /* by an interruption; the server is still asked: task_exit must end the program, not target_close */
};

/* Makes a target. Returns EXIT_CONFORMANT, or another exit code and a sentence in `why`. target_close is needed in both
 * cases. From here on signals are watched (targets/interruption.h). */
int target_open(const struct options *options, struct target **target, struct str *why);

/* Does between the two what a command does, which may say in `why` what it could not. Returns the exit code. */
int target_run(const struct options *options, int (*command)(struct target *target, struct str *why));

/* The options with which every command judges the target: client, addresses, states, jobs, interruption. */
struct run_options target_run_options(const struct target *target);
void target_close(struct target *target);

/* Says why a run ended that was interrupted (enum interruption), and of the time limit what it was and what helps. */
struct str target_interruption(const struct options *options, int interrupted, struct arena *arena);
