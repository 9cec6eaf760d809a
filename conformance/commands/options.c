#include "commands/flag.h"

#include "base/count.h"
#include "base/search.h"
#include "commands/reports.h"
#include "commands/shown.h"
#include "support/inside.h"
#include "support/nearest.h"
#include "support/secrets.h"
#include "support/shell.h"
#include "support/wrap.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define JOBS_MAX    256
#define SHARDS_MAX  1000
#define ROUNDS_MAX  1000
#define HELP_COLUMN 26 /* where --help begins to say what a flag is for */

/* A bit for each command. Flags with the bit DECISIVE decide what a case sends, to whom, and what is expected: commands
 * in reports have them. */
enum {
    RUN = 1 << 0,
    MUTATION = 1 << 1,
    LIST = 1 << 2,
    EXPLAIN = 1 << 3,
    LINT = 1 << 4,
    COVERAGE = 1 << 5,
    SPEC_CHECK = 1 << 6,
    REPLAY = 1 << 7,
    DIFF = 1 << 8,
    MATRIX = 1 << 9,
    VERIFY = 1 << 10,
    REJUDGE = 1 << 11,
    MERGE = 1 << 12,
    GUIDE = 1 << 13,
    WALK = 1 << 14,
    BOOK = 1 << 15,
    COMPARE = 1 << 16,
    SHRINK = 1 << 17,
    WATCH = 1 << 18,
    DECISIVE = 1 << 19
};

#define TIME_LIMIT 3600 /* seconds of a run */
#define AT(member) offsetof(struct options, member)
#define EVERY      (DECISIVE - 1)
#define PLAYING    (REPLAY | WALK)
#define ONE_CASE   (PLAYING | SHRINK)
#define ONE_TARGET (RUN | MUTATION | ONE_CASE)
#define ASKING     (ONE_TARGET | COMPARE)
#define DECIDING   (ASKING | DECISIVE)
#define CHOOSING   (RUN | MUTATION | LIST | COMPARE)

