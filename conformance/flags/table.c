#include "flags/table.h"

#include "base/search.h"

#define AT(member) offsetof(struct options, member)

const struct flag table_flags[] = {
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
     "print the fingerprint of a sentence, for the ledger, and the texts, sections and rows that have it"},
    {"--units", "FILE", FLAG_TEXT, SPEC_CHECK, AT(units),
     "print a text for fixtures/texts from a file with one sentence per line, and sections as '# NAME'"},
    {"--what-if", "EDITION", FLAG_TEXT, SPEC_CHECK, AT(what_if),
     "say which servers this edition would newly break or excuse; the operands are their reports (--json of a run)"},
    {"--members", "FILE", FLAG_TEXT, SPEC_CHECK, AT(members),
     "print a schema for fixtures/schemas from a .proto or OpenAPI file"},
    {"--help", NULL, FLAG_SWITCH, EVERY, AT(help), "print this text"},
    {"--version", NULL, FLAG_SWITCH, EVERY, AT(version), "print the program's version"},
};

const size_t table_flag_count = COUNT_OF(table_flags);

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

const struct command table_commands[] = {
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

const size_t table_command_count = COUNT_OF(table_commands);

const struct command *table_command(const char *name)
{
    return FIRST(i, table_command_count, strcmp(name, table_commands[i].name) == 0, &table_commands[i], NULL);
}
