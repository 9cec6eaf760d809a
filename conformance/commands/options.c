#include "commands/options.h"

#include "base/count.h"
#include "client/client.h"
#include "support/nearest.h"
#include "support/shell.h"
#include "support/wrap.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum flag_kind {
    FLAG_SWITCH,  /* bool */
    FLAG_TEXT,    /* const char * */
    FLAG_EACH,    /* struct values: one for each flag */
    FLAG_LIST,    /* struct values: separated by commas */
    FLAG_PAIR,    /* struct values: NAME=VALUE */
    FLAG_STATE,   /* struct values: NAME=URL */
    FLAG_HEADER,  /* struct values: 'K: V' */
    FLAG_URL,     /* the address of an HTTP endpoint */
    FLAG_ADDRESS, /* the address of another endpoint */
    FLAG_COUNT,   /* size_t */
    FLAG_SECONDS, /* double */
};

#define HELP_COLUMN 26 /* where --help begins to say what a flag is for */

enum { RUN = 1, MUTATION = 2, LIST = 4, EXPLAIN = 8, LINT = 16, COVERAGE = 32, SPEC_CHECK = 64 };

struct flag {
    const char *name;
    const char *value; /* as the help shows it; NULL for a switch */
    enum flag_kind kind;
    unsigned commands;
    size_t offset; /* in struct options; not used for addresses */
    const char *says;
};

#define AT(member) offsetof(struct options, member)
#define EVERY      (RUN | MUTATION | LIST | EXPLAIN | LINT | COVERAGE | SPEC_CHECK)
#define ASKING     (RUN | MUTATION)
#define CHOOSING   (RUN | MUTATION | LIST)

