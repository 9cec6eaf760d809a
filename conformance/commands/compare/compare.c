/* `compare`: plays both targets, and tells where they are judged differently, and where they answer differently though
 * they are not. The first is played once more: what differs then is no difference between them. */
#include "commands/commands.h"
#include "commands/compare/contrast.h"
#include "commands/compare/diff.h"
#include "flags/flag.h"
#include "flags/headers.h"

#include "support/digested.h"

#include <stdio.h>

/* One target, its answers and its report. */
struct side {
    const char *addresses; /* as typed */
    struct options options;
    struct answers *answers;
    struct buf text;
    struct past_run run;
};

static struct status no_address(const char *address, struct status why, struct arena *arena)
{
    return status_invalid(arena, "'%s' is not a target that can be compared: %.*s",
                          str_printable(arena, shown_address(address, arena)), STR_ARG(why.message));
}

/* Reads the addresses of a target, which commas separate, into the options of its run. */
static struct status read_side(const struct options *options, const char *addresses, struct arena *arena,
                               struct side *side)
{
    *side = (struct side){.addresses = addresses, .options = *options, .answers = answers_new()};
    side->options.command = "run";
    side->options.files = (struct report_files){0};
    side->options.recomputed = &side->text;
    side->options.on_exchange = answers_note;
    side->options.on_exchange_context = side->answers;
    for (const char *at = addresses; *at;) {
        size_t size = strcspn(at, ",");
        const char *address = arena_copy(arena, (struct str){at, size}).data;
        struct status status = flag_set_address(address, &side->options, arena);
        if (!is_ok(status))
            return no_address(address, status, arena);
        at += size + (at[size] == ',');
    }
    return STATUS_IS_OK;
}

/* Plays the target. Returns an exit code other than EXIT_CONFORMANT if that came to no end. */
static int play(struct side *side, struct arena *arena)
{
    fprintf(stderr, "playing %s\n", str_printable(arena, str_of(side->addresses)));
    int code = command_run(&side->options);
    if (code != EXIT_CONFORMANT && code != EXIT_NOT_CONFORMANT)
        return code;
    struct status status = past_run_parse(buf_str(&side->text), side->addresses, arena, &side->run);
    return complain_of(status) ? EXIT_SUITE : EXIT_CONFORMANT;
}

/* --- Which plays are judged differently --- */

/* The verdict of a result, by its ID. */
struct verdict_of {
    struct digested id;
    struct str verdict;
};

/* Returns the plays of which a result differs: struct digested, by their IDs. */
static void *find_differing(const struct side *sides, struct arena *arena)
{
    void *verdicts = NULL, *plays = NULL;
    FOR_EACH_IN(result, tree_first(tree_member(sides[0].run.report, "results"))) {
        const struct digested id = digested_of(tree_text(result, "id"));
        struct verdict_of *first = digested_entry(&verdicts, &id, sizeof *first, arena);
        first->verdict = tree_text(result, "verdict");
    }
    FOR_EACH_IN(result, tree_first(tree_member(sides[1].run.report, "results"))) {
        struct str text = tree_text(result, "id");
        const struct digested id = digested_of(text), play = digested_of(str_before(text, '#'));
        const struct verdict_of *first = digested_find(&verdicts, &id);
        if (first && str_has(text, '#') && !str_equal(first->verdict, tree_text(result, "verdict")))
            digested_entry(&plays, &play, sizeof play, arena);
    }
    digested_free(verdicts);
    return plays;
}

static bool is_differing(const void *plays, struct str id)
{
    const struct digested key = digested_of(id);
    return digested_find(plays, &key) != NULL;
}

/* --- The command --- */

int command_compare(const struct options *options)
{
    struct arena arena = memory_arena();
    struct side sides[3];
    struct status statuses[3];
    const char *const *targets = options->operands.items;
    const char *played[] = {targets[0], targets[1], targets[0]};
    int code = EXIT_CONFORMANT;
    for (int i = 0; i < 3; i++)
        statuses[i] = read_side(options, played[i], &arena, &sides[i]);
    for (int i = 0; i < 3 && code == EXIT_CONFORMANT; i++)
        code = complain_of(statuses[i]) ? EXIT_USAGE : EXIT_CONFORMANT;
    for (int i = 0; i < 3 && code == EXIT_CONFORMANT; i++)
        code = play(&sides[i], &arena);
    if (code == EXIT_CONFORMANT) {
        void *differing = find_differing(sides, &arena);
        struct contrasts contrasts =
            answers_compare(sides[0].answers, sides[2].answers, sides[1].answers, is_differing, &differing,
                            header_secrets_of(&options->client.headers, &arena), &arena);
        code = diff_print(options, &sides[0].run, &sides[1].run, &contrasts, &arena);
        digested_free(differing);
    }
    for (int i = 0; i < 3; i++) {
        answers_free(sides[i].answers);
        buf_free(&sides[i].text);
    }
    arena_free(&arena);
    return code;
}
