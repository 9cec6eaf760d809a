/* oip-conformance: judges whether an inference server speaks the protocol. */
#include "base/search.h"
#include "commands/commands.h"
#include "commands/reports.h"
#include "flags/table.h"
#include "support/memory.h"
#include "support/version.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static const struct {
    const char *name;
    int (*run)(const struct options *options);
} commands[] = {
    {"run", command_run},           {"replay", command_replay},         {"mutation", command_mutation},
    {"list", command_list},         {"explain", command_explain},       {"lint", command_lint},
    {"coverage", command_coverage}, {"spec-check", command_spec_check}, {"diff", command_diff},
    {"matrix", command_matrix},     {"verify", command_verify},         {"rejudge", command_rejudge},
    {"merge", command_merge},       {"guide", command_guide},           {"walk", command_replay},
    {"book", command_book},         {"compare", command_compare},       {"shrink", command_shrink},
    {"watch", command_watch},
};

static int dispatch(const struct options *options, struct arena *arena)
{
    if (complain_of(reports_check(options, arena)))
        return EXIT_USAGE;
    for (size_t i = 0; i < COUNT_OF(commands); i++)
        if (strcmp(commands[i].name, options->command) == 0)
            return commands[i].run(options);
    return EXIT_USAGE;
}

/* Whether everything was written that was printed. A reader of the beginning alone, such as `head`, is told nothing. */
static bool is_written(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO};
    if (fflush(stdout) == 0 && !ferror(stdout))
        return true;
    if (poll(&out, 1, 0) <= 0 || !(out.revents & POLLERR))
        complain(STR("standard output cannot be written"));
    return false;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN); /* writing says so */
    memory_guard();
    struct arena arena = memory_arena();
    struct options options;
    struct status status = options_read(argc, argv, &arena, &options);
    int code = EXIT_CONFORMANT;
    if (!is_ok(status)) {
        complain(status.message);
        code = EXIT_USAGE;
    } else if (options.version) {
        printf("oip-conformance " PROGRAM_VERSION "\n");
    } else if (options.help) {
        printf("%s", help_of(options.command, &arena).data);
    } else {
        code = dispatch(&options, &arena);
    }
    arena_free(&arena);
    if (!is_written() && code == EXIT_CONFORMANT)
        code = EXIT_SUITE;
    return code;
}