static const struct flag flags[] = {
    {"--target", "URL", FLAG_URL, ASKING, 0,
     "the server's REST side, http://HOST:PORT or https://HOST:PORT, perhaps with a path"},
    {"--grpc", "HOST:PORT", FLAG_ADDRESS, ASKING, 0, "the server's gRPC side; grpcs://HOST:PORT over TLS"},
    {"--graphpipe", "URL", FLAG_URL, ASKING, 0, "the server's GraphPipe side, http://HOST:PORT"},
    {"--metrics", "URL", FLAG_URL, ASKING, 0, "where the server's metrics are, http://HOST:PORT; the path is /metrics"},
    {"--profile", "P,..", FLAG_LIST, CHOOSING, AT(profiles), "only these profiles (fixtures/encodings.json)"},
    {"--claim", "NAME,..", FLAG_LIST, ASKING, AT(claims),
     "the target has these extensions, though its metadata does not say so"},
    {"--model", "NAME", FLAG_EACH, ASKING, AT(models), "use only this model of the target (may be repeated)"},
    {"--example", "FILE", FLAG_EACH, ASKING, AT(examples),
     "a good request to a model: {\"model\": NAME, \"inputs\": [...]} (may be repeated)"},
    {"--seed", "N", FLAG_COUNT, ASKING, AT(seed), "of the data in requests that are made from metadata (1)"},
    {"--map", "KIT=THEIRS", FLAG_PAIR, ASKING, AT(map), "the target serves the kit's model KIT under the name THEIRS"},
    {"--state", "NAME=URL", FLAG_STATE, ASKING, AT(states),
     "a server in a named state (fixtures/servers.json): http://HOST:PORT, grpc://HOST:PORT or graphpipe://HOST:PORT; "
     "over TLS https, grpcs or graphpipes"},
    {"--filter", "GLOB", FLAG_EACH, CHOOSING, AT(filters),
     "only cases whose ID, or a key of which, matches (may be repeated)"},
    {"--skip", "GLOB", FLAG_EACH, CHOOSING, AT(skips),
     "leave out what matches: cases by ID, assertions by ID or key, such as 'http.*' (may be repeated)"},
    {"--jobs", "N", FLAG_COUNT, ASKING, AT(jobs), "exchanges side by side (8)"},
    {"--timeout", "S", FLAG_SECONDS, ASKING, AT(timeout), "seconds that one exchange may take (10)"},
    {"--wait", "S", FLAG_SECONDS, ASKING, AT(wait),
     "seconds that the target may take until it says that it is ready (0)"},
    {"--max-message", "BYTES", FLAG_COUNT, ASKING, AT(max_message),
     "bytes of an answer that are read where a model gives large ones (256 MiB)"},
    {"--header", "'K: V'", FLAG_HEADER, ASKING, AT(headers),
     "sent with every request, as gRPC metadata too; reports have its name only"},
    {"--server", "'COMMAND'", FLAG_TEXT, MUTATION, AT(server),
     "starts a server; with --deviate NAME behind it, for what only a whole process can do wrong"},
    {"--ca", "FILE", FLAG_TEXT, ASKING, AT(ca),
     "certificates that the server's is checked against (those of the system)"},
    {"--insecure", NULL, FLAG_SWITCH, ASKING, AT(insecure),
     "the server's certificate is not checked; the report says so"},
    {"--cert", "FILE", FLAG_TEXT, ASKING, AT(cert), "certificate of this client"},
    {"--key", "FILE", FLAG_TEXT, ASKING, AT(key), "its key"},
    {"--junit", "FILE", FLAG_TEXT, RUN, AT(junit), "write a JUnit report; - is standard output"},
    {"--json", "FILE", FLAG_TEXT, RUN, AT(json), "write a JSON report; - is standard output"},
    {"--html", "FILE", FLAG_TEXT, RUN, AT(html), "write the report as one HTML page; - is standard output"},
    {"--markdown", "FILE", FLAG_TEXT, RUN, AT(markdown),
     "write a short summary in markdown, for the page of a CI job; - is standard output"},
    {"--evidence", "DIR", FLAG_TEXT, RUN, AT(evidence),
     "bodies that do not fit on a command line, in a folder for each run (reports/evidence)"},
    {"--verbose", NULL, FLAG_SWITCH, RUN, AT(verbose), "print what is sent and what comes, of every exchange"},
    {"--strict", NULL, FLAG_SWITCH, RUN, AT(strict), "a SHOULD that is not met fails"},
    {"--certified", NULL, FLAG_SWITCH, RUN, AT(certified), "a run whose conclusion is less than certified fails"},
    {"--waivers", "FILE", FLAG_TEXT, RUN, AT(waivers),
     "known failures that are excused for a while (the README says how)"},
    {"--write-waivers", "FILE", FLAG_TEXT, RUN, AT(write_waivers),
     "write a waiver for each requirement that fails; - is standard output"},
    {"--min", "N", FLAG_COUNT, RUN, AT(min), "fewer than N judged assertions give exit code 6"},
    {"--allow-mutation", NULL, FLAG_SWITCH, ASKING, AT(allow_mutation), "cases may change the server's models"},
    {"--fixtures", "DIR", FLAG_TEXT, EVERY, AT(fixtures), "the body of knowledge (fixtures)"},
    {"--encoding", "E,..", FLAG_LIST, LIST, AT(encodings), "only these encodings (rest-flat, grpc-raw, http, ...)"},
    {"--not-applicable", NULL, FLAG_SWITCH, LIST, AT(not_applicable),
     "only what no encoding can carry, with the reason"},
    {"--fix", NULL, FLAG_SWITCH, LINT, AT(fix), "lay every file out anew before it is checked"},
    {"--schema", NULL, FLAG_SWITCH, LINT, AT(schema), "print the JSON Schema of the fixtures and check nothing"},
    {"--text", "NAME", FLAG_TEXT, SPEC_CHECK, AT(text),
     "the files are editions of this text of documents.json, such as 000; else found by what stands"},
    {"--sentence", "'TEXT'", FLAG_TEXT, SPEC_CHECK, AT(sentence),
     "print the fingerprint of a sentence, for the ledger"},
    {"--units", "FILE", FLAG_TEXT, SPEC_CHECK, AT(units),
     "print a text for fixtures/texts from a file that has a sentence on each line, and sections as '# NAME'"},
    {"--help", NULL, FLAG_SWITCH, EVERY, AT(help), "this text"},
    {"--version", NULL, FLAG_SWITCH, EVERY, AT(version), "the program's version"},
};

static const struct {
    const char *name, *operands, *says;
    unsigned bit;
    size_t operand_max;
} commands[] = {
    {"run", "--target URL, --grpc HOST:PORT and/or --graphpipe URL", "judge a server", RUN, 0},
    {"mutation", "--target URL, --grpc HOST:PORT and/or --graphpipe URL",
     "judge the suite: which deviations does it notice?", MUTATION, 0},
    {"list", "", "every assertion that a run would judge", LIST, 0},
    {"explain", "ID|KEY|DEVIATION", "a case, a requirement or a deviation, and where it comes from", EXPLAIN, 1},
    {"lint", "", "check the fixtures against the rules of their form", LINT, 0},
    {"coverage", "", "which requirements are tested, and by what", COVERAGE, 0},
    {"spec-check", "FILE...", "what changed in an edition of a document, and which requirements that touches",
     SPEC_CHECK, SIZE_MAX},
};

