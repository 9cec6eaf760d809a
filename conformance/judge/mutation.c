/* The undeviated run says which assertions pass; only those can be killed. Then groups are jobs again: of each, the
 * base is played once as it is (for "same"), and each play once for each deviation that breaks one of its keys. Only
 * that one exchange asks for the deviation. */
#include "judge/mutation.h"

#include "judge/perform.h"
#include "judge/process.h"
#include "judge/watch.h"
#include "judge/worker.h"
#include "support/memory.h"

struct bench {
    const struct suite *suite;
    const struct plan *plan;
    const struct run_options *options;
    struct mutation *mutation;
    const struct result **before; /* of each assertion of the plan, in order */
    size_t *first_assertion;      /* of each play, in `before` */
    struct servers servers;
    size_t next_group;
    pthread_mutex_t mutex;
};

const char *fate_name(enum fate fate)
{
    static const char *const names[FATE_COUNT] = {"killed", "survived", "masked", "dead", "equivalent", "not tried"};
    return names[fate];
}

enum fate mutant_fate(const struct mutant *mutant)
{
    if ((mutant->deviation->process && !mutant->started) || !mutant->asked)
        return FATE_NOT_TRIED;
    if (mutant->killed)
        return FATE_KILLED;
    if (mutant->deviation->equivalent.size)
        return FATE_EQUIVALENT;
    if (!mutant->tried)
        return FATE_DEAD;
    return mutant->masked ? FATE_MASKED : FATE_SURVIVED;
}

/* Whether the server says that another row than this key's refused the request. */
static bool refused_by_another(const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    return result->refused_by.size && !str_equal(result->refused_by, requirement->key) &&
           !str_equal(result->refused_by, requirement->slug);
}

/* Whether the assertion is about being refused, and that is what was seen. */
static bool saw_refusal(const struct result *result)
{
    const struct tree *observation = result->assertion->observation, *any = tree_member(observation, "$any");
    if (any)
        observation = tree_member_str(any, result->observed);
    return !result->assertion->of_refusal && observation && observation->type == TREE_STRING &&
           str_is(observation->text, "refused") && verdict_passes(result->verdict);
}

static bool is_kill(const struct result *before, const struct result *after)
{
    switch (after->verdict) {
    case VERDICT_FAIL:
    case VERDICT_TIMEOUT:
    case VERDICT_WARN:
        return true;
    case VERDICT_PASS:
    case VERDICT_PASS_WEAK:
        return before->assertion->requirement->level >= LEVEL_MAY && !str_equal(before->observed, after->observed);
    default:
        return false;
    }
}

/* --- Preparing --- */

static void prepare_results(struct bench *bench)
{
    const struct plan *plan = bench->plan;
    struct mutation *mutation = bench->mutation;
    size_t count = 0;
    bench->before = arena_alloc_zero(&mutation->arena, plan->assertion_count + 1, sizeof(struct result *));
    bench->first_assertion = arena_alloc_zero(&mutation->arena, plan->play_count + 1, sizeof(size_t));
    for (size_t i = 0; i < mutation->run.result_count; i++)
        if (!mutation->run.results[i].replay)
            bench->before[count++] = &mutation->run.results[i];
    count = 0;
    for (size_t i = 0; i < plan->play_count; i++) {
        bench->first_assertion[i] = count;
        count += plan->plays[i].assertion_count;
    }
    for (size_t i = 0; i < count; i++) {
        const struct result *before = bench->before[i];
        struct case_key *key = bench->mutation->keys.of[i];
        key->passes = key->passes || verdict_passes(before->verdict);
        if (saw_refusal(before) && refused_by_another(before))
            key->refused_by = before->refused_by;
    }
}

/* Whether an assertion of the plan could be tried at all: its transport is asked for, and the user did not leave it
 * out. */
static bool is_asked(const struct bench *bench, const struct result *result)
{
    (void)bench;
    return result->verdict != VERDICT_DISABLED;
}