static const struct flag flags[] = {
    {"--target", "URL", FLAG_URL, ONE_TARGET | WATCH | DECISIVE, 0,
     "the address of the server's REST side, http://HOST:PORT or https://HOST:PORT, with a path if it has one"},
    {"--grpc", "HOST:PORT", FLAG_ADDRESS, ONE_TARGET | WATCH | DECISIVE, 0,
     "the address of the server's gRPC side; grpcs://HOST:PORT over TLS"},
    {"--graphpipe", "URL", FLAG_URL, ONE_TARGET | WATCH | DECISIVE, 0,
     "the address of the server's GraphPipe side, http://HOST:PORT"},
    {"--listen", "WHERE", FLAG_EACH, WATCH, AT(listens),
     "the HOST:PORT at which clients reach the first server address of this command; http=HOST:PORT, grpc=HOST:PORT or "
     "graphpipe=HOST:PORT for a particular one (127.0.0.1 and any free port, which is printed)"},
    {"--metrics", "URL", FLAG_URL, ONE_TARGET | DECISIVE, 0,
     "the address of the server's metrics, http://HOST:PORT; the path is /metrics"},
    {"--profile", "P,..", FLAG_LIST, CHOOSING | ONE_CASE | DECISIVE, AT(selected.profiles),
     "judge only these profiles (fixtures/encodings.json lists all)"},
    {"--claim", "NAME,..", FLAG_LIST, DECIDING, AT(claims),
     "the target has these extensions although its metadata does not say so; rest:NAME or grpc:NAME for one transport"},
    {"--edition", "NAME", FLAG_TEXT, DECIDING, AT(flags.edition),
     "judge by this edition of the documents: 000, or OIP, the Open Inference Protocol of 2025 (the one that fits the "
     "target's answers)"},
    {"--model", "NAME|GLOB", FLAG_EACH, DECIDING, AT(flags.models),
     "probe this model of the target too, even if it has no metadata; a glob such as 'en-*' matches models that the "
     "target lists (may be repeated)"},
    {"--models-max", "N", FLAG_COUNT, DECIDING, AT(flags.models_max),
     "probe at most N of the models that the target lists, not counting those named in full (16)"},
    {"--example", "FILE", FLAG_EACH, DECIDING, AT(examples),
     "a valid request for a model: the body of an inference, with {\"model\": NAME} unless one --model is given; it "
     "may have the {\"answer\": ...} too (may be repeated)"},
    {"--seed", "N", FLAG_COUNT, DECIDING, AT(flags.seed), "seed of the random data in requests made from metadata (1)"},
    {"--map", "KIT=THEIRS", FLAG_PAIR, DECIDING, AT(flags.map),
     "the target's model THEIRS does what the kit's model KIT does (may be repeated)"},
    {"--state", "NAME=URL", FLAG_STATE, ONE_TARGET | DECISIVE, AT(flags.states),
     "the address of a server in this state (`explain NAME` describes it): http://HOST:PORT, grpc://HOST:PORT or "
     "graphpipe://HOST:PORT; over TLS https, grpcs or graphpipes (may be repeated)"},
    {"--filter", "GLOB", FLAG_EACH, CHOOSING, AT(selected.filters),
     "play only cases whose ID or key matches (may be repeated)"},
    {"--skip", "GLOB", FLAG_EACH, CHOOSING, AT(selected.skips),
     "leave out what matches: cases by ID, assertions by ID or key, such as 'http.*' (may be repeated)"},
    {"--shard", "I/N", FLAG_TEXT, RUN | LIST, AT(shard),
     "play only the I-th of N parts of the cases, so that several machines can judge one server; 0/N is the last part"},
    {"--repeat", "N", FLAG_COUNT, RUN, AT(repeat),
     "play everything N times; the worst verdict of each assertion counts, and assertions whose verdicts differ are "
     "listed (1)"},
    {"--rerun", "REPORT", FLAG_TEXT, RUN, AT(rerun),
     "play only the cases that failed or warned in this report (--json of an earlier run)"},
    {"--jobs", "N", FLAG_COUNT, ASKING, AT(flags.jobs), "number of exchanges at the same time (8)"},
    {"--timeout", "S", FLAG_SECONDS, DECIDING, AT(client.timeout), "seconds that one exchange may take (10)"},
    {"--load-timeout", "S", FLAG_SECONDS, DECIDING, AT(flags.load_timeout),
     "seconds that loading or unloading a model may take (120)"},
    {"--time-limit", "S", FLAG_SECONDS, RUN | ONE_CASE | COMPARE, AT(time_limit),
     "seconds that the run may take; then it ends with a report and exit code 124 (3600)"},
    {"--wait", "S", FLAG_SECONDS, ASKING, AT(flags.wait),
     "wait up to S seconds until the target says that it is ready (0)"},
    {"--max-message", "BYTES", FLAG_COUNT, DECIDING, AT(client.max_message),
     "largest answer that is read if a case asks for a large one (256 MiB)"},
    {"--header", "'K: V'", FLAG_HEADER, DECIDING, AT(client.headers),
     "send this header with every request, over gRPC as metadata; reports show only its name. 'K: $VARIABLE' and @FILE "
     "(one header per line) keep its value out of the list of processes (may be repeated)"},
    {"--server", "'COMMAND'", FLAG_TEXT, MUTATION, AT(server),
     "the command that starts a server; `--deviate NAME` is appended, for deviations that need a process of their own"},
    {"--ca", "FILE", FLAG_TEXT, DECIDING, AT(client.ca),
     "certificates of the authorities to trust (those of the system)"},
    {"--insecure", NULL, FLAG_SWITCH, DECIDING, AT(client.insecure),
     "do not check the server's certificate; the report says so"},
    {"--cert", "FILE", FLAG_TEXT, DECIDING, AT(client.cert), "certificate of this client"},
    {"--key", "FILE", FLAG_TEXT, DECIDING, AT(client.key), "private key of that certificate"},
    {"--junit", "FILE", FLAG_TEXT, RUN | MERGE, AT(files.junit), "write a JUnit report; - is standard output"},
    {"--json", "FILE", FLAG_TEXT, RUN | SPEC_CHECK | DIFF | COMPARE | REJUDGE | MERGE | WATCH, AT(files.json),
     "write a JSON report; - is standard output"},
    {"--html", "FILE", FLAG_TEXT, RUN | MATRIX | MERGE | BOOK, AT(files.html),
     "write the report, or the book, as one HTML page; - is standard output"},
    {"--markdown", "FILE", FLAG_TEXT, RUN | SPEC_CHECK | DIFF | COMPARE | MATRIX | REJUDGE | MERGE | BOOK,
     AT(files.markdown),
     "write a short summary in markdown, for the page of a CI job, or the book; - is standard output"},
    {"--badge", "FILE", FLAG_TEXT, RUN | MERGE, AT(files.badge),
     "write a badge (SVG) with the conclusion and the number of MUST requirements that hold; - is standard output"},
    {"--evidence", "DIR", FLAG_TEXT, RUN, AT(evidence),
     "folder for bodies that do not fit on a command line; each run has its own subfolder (reports/evidence)"},
    {"--record", "FILE", FLAG_TEXT, RUN, AT(record),
     "write every exchange to a tape, without secrets; `verify` and `rejudge` judge it again"},
    {"--tape", "FILE", FLAG_TEXT, VERIFY | REJUDGE, AT(tape_file),
     "the tape that --record wrote (the file that the report names, beside the report)"},
    {"--verbose", NULL, FLAG_SWITCH, RUN, AT(verbose), "print every exchange: what is sent and what is received"},
    {"--strict", NULL, FLAG_SWITCH, RUN | ONE_CASE | DIFF | COMPARE | REJUDGE | DECISIVE, AT(strict),
     "a broken SHOULD counts as a failure"},
    {"--accept", "CONCLUSION", FLAG_TEXT, RUN, AT(accept),
     "the lowest conclusion that gives exit code 0: interoperable, conformant or certified (conformant)"},
    {"--certified", NULL, FLAG_SWITCH, RUN, AT(certified), "the same as --accept certified"},
    {"--transport", "must", FLAG_TEXT, RUN, AT(transport),
     "a broken MUST of HTTP, HTTP/2, gRPC, JSON or proto3 also fails the run"},
    {"--all", NULL, FLAG_SWITCH, RUN | EXPLAIN | GUIDE | SPEC_CHECK | MERGE, AT(all),
     "print everything; for a run also transport findings, warnings, reasons and open requirements"},
    {"--waivers", "FILE", FLAG_TEXT, RUN | MERGE, AT(waivers),
     "a file of known failures, which are excused for a while (docs/waivers.md)"},
    {"--write-waivers", "FILE", FLAG_TEXT, RUN | MERGE, AT(files.write_waivers),
     "write a waiver for each requirement that fails; - is standard output"},
    {"--min", "N", FLAG_COUNT, RUN, AT(min), "exit with code 6 if fewer than N assertions were judged"},
    {"--after", "ID", FLAG_EACH, PLAYING, AT(after),
     "first send the requests of this case, over the same connections (may be repeated)"},
    {"--max-requests", "N", FLAG_COUNT, SHRINK, AT(max_requests), "try at most N requests (500)"},
    {"--max-time", "S", FLAG_SECONDS, SHRINK, AT(max_time), "try smaller requests for at most S seconds (60)"},
    {"--allow-mutation", NULL, FLAG_SWITCH, DECIDING, AT(flags.allow_mutation),
     "also play cases that load and unload models; they are restored afterwards"},
    {"--fixtures", "DIR", FLAG_TEXT, EVERY | DECISIVE, AT(fixtures),
     "the folder of the fixtures; `program:` means those inside the program (the folder fixtures here or next to the "
     "program, else program:)"},
    {"--encoding", "E,..", FLAG_LIST, LIST, AT(encodings),
     "list only these encodings (rest-flat, grpc-raw, http, ...)"},
    {"--not-applicable", NULL, FLAG_SWITCH, LIST, AT(not_applicable),
     "list only what no encoding can carry, with the reason"},
    {"--fix", NULL, FLAG_SWITCH, LINT, AT(fix), "format every file before it is checked"},
    {"--schema", NULL, FLAG_SWITCH, LINT, AT(schema), "print the JSON Schema of the fixtures and check nothing"},
    {"--text", "NAME", FLAG_TEXT, SPEC_CHECK, AT(text),
     "the text of documents.json that this is an edition of, such as 000 (the one that shares its words)"},
    {"--from", "EDITION", FLAG_TEXT, SPEC_CHECK, AT(from),
     "an earlier edition; only changes since then are reported: a file, a folder, or a commit of the repository that "
     "contains the operands"},
    {"--to", "COMMIT", FLAG_TEXT, SPEC_CHECK, AT(to),
     "read the operands, which are folders, as they were in this commit"},
    {"--sentence", "'TEXT'", FLAG_TEXT, SPEC_CHECK, AT(sentence),
     "print the fingerprint of a sentence, for the ledger"},
    {"--units", "FILE", FLAG_TEXT, SPEC_CHECK, AT(units),
     "print a text for fixtures/texts from a file with one sentence per line, and sections as '# NAME'"},
    {"--what-if", "EDITION", FLAG_TEXT, SPEC_CHECK, AT(what_if),
     "say which servers this edition would newly break or excuse; the operands are their reports (--json of a run)"},
    {"--members", "FILE", FLAG_TEXT, SPEC_CHECK, AT(members),
     "print a schema for fixtures/schemas from a .proto or OpenAPI file"},
    {"--help", NULL, FLAG_SWITCH, EVERY, AT(help), "print this text"},
    {"--version", NULL, FLAG_SWITCH, EVERY, AT(version), "print the program's version"},
};