static const struct str exit_codes = STR("Exit codes: 0 conformant; 1 a MUST failed, or less than --certified demands; "
                                         "2 usage, or no usable model; 3 target unreachable or unresponsive; "
                                         "4 the suite itself failed, or something could not be written; 5 a waiver is "
                                         "stale, expired or too broad; 6 fewer than --min ran; 130 interrupted.");

/* Appends a name, and behind it what it is for. */
static void append_help(struct buf *out, struct str name, const char *says)
{
    buf_printf(out, "  %-*.*s", HELP_COLUMN - 2, STR_ARG(name));
    append_wrapped(out, str_of(says), HELP_COLUMN);
    buf_append_byte(out, '\n');
}

struct str options_help(const char *command, struct arena *arena)
{
    struct buf out = {0};
    unsigned bit = 0;
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (command && str_is(str_of(commands[i].name), command)) {
            bit = commands[i].bit;
            const char *operands = commands[i].operands;
            buf_printf(&out, "oip-conformance %s%s%s\n  %s\n\n", command, *operands ? " " : "", operands,
                       commands[i].says);
        }
    if (bit == 0) {
        buf_printf(&out, "oip-conformance COMMAND [FLAGS]\n  does an inference server really speak the protocol?\n\n");
        for (size_t i = 0; i < COUNT_OF(commands); i++)
            append_help(&out, str_of(commands[i].name), commands[i].says);
        buf_printf(&out, "\nFlags of a command: oip-conformance COMMAND --help\n");
    }
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (flags[i].commands & bit) {
            const char *value = flags[i].value;
            append_help(&out, arena_printf(arena, "%s%s%s", flags[i].name, value ? " " : "", value ? value : ""),
                        flags[i].says);
        }
    if (bit == 0 || bit == RUN) {
        buf_append_byte(&out, '\n');
        append_wrapped(&out, exit_codes, 0);
        buf_append_byte(&out, '\n');
    }
    return arena_take(arena, &out);
}

static void values_add(struct values *values, const char *item, struct arena *arena)
{
    const char **grown = arena_alloc_zero(arena, values->count + 1, sizeof(*grown));
    if (!grown)
        return;
    for (size_t i = 0; i < values->count; i++)
        grown[i] = values->items[i];
    grown[values->count++] = item;
    values->items = grown;
}

static bool is_port(struct str text)
{
    unsigned long long port;
    return str_to_uint64(text, &port) && port <= 65535;
}

/* Returns "http://h:8000" for "http://h:8000//". Empty if it is no http or https URL with a host and a possible
 * port. */
static struct str base_url(const char *text)
{
    struct str url = str_of(text);
    while (url.size && url.data[url.size - 1] == '/')
        url.size--;
    size_t scheme = str_starts(url, STR("http://")) ? 7 : str_starts(url, STR("https://")) ? 8 : 0;
    if (scheme == 0 || url.size == scheme || strpbrk(text + scheme, "@?# \t"))
        return (struct str){0};
    const char *host = text + scheme, *ipv6_end = *host == '[' ? strchr(host, ']') : NULL;
    const char *colon = strchr(ipv6_end ? ipv6_end : host, ':');
    size_t digits = colon ? strcspn(colon + 1, "/") : 0;
    if (colon == host || *host == '/' || (digits && !is_port((struct str){colon + 1, digits})))
        return (struct str){0};
    return url;
}

/* Whether the text is a host, a colon and a port: "127.0.0.1:8001", "[::1]:8001". */
static bool is_host_and_port(const char *text)
{
    const char *colon = strrchr(text, ':');
    return colon && colon != text && !strstr(text, "://") && !strpbrk(text, "/ \t") && is_port(str_of(colon + 1));
}

/* Whether the text is an address of gRPC, with or without a scheme. */
static bool is_address(const char *text)
{
    static const struct str schemes[] = {{"grpc://", 7}, {"grpcs://", 8}};
    for (size_t i = 0; i < COUNT_OF(schemes); i++)
        if (str_starts(str_of(text), schemes[i]))
            return is_host_and_port(text + schemes[i].size);
    return is_host_and_port(text);
}