/* A deviation is asked for if an assertion of its key is; without a single one, if its profile is asked for as a whole:
 * then it is dead. */
static void prepare_mutants(struct bench *bench)
{
    struct mutation *mutation = bench->mutation;
    mutation->mutant_count = bench->suite->deviation_count;
    mutation->mutants = arena_alloc_zero(&mutation->arena, mutation->mutant_count + 1, sizeof(*mutation->mutants));
    for (size_t i = 0; i < mutation->mutant_count; i++) {
        struct mutant *mutant = &mutation->mutants[i];
        mutant->deviation = &bench->suite->deviations[i];
        const struct requirement *row = ledger_find(&bench->suite->ledger, mutant->deviation->breaks);
        for (size_t k = 0; k < bench->plan->assertion_count && row && !mutant->asked; k++) {
            const struct requirement *requirement = bench->before[k]->assertion->requirement;
            bool whole_profile = !bench->options->target->filter_count && str_equal(requirement->prefix, row->prefix);
            mutant->asked = is_asked(bench, bench->before[k]) && (requirement == row || whole_profile);
        }
    }
}

/* --- Playing --- */

static bool breaks_a_passing_key(const struct bench *bench, const struct play *play, const struct mutant *mutant)
{
    for (size_t i = 0; i < play->assertion_count; i++)
        if (str_equal(play->assertions[i].requirement->key, mutant->deviation->breaks) &&
            verdict_passes(bench->before[bench->first_assertion[play->index] + i]->verdict))
            return true;
    return false;
}

/* Whether it was killed. */
static bool record(struct bench *bench, struct mutant *mutant, size_t index, const struct result *after)
{
    const struct result *before = bench->before[index];
    struct case_key *key = bench->mutation->keys.of[index];
    bool killed = is_kill(before, after);
    bool masked = !killed && saw_refusal(after) && refused_by_another(after);
    pthread_mutex_lock(&bench->mutex);
    mutant->tried++;
    mutant->killed += killed;
    mutant->masked += masked;
    key->tried++;
    key->killed += killed;
    if (masked && !mutant->masked_by.size)
        mutant->masked_by = arena_copy(&bench->mutation->arena, after->refused_by);
    if (killed && (!mutant->killer || mutant->killer->play->index > before->assertion->play->index))
        mutant->killer = before->assertion;
    pthread_mutex_unlock(&bench->mutex);
    return killed;
}

static struct stage_hand hand_of(struct worker *worker, const struct server *server, const struct header *header)
{
    struct bench *bench = worker->context;
    return (struct stage_hand){.client = worker_client(worker, server),
                               .options = &server->client,
                               .target = bench->options->target,
                               .extra = header,
                               .arena = &worker->arena,
                               .interrupted = bench->options->interrupted};
}

/* Without deviation and verdict: only the answer counts. */
static void play_plainly(struct worker *worker, const struct server *server, const struct play *play,
                         struct exchange *exchange)
{
    struct stage_hand hand = hand_of(worker, server, NULL);
    struct result *ignored = arena_alloc_zero(&worker->arena, play->assertion_count, sizeof(*ignored));
    perform(&hand, play, NULL, exchange, ignored);
}

/* `hand` asks the server that deviates. */
static void try_with(struct worker *worker, const struct stage_hand *hand, const struct play *play,
                     struct mutant *mutant, const struct tree *base)
{
    struct bench *bench = worker->context;
    struct exchange exchange;
    struct result *after = arena_alloc_zero(&worker->arena, play->assertion_count, sizeof(*after));
    perform(hand, play, base, &exchange, after);
    if (exchange.not_applicable.size || exchange.fault.size)
        return;
    size_t first = bench->first_assertion[play->index];
    for (size_t i = 0; i < play->assertion_count; i++)
        if (str_equal(play->assertions[i].requirement->key, mutant->deviation->breaks) &&
            verdict_passes(bench->before[first + i]->verdict))
            record(bench, mutant, first + i, &after[i]);
    pthread_mutex_lock(&bench->mutex);
    bench->mutation->exchanges++;
    pthread_mutex_unlock(&bench->mutex);
}

