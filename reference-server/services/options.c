#include "services/options.h"

#include "base/search.h"

#include <arpa/inet.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define MEMORY_LEAST    ((size_t)16 * 1024 * 1024)
#define MEMORY_MESSAGES 8 /* as JSON, a tensor takes several times the memory of its text, and its answer, too */
#define MEMORY_BESIDE   ((size_t)128 * 1024 * 1024)
#define CONNECTIONS     512
#define CONNECTIONS_MAX 4096 /* each connection has a thread */

#define HELP_COLUMN  34 /* where --help begins to say what a flag is for */
#define HELP_COLUMNS 80

/* How a flag is read, and where its value goes. */
struct flag {
    const char *name;
    const char *value; /* what --help calls its value; NULL if it has none */
    struct status (*set)(const struct flag *flag, const char *value, struct options *options, struct arena *arena);
    size_t offset;      /* of its member in struct options; its setter says which type that has */
    const char *wanted; /* what its value must be: "'x' is not a ..." */
    const char *help;
    unsigned long long least, most; /* of set_size */
    const char *choices[4];         /* all values there are, in the order of those of the member; none: any value */
};

static struct status wrong(struct arena *arena, const struct flag *flag, const char *value)
{
    return status_invalid(arena, "%s: '%s' is not a %s", flag->name, value, flag->wanted);
}

static void *member_of(struct options *options, const struct flag *flag)
{
    return (char *)options + flag->offset;
}

/* --- Setters for any flag --- */

/* Sets a bool. */
static struct status set_switch(const struct flag *flag, const char *, struct options *options, struct arena *)
{
    *(bool *)member_of(options, flag) = true;
    return STATUS_IS_OK;
}

/* Sets a const char *. */
static struct status set_text(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value);
    *(const char **)member_of(options, flag) = value;
    return STATUS_IS_OK;
}

/* Adds to a struct texts. */
static struct status add_text(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    struct texts *texts = member_of(options, flag);
    if (!*value)
        return wrong(arena, flag, value);
    texts->list = arena_room(texts->list, texts->count, sizeof(*texts->list), arena);
    NEED(texts->list);
    texts->list[texts->count++] = value;
    return STATUS_IS_OK;
}

/* Sets a size_t within the bounds of the flag. */
static struct status set_size(const struct flag *flag, const char *value, struct options *options, struct arena *arena)
{
    unsigned long long size;
    if (!str_to_uint64(str_of(value), &size) || size < flag->least || size > flag->most)
        return wrong(arena, flag, value);
    *(size_t *)member_of(options, flag) = (size_t)size;
    return STATUS_IS_OK;
}

/* Returns the place of the value among the choices of the flag, or -1. */
static int choice_of(const struct flag *flag, const char *value)
{
    return FIRST(i, COUNT_OF(flag->choices), flag->choices[i] && strcmp(value, flag->choices[i]) == 0, (int)i, -1);
}

/* Sets an enum. */
static struct status set_choice(const struct flag *flag, const char *value, struct options *options, struct arena *)
{
    *(unsigned *)member_of(options, flag) = (unsigned)choice_of(flag, value);
    return STATUS_IS_OK;
}

/* Sets a bool: the second choice is true. */
static struct status set_truth(const struct flag *flag, const char *value, struct options *options, struct arena *)
{
    *(bool *)member_of(options, flag) = choice_of(flag, value) == 1;
    return STATUS_IS_OK;
}

/* --- Setters for one flag --- */

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

