/* reference-server/ is the program oip-reference-server. It serves models over the protocols of services.c, exactly as
 * the documents say. It may include proto/, but nothing of conformance/.
 *
 * A request passes the folders in one direction, and its answer in the other: a transport (http/, grpc/), a protocol
 * folder (predict_v2/), inference/, backends/, engine/. models/ holds the models, services/ describes what a protocol
 * is, and deviations/ breaks the documents on purpose. The main header of each folder says what the folder may include;
 * no circle is allowed. server.c connects them all; this file is the command line, the signals, and what the server
 * says to its operator. */
#include "base/search.h"
#include "deviations/deviations.h"
#include "inference/infer.h"
#include "monitoring/log.h"
#include "server.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { EXIT_OK = 0, EXIT_NOT_STARTED = 1, EXIT_USAGE = 2, EXIT_FAULTY = 3 };

static int fail(struct status status, int code)
{
    fprintf(stderr, "oip-reference-server: %.*s\n", STR_ARG(status.message));
    return code;
}

static void print(void (*write)(struct buf *out))
{
    struct buf out = {0};
    write(&out);
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
}

/* Says what an operator may not have meant. */
static void warn(const struct options *options)
{
    if (!options->is_exposed || options->model_control != MODEL_CONTROL_EXPLICIT)
        return;
    if (!options->repository_token)
        fprintf(stderr, "oip-reference-server: everybody who can reach this server may load and unload its models; "
                        "--repository-token FILE makes clients send a token\n");
    else if (!options->tls_certificate)
        fprintf(stderr, "oip-reference-server: clients send the token of --repository-token unencrypted; "
                        "--tls-certificate and --tls-key encrypt it\n");
}

static void say_what_is_served(const struct server *server)
{
    printf("listening");
    for (size_t i = 0; i < ENDPOINT_COUNT; i++) {
        const struct endpoint *endpoint = &server->options.endpoints[i];
        if (endpoint->address)
            printf(" %s=%.*s:%d", endpoint->name, (int)(strrchr(endpoint->address, ':') - endpoint->address),
                   endpoint->address,
                   endpoint->is_grpc ? rpc_port(server->rpc) : http_port(server->http, endpoint->name));
    }
    printf("\n");
    for (size_t i = 0; i < service_count; i++) {
        const struct service *service = &services[i];
        if (!service_is_wanted(&server->options, service->name))
            continue;
        if (service->http && server->http && http_port(server->http, service->http->listener) > 0)
            printf("%s is served over HTTP under %s\n", service->name,
                   service->http->prefix[0] ? service->http->prefix : "every path");
        if (service->grpc && server->rpc)
            printf("%s is served over gRPC as %s\n", service->name, service->grpc->name);
    }
    printf("The models are loading. SIGTERM stops the server.\n");
    if (server->options.deviate)
        printf("The server deviates from the documents on purpose: %s\n", server->options.deviate);
    fflush(stdout);
}

/* Blocks the signals that mean something, so that only this thread takes them, with sigwait. Others that would end the
 * server are ignored, except those of its own faults and SIGQUIT, which ask for a core dump. */
static sigset_t block_signals(void)
{
    static const int taken[] = {SIGTERM, SIGINT, SIGXCPU, SIGHUP};
    static const int ignored[] = {SIGPIPE /* OpenSSL writes to sockets whose client has left */,
                                  SIGXFSZ /* the log says it when it can grow no more */,
                                  SIGUSR1,
                                  SIGUSR2,
                                  SIGALRM,
                                  SIGVTALRM,
                                  SIGPROF,
                                  SIGIO,
                                  SIGPWR,
                                  SIGSTKFLT};
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t i = 0; i < COUNT_OF(taken); i++)
        sigaddset(&signals, taken[i]);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    for (size_t i = 0; i < COUNT_OF(ignored); i++)
        signal(ignored[i], SIG_IGN);
    return signals;
}

static void end_at_once(int number)
{
    _exit(128 + number);
}

/* Prints how many models are ready, and why the others are not. */
static void say_what_is_loaded(struct repository *repository)
{
    size_t ready = 0, all = 0, count = 0;
    struct model_row *rows = NULL;
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    repository_list(repository, &arena, &rows, &count);
    for (size_t i = 0; i < count; i++) {
        const struct model_row *row = &rows[i];
        if (!row->is_wanted)
            continue;
        ready += row->state == MODEL_READY;
        all++;
        if (row->state == MODEL_UNAVAILABLE)
            printf("model %s%s%s is not ready: %s\n", str_printable(&arena, row->name),
                   row->version.size ? " version " : "", str_printable(&arena, row->version),
                   str_printable(&arena, row->reason));
    }
    printf("loaded %zu of %zu models\n", ready, all);
    fflush(stdout);
    arena_free(&arena);
}