static void try_deviation(struct worker *worker, const struct play *play, const struct server *server,
                          struct mutant *mutant, const struct tree *base)
{
    const struct header header = {STR("oip-deviate"), mutant->deviation->name};
    const struct play *standard = play_standard(play);
    struct exchange good = {0};
    if (standard)
        play_plainly(worker, server, standard, &good);
    struct stage_hand hand = hand_of(worker, server, &header);
    hand.standard = good.tree;
    try_with(worker, &hand, play, mutant, base);
}

/* What a watcher says of the deviated answers. */
struct watching {
    struct worker *worker;
    const struct play *watcher;
    struct mutant *mutant;
    bool noticed;
};

static void see(void *context, const struct play *play, const struct exchange *exchange)
{
    struct watching *watching = context;
    struct worker *worker = watching->worker;
    struct bench *bench = worker->context;
    const struct play *watcher = watching->watcher;
    struct result *after = arena_alloc_zero(&worker->arena, watcher->assertion_count, sizeof(*after));
    size_t first = bench->first_assertion[watcher->index];
    if (!watch_judge(watcher, play, exchange, false, &worker->arena, after))
        return;
    for (size_t i = 0; i < watcher->assertion_count; i++)
        if (str_equal(watcher->assertions[i].requirement->key, watching->mutant->deviation->breaks) &&
            verdict_passes(bench->before[first + i]->verdict))
            watching->noticed |= record(bench, watching->mutant, first + i, &after[i]);
}

/* A watcher is tried on plays that it looked at, of each family one, until it notices. */
static void try_watcher(struct worker *worker, const struct play *watcher)
{
    enum { PLAYS_MAX = 64 };
    struct bench *bench = worker->context;
    const struct play *plays[PLAYS_MAX];
    size_t count = watch_seen(bench->mutation->run.watch, watcher, plays, PLAYS_MAX);
    for (size_t k = 0; k < bench->mutation->mutant_count; k++) {
        struct mutant *mutant = &bench->mutation->mutants[k];
        if (mutant->deviation->process || !breaks_a_passing_key(bench, watcher, mutant))
            continue;
        const struct header header = {STR("oip-deviate"), mutant->deviation->name};
        struct watching watching = {worker, watcher, mutant, false};
        for (size_t i = 0; i < count && !watching.noticed; i++) {
            if (plays[i]->step_count)
                continue; /* threads of their own */
            struct server *server = servers_find(&bench->servers, plays[i]->state);
            struct exchange exchange;
            struct stage_hand hand = hand_of(worker, server, &header);
            hand.seen = see;
            hand.context = &watching;
            struct result *ignored = arena_alloc_zero(&worker->arena, plays[i]->assertion_count, sizeof(*ignored));
            perform(&hand, plays[i], NULL, &exchange, ignored);
        }
    }
}

static void try_group(struct worker *worker, const struct group *group)
{
    struct bench *bench = worker->context;
    struct exchange first = {0};
    bool played = false;
    if (group->plays[0]->watches) {
        try_watcher(worker, group->plays[0]);
        return;
    }
    for (size_t i = 0; i < group->play_count; i++) {
        const struct play *play = group->plays[i], *base = group->plays[0];
        struct server *server = servers_find(&bench->servers, play->state);
        for (size_t k = 0; k < bench->mutation->mutant_count && server; k++) {
            struct mutant *mutant = &bench->mutation->mutants[k];
            if (mutant->deviation->process || !breaks_a_passing_key(bench, play, mutant) ||
                run_is_interrupted(bench->options))
                continue;
            if (play != base && !played)
                play_plainly(worker, server, base, &first);
            played = played || play != base;
            try_deviation(worker, play, server, mutant, play == base ? NULL : first.tree);
        }
    }
}

