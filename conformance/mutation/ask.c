/* Asks the target which deviations it has. A server that deviates on demand answers a request with `oip-deviate: ?NAME`
 * as usual, and adds a header (or trailer) of that name with the value `known` or `unknown`. A server that adds none
 * has no deviations. */
#include "mutation/bench.h"

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

void bench_ask(struct bench *bench, struct worker *worker)
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
