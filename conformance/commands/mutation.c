/* `mutation`: judges the suite. It needs a server that deviates (oip-reference-server --deviate-by-header). */
#include "base/search.h"
#include "commands/commands.h"
#include "targets/interruption.h"
#include "targets/target.h"

#include "judge/keeper.h"
#include "mutation/mutation.h"
#include "mutation/process.h"
#include "support/printable.h"
#include "support/task.h"

#include <stdio.h>

/* Returns why a trial survived, where the answers tell. */
static struct str why_it_survived(const struct trial *trial, struct arena *arena)
{
    if (trial->tried == 0)
        return (struct str){0};
    if (!trial->altered)
        return STR("; it changed none of the answers that were compared");
    return arena_printf(arena, "; it changes the answer to %.*s, but all that is expected there still holds",
                        STR_ARG(trial->altered->id));
}

/* The counts of everything that makes a mutation run fail. */
struct verdicts {
    size_t fates[FATE_COUNT], failing;
    size_t keys, unkilled, refused_by_another, not_passing;
};

static void print_trials(const struct mutation *mutation, struct verdicts *verdicts, struct arena *arena)
{
    printf("%-10s%-42s %-34s %s\n", "", "deviation", "breaks", "noticed by");
    FOR_EACH(trial, mutation->trials, mutation->trial_count) {
        enum fate fate = trial_fate(trial);
        struct str why = why_it_survived(trial, arena);
        const char *others = trial->in_part ? "; the filter left out others" : "";
        verdicts->fates[fate]++;
        verdicts->failing += trial_fails(trial);
        if (fate == FATE_NOT_TRIED && !trial->asked)
            continue;
        printf("%-10s%-42.*s %-34.*s ", fate_name(fate), STR_ARG(trial->deviation->name),
               STR_ARG(trial->deviation->breaks));
        if (trial->killer)
            printf("%zu of %zu, %.*s\n", trial->killed, trial->tried, STR_ARG(trial->killer->id));
        else if (trial->masked_by.size)
            printf("0 of %zu, refused by %.*s%s\n", trial->tried, STR_ARG(trial->masked_by), others);
        else if (fate == FATE_DEAD)
            printf("no case that passes has this key\n");
        else if (fate == FATE_NOT_TRIED)
            printf("%s\n", trial->trouble.size ? trial->trouble.data : "it needs a server of its own (--server)");
        else
            printf("0 of %zu%s%.*s\n", trial->tried, others, STR_ARG(why));
    }
}

/* What is a fault stands last, where a reader of the end of a log finds it. */
static void print_keys(const struct mutation *mutation, struct verdicts *verdicts)
{
    FOR_EACH(key, mutation->keys.list, mutation->keys.count)
        if (key->refused_by.size)
            printf("%s%.*s: refused by %.*s\n",
                   verdicts->refused_by_another++ ? "  "
                                                  : "\nRefused, but not by the row that the case names (no fault as "
                                                    "long as something makes them fail)\n  ",
                   STR_ARG(key->id), STR_ARG(key->refused_by));
    FOR_EACH(result, mutation->run.results, mutation->run.result_count) {
        if (!verdict_is_judged(result->verdict) || verdict_passes(result->verdict))
            continue;
        struct buf line = {0};
        append_printable(&line, result->why, 300);
        printf(
            "%s%.*s: %s, %.*s\n", verdicts->not_passing++ ? "  " : "\nThese do not even pass without a deviation\n  ",
            STR_ARG(result->assertion->id), verdict_name(result->verdict), (int)line.size, line.data ? line.data : "");
        buf_free(&line);
    }
    FOR_EACH(key, mutation->keys.list, mutation->keys.count) {
        if (!key->passes)
            continue;
        verdicts->keys++;
        if (key->killed)
            continue;
        struct buf seen = {0};
        append_printable(&seen, key->unnoticed, 300);
        printf("%s%.*s (%zu deviations tried%s%.*s)\n",
               verdicts->unkilled++ ? "  " : "\nNo deviation makes these fail\n  ", STR_ARG(key->id), key->tried,
               seen.size ? "; " : "", STR_ARG(buf_str(&seen)));
        buf_free(&seen);
    }
}

