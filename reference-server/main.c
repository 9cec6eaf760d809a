/* oip-reference-server: models behind the Open Inference Protocol, exactly as its documents say. */
#include "backends/backends.h"
#include "deviations/deviations.h"
#include "drain.h"
#include "inference/infer.h"
#include "options.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define VERSION "0.1.0"

enum { EXIT_OK = 0, EXIT_NOT_STARTED = 1, EXIT_USAGE = 2, EXIT_FAULTY = 3 };

struct server {
    struct options options;
    struct predict_v2 v2;
    struct repository *repository;
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

static struct status start_http(struct server *server, struct arena *arena)
{
    bool deviates = deviations_are_possible();
    struct http_options options = {
        .address = server->options.http,
        .threads = server->options.connections,
        .max_message = server->options.max_message,
        .body_timeout = 30,
        .idle_timeout = 60,
        .begin = deviates ? deviations_http_begin : NULL,
        .handle = predict_v2_rest,
        .finish = deviates ? deviations_http_finish : NULL,
        .worker_end = predict_v2_rest_end,
        .error_body = predict_v2_error_body,
        .context = &server->v2,
    };
    return server->options.http ? http_start(&options, arena, &server->http) : STATUS_IS_OK;
}

static struct status start_grpc(struct server *server, struct arena *arena)
{
    bool deviates = deviations_are_possible();
    struct rpc_options options = {
        .address = server->options.grpc,
        .max_message = server->options.max_message,
        .methods = predict_v2_methods,
        .method_count = predict_v2_method_count,
        .begin = deviates ? deviations_rpc_begin : NULL,
        .finish = deviates ? deviations_rpc_finish : NULL,
        .context = &server->v2,
    };
    return server->options.grpc ? rpc_start(&options, arena, &server->rpc) : STATUS_IS_OK;
}

/* Ends what was started. EXIT_FAULTY if a request still holds a model, though none runs: the server has a bug then. */
static int stop(struct server *server)
{
    if (server->http)
        http_stop(server->http);
    if (server->rpc)
        rpc_stop(server->rpc);
    infer_stop_compute();
    size_t holders = repository_close(server->repository);
    if (holders == 0)
        return EXIT_OK;
    fprintf(stderr, "oip-reference-server: %zu models are held by requests that ended: this is a bug\n", holders);
    return EXIT_FAULTY;
}

/* Reading the directories takes no time and loading happens in the background: the ports are open before the models
 * are. */
static struct status start(struct server *server, struct arena *arena)
{
    struct options *options = &server->options;
    struct status status = infer_start_compute(0, arena);
    if (is_ok(status))
        status = repository_open(options->models, options->model_count, backends, arena, &server->repository);
    server->v2 = (struct predict_v2){
        .repository = server->repository,
        .name = "oip-reference-server",
        .version = VERSION,
        .grpc_output = options->grpc_output,
        .health_bodies = options->dialect_kserve,
    };
    if (is_ok(status))
        status = start_http(server, arena);
    if (is_ok(status))
        status = start_grpc(server, arena);
    if (!is_ok(status))
        stop(server);
    return status;
}

static void say_what_is_served(const struct server *server)
{
    printf("listening");
    if (server->http)
        printf(" http=%.*s:%d", (int)strcspn(server->options.http, ":"), server->options.http, http_port(server->http));
    if (server->rpc)
        printf(" grpc=%.*s:%d", (int)strcspn(server->options.grpc, ":"), server->options.grpc, rpc_port(server->rpc));
    printf("\nThe Predict Protocol V2 is served%s%s%s; the models are loading. SIGTERM ends the server.\n",
           server->http ? " over REST under /v2" : "", server->http && server->rpc ? " and" : "",
           server->rpc ? " over gRPC as inference.GRPCInferenceService" : "");
    if (server->options.deviate)
        printf("It deviates from the documents on purpose: %s\n", server->options.deviate);
    fflush(stdout);
}

/* The signals that end the server are taken by sigwait, in this thread alone. */
static sigset_t hold_signals(void)
{
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);
    return signals;
}

static void end_at_once(int number)
{
    _exit(128 + number);
}

/* Prints which models are ready, and why others are not. */
static void say_what_is_loaded(struct repository *repository)
{
    size_t ready = 0, all = 0;
    struct model_hold hold;
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    for (size_t position = 0; repository_next(repository, &position, &hold); model_release(&hold)) {
        const struct model *model = hold.model;
        ready += model->state == MODEL_READY;
        all++;
        if (model->state == MODEL_UNAVAILABLE)
            printf("model %s%s%s is not ready: %s\n", str_printable(&arena, model->name),
                   model->version.size ? " version " : "", str_printable(&arena, model->version),
                   str_printable(&arena, model->reason));
    }
    printf("loaded %zu of %zu models\n", ready, all);
    fflush(stdout);
    arena_free(&arena);
}

static int serve_until_told(struct server *server, const sigset_t *signals)
{
    const struct timespec glance = {.tv_nsec = 10 * 1000 * 1000};
    int number = 0;
    while (number <= 0 && repository_is_loading(server->repository))
        number = sigtimedwait(signals, NULL, &glance);
    if (number <= 0) {
        say_what_is_loaded(server->repository);
        sigwait(signals, &number);
    }
    signal(SIGTERM, end_at_once); /* a second one does not wait */
    signal(SIGINT, end_at_once);
    pthread_sigmask(SIG_UNBLOCK, signals, NULL);
    if (!drain(server->options.drain_timeout)) {
        printf("requests in flight were cut after %g seconds\n", server->options.drain_timeout);
        fflush(stdout);
        _exit(EXIT_OK); /* they still hold what an orderly end would free */
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
    return serve_until_told(&server, &signals);
}

int main(int count, char **arguments)
{
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    int code = run(count, arguments, &arena);
    arena_free(&arena);
    return code;
}
