#include "protocols/operators/operators.h"

#include "protocols/operators/exposition.h"
#include "protocols/prober.h"

/* Adds to the answer what its metrics say: `metrics` (exposition.h). */
static void decode(struct answer_reading *reading, struct tree *tree)
{
    const struct answer *answer = reading->answer;
    if (answer->truncated || answer->status != 200 || !str_is(reading->request->method, "GET"))
        return;
    struct tree *metrics = exposition_read(answer->body, reading->arena);
    if (metrics)
        tree_add(tree, STR("metrics"), metrics);
    else
        reading_note(reading, STR("the metrics have more lines than are read"));
}

static void read_nothing(struct answer_reading *reading, const struct profile *profile, struct tree *tree)
{
    (void)reading, (void)profile, (void)tree;
}

static struct tree *ask_for_metrics(struct prober *prober, const struct profile *profile, struct str *evidence)
{
    const struct request request = {.endpoint = profile->endpoint, .method = STR("GET"), .path = STR("/metrics")};
    return prober_ask(prober, &request, registry_act(prober->registry, ACT_HTTP), profile, "GET /metrics", evidence);
}

/* Who was given an address for metrics is held to them, whatever is answered there. */
static bool metrics_are_spoken(struct prober *prober, const struct profile *profile, struct str *evidence)
{
    ask_for_metrics(prober, profile, evidence);
    return true;
}

static bool metrics_are_up(struct prober *prober, const struct profile *profile)
{
    struct str evidence;
    return tree_member(ask_for_metrics(prober, profile, &evidence), "metrics") != NULL;
}

static const struct side sides[] = {
    {.profile = "metrics", .is_spoken = metrics_are_spoken, .is_up = metrics_are_up},
};

const struct protocol operators = {
    .name = "operators",
    .sides = sides,
    .side_count = sizeof sides / sizeof *sides,
    .decode = decode,
    .read = read_nothing,
};
