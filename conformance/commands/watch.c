/* `watch`: stands between clients and a server, passes every byte on, and judges both sides by what passes. */
#include "base/search.h"
#include "commands/commands.h"
#include "commands/nominal.h"
#include "commands/reports.h"
#include "watch/follow.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

struct watch_command {
    const struct options *options;
    struct nominal nominal;
    struct port ports[ENDPOINTS_MAX];
    size_t count;
    struct traffic_findings findings;
};

/* Splits a --listen, "grpc=HOST:PORT". Without a name it is for the address that is given first. */
static struct str endpoint_of(const struct options *options, struct str listen, struct str *at)
{
    const char *equals = memchr(listen.data, '=', listen.size);
    size_t size = equals ? (size_t)(equals - listen.data) : 0;
    *at = equals ? str_from(listen, size + 1) : listen;
    return equals ? (struct str){listen.data, size} : str_of(options->addresses[0].endpoint);
}

/* Returns where clients are met that mean the endpoint. */
static struct str listen_at(const struct options *options, const char *endpoint)
{
    struct str at = STR("127.0.0.1:0"), given;
    for (size_t i = 0; i < options->listens.count; i++)
        if (str_is(endpoint_of(options, str_of(options->listens.items[i]), &given), endpoint))
            at = given;
    return at;
}

/* Returns a --listen whose endpoint has no address, or NULL. */
static const char *unmatched_listen(const struct options *options)
{
    for (size_t i = 0; i < options->listens.count; i++) {
        struct str at, endpoint = endpoint_of(options, str_of(options->listens.items[i]), &at);
        if (!ANY(k, options->address_count, str_is(endpoint, options->addresses[k].endpoint)))
            return options->listens.items[i];
    }
    return NULL;
}

/* Opens a port for each target. Returns an exit code; if it is not EXIT_CONFORMANT, a sentence was told. */
static int open_ports(struct watch_command *watch)
{
    struct arena *arena = &watch->nominal.suite.arena;
    const struct client_options plain = {.timeout = watch->options->client.timeout};
    const char *unmatched = unmatched_listen(watch->options);
    if (unmatched) {
        complain(arena_printf(arena, "--listen %s: no server address is given for that endpoint", unmatched));
        return EXIT_USAGE;
    }
    FOR_EACH(given, watch->options->addresses, watch->options->address_count) {
        struct port *port = &watch->ports[watch->count++];
        *port = (struct port){.endpoint = registry_endpoint(&watch->nominal.suite.registry, str_of(given->endpoint)),
                              .listen = listen_at(watch->options, given->endpoint),
                              .target = address_authority(given->at),
                              .prefix = address_prefix(given->at),
                              .listener = -1};
        if (address_is_secure(&plain, given->at)) {
            complain(arena_printf(arena, "%.*s: watch does not speak TLS", STR_ARG(given->at)));
            return EXIT_USAGE;
        }
        if (complain_of(port_open(port, arena)))
            return EXIT_USAGE;
        struct str why = port_reach(port, &plain, arena);
        if (why.size) {
            complain(arena_printf(arena, "%.*s cannot be reached: %.*s", STR_ARG(port->target), STR_ARG(why)));
            return EXIT_UNREACHABLE;
        }
    }
    return EXIT_CONFORMANT;
}

static void print_ports(const struct watch_command *watch)
{
    fputs("listening", watch->findings.console);
    for (size_t i = 0; i < watch->count; i++)
        fprintf(watch->findings.console, " %.*s=%.*s", STR_ARG(watch->ports[i].endpoint->name),
                STR_ARG(watch->ports[i].listen));
    fputs("\n", watch->findings.console);
    fflush(watch->findings.console);
}

/* Tells what was found. Returns the exit code. */
static int print_findings(struct watch_command *watch)
{
    struct buf summary = {0}, json = {0};
    struct status status = STATUS_IS_OK;
    findings_write(&watch->findings, &summary);
    fwrite(summary.data, 1, summary.size, watch->findings.console);
    if (watch->options->files.json) {
        findings_json(&watch->findings, &json);
        status = report_save(&json, watch->options->files.json, &watch->findings.arena);
    }
    buf_free(&summary);
    buf_free(&json);
    return complain_of(status) ? EXIT_SUITE : findings_fail(&watch->findings) ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
}

/* Passes traffic on until a signal asks for the end, which `stop` can then read. */
static int run(struct watch_command *watch, int stop)
{
    struct nominal *nominal = &watch->nominal;
    struct traffic *traffic = traffic_new(&nominal->suite, &nominal->plan, &watch->findings, &nominal->suite.arena);
    int code = open_ports(watch);
    if (code != EXIT_CONFORMANT)
        return code;
    print_ports(watch);
    struct follower *follower = follower_start(traffic);
    const struct relay_receiver receiver = follower_receiver(follower);
    relay_run(watch->ports, watch->count, stop, &receiver);
    follower_finish(follower);
    return print_findings(watch);
}

int command_watch(const struct options *options)
{
    struct watch_command watch = {.options = options};
    sigset_t signals;
    int code = EXIT_SUITE;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    watch.findings = (struct traffic_findings){.console = reports_console(options), .arena = memory_arena()};
    struct status status = reports_try(options, &watch.findings.arena);
    if (!is_ok(status)) {
        complain(status.message);
    } else if (nominal_open(options, &watch.nominal)) {
        pthread_sigmask(SIG_BLOCK, &signals, NULL);
        int stop = signalfd(-1, &signals, SFD_CLOEXEC);
        code = run(&watch, stop);
        close(stop);
    }
    for (size_t i = 0; i < watch.count; i++)
        port_close(&watch.ports[i]);
    nominal_close(&watch.nominal);
    arena_free(&watch.findings.arena);
    return code;
}
