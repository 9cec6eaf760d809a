#include "services/options.h"

#include "base/count.h"

#include <arpa/inet.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#define MEMORY_LEAST     ((size_t)16 * 1024 * 1024)
#define MEMORY_MESSAGES  8 /* as JSON, a tensor takes several times the memory of its text, and its answer, too */
#define MEMORY_BESIDE    ((size_t)128 * 1024 * 1024)
#define CONNECTIONS      512
#define GRPC_PADDING_MAX 255
#define CONNECTIONS_MAX  4096 /* each connection has a thread */

#define HELP_COLUMN  34 /* where --help begins to say what a flag is for */
#define HELP_COLUMNS 80

struct flag {
    const char *name;
    const char *value; /* what --help calls its value; NULL if it has none */
    struct status (*set)(const struct flag *flag, const char *value, struct options *options, struct arena *arena);
    const char *help;
};

static struct status wrong(struct arena *arena, const struct flag *flag, const char *value, const char *what)
{
    return status_error(arena, STATUS_INVALID_ARGUMENT, "%s: '%s' is not a %s", flag->name, value, what);
}

/* Returns the endpoint that a flag sets. */
static struct endpoint *endpoint_of(struct options *options, const struct flag *flag)
{
    struct endpoint *endpoint = options->endpoints;
    while (strcmp(endpoint->name, flag->name + strlen("--")) != 0)
        endpoint++;
    return endpoint;
}

/* Returns the host as the library of its transport takes it, or NULL. civetweb as Debian builds it serves no IPv6. */
static const char *host_of(struct str text, bool is_grpc, struct arena *arena)
{
    struct in6_addr parsed;
    if (str_is(text, "localhost"))
        return "127.0.0.1";
    const char *host = arena_copy(arena, text).data;
    if (!host || inet_pton(AF_INET, host, &parsed) == 1)
        return host;
    bool is_bracketed = text.size > 2 && host[0] == '[' && host[text.size - 1] == ']';
    const char *inside = is_bracketed ? arena_copy(arena, (struct str){host + 1, text.size - 2}).data : NULL;
    return is_grpc && inside && inet_pton(AF_INET6, inside, &parsed) == 1 ? host : NULL;
}

/* Reads ADDR:PORT. "none" gives NULL. */
static struct status set_address(const struct flag *flag, const char *value, struct options *options,
                                 struct arena *arena)
{
    struct endpoint *endpoint = endpoint_of(options, flag);
    const char *colon = strrchr(value, ':');
    unsigned long long port;
    endpoint->address = NULL;
    if (str_is(str_of(value), "none"))
        return STATUS_IS_OK;
    if (!colon || !str_to_uint64(str_of(colon + 1), &port) || port > 65535)
        return wrong(arena, flag, value, "valid ADDR:PORT (port 0: any free one; none: not served)");
    const char *host = host_of((struct str){value, (size_t)(colon - value)}, endpoint->is_grpc, arena);
    if (!host)
        return wrong(arena, flag, value,
                     endpoint->is_grpc ? "valid IP address and port, like 127.0.0.1:8001 or [::1]:8001"
                                       : "valid IPv4 address and port, like 127.0.0.1:8000");
    endpoint->address = arena_printf(arena, "%s:%llu", host, port).data;
    return endpoint->address ? STATUS_IS_OK : status_no_memory();
}

/* Adds a text to a list of the options. */
static struct status add_text(const char ***list, size_t *count, const char *text, struct arena *arena)
{
    const char **more = arena_alloc_zero(arena, *count + 1, sizeof(*more));
    if (!more)
        return status_no_memory();
    if (*count)
        memcpy(more, *list, *count * sizeof(*more));
    more[(*count)++] = text;
    *list = more;
    return STATUS_IS_OK;
}

static struct status set_models(const struct flag *flag, const char *value, struct options *options,
                                struct arena *arena)
{
    const char *equals = strchr(value, '='); /* the text before it is no name if it has a "/" in it */
    if (!*value || *value == '=' || (equals && !equals[1] && !strchr(value, '/')))
        return wrong(arena, flag, value, "folder DIR or NAME=DIR");
    return add_text(&options->models, &options->model_count, value, arena);
}

static struct status set_load(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value, "name of a model");
    return add_text(&options->loads, &options->load_count, value, arena);
}

static struct status set_model_control(const struct flag *flag, const char *value, struct options *options,
                                       struct arena *arena)
{
    bool is_explicit = strcmp(value, "explicit") == 0;
    if (!is_explicit && strcmp(value, "none") != 0)
        return wrong(arena, flag, value, "way to control models: none or explicit");
    options->model_control = is_explicit ? MODEL_CONTROL_EXPLICIT : MODEL_CONTROL_NONE;
    return STATUS_IS_OK;
}

