/* oip-conformance: judges whether an inference server speaks the protocol. */
#include "commands/commands.h"
#include "support/memory.h"
#include "support/version.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *name;
    int (*run)(const struct options *options);
} commands[] = {
    {"run", command_run},
    {"mutation", command_mutation},
    {"list", command_list},
    {"explain", command_explain},
    {"lint", command_lint},
    {"coverage", command_coverage},
    {"spec-check", command_spec_check},
};

static int dispatch(const struct options *options)
{
    for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
        if (strcmp(commands[i].name, options->command) == 0)
            return commands[i].run(options);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
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
        printf("%s", options_help(options.command, &arena).data);
    } else {
        code = dispatch(&options);
    }
    arena_free(&arena);
    return code;
}