/* The flags that give addresses, and the names of their endpoints in fixtures/encodings.json. */
static const struct {
    const char *flag, *endpoint;
} endpoint_flags[] = {{"--target", "http"}, {"--grpc", "grpc"}, {"--graphpipe", "graphpipe"}, {"--metrics", "metrics"}};

/* Sets the address of an endpoint; the last one that is given counts. */
static void set_address(struct options *options, const struct flag *flag, struct str at)
{
    size_t row = 0, i = 0;
    while (strcmp(endpoint_flags[row].flag, flag->name) != 0)
        row++;
    const char *endpoint = endpoint_flags[row].endpoint;
    while (i < options->address_count && strcmp(options->addresses[i].endpoint, endpoint) != 0)
        i++;
    options->addresses[i] = (struct option_address){endpoint, at};
    options->address_count += i == options->address_count;
}

/* Whether the text is "http://HOST:PORT", or the name of another endpoint, perhaps with an "s" for TLS, "://" and
 * HOST:PORT. */
static bool is_state_url(const char *text)
{
    const char *colon = strstr(text, "://");
    struct str scheme = {text, colon ? (size_t)(colon - text) : 0};
    for (size_t i = 0; colon && i < COUNT_OF(endpoint_flags); i++) {
        struct str name = str_of(endpoint_flags[i].endpoint);
        struct str rest = str_starts(scheme, name) ? str_from(scheme, name.size) : scheme;
        if (!str_is(name, "http") && (rest.size == 0 || str_is(rest, "s")))
            return is_host_and_port(colon + 3);
    }
    return base_url(text).size > 0;
}

static bool is_text(const char *value)
{
    return *value != '\0';
}

static bool is_list(const char *value)
{
    return value[strspn(value, ",")] != '\0';
}

static bool is_pair(const char *value)
{
    const char *equals = strchr(value, '=');
    return equals && equals != value && equals[1];
}

static bool is_state(const char *value)
{
    return is_pair(value) && is_state_url(strchr(value, '=') + 1);
}

static bool is_header(const char *value)
{
    return strchr(value, ':') && *value != ':' && !strpbrk(value, "\r\n");
}

static bool is_url(const char *value)
{
    return base_url(value).size > 0;
}

static bool is_count(const char *value)
{
    unsigned long long number;
    return str_to_uint64(str_of(value), &number) && number <= SIZE_MAX / 2;
}

static bool is_seconds(const char *value)
{
    char *end;
    double seconds = strtod(value, &end);
    return end != value && !*end && isfinite(seconds) && seconds > 0 && seconds <= 86400;
}

/* What the value of a flag must be, and how a person is told; NULL: as the help shows the value. */
static const struct {
    bool (*is)(const char *value);
    const char *needs;
} values_of_kind[] = {
    [FLAG_TEXT] = {is_text, NULL},
    [FLAG_EACH] = {is_text, NULL},
    [FLAG_LIST] = {is_list, NULL},
    [FLAG_PAIR] = {is_pair, NULL},
    [FLAG_STATE] = {is_state, "NAME=http://HOST:PORT, NAME=grpc://HOST:PORT or NAME=graphpipe://HOST:PORT"},
    [FLAG_HEADER] = {is_header, "'NAME: VALUE'"},
    [FLAG_URL] = {is_url, "a URL such as http://127.0.0.1:8000"},
    [FLAG_ADDRESS] = {is_address, "an address such as 127.0.0.1:8001, over TLS grpcs://HOST:PORT"},
    [FLAG_COUNT] = {is_count, "a whole number"},
    [FLAG_SECONDS] = {is_seconds, "a number of seconds above 0"},
};

static void add_list(struct values *values, const char *list, struct arena *arena)
{
    for (const char *at = list; *at;) {
        size_t size = strcspn(at, ",");
        if (size)
            values_add(values, arena_copy(arena, (struct str){at, size}).data, arena);
        at += size + (at[size] == ',');
    }
}

