/* reference-server/ is the program oip-reference-server. It serves models over the protocols of services.c, exactly as
 * the documents say. It may include proto/, but nothing of conformance/.
 *
 * A request passes the folders in one direction, and its answer in the other: a transport (http/, grpc/), a protocol
 * folder (predict_v2/), inference/, backends/, engine/. models/ holds the models, services/ describes what a protocol
 * is, and deviations/ breaks the documents on purpose. The main header of each folder says what the folder may include;
 * no circle is allowed. This file connects them all. */
#include "backends/backends.h"
#include "base/count.h"
#include "descriptors.h"
#include "deviations/deviations.h"
#include "drain.h"
#include "inference/infer.h"
#include "models/compute.h"
#include "monitoring/log.h"
#include "services/service.h"
#include "services/token.h"
#include "tls/tls.h"
#include "trim.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VERSION "0.1.0"

enum { EXIT_OK = 0, EXIT_NOT_STARTED = 1, EXIT_USAGE = 2, EXIT_FAULTY = 3 };

struct server {
    struct options options;
    struct shared shared;
    struct tls *tls;
    struct http_options http_options;
    struct rpc_options rpc_options;
    struct descriptors descriptors;
    struct http_server *http;
    struct rpc_server *rpc;
};

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

/* Opens the services of each transport, in the order of their table. */
static struct status open_services(struct server *server, struct arena *arena)
{
    struct http_options *http = &server->http_options;
    struct rpc_options *rpc = &server->rpc_options;
    struct http_mount *http_mounts = arena_alloc_zero(arena, service_count, sizeof(*http_mounts));
    struct rpc_mount *rpc_mounts = arena_alloc_zero(arena, service_count, sizeof(*rpc_mounts));
    if (!http_mounts || !rpc_mounts)
        return status_no_memory();
    for (size_t i = 0; i < service_count; i++) {
        const struct service *service = &services[i];
        if (!service_is_wanted(&server->options, service->name))
            continue;
        void *context = service->open(&server->shared, arena);
        if (!context)
            return status_no_memory();
        if (service->http)
            http_mounts[http->mount_count++] = (struct http_mount){service->http, context};
        if (service->grpc)
            rpc_mounts[rpc->mount_count++] = (struct rpc_mount){service->grpc, context};
    }
    http->mounts = http_mounts;
    rpc->mounts = rpc_mounts;
    return STATUS_IS_OK;
}

/* Reads at which addresses each transport listens. */
static struct status take_endpoints(struct server *server, struct arena *arena)
{
    struct http_options *http = &server->http_options;
    struct http_listener *listeners = arena_alloc_zero(arena, ENDPOINT_COUNT, sizeof(*listeners));
    if (!listeners)
        return status_no_memory();
    for (size_t i = 0; i < ENDPOINT_COUNT; i++) {
        const struct endpoint *endpoint = &server->options.endpoints[i];
        if (endpoint->is_grpc)
            server->rpc_options.address = endpoint->address;
        else if (endpoint->address)
            listeners[http->listener_count++] = (struct http_listener){endpoint->name, endpoint->address};
    }
    http->listeners = listeners;
    return STATUS_IS_OK;
}

static bool models_are_ready(void *repository)
{
    return repository_ready(repository);
}

static struct status start_http(struct server *server, struct arena *arena)
{
    struct http_options *options = &server->http_options;
    options->tls = tls_for_http(server->tls);
    options->threads = server->descriptors.http;
    options->waiting = server->descriptors.http_waiting;
    options->max_message = server->options.max_message;
    options->memory = server->options.http_memory;
    options->body_timeout = 30;
    options->idle_timeout = 60;
    if (deviations_are_possible()) {
        deviations_ask_ready(models_are_ready, server->shared.repository);
        options->begin = deviations_http_begin;
        options->finish = deviations_http_finish;
    }
    if (server->options.log) {
        options->arrive = log_http_arrive;
        options->leave = log_http_leave;
    }
    return options->listener_count > 0 ? http_start(options, arena, &server->http) : STATUS_IS_OK;
}

static struct status start_grpc(struct server *server, struct arena *arena)
{
    struct rpc_options *options = &server->rpc_options;
    options->tls = tls_for_http2(server->tls);
    options->max_message = server->options.max_message;
    options->padding = server->options.grpc_padding;
    options->connections = server->descriptors.grpc;
    if (deviations_are_possible())
        deviations_of_rpc(options);
    if (server->options.log) {
        options->arrive = log_rpc_arrive;
        options->leave = log_rpc_leave;
    }
    return options->address ? rpc_start(options, arena, &server->rpc) : STATUS_IS_OK;
}

/* Ends what was started. Returns EXIT_FAULTY if a request still holds a model although none runs, which is a bug of the
 * server. */
static int stop(struct server *server)
{
    if (server->http)
        http_stop(server->http);
    if (server->rpc)
        rpc_stop(server->rpc);
    tls_close(server->tls);
    compute_stop();
    size_t holders = repository_close(server->shared.repository);
    if (holders == 0)
        return EXIT_OK;
    fprintf(stderr, "oip-reference-server: %zu models are held by requests that ended: this is a bug\n", holders);
    return EXIT_FAULTY;
}

static struct status open_tls(struct server *server, struct arena *arena)
{
    const struct options *options = &server->options;
    const struct tls_options chosen = {options->tls_certificate, options->tls_key, options->tls_client_ca};
    return chosen.certificate ? tls_open(&chosen, arena, &server->tls) : STATUS_IS_OK;
}

static struct status open_repository(struct server *server, struct arena *arena)
{
    const struct options *options = &server->options;
    const struct repository_options chosen = {
        .paths = options->models.list,
        .path_count = options->models.count,
        .loads = options->loads.list,
        .load_count = options->loads.count,
        .backends = backends,
    };
    return repository_open(&chosen, arena, &server->shared.repository);
}

/* Reading the directories is quick, and models load in the background. So the ports are open before the models are
 * ready. */
static struct status start(struct server *server, struct arena *arena)
{
    struct options *options = &server->options;
    struct status status = descriptors_share(options->connections, arena, &server->descriptors);
    if (is_ok(status) && options->log)
        status = log_open(options->log, options->log_json, arena);
    if (is_ok(status))
        status = open_tls(server, arena);
    if (is_ok(status))
        status = compute_start(0, arena);
    if (is_ok(status))
        status = open_repository(server, arena);
    if (is_ok(status) && options->repository_token)
        status = token_read(options->repository_token, arena, &server->shared.repository_token);
    server->shared.options = options;
    server->shared.name = "oip-reference-server";
    server->shared.version = VERSION;
    if (is_ok(status))
        status = open_services(server, arena);
    if (is_ok(status))
        status = take_endpoints(server, arena);
    if (is_ok(status))
        status = start_http(server, arena);
    if (is_ok(status))
        status = start_grpc(server, arena);
    if (!is_ok(status))
        stop(server);
    return status;
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
static sigset_t hold_signals(void)
{
    static const int held[] = {SIGTERM, SIGINT, SIGXCPU, SIGHUP};
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
    for (size_t i = 0; i < COUNT_OF(held); i++)
        sigaddset(&signals, held[i]);
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
    return stop(server);
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
    sigset_t signals = hold_signals();
    status = start(&server, arena);
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