static void work(struct worker *worker)
{
    struct bench *bench = worker->context;
    for (;;) {
        pthread_mutex_lock(&bench->mutex);
        size_t group = bench->next_group++;
        pthread_mutex_unlock(&bench->mutex);
        if (group >= bench->plan->group_count)
            return;
        try_group(worker, &bench->plan->groups[group]);
        worker_forget(worker);
    }
}

/* --- Servers of their own --- */

#define STARTS_WITHIN 30.0 /* seconds */

/* Every play of the broken key, on a server that deviates in all that it does; what it must be the same as is asked of
 * the target itself. */
static void try_on_process(struct worker *worker, const struct process *process, struct mutant *mutant)
{
    struct bench *bench = worker->context;
    struct client_options options = bench->options->client;
    memcpy(options.addresses, process->addresses, sizeof options.addresses);
    struct client *client;
    if (!is_ok(client_create(&options, &worker->clients_arena, &client)))
        return;
    for (size_t i = 0; i < bench->plan->play_count; i++) {
        const struct play *play = &bench->plan->plays[i], *base = play->group->plays[0];
        const struct play *standard = play_standard(play);
        struct exchange first = {0}, good = {0};
        if (play->state.size || play->watches || !breaks_a_passing_key(bench, play, mutant))
            continue;
        if (play != base)
            play_plainly(worker, &bench->servers.list[0], base, &first);
        if (standard)
            play_plainly(worker, &bench->servers.list[0], standard, &good);
        struct stage_hand hand = hand_of(worker, &bench->servers.list[0], NULL);
        hand.client = client;
        hand.options = &options;
        hand.standard = good.tree;
        try_with(worker, &hand, play, mutant, first.tree);
        worker_forget(worker);
    }
    client_destroy(client);
}

static struct status try_processes(struct bench *bench, const char *command)
{
    struct arena *arena = &bench->mutation->arena;
    struct worker worker;
    struct status status = worker_open(&worker, &bench->servers, bench, arena);
    for (size_t i = 0; i < bench->mutation->mutant_count && is_ok(status); i++) {
        struct mutant *mutant = &bench->mutation->mutants[i];
        struct process process;
        if (!mutant->deviation->process || !mutant->asked || run_is_interrupted(bench->options))
            continue;
        struct status begun =
            process_start(command, mutant->deviation->name, STARTS_WITHIN, &bench->suite->registry, arena, &process);
        mutant->started = is_ok(begun);
        mutant->trouble = begun.message;
        if (mutant->started)
            try_on_process(&worker, &process, mutant);
        process_stop(&process);
    }
    worker_close(&worker);
    return status;
}

struct status mutation_run(const struct suite *suite, const struct plan *plan, const struct run_options *options,
                           const char *server_command, struct mutation *mutation)
{
    *mutation = (struct mutation){.arena = memory_arena()};
    struct bench bench = {
        .suite = suite, .plan = plan, .options = options, .mutation = mutation, .mutex = PTHREAD_MUTEX_INITIALIZER};
    struct status status = run_plan(suite, plan, options, &mutation->run);
    if (!is_ok(status))
        return status;
    bool responds = !mutation->run.unreachable && !mutation->run.unresponsive.size;
    mutation->keys = case_keys_make(plan, &mutation->arena);
    prepare_results(&bench);
    prepare_mutants(&bench);
    servers_make(options, &suite->registry, &bench.servers);
    if (responds)
        status = workers_run(&bench.servers, options->jobs, work, &bench, &mutation->arena);
    if (is_ok(status) && server_command && responds)
        status = try_processes(&bench, server_command);
    servers_free(&bench.servers);
    pthread_mutex_destroy(&bench.mutex);
    return status;
}

void mutation_free(struct mutation *mutation)
{
    run_free(&mutation->run);
    arena_free(&mutation->arena);
}
