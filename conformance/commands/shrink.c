/* `shrink`: the smallest request that fails as a case did, and the nearest that does not, for a report of a bug. */
#include "commands/commands.h"
#include "commands/places.h"
#include "targets/interruption.h"
#include "targets/replay_id.h"
#include "targets/target.h"

#include "judge/shrink.h"
#include "judge/transcript.h"
#include "support/printable.h"

#include <stdio.h>

#define SHOWN 200 /* bytes of a value */

struct printing {
    const struct target *target;
    struct arena *arena;
    struct buf out;
};

static void append_text(struct printing *printing, const char *before, struct str text)
{
    buf_append_str(&printing->out, str_of(before));
    append_printable(&printing->out, secrets_hide(printing->target->client.secrets, text, printing->arena), 2000);
    buf_append_byte(&printing->out, '\n');
}

static void append_place(void *context, struct str place, const struct tree *failing, const struct tree *passing)
{
    struct printing *printing = context;
    buf_append_literal(&printing->out, "  ");
    append_printable(&printing->out, place, SHOWN);
    buf_append_literal(&printing->out, "\n    fails with   ");
    places_append_value(&printing->out, failing, SHOWN);
    buf_append_literal(&printing->out, "\n    passes with  ");
    places_append_value(&printing->out, passing, SHOWN);
    buf_append_byte(&printing->out, '\n');
}

static void append_tried(struct printing *printing, const struct tried *tried)
{
    transcript_append(&printing->target->client, &tried->play, &tried->exchange, printing->arena, &printing->out);
}

static void append_all(struct printing *printing, const struct shrunk *shrunk)
{
    struct buf *out = &printing->out;
    buf_printf(out, "The smallest request that fails so, of %zu bytes from %zu%s:\n", shrunk->after, shrunk->before,
               shrunk->is_smallest ? "" : ", within the limits of requests and time");
    append_tried(printing, &shrunk->failing);
    append_text(printing, "\nFAIL ", shrunk->failing.result.assertion->id);
    append_text(printing, "  because   ", shrunk->failing.result.why);
    if (!shrunk->passing.play.act) {
        buf_append_literal(out, "\nNo similar request was found that passes.\n");
        return;
    }
    buf_append_literal(out, "\nThe nearest request that passes:\n");
    append_tried(printing, &shrunk->passing);
    buf_append_literal(out, "\nThey differ in\n");
    places_compare(shrunk->failing.play.act, shrunk->passing.play.act, append_place, printing, printing->arena);
}

/* Returns the play of the ID, if it is one whose request can be made smaller; else the sentence says why not. */
static const struct play *find_play(const struct target *target, const struct replay_id *wanted, struct arena *arena,
                                    struct str *why)
{
    const struct play *play = replay_id_playable(&target->plan, wanted->id, arena, why);
    const char *fault = !play                                ? NULL
                        : wanted->base_again                 ? "is about two requests, one after the other"
                        : play->step_count                   ? "has several steps, or bytes of a connection"
                        : play->bytes_edit                   ? "changes bytes of a request, which have no meaning"
                        : tree_member(play->act, "messages") ? "sends a stream"
                        : play->group->mutates               ? "changes models"
                                                             : NULL;
    if (fault)
        *why = arena_printf(arena, "%.*s %s: only one request of JSON or a message can be made smaller",
                            STR_ARG(wanted->id), fault);
    if (play && !fault && wanted->key.size && !expects_key(play, wanted->key))
        *why = arena_printf(arena, "%.*s does not expect %s", STR_ARG(wanted->id), str_printable(arena, wanted->key));
    return why->size ? NULL : play;
}

static int exit_code_of(const struct shrunk *shrunk)
{
    int interrupted = *interruption_flag();
    if (interrupted)
        return interrupted == INTERRUPTED_BY_TIME ? EXIT_TIME_LIMIT : EXIT_INTERRUPTED;
    return shrunk->holds ? EXIT_CONFORMANT : shrunk->why_not.size ? EXIT_USAGE : EXIT_NOT_CONFORMANT;
}

static int shrink_and_report(const struct target *target, const struct play *play, struct str key, struct arena *arena)
{
    const struct run_options run = target_run_options(target);
    const struct shrink_options options = {.run = &run,
                                           .play = play,
                                           .key = key,
                                           .max_requests = target->options->max_requests,
                                           .max_time = target->options->max_time};
    struct printing printing = {.target = target, .arena = arena};
    struct shrunk shrunk;
    shrink(&options, arena, &shrunk);
    interruption_stop_clock();
    if (shrunk.why_not.size)
        append_text(&printing, "nothing to make smaller: ", shrunk.why_not);
    else
        append_all(&printing, &shrunk);
    int code = exit_code_of(&shrunk);
    buf_printf(&printing.out, "\nexit code %d after %zu requests\n", code, shrunk.requests);
    fwrite(printing.out.data, 1, printing.out.size, stdout);
    buf_free(&printing.out);
    shrunk_free(&shrunk);
    interruption_let_go();
    return code;
}

static int find_and_shrink(struct target *target, struct str *why)
{
    struct replay_id wanted = replay_id_read(target->options->operands.items[0], &target->arena);
    const struct play *play = find_play(target, &wanted, &target->arena, why);
    return play ? shrink_and_report(target, play, wanted.key, &target->arena) : EXIT_USAGE;
}

int command_shrink(const struct options *options)
{
    return target_run(options, find_and_shrink);
}