struct command {
    const char *name, *operands, *says;
    unsigned bit;
    size_t operand_max;
    const char *exit_codes; /* what its help says of them; NULL: nothing */
};

#define RUN_CODES                                                                                                      \
    "Exit codes: 0 conformant (or what --accept names); 1 a MUST of the documents failed (with --transport must, "     \
    "also of the transport), or the conclusion is below --accept; 2 usage, or no usable model; 3 target unreachable "  \
    "or unresponsive; 4 the suite itself failed, or something could not be written; 5 a waiver is stale, expired or "  \
    "too broad; 6 fewer assertions than --min were judged; 124 --time-limit was reached; 130 interrupted."
#define REPLAY_CODES                                                                                                   \
    "Exit codes: 0 what was judged holds; 1 a MUST, or the KEY that was named, does not hold; 2 usage, or nothing "    \
    "could be judged; 3 target unreachable; 4 the suite itself failed; 124 --time-limit was reached; 130 "             \
    "interrupted."

#define SHRINK_CODES                                                                                                   \
    "Exit codes: 0 the case holds, so there is nothing to make smaller; 1 it fails, and the smallest request is "      \
    "shown; 2 usage, or the case was not judged; 3 target unreachable; 4 the suite itself failed; 124 --time-limit "   \
    "was reached; 130 interrupted."