/* Sets the address of the flag's endpoint, from ADDR:PORT. "none" gives NULL. */
static struct status set_address(const struct flag *flag, const char *value, struct options *options,
                                 struct arena *arena)
{
    struct endpoint *endpoint = member_of(options, flag);
    const char *colon = strrchr(value, ':');
    unsigned long long port;
    endpoint->address = NULL;
    if (str_is(str_of(value), "none"))
        return STATUS_IS_OK;
    if (!colon || !str_to_uint64(str_of(colon + 1), &port) || port > 65535)
        return status_invalid(arena, "%s: '%s' is not a valid ADDR:PORT (port 0: any free one; none: not served)",
                              flag->name, value);
    const char *host = host_of((struct str){value, (size_t)(colon - value)}, endpoint->is_grpc, arena);
    if (!host)
        return wrong(arena, flag, value);
    endpoint->address = arena_printf(arena, "%s:%llu", host, port).data;
    return endpoint->address ? STATUS_IS_OK : status_no_memory();
}

static struct status add_models(const struct flag *flag, const char *value, struct options *options,
                                struct arena *arena)
{
    const char *equals = strchr(value, '='); /* the text before it is no name if it has a "/" in it */
    if (*value == '=' || (equals && !equals[1] && !strchr(value, '/')))
        return wrong(arena, flag, value);
    return add_text(flag, value, options, arena);
}

static struct status set_drain_timeout(const struct flag *flag, const char *value, struct options *options,
                                       struct arena *arena)
{
    char *end;
    double seconds = strtod(value, &end);
    if (end == value || *end || !isfinite(seconds) || seconds < 0 || seconds > 1e6)
        return wrong(arena, flag, value);
    options->drain_timeout = seconds;
    return STATUS_IS_OK;
}

static struct status add_deviations(const struct flag *flag, const char *value, struct options *options,
                                    struct arena *arena)
{
    if (!*value)
        return wrong(arena, flag, value);
    options->deviate = options->deviate ? arena_printf(arena, "%s,%s", options->deviate, value).data : value;
    return options->deviate ? STATUS_IS_OK : status_no_memory();
}

static struct status add_dialect(const struct flag *flag, const char *value, struct options *options, struct arena *)
{
    bool is_kserve = choice_of(flag, value) == 0;
    *(is_kserve ? &options->dialect_kserve : &options->dialect_graphpipe_go) = true;
    return STATUS_IS_OK;
}

/* --- The table --- */

#define AT(member)   offsetof(struct options, member)
#define HTTP_ADDRESS "valid IPv4 address and port, like 127.0.0.1:8000"
#define GRPC_ADDRESS "valid IP address and port, like 127.0.0.1:8001 or [::1]:8001"

