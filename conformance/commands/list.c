/* `list`: prints the IDs of all assertions in the order of the plan, each on a line with its level. A play that its
 * encoding cannot carry is listed with the reason; with --not-applicable only these are listed. */
#include "base/search.h"
#include "commands/commands.h"
#include "commands/nominal.h"
#include "support/listing.h"

#include <stdio.h>

static bool is_listed(const struct play *play, const struct options *options)
{
    bool chosen = options->encodings.count == 0 ||
                  ANY(i, options->encodings.count, str_is(play->group->encoding->name, options->encodings.items[i]));
    return chosen && !play->disabled.size && (!options->not_applicable || play->not_applicable.size);
}

static void print_play(const struct play *play)
{
    if (play->not_applicable.size) {
        printf("%.*s\tnot applicable: %.*s\n", STR_ARG(play->id), STR_ARG(play->not_applicable));
        return;
    }
    for (size_t i = 0; i < play->assertion_count; i++)
        if (!play->assertions[i].disabled.size)
            printf("%.*s\t%s\n", STR_ARG(play->assertions[i].id), level_name(play->assertions[i].requirement->level));
}

/* Checks the names given with --encoding. False after naming one that does not exist. */
static bool names_encodings(const struct options *options, const struct registry *registry, struct arena *arena)
{
    const char *unknown =
        FIRST(i, options->encodings.count, !registry_encoding(registry, str_of(options->encodings.items[i])),
              options->encodings.items[i], NULL);
    struct listing all = {.arena = arena};
    for (size_t k = 0; k < registry->encoding_count; k++)
        listing_add(&all, registry->encodings[k].name);
    if (unknown)
        complain(arena_printf(arena, "there is no encoding '%s'; there are %.*s", str_printable(arena, str_of(unknown)),
                              STR_ARG(listing_text(&all))));
    return !unknown;
}

static int list_plan(struct nominal *nominal, const struct options *options)
{
    size_t listed = 0;
    if (!names_encodings(options, &nominal->suite.registry, &nominal->plan.arena))
        return EXIT_USAGE;
    for (size_t i = 0; i < nominal->plan.play_count; i++)
        if (is_listed(&nominal->plan.plays[i], options)) {
            print_play(&nominal->plan.plays[i]);
            listed++;
        }
    if (listed)
        return EXIT_CONFORMANT;
    complain(STR("the filters leave no case"));
    return EXIT_USAGE;
}

int command_list(const struct options *options)
{
    return nominal_run(options, list_plan);
}
