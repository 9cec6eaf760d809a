/* A run without deviations shows which assertions pass; only these can notice a deviation. Then the target is asked
 * which deviations it has, and these are tried (play.c). Last, the deviations that need a server of their own are
 * tried, one after the other. */
#include "mutation/bench.h"

#include "mutation/process.h"

/* --- Asking --- */

/* A server that deviates on demand answers a request with `oip-deviate: ?NAME` as usual, and adds a header (or trailer)
 * of that name with the value `known` or `unknown`. A server that adds none has no deviations. */

/* Makes some request; its answer does not matter. */
static struct request any_request(const struct endpoint *endpoint)
{
    return (struct request){
        .endpoint = endpoint, .method = STR("GET"), .path = STR("/"), .rpc = STR("/oip.Deviations/Has")};
}

static void ask(struct bench *bench, struct worker *worker, const struct endpoint *endpoint, struct trial *trial)
{
    struct client *client = worker_client(worker, &bench->servers.list[0]);
    const struct header question = {STR(DEVIATE),
                                    arena_printf(&worker->arena, "?%.*s", STR_ARG(trial->deviation->name))};
    const struct request request = any_request(endpoint);
    struct answer answer;
    client_exchange(client, &request, &question, &worker->arena, &answer);
    struct str word = answer_header(&answer, DEVIATE);
    trial->is_known = str_is(word, "known");
    if (!trial->is_known)
        trial->trouble = word.size ? STR("the server has no such deviation")
                                   : STR("the server does not deviate on demand (--deviate-by-header)");
    worker_forget(worker);
}

/* Asks the target which deviations it has. Sets is_known of those without a process of their own, or their trouble. */
static void ask_all(struct bench *bench, struct worker *worker)
{
    const struct endpoint *endpoint = NULL;
    for (size_t i = 0; i < ENDPOINTS_MAX && !endpoint; i++)
        if (bench->options->client.addresses[i].at.size)
            endpoint = bench->options->client.addresses[i].endpoint;
    for (size_t i = 0; i < bench->mutation->trial_count && endpoint; i++) {
        struct trial *trial = &bench->mutation->trials[i];
        if (!trial->deviation->process && trial->asked)
            ask(bench, worker, endpoint, trial);
    }
}

const char *fate_name(enum fate fate)
{
    static const char *const names[FATE_COUNT] = {"killed", "survived", "masked", "dead", "equivalent", "not tried"};
    return names[fate];
}

enum fate trial_fate(const struct trial *trial)
{
    if (!trial->asked || !trial->is_known)
        return FATE_NOT_TRIED;
    if (trial->killed)
        return FATE_KILLED;
    if (trial->deviation->equivalent.size)
        return FATE_EQUIVALENT;
    if (!trial->tried)
        return FATE_DEAD;
    return trial->masked ? FATE_MASKED : FATE_SURVIVED;
}

bool trial_fails(const struct trial *trial)
{
    static const bool fails[FATE_COUNT] = {[FATE_SURVIVED] = true, [FATE_MASKED] = true, [FATE_DEAD] = true};
    bool is_missing = trial->asked && !trial->is_known && trial->trouble.size;
    return is_missing || (fails[trial_fate(trial)] && !trial->in_part);
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
        if (refused_by_another_row(before))
            key->refused_by = before->refused_by;
    }
}

/* Marks the trials that are asked for, of rows of the edition. One is asked for if an assertion of its key is. If no
 * case has that key, it is asked for if no filter is set and its profile is asked for; it is then dead. */
static void prepare_trials(struct bench *bench)
{
    struct mutation *mutation = bench->mutation;
    mutation->trial_count = bench->suite->deviation_count;
    mutation->trials = arena_alloc_zero(&mutation->arena, mutation->trial_count + 1, sizeof(*mutation->trials));
    for (size_t i = 0; i < mutation->trial_count; i++) {
        struct trial *trial = &mutation->trials[i];
        trial->deviation = &bench->suite->deviations[i];
        const struct requirement *row = ledger_find(&bench->suite->ledger, trial->deviation->breaks);
        bool is_judged = row && registry_in_edition(&bench->suite->registry, row->sources,
                                                    bench->options->target->discovery.edition);
        for (size_t k = 0; k < bench->plan->assertion_count && is_judged; k++) {
            const struct requirement *requirement = bench->before[k]->assertion->requirement;
            bool left_out = bench->before[k]->verdict == VERDICT_DISABLED;
            bool whole_profile =
                !bench->options->target->selected.filters.count && str_equal(requirement->prefix, row->prefix);
            trial->asked |= !left_out && (requirement == row || whole_profile);
            trial->in_part |= left_out && requirement == row;
        }
    }
}

/* --- Trying --- */

/* Tries each deviation of a whole process on a server that is started for it. */
static void try_processes(struct bench *bench, struct worker *worker, const char *command)
{
    struct arena *arena = &bench->mutation->arena;
    for (size_t i = 0; i < bench->mutation->trial_count; i++) {
        struct trial *trial = &bench->mutation->trials[i];
        struct process process;
        if (!trial->deviation->process || !trial->asked || run_is_interrupted(bench->options))
            continue;
        struct status begun = process_start(command, trial->deviation->name, &bench->suite->registry, arena, &process);
        trial->is_known = is_ok(begun);
        trial->trouble = begun.message;
        if (trial->is_known)
            bench_try_process(worker, process.addresses, trial);
        process_stop(&process);
    }
}

static struct status try_all(struct bench *bench, const char *server_command)
{
    struct arena *arena = &bench->mutation->arena;
    struct worker worker;
    struct task_end never = {0}; /* who asked for all this leaves it behind as a whole */
    bool left;
    worker_open(&worker, &bench->servers, bench);
    ask_all(bench, &worker);
    bench->schedule = schedule_new(bench->plan, NULL, NULL, arena);
    struct status status = workers_run(&bench->servers, bench->options->jobs, bench_work, bench, &never, arena, &left);
    schedule_free(bench->schedule);
    if (is_ok(status) && server_command)
        try_processes(bench, &worker, server_command);
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
    if (!is_ok(status) || mutation->run.left)
        return status;
    bool responds = !mutation->run.unreachable && !mutation->run.unresponsive.size;
    mutation->keys = case_keys_make(plan, &mutation->arena);
    prepare_results(&bench);
    prepare_trials(&bench);
    servers_make(options, &suite->registry, &bench.servers);
    if (responds)
        status = try_all(&bench, server_command);
    servers_free(&bench.servers);
    pthread_mutex_destroy(&bench.mutex);
    return status;
}

void mutation_free(struct mutation *mutation)
{
    run_free(&mutation->run);
    arena_free(&mutation->arena);
}