static const struct flag flags[] = {
    {"--models", "[NAME=]DIR", add_models, AT(models), .wanted = "folder DIR or NAME=DIR",
     .help = "a model repository (may be repeated)"},
    {"--model-control", "MODE", set_choice, AT(model_control), .wanted = "way to control models: none or explicit",
     .help = "explicit: clients may load and unload models; none: they may not (explicit on 127.x.x.x or with a token, "
             "else none)",
     .choices = {[MODEL_CONTROL_NONE] = "none", [MODEL_CONTROL_EXPLICIT] = "explicit"}},
    {"--repository-token", "FILE", set_text, AT(repository_token), .wanted = "file",
     .help = "a file with a token; clients that list, load or unload models must send it: Authorization: Bearer TOKEN "
             "(none)"},
    {"--load", "NAME", add_text, AT(loads), .wanted = "name of a model",
     .help = "load only this model at the start (may be repeated; all models)"},
    {"--http", "ADDR:PORT", set_address, AT(endpoints[0]), .wanted = HTTP_ADDRESS,
     .help = "the address of REST; port 0: any free port; none: not served (127.0.0.1:8000)"},
    {"--grpc", "ADDR:PORT", set_address, AT(endpoints[1]), .wanted = GRPC_ADDRESS,
     .help = "the address of gRPC; IPv6 too: [::1]:8001 (127.0.0.1:8001)"},
    {"--graphpipe", "ADDR:PORT", set_address, AT(endpoints[2]), .wanted = HTTP_ADDRESS,
     .help = "the address of GraphPipe over HTTP (none)"},
    {"--protocols", "NAME,...", set_text, AT(protocols),
     .wanted = "list of protocols; the server prints their names when it starts",
     .help = "serve only these of predict-v2, graphpipe and trtis-v1; the first one answers unknown paths (all)"},
    {"--default-model", "NAME", set_text, AT(default_model), .wanted = "name of a model",
     .help = "the model of GraphPipe requests that name no model (the first)"},
    {"--grpc-output", "FORM", set_choice, AT(grpc_output), .wanted = "form of gRPC outputs: raw, typed or mirror",
     .help = "form of output tensors: raw, typed, or mirror, the form of the request (raw)",
     .choices = {[GRPC_OUTPUT_RAW] = "raw", [GRPC_OUTPUT_TYPED] = "typed", [GRPC_OUTPUT_MIRROR] = "mirror"}},
    {"--grpc-padding", "BYTES", set_size, AT(grpc_padding), .wanted = "number of bytes from 0 to 255",
     .help = "add up to so many bytes of padding to each HEADERS and DATA frame of answers, to hide their sizes (0)",
     .most = UINT8_MAX},
    {"--max-message", "BYTES", set_size, AT(max_message), .wanted = "number of bytes from 1 to 2147483647",
     .help = "largest request, before and after decompression (268435456)", .least = 1, .most = INT32_MAX},
    {"--http-connections", "N", set_size, AT(connections), .wanted = "number from 1 to 4096",
     .help = "number of HTTP connections at the same time; more connections wait (512)", .least = 1,
     .most = CONNECTIONS_MAX},
    {"--http-memory", "BYTES", set_size, AT(http_memory), .wanted = "number of bytes, at least 16777216",
     .help = "memory for all HTTP requests together; one request gets at most half (8 x --max-message + 134217728)",
     .least = MEMORY_LEAST, .most = SIZE_MAX / 2},
    {"--drain-timeout", "SECONDS", set_drain_timeout, 0, .wanted = "number of seconds",
     .help = "how long requests in flight may continue after SIGTERM (30)"},
    {"--log", "FILE", set_text, AT(log), .wanted = "file; - is stderr",
     .help = "write a line for each request; - is stderr; after SIGHUP the file is opened again (no log)"},
    {"--log-format", "FORMAT", set_truth, AT(log_json), .wanted = "format of logs: text or json",
     .help = "form of the log: text or json (text)", .choices = {"text", "json"}},
    {"--tls-certificate", "FILE", set_text, AT(tls_certificate), .wanted = "file",
     .help =
         "use TLS on all ports; the certificate with its chain, as PEM; after SIGHUP it and its key are read again"},
    {"--tls-key", "FILE", set_text, AT(tls_key), .wanted = "file",
     .help = "the private key of the certificate, as PEM"},
    {"--tls-client-ca", "FILE", set_text, AT(tls_client_ca), .wanted = "file",
     .help = "clients must show a certificate signed by one of these"},
    {"--dialect", "NAME", add_dialect, 0, .wanted = "known dialect: kserve or graphpipe-go",
     .help = "kserve: health answers have JSON bodies; graphpipe-go: GraphPipe is lenient, with errors as text (may be "
             "repeated)",
     .choices = {"kserve", "graphpipe-go"}},
    {"--strict-readiness", "BOOL", set_truth, AT(lenient_readiness), .wanted = "truth value: true or false",
     .help = "true: TensorRT Inference Server v1 is ready only if all models are (true)", .choices = {"true", "false"}},
    {"--deviate", "NAME,...", add_deviations, 0,
     .wanted = "name of a deviation; --list-deviations prints those that exist",
     .help = "break the requirements of these deviations, in every request that they are about"},
    {"--deviations", "FILE", set_text, AT(deviations), .wanted = "file",
     .help = "a file with more deviations, in the form of fixtures/deviations"},
    {"--deviate-by-header", NULL, set_switch, AT(deviate_by_header),
     .help = "let a request choose deviations, by the header OIP-Deviate: NAME (loopback only)"},
    {"--list-deviations", NULL, set_switch, AT(list_deviations), .help = "print the names of the deviations"},
    {"--version", NULL, set_switch, AT(version), .help = "print the version"},
    {"--help", NULL, set_switch, AT(help), .help = "print this text"},
};