#define SPEC_CODES                                                                                                     \
    "All operands together are one edition. Exit codes: 0 nothing changed; 1 something did; 2 usage, or no edition "   \
    "of a text that the ledger knows; 4 the suite itself failed, or something could not be written."

#define MATRIX_CODES "Exit codes: 0 the page was written; 2 usage, or no report; 4 something could not be written."
#define DIFF_CODES                                                                                                     \
    "Exit codes: 0 no MUST is newly broken (with --strict: no SHOULD either); 1 at least one is; 2 usage, or no "      \
    "report; 4 something could not be written."

#define COMPARE_CODES                                                                                                  \
    "Exit codes: 0 the second target breaks no MUST that the first one meets (with --strict: no SHOULD either); 1 "    \
    "it does; 2 usage, or nothing could be judged; 3 a target unreachable; 4 the suite itself failed, or something "   \
    "could not be written; 124 --time-limit was reached; 130 interrupted."

#define VERIFY_CODES                                                                                                   \
    "Exit codes: 0 the report agrees with its exchanges; 1 it does not; 2 usage, no report with a tape, or one of "    \
    "another suite; 4 the suite itself failed."

#define WATCH_CODES                                                                                                    \
    "It runs until Ctrl-C or SIGTERM. It does not speak TLS: put it behind the proxy that terminates TLS. Exit "       \
    "codes: 0 neither client nor server broke a MUST; 1 one did; 2 usage, or a port is not available; 3 target "       \
    "unreachable; 4 the suite itself failed, or the report could not be written."

