/* `list`: the IDs of all assertions, in the order of the plan, one a line with its level. What an encoding cannot carry
 * is listed with the reason, by itself with --not-applicable. */
#include "commands/nominal.h"

#include <stdio.h>

static bool is_listed(const struct play *play, const struct options *options)
{
    bool chosen = options->encodings.count == 0;
    for (size_t i = 0; i < options->encodings.count && !chosen; i++)
        chosen = strcmp(options->encodings.items[i], encoding_name(play->group->encoding)) == 0;
    return chosen && !play->disabled.size && (!options->not_applicable || play->not_applicable.size);
}

static void print_play(const struct play *play)
{
    if (play->not_applicable.size) {
        printf("%.*s\tnot applicable: %.*s\n", STR_ARG(play->id), STR_ARG(play->not_applicable));
        return;
    }
    for (size_t i = 0; i < play->assertion_count; i++)
        printf("%.*s\t%s\n", STR_ARG(play->assertions[i].id), level_name(play->assertions[i].requirement->level));
}

/* The first name of --encoding that is none; NULL if all are. */
static const char *unknown_encoding(const struct options *options)
{
    enum encoding encoding;
    for (size_t i = 0; i < options->encodings.count; i++)
        if (!encoding_from_name(str_of(options->encodings.items[i]), &encoding))
            return options->encodings.items[i];
    return NULL;
}

int command_list(const struct options *options)
{
    const char *unknown = unknown_encoding(options);
    if (unknown) {
        fprintf(stderr, "oip-conformance: there is no encoding '%s'; there are", unknown);
        for (enum encoding encoding = 0; encoding < ENCODING_COUNT; encoding++)
            fprintf(stderr, " %s", encoding_name(encoding));
        fputs("\n", stderr);
        return EXIT_USAGE;
    }
    struct nominal nominal;
    int code = EXIT_SUITE;
    if (nominal_open(options, &nominal)) {
        size_t listed = 0;
        for (size_t i = 0; i < nominal.plan.play_count; i++)
            if (is_listed(&nominal.plan.plays[i], options)) {
                print_play(&nominal.plan.plays[i]);
                listed++;
            }
        code = listed ? EXIT_CONFORMANT : EXIT_USAGE;
        if (!listed)
            fputs("oip-conformance: no case is left by the filters given\n", stderr);
    }
    nominal_close(&nominal);
    return code;
}
