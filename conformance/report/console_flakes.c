/* What did not come out alike each time (--repeat), for a person. */
#include "report/console.h"

#include "base/search.h"

#define TOLD 10 /* flakes, unless all are asked for */

static void labelled(struct console *console, const char *label, struct str text)
{
    if (!text.size)
        return;
    buf_printf(console->out, "        %-10s", label);
    console_paragraph(console, text, 18);
}

/* Writes the first exchange of a verdict. Of one that passed nothing is known but how it was answered. */
static void first_of(struct console *console, const struct result *first, size_t count)
{
    const char *answered = first->outcome.size ? ", answered " : "";
    buf_printf(console->out, "    ");
    console_say(console, 8, "%zu x %s%s%.*s%s%.*s", count, verdict_name(first->verdict), first->asked.size ? ": " : "",
                STR_ARG(first->asked), answered, STR_ARG(first->outcome));
    if (verdict_passes(first->verdict))
        return;
    labelled(console, "received", first->received);
    labelled(console, "because", first->why);
    if (!first->command.size || console_has_shown(console, first->command))
        return;
    buf_append_literal(console->out, "        reproduce ");
    console_command(console, first->command, 10);
}

void console_flakes(struct console *console)
{
    const struct flakes *flakes = &console->summary->flakes;
    size_t told = console->report->all || flakes->count < TOLD ? flakes->count : TOLD;
    if (flakes->count)
        buf_printf(console->out, "\nVerdicts that differ between the %zu rounds\n", console->report->run->rounds);
    FOR_EACH(flake, flakes->items, told) {
        buf_append_literal(console->out, "  ");
        console_paragraph(console, flake->result->assertion->id, 4);
        for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
            if (flake->repeated->first[verdict])
                first_of(console, flake->repeated->first[verdict], flake->repeated->counts[verdict]);
            else if (flake->repeated->counts[verdict])
                buf_printf(console->out, "    %zu x %s\n", flake->repeated->counts[verdict],
                           verdict_name((enum verdict)verdict));
    }
    if (told < flakes->count)
        buf_printf(console->out, "  ... and %zu more, which --all shows\n", flakes->count - told);
}