/* Reads the certificate anew and opens the log anew. What cannot be had stays as it was. */
static void renew(const struct server *server)
{
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    struct status status = server->tls ? tls_renew(server->tls, &arena) : STATUS_IS_OK;
    if (!is_ok(status))
        fprintf(stderr, "oip-reference-server: %.*s; the old certificate stays\n", STR_ARG(status.message));
    if (server->options.log && !log_reopen())
        fprintf(stderr, "oip-reference-server: the log cannot be opened again; the old file stays in use\n");
    arena_free(&arena);
}

/* Waits until a signal ends the server. */
static void wait_until_told(struct server *server, const sigset_t *signals)
{
    const struct timespec glance = {.tv_nsec = 10 * 1000 * 1000}, second = {.tv_sec = 1};
    bool is_loading = true;
    for (int number = 0; number != SIGTERM && number != SIGINT && number != SIGXCPU;) {
        if (is_loading && !repository_is_loading(server->shared.repository)) {
            is_loading = false;
            say_what_is_loaded(server->shared.repository);
        }
        trim_memory();
        number = sigtimedwait(signals, NULL, is_loading ? &glance : &second);
        if (number == SIGHUP)
            renew(server);
    }
}

static int serve_until_told(struct server *server, const sigset_t *signals)
{
    wait_until_told(server, signals);
    signal(SIGTERM, end_at_once); /* a second signal ends the program at once */
    signal(SIGINT, end_at_once);
    signal(SIGXCPU, SIG_IGN); /* comes again with each second of processor time */
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    if (!drain(server->rpc, server->options.drain_timeout)) {
        printf("requests in flight were cut off after %g seconds\n", server->options.drain_timeout);
        fflush(stdout);
        _exit(EXIT_OK); /* the requests still use memory that stop would free */
    }
    size_t holders = server_stop(server);
    if (holders > 0)
        fprintf(stderr, "oip-reference-server: %zu models are held by requests that ended: this is a bug\n", holders);
    return holders > 0 ? EXIT_FAULTY : EXIT_OK;
}

static int run(int count, char **arguments, struct arena *arena)
{
    static struct server server;
    struct status status = options_parse(count, arguments, &server.options, arena);
    if (!is_ok(status))
        return fail(status, EXIT_USAGE);
    status = deviations_load(arena);
    if (is_ok(status) && server.options.deviations)
        status = deviations_load_file(server.options.deviations, arena);
    if (!is_ok(status))
        return fail(status, EXIT_NOT_STARTED);
    if (server.options.help || server.options.list_deviations) {
        print(server.options.help ? options_help : deviations_list);
        return EXIT_OK;
    }
    if (server.options.version) {
        printf("oip-reference-server %s\n", VERSION);
        return EXIT_OK;
    }
    status = services_choose(&server.options, arena);
    if (!is_ok(status))
        return fail(status, EXIT_USAGE);
    if (server.options.deviate)
        status = deviations_enable(server.options.deviate, arena);
    if (!is_ok(status))
        return fail(status, EXIT_USAGE);
    if (server.options.deviate_by_header)
        deviations_enable_by_header();
    sigset_t signals = block_signals();
    status = server_start(&server, arena);
    if (!is_ok(status))
        return fail(status, EXIT_NOT_STARTED);
    say_what_is_served(&server);
    warn(&server.options);
    return serve_until_told(&server, &signals);
}

/* Threads of a team sleep while they wait for one another: the processors have other requests to serve. OpenMP reads
 * this when it is loaded, so the program begins anew. */
static void let_teams_sleep(char **arguments)
{
    if (!getenv("OMP_WAIT_POLICY") && !getenv("GOMP_SPINCOUNT") && setenv("OMP_WAIT_POLICY", "passive", 0) == 0)
        execv("/proc/self/exe", arguments);
}

int main(int count, char **arguments)
{
    let_teams_sleep(arguments);
    trim_begin();
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    int code = run(count, arguments, &arena);
    arena_free(&arena);
    return code;
}