static struct status read_value(const struct flag *flag, const char *value, struct options *options,
                                struct arena *arena)
{
    void *target = (char *)options + flag->offset;
    const char *needs = values_of_kind[flag->kind].needs;
    if (!values_of_kind[flag->kind].is(value))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "%s needs %s, not '%s'", flag->name,
                            needs ? needs : flag->value, str_printable(arena, str_of(value)));
    switch (flag->kind) {
    case FLAG_SWITCH: /* has no value */
        break;
    case FLAG_TEXT:
        *(const char **)target = value;
        break;
    case FLAG_EACH:
    case FLAG_PAIR:
    case FLAG_STATE:
    case FLAG_HEADER:
        values_add(target, value, arena);
        break;
    case FLAG_LIST:
        add_list(target, value, arena);
        break;
    case FLAG_URL:
        set_address(options, flag, base_url(value));
        break;
    case FLAG_ADDRESS:
        set_address(options, flag, str_of(value));
        break;
    case FLAG_COUNT:
        *(size_t *)target = strtoull(value, NULL, 10);
        break;
    case FLAG_SECONDS:
        *(double *)target = strtod(value, NULL);
        break;
    }
    return STATUS_IS_OK;
}

static struct status read_command(const char *name, struct arena *arena, size_t *index)
{
    struct nearest nearest = {.word = str_of(name)};
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (str_is(str_of(name), commands[i].name)) {
            *index = i;
            return STATUS_IS_OK;
        }
        nearest_try(&nearest, str_of(commands[i].name));
    }
    return status_error(arena, STATUS_INVALID_ARGUMENT, "there is no command '%s'; %s",
                        str_printable(arena, str_of(name)),
                        nearest_hint(&nearest, 1, "`oip-conformance --help` lists them", arena).data);
}

static const struct flag *find_flag(struct str name, unsigned bit, struct nearest *nearest)
{
    for (size_t i = 0; i < COUNT_OF(flags); i++) {
        if (!(flags[i].commands & bit))
            continue;
        if (str_is(name, flags[i].name))
            return &flags[i];
        nearest_try(nearest, str_of(flags[i].name));
    }
    return NULL;
}

/* Returns a word of the command line as reports show it: the value of a header is hidden. */
static struct str shown_word(const char *before, const char *word, struct arena *arena)
{
    const struct str flag = STR("--header=");
    bool joined = str_starts(str_of(word), flag);
    if (!joined && strcmp(before, "--header") != 0)
        return str_of(word);
    struct str name = header_of_line(joined ? word + flag.size : word).name;
    return arena_printf(arena, "%s%.*s: " HEADER_HIDDEN, joined ? flag.data : "", STR_ARG(name));
}

static const char *joined_command_line(int argc, char **argv, struct arena *arena)
{
    struct buf line = {0};
    buf_append_str(&line, STR("oip-conformance"));
    for (int i = 1; i < argc; i++) {
        struct str word = shown_word(argv[i - 1], argv[i], arena);
        bool plain = word.size && !strpbrk(word.data, " \t\n'\"\\$`*?[]<>|&;()!#~");
        buf_append_byte(&line, ' ');
        if (plain)
            buf_append_str(&line, word);
        else
            shell_quote(word, &line);
    }
    return arena_take(arena, &line).data;
}

static struct status check_readable(const char *flag, const char *path, struct arena *arena)
{
    return !path || access(path, R_OK) == 0
               ? STATUS_IS_OK
               : status_error(arena, STATUS_INVALID_ARGUMENT, "%s: the file '%s' cannot be read: %s", flag,
                              str_printable(arena, str_of(path)), strerror(errno));
}

/* At most one of the reports can be standard output. */
static struct status check_printed(const struct options *options, struct arena *arena)
{
    const struct {
        const char *flag, *path;
    } reports[] = {{"--json", options->json},
                   {"--junit", options->junit},
                   {"--html", options->html},
                   {"--markdown", options->markdown}};
    const char *first = NULL;
    for (size_t i = 0; i < COUNT_OF(reports); i++) {
        if (!reports[i].path || strcmp(reports[i].path, "-") != 0)
            continue;
        if (first)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "%s and %s cannot both be standard output", first,
                                reports[i].flag);
        first = reports[i].flag;
    }
    return STATUS_IS_OK;
}