static struct status set_repository_token(const struct flag *flag, const char *value, struct options *options,
                                          struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value, "file");
    options->repository_token = value;
    return STATUS_IS_OK;
}

static struct status set_grpc_output(const struct flag *flag, const char *value, struct options *options,
                                     struct arena *arena)
{
    static const char *const names[] = {
        [GRPC_OUTPUT_RAW] = "raw", [GRPC_OUTPUT_TYPED] = "typed", [GRPC_OUTPUT_MIRROR] = "mirror"};
    for (size_t i = 0; i < COUNT_OF(names); i++) {
        if (strcmp(value, names[i]) == 0) {
            options->grpc_output = (enum grpc_output)i;
            return STATUS_IS_OK;
        }
    }
    return wrong(arena, flag, value, "form of gRPC outputs: raw, typed or mirror");
}

static struct status set_grpc_padding(const struct flag *flag, const char *value, struct options *options,
                                      struct arena *arena)
{
    unsigned long long bytes;
    if (!str_to_uint64(str_of(value), &bytes) || bytes > GRPC_PADDING_MAX)
        return wrong(arena, flag, value, "number of bytes from 0 to 255");
    options->grpc_padding = (size_t)bytes;
    return STATUS_IS_OK;
}

static struct status set_max_message(const struct flag *flag, const char *value, struct options *options,
                                     struct arena *arena)
{
    unsigned long long bytes;
    if (!str_to_uint64(str_of(value), &bytes) || bytes == 0 || bytes > INT32_MAX)
        return wrong(arena, flag, value, "number of bytes from 1 to 2147483647");
    options->max_message = (size_t)bytes;
    return STATUS_IS_OK;
}

static struct status set_http_memory(const struct flag *flag, const char *value, struct options *options,
                                     struct arena *arena)
{
    unsigned long long bytes;
    if (!str_to_uint64(str_of(value), &bytes) || bytes < MEMORY_LEAST || bytes > SIZE_MAX / 2)
        return wrong(arena, flag, value, "number of bytes, at least 16777216");
    options->http_memory = (size_t)bytes;
    return STATUS_IS_OK;
}

static struct status set_drain_timeout(const struct flag *flag, const char *value, struct options *options,
                                       struct arena *arena)
{
    char *end;
    double seconds = strtod(value, &end);
    if (end == value || *end || !isfinite(seconds) || seconds < 0 || seconds > 1e6)
        return wrong(arena, flag, value, "number of seconds");
    options->drain_timeout = seconds;
    return STATUS_IS_OK;
}

static struct status set_connections(const struct flag *flag, const char *value, struct options *options,
                                     struct arena *arena)
{
    unsigned long long count;
    if (!str_to_uint64(str_of(value), &count) || count == 0 || count > CONNECTIONS_MAX)
        return wrong(arena, flag, value, "number from 1 to 4096");
    options->connections = (size_t)count;
    return STATUS_IS_OK;
}

static struct status set_deviate(const struct flag *flag, const char *value, struct options *options,
                                 struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value, "name of a deviation; --list-deviations prints those that exist");
    if (options->deviate)
        value = arena_printf(arena, "%s,%s", options->deviate, value).data;
    options->deviate = value;
    return value ? STATUS_IS_OK : status_no_memory();
}

static struct status set_dialect(const struct flag *flag, const char *value, struct options *options,
                                 struct arena *arena)
{
    bool is_kserve = strcmp(value, "kserve") == 0, is_graphpipe_go = strcmp(value, "graphpipe-go") == 0;
    if (!is_kserve && !is_graphpipe_go)
        return wrong(arena, flag, value, "known dialect: kserve or graphpipe-go");
    options->dialect_kserve |= is_kserve;
    options->dialect_graphpipe_go |= is_graphpipe_go;
    return STATUS_IS_OK;
}

static struct status set_default_model(const struct flag *flag, const char *value, struct options *options,
                                       struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value, "name of a model");
    options->default_model = value;
    return STATUS_IS_OK;
}

static struct status set_tls_certificate(const struct flag *flag, const char *value, struct options *options,
                                         struct arena *arena)
{
    (void)flag, (void)arena;
    options->tls_certificate = value;
    return STATUS_IS_OK;
}

static struct status set_tls_key(const struct flag *flag, const char *value, struct options *options,
                                 struct arena *arena)
{
    (void)flag, (void)arena;
    options->tls_key = value;
    return STATUS_IS_OK;
}

static struct status set_tls_client_ca(const struct flag *flag, const char *value, struct options *options,
                                       struct arena *arena)
{
    (void)flag, (void)arena;
    options->tls_client_ca = value;
    return STATUS_IS_OK;
}

static struct status set_log(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value, "file; - is stderr");
    options->log = value;
    return STATUS_IS_OK;
}

