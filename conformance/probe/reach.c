/* Whether the target can be asked at all, and over how many connections. */
#include "probe/steps.h"

#include "base/search.h"
#include "support/seconds.h"

#include <time.h>

/* Answers that say, if there is no other, that it is not the server of the protocol, or that the judge may not ask. */
static const struct {
    enum transport transport;
    const char *status, *help;
} hindrances[] = {
    {TRANSPORT_HTTP, "401", "it needs credentials: give --header 'Authorization: ...'"},
    {TRANSPORT_HTTP, "403", "it needs credentials: give --header 'Authorization: ...'"},
    {TRANSPORT_HTTP, "407", "a proxy needs credentials: give --header 'Proxy-Authorization: ...'"},
    {TRANSPORT_HTTP, "502", "a proxy cannot reach the server; --wait SECONDS waits until it can"},
    {TRANSPORT_HTTP, "504", "a proxy cannot reach the server; --wait SECONDS waits until it can"},
    {TRANSPORT_HTTP, "503", "if it is starting, --wait SECONDS waits until it is ready"},
    {TRANSPORT_GRPC, "UNAUTHENTICATED", "it needs credentials: give --header 'authorization: ...'"},
    {TRANSPORT_GRPC, "PERMISSION_DENIED", "it needs credentials: give --header 'authorization: ...'"},
    {TRANSPORT_GRPC, "RESOURCE_EXHAUSTED", "it limits requests and does not say for how long (grpc-retry-pushback-ms)"},
    {TRANSPORT_GRPC, "UNAVAILABLE", "if it is starting, --wait SECONDS waits until it is ready"},
};

/* Returns what may help with an endpoint that never answered; or "". */
static const char *help_of_silence(const struct probing *probing, const struct address *address)
{
    const struct endpoint_state *state = &probing->prober->endpoints[address->endpoint->index];
    bool connects = state->lost_as == OUTCOME_CLOSED || state->lost_as == OUTCOME_GARBLED;
    bool is_http = address->endpoint->transport == TRANSPORT_HTTP;
    if (connects && !address_is_secure(probing->client_options, address->at))
        return is_http ? "; if it speaks TLS, its address begins with https://"
                       : "; if it speaks TLS, its address begins with grpcs://";
    if (!str_starts(state->trouble, STR("no connection")))
        return "";
    return probing->options->flags.wait > 0
               ? arena_printf(probing->prober->arena, "; the judge waited for it for %g s (--wait)",
                              probing->options->flags.wait)
                     .data
               : "; if it is starting, --wait SECONDS waits until it is ready";
}

struct str hindrance_of(const struct probing *probing, const struct address *address)
{
    const struct prober *prober = probing->prober;
    const struct endpoint *endpoint = address->endpoint;
    const struct endpoint_state *state = &prober->endpoints[endpoint->index];
    if (!state->answered)
        return arena_printf(prober->arena, "%.*s never answered over %.*s: %.*s%s", STR_ARG(address->at),
                            STR_ARG(endpoint->called), STR_ARG(state->trouble), help_of_silence(probing, address));
    if (state->limited)
        return arena_printf(prober->arena, "%.*s over %.*s: %.*s", STR_ARG(address->at), STR_ARG(endpoint->called),
                            STR_ARG(state->trouble));
    if (state->redirects_to.size && str_starts(state->only, STR("3")))
        return arena_printf(prober->arena,
                            "%.*s redirects every request over %.*s, the first to %s: the judge does not follow "
                            "redirects, so give the address of the server itself",
                            STR_ARG(address->at), STR_ARG(endpoint->called),
                            str_printable(prober->arena, state->redirects_to));
    for (size_t i = 0; i < COUNT_OF(hindrances); i++)
        if (hindrances[i].transport == endpoint->transport && str_is(state->only, hindrances[i].status))
            return arena_printf(prober->arena, "%.*s answers every request over %.*s with %s; %s", STR_ARG(address->at),
                                STR_ARG(endpoint->called), hindrances[i].status, hindrances[i].help);
    return (struct str){NULL, 0};
}

/* Whether the server says at the endpoint that it is ready, under any of the profiles that can ask for that. A target
 * need not speak all of them. */
static bool is_up(struct prober *prober, const struct endpoint *endpoint)
{
    bool can_ask = false;
    for (size_t i = 0; i < prober->profile_count; i++) {
        const struct profile *profile = prober->profiles[i];
        if (profile->endpoint != endpoint || !protocol_inquiry(profile)->is_up)
            continue;
        can_ask = true;
        if (inquiry_is_up(prober, profile))
            return true;
    }
    return !can_ask;
}

void wait_until_up(struct probing *probing)
{
    struct prober *prober = probing->prober;
    const struct discovery_options *options = probing->options;
    double until = seconds_now() + options->flags.wait;
    for (size_t i = 0; i < ENDPOINTS_MAX && options->flags.wait > 0; i++) {
        const struct endpoint *endpoint = options->client->addresses[i].endpoint;
        struct endpoint_state *state = &prober->endpoints[i];
        bool up;
        if (!state->asked_for)
            continue;
        while (!(up = is_up(prober, endpoint)) && seconds_now() < until &&
               !(options->interrupted && *options->interrupted)) {
            nanosleep(&(struct timespec){.tv_nsec = 250000000}, NULL);
            *state = (struct endpoint_state){.asked_for = true}; /* it is asked again, however often it was silent */
        }
        if (!up)
            buf_printf(&prober->notes, "over %.*s the target does not say that it is ready after %g s of waiting\n",
                       STR_ARG(endpoint->called), options->flags.wait);
        *state = (struct endpoint_state){.asked_for = true}; /* what happened while it started does not count */
    }
}

/* --- Connections --- */

/* Asks over connections that are opened for this. Returns what became of it. */
static enum outcome ask_anew(struct prober *prober, const struct client_options *options, const struct profile *profile)
{
    struct client *client = prober->client;
    struct endpoint_state *state = &prober->endpoints[profile->endpoint->index], before = *state;
    prober->client = client_create(options, prober->arena);
    inquiry_is_up(prober, profile);
    enum outcome outcome = state->lost ? state->lost_as : OUTCOME_ANSWERED;
    client_destroy(prober->client);
    prober->client = client;
    *state = before;
    return outcome;
}

void find_one_connection(struct probing *probing)
{
    struct prober *prober = probing->prober;
    struct client_options *options = probing->client_options;
    for (size_t i = 0; i < prober->profile_count && !options->one_connection; i++) {
        const struct profile *profile = prober->profiles[i];
        if (profile->endpoint->transport != TRANSPORT_HTTP || !prober->endpoints[profile->endpoint->index].answered ||
            !protocol_inquiry(profile)->is_up || ask_anew(prober, options, profile) != OUTCOME_TIMEOUT)
            continue;
        client_destroy(prober->client);
        options->one_connection = true;
        options->one_connection = ask_anew(prober, options, profile) == OUTCOME_ANSWERED;
        prober->client = client_create(options, prober->arena);
    }
    if (options->one_connection)
        buf_append_literal(&prober->notes, "the target serves one connection at a time: it is judged with one job, and "
                                           "requests over HTTP leave no connection open\n");
    probing->discovery->one_connection = options->one_connection;
}
