/* Asks whether a target has what operators ask for. An rpc that is not there is UNIMPLEMENTED; every other answer is
 * held to its profile. */
#include "protocols/monitoring/monitoring.h"

#include "base/search.h"
#include "notation/schemas.h"
#include "protocols/prober.h"
#include "wire/message.h"

/* Who was given an address for metrics is held to them, whatever is answered there. */
static bool metrics_are_spoken(struct prober *prober, const struct profile *profile)
{
    prober_send(prober, profile, "GET", STR("/metrics"));
    return true;
}

/* Other servers count under other names. */
static bool metrics_are_of_triton(struct prober *prober, const struct profile *profile)
{
    const struct tree *metrics = tree_member(prober_send(prober, profile, "GET", STR("/metrics")), "metrics");
    bool are_there =
        ANY_IN(family, tree_first(tree_member(metrics, "families")), str_starts(family->name, STR("nv_inference_")));
    if (metrics && !are_there)
        prober->evidence = STR("no metric is called nv_inference_...");
    return are_there;
}

static bool metrics_are_up(struct prober *prober, const struct profile *profile)
{
    return tree_member(prober_send(prober, profile, "GET", STR("/metrics")), "metrics") != NULL;
}

/* Asks with an empty message, or over a stream with one that has the empty text in `member`. */
static bool is_implemented(struct prober *prober, const struct profile *profile, const char *rpc, const char *member)
{
    const struct tree *message = member ? tree_object(prober->arena, {member, tree_string(prober->arena, STR(""))})
                                        : tree_new(prober->arena, TREE_OBJECT);
    struct buf bytes = {0};
    struct request request = {.endpoint = profile->endpoint,
                              .rpc = arena_printf(prober->arena, "/%.*s/%s", STR_ARG(profile->service), rpc)};
    wire_from_tree(schema_rpc(request.rpc)->input, message, &bytes, prober->arena);
    struct str copy = arena_take(prober->arena, &bytes);
    request.streams = member != NULL;
    request.message = copy;
    request.messages = &copy;
    request.message_count = 1;
    const struct tree *answer =
        prober_ask(prober, &request, registry_act(prober->registry, ACT_GRPC), profile, request.rpc.data);
    return !str_is(tree_text(answer, "code"), "UNIMPLEMENTED");
}

static bool health_is_spoken(struct prober *prober, const struct profile *profile)
{
    return is_implemented(prober, profile, "Check", NULL);
}

static bool reflection_is_spoken(struct prober *prober, const struct profile *profile)
{
    return is_implemented(prober, profile, "ServerReflectionInfo", "list_services");
}

const struct inquiry monitoring_inquiries[] = {
    {.profile = "metrics", .is_spoken = metrics_are_spoken, .is_up = metrics_are_up},
    {.profile = "metrics-triton", .is_spoken = metrics_are_of_triton},
    {.profile = "health-grpc", .is_spoken = health_is_spoken},
    {.profile = "reflection-grpc", .is_spoken = reflection_is_spoken},
    {.profile = "reflection-v1alpha-grpc", .is_spoken = reflection_is_spoken},
    {0},
};