static int conclude(const struct mutation *mutation, const struct verdicts *verdicts)
{
    static const struct demands all_layers = {.layers = {true, true, true}};
    const size_t *fates = verdicts->fates;
    printf("\n%zu deviations: %zu killed, %zu survived, %zu masked, %zu dead, %zu equivalent, %zu not tried\n",
           mutation->trial_count, fates[FATE_KILLED], fates[FATE_SURVIVED], fates[FATE_MASKED], fates[FATE_DEAD],
           fates[FATE_EQUIVALENT], fates[FATE_NOT_TRIED]);
    printf("%zu keys of cases: %zu without a killer, %zu refused by another row\n", verdicts->keys, verdicts->unkilled,
           verdicts->refused_by_another);
    printf("%zu exchanges undeviated, %zu deviated\n", mutation->run.exchanges, mutation->exchanges);
    if (interruption_came())
        return EXIT_INTERRUPTED;
    if (mutation->run.unreachable || mutation->run.unresponsive.size) {
        printf("the target does not respond\n");
        return EXIT_UNREACHABLE;
    }
    if (run_exit_code(&mutation->run, 0, &all_layers) == EXIT_SUITE)
        return EXIT_SUITE;
    if (!verdicts->keys && !verdicts->not_passing) {
        printf("no key of a case was played: nothing of what was chosen applies to this target\n");
        return EXIT_USAGE;
    }
    if (fates[FATE_NOT_TRIED] == mutation->trial_count) {
        printf("nothing was tried: does the server deviate on demand (oip-reference-server --deviate-by-header)?\n");
        return EXIT_USAGE;
    }
    bool green =
        !verdicts->failing && !verdicts->unkilled && run_exit_code(&mutation->run, 0, &all_layers) == EXIT_CONFORMANT;
    const char *all = fates[FATE_SURVIVED] || fates[FATE_MASKED] ? "every deviation whose cases were all played"
                      : fates[FATE_NOT_TRIED]                    ? "every deviation that was tried"
                                                                 : "every deviation";
    if (green)
        printf("%s is noticed, and every key of every case that was played can fail\n", all);
    else
        printf("the suite does not notice everything it should\n");
    return green ? EXIT_CONFORMANT : EXIT_NOT_CONFORMANT;
}

/* The task: what is mutated, and what came of it. */
struct mutating {
    const struct target *target;
    struct mutation mutation;
    struct status status;
};

static void mutate(void *context)
{
    struct mutating *mutating = context;
    const struct target *target = mutating->target;
    const struct run_options run_options = target_run_options(target);
    mutating->status =
        mutation_run(&target->suite, &target->plan, &run_options, target->options->server, &mutating->mutation);
}

static int mutate_and_report(struct target *target, struct str *why)
{
    struct mutating *mutating = arena_new_of(&target->arena, struct mutating);
    struct mutation *mutation = &mutating->mutation;
    struct verdicts verdicts = {0};
    struct task_end end = {.interrupted = interruption_flag(), .must_stay = keeper_is_open};
    mutating->target = target;
    if (!task_run(mutate, mutating, &end) || mutation->run.left) {
        complain(STR("interrupted"));
        processes_kill();
        task_exit(EXIT_INTERRUPTED);
    }
    int code = EXIT_SUITE;
    if (is_ok(mutating->status)) {
        print_trials(mutation, &verdicts, &target->arena);
        print_keys(mutation, &verdicts);
        code = conclude(mutation, &verdicts);
    } else {
        *why = arena_copy(&target->arena, mutating->status.message);
    }
    mutation_free(mutation);
    return code;
}

int command_mutation(const struct options *options)
{
    return target_run(options, mutate_and_report);
}