static struct status set_log_format(const struct flag *flag, const char *value, struct options *options,
                                    struct arena *arena)
{
    options->log_json = strcmp(value, "json") == 0;
    if (!options->log_json && strcmp(value, "text") != 0)
        return wrong(arena, flag, value, "format of logs: text or json");
    return STATUS_IS_OK;
}

static struct status set_protocols(const struct flag *flag, const char *value, struct options *options,
                                   struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value, "list of protocols; the server prints their names when it starts");
    options->protocols = value;
    return STATUS_IS_OK;
}

static struct status set_strict_readiness(const struct flag *flag, const char *value, struct options *options,
                                          struct arena *arena)
{
    bool is_strict = strcmp(value, "true") == 0;
    if (!is_strict && strcmp(value, "false") != 0)
        return wrong(arena, flag, value, "truth value: true or false");
    options->lenient_readiness = !is_strict;
    return STATUS_IS_OK;
}

static struct status set_deviate_by_header(const struct flag *flag, const char *value, struct options *options,
                                           struct arena *arena)
{
    (void)flag, (void)value, (void)arena;
    options->deviate_by_header = true;
    return STATUS_IS_OK;
}

static struct status set_list(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    (void)flag, (void)value, (void)arena;
    options->list_deviations = true;
    return STATUS_IS_OK;
}

static struct status set_help(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    (void)flag, (void)value, (void)arena;
    options->help = true;
    return STATUS_IS_OK;
}

static struct status set_version(const struct flag *flag, const char *value, struct options *options,
                                 struct arena *arena)
{
    (void)flag, (void)value, (void)arena;
    options->version = true;
    return STATUS_IS_OK;
}

static const struct flag flags[] = {
    {"--models", "[NAME=]DIR", set_models, "a model repository; may be given several times"},
    {"--model-control", "MODE", set_model_control,
     "explicit: clients may load and unload models; none: they may not (explicit on 127.x.x.x or with a token)"},
    {"--repository-token", "FILE", set_repository_token,
     "who lists, loads or unloads models must send what stands there: Authorization: Bearer TOKEN (none)"},
    {"--load", "NAME", set_load, "a model to load at the start; may be given several times (all models)"},
    {"--http", "ADDR:PORT", set_address, "REST (127.0.0.1:8000; port 0: any free one; none: not served)"},
    {"--grpc", "ADDR:PORT", set_address, "gRPC (127.0.0.1:8001; IPv6 too: [::1]:8001)"},
    {"--graphpipe", "ADDR:PORT", set_address, "GraphPipe over HTTP (none)"},
    {"--protocols", "NAME,...", set_protocols,
     "those that are served, of predict-v2, graphpipe and trtis-v1 (all); the first one gets unknown paths"},
    {"--default-model", "NAME", set_default_model, "the model of GraphPipe requests that name none (the first)"},
    {"--grpc-output", "FORM", set_grpc_output, "raw, typed, or mirror: as the request came (raw)"},
    {"--grpc-padding", "BYTES", set_grpc_padding,
     "up to so many are added to each HEADERS and DATA frame of answers, which hides their sizes (0)"},
    {"--max-message", "BYTES", set_max_message, "the largest request, before and after decompression (268435456)"},
    {"--http-connections", "N", set_connections,
     "HTTP connections at once; one more waits until one of them ends (512)"},
    {"--http-memory", "BYTES", set_http_memory,
     "what all HTTP requests may hold together, one of them at most half (8 x --max-message + 134217728)"},
    {"--drain-timeout", "SECONDS", set_drain_timeout, "how long requests in flight may go on after SIGTERM (30)"},
    {"--log", "FILE", set_log, "a line for each request; - is stderr; SIGHUP opens the file anew (no log)"},
    {"--log-format", "FORMAT", set_log_format, "text or json (text)"},
    {"--tls-certificate", "FILE", set_tls_certificate,
     "TLS on all ports: the certificate with its chain, as PEM; SIGHUP has it and its key read anew"},
    {"--tls-key", "FILE", set_tls_key, "its private key, as PEM"},
    {"--tls-client-ca", "FILE", set_tls_client_ca, "clients must show a certificate that one of these has signed"},
    {"--dialect", "NAME", set_dialect,
     "kserve: health answers have JSON bodies; graphpipe-go: lenient, errors as text"},
    {"--strict-readiness", "BOOL", set_strict_readiness,
     "whether TensorRT Inference Server v1 is ready only when all models are (true)"},
    {"--deviate", "NAME,...", set_deviate, "breaks the named requirements in every request that they are about"},
    {"--deviate-by-header", NULL, set_deviate_by_header, "lets a request choose by OIP-Deviate: NAME (loopback only)"},
    {"--list-deviations", NULL, set_list, "prints the names of the deviations and ends"},
    {"--version", NULL, set_version, "prints the version and ends"},
    {"--help", NULL, set_help, "prints this and ends"},
};