static struct status check_together(const struct options *options, struct arena *arena)
{
    if (options->jobs == 0 || options->jobs > 256)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--jobs needs a number from 1 to 256");
    if (!options->cert != !options->key)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--cert and --key belong together");
    if (options->insecure && options->ca)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--ca and --insecure exclude each other");
    struct status printed = check_printed(options, arena);
    if (!is_ok(printed))
        return printed;
    if (options->max_message == 0)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "--max-message needs a number of bytes above 0");
    struct status status = check_readable("--ca", options->ca, arena);
    if (is_ok(status))
        status = check_readable("--cert", options->cert, arena);
    if (is_ok(status))
        status = check_readable("--key", options->key, arena);
    if (!is_ok(status))
        return status;
    bool asks = strcmp(options->command, "run") == 0 || strcmp(options->command, "mutation") == 0;
    if (asks && options->address_count == 0)
        return status_error(arena, STATUS_INVALID_ARGUMENT,
                            "nothing to judge: give --target http://HOST:PORT, --grpc HOST:PORT or --graphpipe "
                            "http://HOST:PORT, or several of them");
    if (strcmp(options->command, "explain") == 0 && options->operands.count == 0)
        return status_error(arena, STATUS_INVALID_ARGUMENT,
                            "explain needs the ID of a case, the key of a requirement or the name of a deviation; "
                            "`oip-conformance list` has IDs and keys");
    if (strcmp(options->command, "spec-check") == 0 && options->operands.count == 0 && !options->sentence &&
        !options->units)
        return status_error(arena, STATUS_INVALID_ARGUMENT,
                            "spec-check needs the file of an edition of a document, or --sentence 'TEXT'");
    return STATUS_IS_OK;
}

/* Returns the fixtures that belong to the program: "fixtures" in the current folder, else beside the folder in which it
 * was built, else where `make install` puts them. */
static const char *default_fixtures(struct arena *arena)
{
    static const char *const beside[] = {"fixtures", "share/oip-conformance/fixtures"};
    char program[4096];
    ssize_t size =
        access("fixtures/encodings.json", F_OK) == 0 ? -1 : readlink("/proc/self/exe", program, sizeof(program) - 1);
    if (size <= 0)
        return "fixtures";
    program[size] = '\0';
    for (int up = 0; up < 2; up++) {
        char *slash = strrchr(program, '/');
        if (!slash)
            return "fixtures";
        *slash = '\0';
    }
    for (size_t i = 0; i < COUNT_OF(beside); i++) {
        const char *folder = arena_printf(arena, "%s/%s", program, beside[i]).data;
        if (folder && access(folder, F_OK) == 0)
            return folder;
    }
    return "fixtures";
}

struct status options_read(int argc, char **argv, struct arena *arena, struct options *options)
{
    *options = (struct options){.command = "",
                                .command_line = joined_command_line(argc, argv, arena),
                                .jobs = 8,
                                .seed = 1,
                                .timeout = 10,
                                .max_message = (size_t)256 << 20,
                                .fixtures = default_fixtures(arena)};
    if (argc < 2)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "no command is given; `oip-conformance --help` lists them");
    options->help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0;
    options->version = strcmp(argv[1], "--version") == 0;
    if (options->help || options->version)
        return STATUS_IS_OK;
    size_t command = 0;
    struct status status = read_command(argv[1], arena, &command);
    if (!is_ok(status))
        return status;
    options->command = commands[command].name;
    for (int i = 2; i < argc; i++) {
        if (argv[i][0] != '-') {
            if (options->operands.count == commands[command].operand_max)
                return status_error(arena, STATUS_INVALID_ARGUMENT, "%s takes no argument '%s'", options->command,
                                    str_printable(arena, str_of(argv[i])));
            values_add(&options->operands, argv[i], arena);
            continue;
        }
        struct str name = {argv[i], strcspn(argv[i], "=")};
        const char *value = argv[i][name.size] == '=' ? argv[i] + name.size + 1 : NULL;
        struct nearest nearest = {.word = name};
        const struct flag *flag = find_flag(name, commands[command].bit, &nearest);
        if (!flag)
            return status_error(arena, STATUS_INVALID_ARGUMENT, "%s has no flag %s; %s", options->command,
                                str_printable(arena, name),
                                nearest_hint(&nearest, 1, "`--help` behind the command lists them", arena).data);
        if (flag->kind == FLAG_SWITCH) {
            if (value)
                return status_error(arena, STATUS_INVALID_ARGUMENT, "%s takes no value", flag->name);
            *(bool *)((char *)options + flag->offset) = true;
            continue;
        }
        if (!value && (i + 1 == argc || strncmp(argv[i + 1], "--", 2) == 0))
            return status_error(arena, STATUS_INVALID_ARGUMENT, "%s needs a value: %s", flag->name, flag->value);
        status = read_value(flag, value ? value : argv[++i], options, arena);
        if (!is_ok(status))
            return status;
    }
    if (options->help || options->version)
        return STATUS_IS_OK;
    return check_together(options, arena);
}
