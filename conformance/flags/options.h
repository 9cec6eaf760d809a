/* The command line of oip-conformance, as it was read.
 *
 * The folder flags/ knows the syntax of the command line. Only commands/ and targets/ may include it. */
#pragma once

#include "base/buf.h"
#include "plan/plan.h"

/* "http" and "http://127.0.0.1:8000" without a last slash; "grpc" and "127.0.0.1:8001" or "grpcs://...". */
struct option_address {
    const char *endpoint; /* its name in fixtures/encodings.json */
    struct str at;
};

struct exchange;
struct result;

/* Where reports are written; NULL: nowhere. */
struct report_files {
    const char *junit, *json, *html, *markdown, *badge, *write_waivers;
};

struct options {
    const char *command;      /* "run"; never NULL */
    struct values operands;   /* the words that are no flags: the ID of `explain` */
    const char *program;      /* as typed: "build/oip-conformance" */
    const char *command_line; /* as typed, except the program and values of --header; for reports */

    struct values words; /* of the command line, with the program, as command_line shows them */

    struct option_address addresses[ENDPOINTS_MAX]; /* those that are given */
    size_t address_count;
    struct client_options client; /* without addresses, secrets and trust */
    struct target_flags flags;
    struct selection selected;
    struct report_files files;
    struct values claims;   /* extensions */
    struct values examples; /* files */
    const char *shard;      /* "I/N", as `selected` has it, too; NULL: all */
    size_t repeat;          /* how often the plan is played */
    const char *rerun;      /* file: a report, whose failures are played again: `selected.plays` has them */
    double time_limit;      /* seconds; 0: none */
    const char *fixtures;   /* directory */
    const char *evidence;   /* directory */
    const char *record;     /* file: a tape of all exchanges */
    const char *waivers;    /* file */
    bool strict;
    bool verbose;
    bool certified;        /* as accept "certified" */
    const char *accept;    /* the lowest conclusion that is a success: "interoperable", "conformant",
                              "certified"; NULL: "conformant" */
    const char *transport; /* "must": broken MUSTs of the transport fail the run; NULL: they are only reported */
    bool all;              /* nothing is left out on the console */
    size_t min;
    size_t max_requests;     /* for shrink */
    double max_time;         /* for shrink: seconds */
    struct values after;     /* for replay: IDs */
    struct values encodings; /* for list */
    bool not_applicable;     /* for list */
    bool fix, schema;        /* for lint */
    const char *server;      /* for mutation */
    struct values listens;   /* for watch: "HOST:PORT" or "grpc=HOST:PORT" */
    const char *text, *from, *to, *what_if, *sentence, *units, *members; /* for spec-check */

    /* Not set by flags, but by commands that judge recorded exchanges again: they play `client.tape` instead of asking
     * the target. */
    const char *tape_file;  /* as the report names it */
    struct str tape_digest; /* of the tape */
    struct buf *recomputed; /* gets the JSON report, and no other is written; or NULL */
    /* For run_options; only set together with `recomputed`; or NULL. */
    void (*on_exchange)(void *context, const struct play *play, const struct exchange *exchange,
                        const struct result *results);
    void *on_exchange_context;

    bool help, version; /* one of them was asked for; nothing else was checked */
};

/* Reads the arguments. INVALID_ARGUMENT is a sentence for the user, with a hint at the nearest flag or command (the
 * program then exits with 2). All texts lie in the arena or in argv. */
struct status options_read(int argc, char **argv, struct arena *arena, struct options *options);

/* Returns the flags that decide what a case sends, to whom, and what is expected, as they are typed, each after a
 * blank; those that have their default are left out. Instead of the value of a header stands HEADER_HIDDEN. */
struct str options_decisive(const struct options *options, struct arena *arena);

/* Whether the command plays one case, which its operand names. */
bool options_play_one(const struct options *options);