static bool is_loopback(const struct endpoint *endpoint)
{
    const char *address = endpoint->address;
    return !address || strncmp(address, "127.", strlen("127.")) == 0 || strncmp(address, "[::1]", strlen("[::1]")) == 0;
}

static struct status check_together(struct options *options, struct arena *arena)
{
    if (options->help || options->version || options->list_deviations)
        return STATUS_IS_OK;
    if (options->models.count == 0)
        return status_invalid(arena, "--models DIR is missing: it names a folder of models to serve");
    size_t served = 0, loopback = 0;
    for (size_t i = 0; i < ENDPOINT_COUNT; i++) {
        served += options->endpoints[i].address != NULL;
        loopback += is_loopback(&options->endpoints[i]);
    }
    if (served == 0)
        return status_invalid(arena,
                              "there is nothing to serve: --http and --grpc are none, and --graphpipe is not given");
    if (!options->tls_certificate != !options->tls_key || (options->tls_client_ca && !options->tls_certificate))
        return status_invalid(arena, "TLS needs both --tls-certificate and --tls-key");
    options->is_exposed = loopback < ENDPOINT_COUNT;
    if (options->http_memory == 0)
        options->http_memory = MEMORY_MESSAGES * options->max_message + MEMORY_BESIDE;
    if (options->model_control == MODEL_CONTROL_UNSET)
        options->model_control =
            !options->is_exposed || options->repository_token ? MODEL_CONTROL_EXPLICIT : MODEL_CONTROL_NONE;
    if (options->deviate_by_header && options->is_exposed)
        return status_invalid(
            arena, "--deviate-by-header lets any client break this server: every address must be 127.x.x.x or [::1]");
    return STATUS_IS_OK;
}

/* Reads the flag at `*next`, and its value, which follows "=" or is the next argument. */
static struct status read_flag(char ***next, char **end, struct options *options, struct arena *arena)
{
    const char *argument = *(*next)++;
    struct str name = {argument, strcspn(argument, "=")};
    const char *value = argument[name.size] ? argument + name.size + 1 : NULL;
    const struct flag *flag = FIND(flags, i, COUNT_OF(flags), str_is(name, flags[i].name));
    if (!flag)
        return status_invalid(arena, "unknown argument '%s'; --help lists the flags", str_printable(arena, name));
    if (!flag->value && value)
        return status_invalid(arena, "%s takes no value", flag->name);
    if (flag->value && !value) {
        if (*next == end || strncmp(**next, "--", 2) == 0)
            return status_invalid(arena, "%s needs a value: %s", flag->name, flag->value);
        value = *(*next)++;
    }
    if (flag->choices[1] && choice_of(flag, value) < 0)
        return wrong(arena, flag, value);
    return flag->set(flag, value, options, arena);
}

struct status options_parse(int count, char **arguments, struct options *options, struct arena *arena)
{
    *options = (struct options){
        .endpoints = {{"http", false, "127.0.0.1:8000"}, {"grpc", true, "127.0.0.1:8001"}, {"graphpipe", false, NULL}},
        .max_message = (size_t)256 * 1024 * 1024,
        .drain_timeout = 30,
        .connections = CONNECTIONS,
    };
    for (char **next = arguments + 1, **end = arguments + count; next < end;)
        TRY(read_flag(&next, end, options, arena));
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
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        size_t start = out->size;
        buf_printf(out, "  %s %s", flags[i].name, flags[i].value ? flags[i].value : "");
        while (out->size - start < HELP_COLUMN && !out->failed)
            buf_append_byte(out, ' ');
        append_help(out, flags[i].help);
    }
}