#define FLAG_COUNT COUNT_OF(flags)

static const struct flag *find_flag(struct str name)
{
    for (size_t i = 0; i < FLAG_COUNT; i++)
        if (str_is(name, flags[i].name))
            return &flags[i];
    return NULL;
}

static bool is_loopback(const struct endpoint *endpoint)
{
    const char *address = endpoint->address;
    return !address || strncmp(address, "127.", strlen("127.")) == 0 || strncmp(address, "[::1]", strlen("[::1]")) == 0;
}

static struct status check_together(struct options *options, struct arena *arena)
{
    if (options->help || options->version || options->list_deviations)
        return STATUS_IS_OK;
    if (options->model_count == 0)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--models DIR is missing: which models are to be served?");
    size_t served = 0, loopback = 0;
    for (size_t i = 0; i < ENDPOINT_COUNT; i++) {
        served += options->endpoints[i].address != NULL;
        loopback += is_loopback(&options->endpoints[i]);
    }
    if (served == 0)
        return status_error(arena, STATUS_INVALID_ARGUMENT,
                            "--http none and --grpc none leave nothing to serve; --graphpipe is not given");
    if (!options->tls_certificate != !options->tls_key || (options->tls_client_ca && !options->tls_certificate))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "TLS needs both --tls-certificate and --tls-key");
    options->is_exposed = loopback < ENDPOINT_COUNT;
    if (options->http_memory == 0)
        options->http_memory = MEMORY_MESSAGES * options->max_message + MEMORY_BESIDE;
    if (options->model_control == MODEL_CONTROL_UNSET)
        options->model_control =
            !options->is_exposed || options->repository_token ? MODEL_CONTROL_EXPLICIT : MODEL_CONTROL_NONE;
    if (options->deviate_by_header && options->is_exposed)
        return status_error(arena, STATUS_INVALID_ARGUMENT,
                            "--deviate-by-header lets any client break this server: it is refused on an address that "
                            "is not 127.x.x.x or [::1]");
    return STATUS_IS_OK;
}

struct status options_parse(int count, char **arguments, struct options *options, struct arena *arena)
{
    *options = (struct options){
        .endpoints = {{"http", false, "127.0.0.1:8000"}, {"grpc", true, "127.0.0.1:8001"}, {"graphpipe", false, NULL}},
        .max_message = (size_t)256 * 1024 * 1024,
        .drain_timeout = 30,
        .connections = CONNECTIONS,
    };
    for (int i = 1; i < count; i++) {
        struct str name = str_of(arguments[i]);
        const char *equals = strchr(arguments[i], '=');
        if (equals && str_starts(name, STR("--")))
            name.size = (size_t)(equals - arguments[i]);
        const struct flag *flag = find_flag(name);
        if (!flag)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "unknown argument '%s'; --help lists what there is",
                                str_printable(arena, name));
        if (!flag->value && equals)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "%s takes no value", flag->name);
        const char *value = equals ? equals + 1 : NULL;
        if (flag->value && !value && (++i >= count || strncmp(arguments[i], "--", 2) == 0))
            return status_error(arena, STATUS_INVALID_ARGUMENT, "%s needs a value: %s", flag->name, flag->value);
        if (flag->value && !value)
            value = arguments[i];
        struct status status = flag->set(flag, value, options, arena);
        if (!is_ok(status))
            return status;
    }
    return check_together(options, arena);
}

/* Appends words from column HELP_COLUMN on, in lines of at most HELP_COLUMNS characters, and ends the last line. */
static void append_help(struct buf *out, const char *words)
{
    for (size_t column = HELP_COLUMN; *words; words += strspn(words, " ")) {
        size_t size = strcspn(words, " ");
        bool begins = column == HELP_COLUMN;
        if (!begins && column + 1 + size > HELP_COLUMNS) {
            buf_printf(out, "\n%*s", HELP_COLUMN, "");
            column = HELP_COLUMN;
            begins = true;
        }
        buf_printf(out, "%s%.*s", begins ? "" : " ", (int)size, words);
        column += size + !begins;
        words += size;
    }
    buf_append_byte(out, '\n');
}

void options_help(struct buf *out)
{
    buf_append_literal(out, "oip-reference-server --models [NAME=]DIR ...\n"
                            "  serves ONNX models over the Open Inference Protocol\n\n");
    for (size_t i = 0; i < FLAG_COUNT; i++) {
        size_t start = out->size;
        buf_printf(out, "  %s %s", flags[i].name, flags[i].value ? flags[i].value : "");
        while (out->size - start < HELP_COLUMN && !out->failed)
            buf_append_byte(out, ' ');
        append_help(out, flags[i].help);
    }
}