static const struct command commands[] = {
    {"run", "--target URL, --grpc HOST:PORT and/or --graphpipe URL", "judge a server", RUN, 0, RUN_CODES},
    {"mutation", "--target URL, --grpc HOST:PORT and/or --graphpipe URL",
     "check whether the suite notices each deviation of the reference server", MUTATION, 0, NULL},
    {"list", "", "list every assertion that a run would judge", LIST, 0, NULL},
    {"replay", "ID[#KEY] --target URL, --grpc HOST:PORT ...",
     "play one case as a run does, and show what is sent and what is received", REPLAY, 1, REPLAY_CODES},
    {"shrink", "ID[#KEY] --target URL, --grpc HOST:PORT ...", "find the smallest request that fails like this case",
     SHRINK, 1, SHRINK_CODES},
    {"explain", "NAME", "explain a requirement, a case, a deviation, a model or a state of a server", EXPLAIN, 1, NULL},
    {"guide", "[PROFILE]", "show how to build a server, endpoint by endpoint, with correct exchanges", GUIDE, 1, NULL},
    {"walk", "ID[#KEY] --target URL, --grpc HOST:PORT ...",
     "play one case step by step, with each request, answer and expectation", WALK, 1, REPLAY_CODES},
    {"book", "[--markdown FILE] [--html FILE]", "write all guides, requirements and cases as one document", BOOK, 0,
     NULL},
    {"lint", "", "check the fixtures against the rules of fixtures/README.md", LINT, 0, NULL},
    {"coverage", "", "list the requirements, with their cases and deviations", COVERAGE, 0, NULL},
    {"diff", "OLD NEW", "show what changed between two runs, from their reports (--json)", DIFF, 2, DIFF_CODES},
    {"compare", "URL[,URL...] URL[,URL...]",
     "play two targets (http://..., grpc://...), and show how their answers differ", COMPARE, 2, COMPARE_CODES},
    {"matrix", "REPORT...", "show how several servers meet each requirement, from their reports", MATRIX, SIZE_MAX,
     MATRIX_CODES},
    {"verify", "REPORT", "check a report: judge its tape (--record) again, without the server", VERIFY, 1,
     VERIFY_CODES},
    {"rejudge", "REPORT", "judge an old tape with this version of the suite, and show what changed", REJUDGE, 1,
     DIFF_CODES},
    {"merge", "REPORT...|TAPE", "make one report from all parts of a run (--shard), or from a tape", MERGE, SIZE_MAX,
     RUN_CODES},
    {"watch", "--target URL, --grpc HOST:PORT and/or --graphpipe URL",
     "pass traffic between clients and a server, and judge both (docs/watching.md)", WATCH, 0, WATCH_CODES},
    {"spec-check", "FILE|FOLDER...", "show what changed in an edition of a document, and which rows this affects",
     SPEC_CHECK, SIZE_MAX, SPEC_CODES},
};

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
    const char *exit_codes = RUN_CODES;
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (command && str_is(str_of(commands[i].name), command)) {
            bit = commands[i].bit;
            exit_codes = commands[i].exit_codes;
            const char *operands = commands[i].operands;
            buf_printf(&out, "oip-conformance %s%s%s\n  %s\n\n", command, *operands ? " " : "", operands,
                       commands[i].says);
        }
    if (bit == 0) {
        buf_printf(&out, "oip-conformance COMMAND [FLAGS]\n  judges whether an inference server implements the Open "
                         "Inference Protocol\n\n");
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
    if (exit_codes) {
        buf_append_byte(&out, '\n');
        append_wrapped(&out, str_of(exit_codes), 0);
        buf_append_byte(&out, '\n');
    }
    return arena_take(arena, &out);
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

static const char *joined_command_line(int argc, char **argv, struct arena *arena)
{
    struct buf line = {0};
    buf_append_str(&line, STR("oip-conformance"));
    for (int i = 1; i < argc; i++) {
        struct str word = shown_word(argv[i - 1], argv[i], arena);
        buf_append_byte(&line, ' ');
        shell_word(word, &line);
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

bool options_play_one(const struct options *options)
{
    return FIRST(i, COUNT_OF(commands), strcmp(options->command, commands[i].name) == 0, commands[i].bit & ONE_CASE, 0);
}

/* Reads --shard: the number of the part, from 1, and of all parts. Returns whether it is one, or not given. */
static bool read_shard(const char *text, struct selection *selected)
{
    char *end;
    if (!text)
        return true;
    bool are_digits = strspn(text, "0123456789/") == strlen(text) && *text != '/';
    size_t shard = strtoul(text, &end, 10);
    if (!are_digits || *end != '/')
        return false;
    selected->shards = strtoul(end + 1, &end, 10);
    selected->shard = shard ? shard : selected->shards; /* for those who count from 0 */
    return *end == '\0' && selected->shard >= 1 && selected->shard <= selected->shards &&
           selected->shards <= SHARDS_MAX;
}

/* Returns what is wrong with the flags of the command that none of them can tell alone; NULL: nothing. */
static const char *fault_together(struct options *options, unsigned command)
{
    static const char *const conclusions[] = {"interoperable", "conformant", "certified"};
    const char *accept = options->accept;
    size_t operands = options->operands.count;
    bool is_conclusion = !accept || ANY(i, COUNT_OF(conclusions), strcmp(accept, conclusions[i]) == 0);
    bool gives_text = options->sentence || options->units || options->members;
    const struct {
        bool is_broken;
        const char *says;
    } rules[] = {
        {options->flags.jobs == 0 || options->flags.jobs > JOBS_MAX, "--jobs needs a number from 1 to 256"},
        {!options->client.cert != !options->client.key, "--cert and --key must be given together"},
        {options->client.insecure && options->client.ca, "--ca and --insecure cannot be combined"},
        {options->repeat == 0 || options->repeat > ROUNDS_MAX, "--repeat needs a number from 1 to 1000"},
        {options->client.max_message == 0, "--max-message needs a number of bytes above 0"},
        {command & (ONE_TARGET | WATCH) && options->address_count == 0,
         "no server to judge: give --target http://HOST:PORT, --grpc HOST:PORT, --graphpipe http://HOST:PORT, or "
         "several of them"},
        {!is_conclusion, "--accept needs interoperable, conformant or certified"},
        {options->certified && accept && strcmp(accept, "certified") != 0,
         "--certified and --accept name different conclusions"},
        {options->transport && strcmp(options->transport, "must") != 0, "--transport needs the word must"},
        {command == EXPLAIN && operands == 0,
         "explain needs the ID of a case, the key of a requirement or the name of a deviation; "
         "`oip-conformance list` shows IDs and keys"},
        {command & ONE_CASE && operands == 0,
         "replay, walk and shrink need the ID of a case, which a report or `oip-conformance list` shows"},
        {options->rerun && options->selected.filters.count,
         "--rerun and --filter cannot be combined, because both choose the cases"},
        {command == MATRIX && operands == 0, "matrix needs at least one report that a run wrote with --json"},
        {command & (VERIFY | REJUDGE | MERGE) && operands == 0,
         "verify, rejudge and merge need reports of runs that had --json and --record"},
        {!read_shard(options->shard, &options->selected),
         "--shard needs I/N, the I-th of N parts, such as 1/4; N is at most 1000"},
        {command == DIFF && operands != 2, "diff needs two reports, OLD and NEW, that runs wrote with --json"},
        {command == COMPARE && operands != 2,
         "compare needs two targets, such as http://HOST:PORT,grpc://HOST:PORT http://HOST:PORT"},
        {command == SPEC_CHECK && operands == 0 && !gives_text,
         "spec-check needs the file of an edition of a document, or --sentence 'TEXT'"},
    };
    return FIRST(i, COUNT_OF(rules), rules[i].is_broken, rules[i].says, NULL);
}

static struct status check_together(struct options *options, unsigned command, struct arena *arena)
{
    const char *fault = fault_together(options, command);
    if (fault)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "%s", fault);
    struct status status = reports_check(options, arena);
    if (is_ok(status))
        status = check_readable("--ca", options->client.ca, arena);
    if (is_ok(status))
        status = check_readable("--cert", options->client.cert, arena);
    if (is_ok(status))
        status = check_readable("--key", options->client.key, arena);
    return status;
}

/* Returns the fixtures that are used unless others are named: "fixtures" in the current folder, else beside the folder
 * in which the program lies, else where `make install` puts them, else those inside the program. */
static const char *default_fixtures(struct arena *arena)
{
    char program[4096];
    ssize_t size = readlink("/proc/self/exe", program, sizeof(program));
    for (int up = 0; up < 2; up++)
        while (size > 0 && program[--size] != '/') {
        }
    const char *beside = arena_printf(arena, "%.*s", size > 0 ? (int)size : 0, program).data;
    const char *const places[] = {"fixtures", arena_printf(arena, "%s/fixtures", beside).data,
                                  arena_printf(arena, "%s/share/oip-conformance/fixtures", beside).data};
    return FIRST(i, COUNT_OF(places), access(arena_printf(arena, "%s/encodings.json", places[i]).data, F_OK) == 0,
                 places[i], INSIDE);
}

/* --- Reading --- */

/* The words of the command line that are still to be read. */
struct command_line {
    char **next, **end;
    const struct command *command;
    struct options *options;
    struct arena *arena;
};

static struct status read_command(struct command_line *reading)
{
    struct str name = str_of(*reading->next++);
    struct nearest nearest = {.word = name};
    for (size_t i = 0; i < COUNT_OF(commands); i++) {
        if (str_is(name, commands[i].name)) {
            reading->command = &commands[i];
            reading->options->command = commands[i].name;
            reading->options->time_limit = commands[i].bit & (RUN | REPLAY | COMPARE | SHRINK) ? TIME_LIMIT : 0;
            return STATUS_IS_OK;
        }
        nearest_try(&nearest, str_of(commands[i].name));
    }
    return status_error(reading->arena, STATUS_INVALID_ARGUMENT, "there is no command '%s'; %s",
                        str_printable(reading->arena, name),
                        nearest_hint(&nearest, 1, "`oip-conformance --help` lists the commands", reading->arena).data);
}

/* Whether a word that is no flag may be a header without its flag, or a part of one that was not quoted. */
static bool may_be_of_header(const struct command_line *reading, const char *word)
{
    return reading->options->client.headers.count || strstr(word, ": ");
}

static struct status read_operand(struct command_line *reading)
{
    struct values *operands = &reading->options->operands;
    const char *operand = *reading->next++;
    bool is_many = operands->count == reading->command->operand_max;
    if (is_many && may_be_of_header(reading, operand))
        return status_error(reading->arena, STATUS_INVALID_ARGUMENT,
                            "%s does not take the argument '" SECRET_HIDDEN
                            "'; put quotes around a header: --header 'NAME: VALUE'",
                            reading->command->name);
    if (is_many)
        return status_error(reading->arena, STATUS_INVALID_ARGUMENT, "%s does not take the argument '%s'",
                            reading->command->name,
                            str_printable(reading->arena, shown_word("", operand, reading->arena)));
    values_add(operands, operand, reading->arena);
    return STATUS_IS_OK;
}

/* Returns the name of a flag that is not known as far as it can be one. The rest may be a secret, and so may a word
 * with one dash behind a header that was not quoted. */
static const char *shown_name(const struct command_line *reading, struct str name)
{
    size_t size = 0;
    if (!str_starts(name, STR("--")) && may_be_of_header(reading, name.data))
        return SECRET_HIDDEN;
    while (size < name.size && (isalnum((unsigned char)name.data[size]) || strchr("-_", name.data[size])))
        size++;
    return arena_printf(reading->arena, "%.*s%s", (int)size, name.data, size < name.size ? SECRET_HIDDEN : "").data;
}

/* Reads a flag and its value, which stands behind "=" or is the next word. */
static struct status read_flag(struct command_line *reading)
{
    const char *word = *reading->next++;
    struct str name = {word, strcspn(word, "=")};
    const char *value = word[name.size] == '=' ? word + name.size + 1 : NULL;
    struct nearest nearest = {.word = name};
    const struct flag *flag = find_flag(name, reading->command->bit, &nearest);
    if (!flag)
        return status_error(
            reading->arena, STATUS_INVALID_ARGUMENT, "%s has no flag %s; %s", reading->command->name,
            shown_name(reading, name),
            nearest_hint(&nearest, 1, "`--help` after the command lists its flags", reading->arena).data);
    if (!flag->value && value)
        return status_error(reading->arena, STATUS_INVALID_ARGUMENT, "%s takes no value", flag->name);
    if (flag->value && !value) {
        if (reading->next == reading->end || strncmp(*reading->next, "--", 2) == 0)
            return status_error(reading->arena, STATUS_INVALID_ARGUMENT, "%s needs a value: %s", flag->name,
                                flag->value);
        value = *reading->next++;
    }
    return flag_set(flag, value, reading->options, reading->arena);
}

/* Returns the options of a command without flags. */
static struct options defaults(struct arena *arena)
{
    return (struct options){.command = "",
                            .flags.jobs = 8,
                            .flags.models_max = 16,
                            .flags.seed = 1,
                            .repeat = 1,
                            .max_requests = 500,
                            .max_time = 60,
                            .client.timeout = 10,
                            .flags.load_timeout = 120,
                            .client.max_message = (size_t)256 << 20,
                            .fixtures = default_fixtures(arena)};
}

struct status options_read(int argc, char **argv, struct arena *arena, struct options *options)
{
    *options = defaults(arena);
    options->program = argc > 0 ? argv[0] : "oip-conformance";
    options->command_line = joined_command_line(argc, argv, arena);
    for (int i = 0; i < argc; i++)
        values_add(&options->words, shown_word(i ? argv[i - 1] : "", argv[i], arena).data, arena);
    if (argc < 2)
        return status_error(arena, STATUS_INVALID_ARGUMENT,
                            "no command was given; `oip-conformance --help` lists the commands");
    options->help = strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "help") == 0;
    options->version = strcmp(argv[1], "--version") == 0;
    if (options->help || options->version)
        return STATUS_IS_OK;
    struct command_line reading = {.next = argv + 1, .end = argv + argc, .options = options, .arena = arena};
    struct status status = read_command(&reading);
    while (is_ok(status) && reading.next < reading.end)
        status = **reading.next == '-' ? read_flag(&reading) : read_operand(&reading);
    if (!is_ok(status) || options->help || options->version)
        return status;
    return check_together(options, reading.command->bit, arena);
}

struct str options_decisive(const struct options *options, struct arena *arena)
{
    struct buf out = {0};
    const struct options without = defaults(arena);
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (flags[i].commands & DECISIVE)
            flag_write(&flags[i], options, &without, &out);
    return arena_take(arena, &out);
}
