/* `list`: the IDs of all assertions, in the order of the plan, one a line; what cannot be played anywhere with its
 * reason. */
#include "commands/commands.h"

#include "fixture/plan.h"
#include <stdio.h>

static void print_play(const struct play *play)
{
    if (play->disabled.size)
        return;
    if (play->not_applicable.size) {
        printf("%.*s\tnot applicable: %.*s\n", STR_ARG(play->id), STR_ARG(play->not_applicable));
        return;
    }
    for (size_t i = 0; i < play->assertion_count; i++)
        printf("%.*s\t%s\n", STR_ARG(play->assertions[i].id), level_name(play->assertions[i].requirement->level));
}

int command_list(const struct options *options)
{
    struct suite suite;
    struct plan plan;
    int code = EXIT_SUITE;
    struct status status = suite_load(options->fixtures, &suite);
    if (!is_ok(status)) {
        fprintf(stderr, "oip-conformance: %.*s\n", STR_ARG(status.message));
        suite_free(&suite);
        return code;
    }
    struct plan_target target = plan_nominal(&suite, &suite.arena);
    target.profiles = options->profiles.items;
    target.profile_count = options->profiles.count;
    target.filters = options->filters.items;
    target.filter_count = options->filters.count;
    status = plan_make(&suite, &target, &plan);
    if (is_ok(status)) {
        size_t listed = 0;
        for (size_t i = 0; i < plan.play_count; i++) {
            print_play(&plan.plays[i]);
            listed += !plan.plays[i].disabled.size;
        }
        code = listed ? EXIT_CONFORMANT : EXIT_USAGE;
        if (!listed)
            fputs("oip-conformance: no case meets the filter\n", stderr);
    } else
        fprintf(stderr, "oip-conformance: %.*s\n", STR_ARG(status.message));
    plan_free(&plan);
    suite_free(&suite);
    return code;
}
