/* Findings for a person: one block for each requirement, with its simplest exchange, and how many cases failed. */
#include "report/console.h"
#include "report/remarks.h"

#include "base/search.h"
#include "support/listing.h"
#include "support/printable.h"
#include "support/wrap.h"

#define MEMBER_INDENT  12 /* columns before what follows the label of a member */
#define COMMAND_INDENT 4  /* and before further lines of a command, which are long */
#define BLOCK_LINES    30 /* of one finding */
#define COMMAND_LINES  6  /* of a command, unless there is no shorter one */
#define NAMED          6  /* requirements or cases that are listed by name alone */

/* --- Lines of a block --- */

static size_t count_lines(struct str text)
{
    return 1 + SUM(i, text.size, text.data[i] == '\n');
}

/* Returns so many lines of a text. Of a longer one the last line has room for a blank and three dots. */
static struct str first_lines(struct str text, size_t lines)
{
    size_t line = 0, seen = 1;
    struct str kept = text;
    for (size_t i = 0; i < kept.size; i++) {
        if (kept.data[i] != '\n')
            continue;
        if (seen++ == lines)
            kept.size = i;
        else
            line = i + 1;
    }
    bool cut = kept.size < text.size;
    for (size_t i = kept.size; cut && i > line && kept.size - line > WRAP_COLUMNS - sizeof " ..." + 1; i--)
        if (kept.data[i - 1] == ' ' || (kept.data[i - 1] == ',' && i < kept.size))
            kept.size = i - (kept.data[i - 1] == ' ');
    return kept;
}

/* Appends what a label stands for, shortened to so many lines. */
static void member(struct console *console, const char *label, struct str text, size_t lines)
{
    struct buf wrapped = {0};
    if (!text.size)
        return;
    buf_printf(&wrapped, "  %-10s", label);
    append_wrapped_printable(&wrapped, text, CONSOLE_TEXT, MEMBER_INDENT);
    struct str kept = first_lines(buf_str(&wrapped), lines);
    buf_append_str(console->out, kept);
    buf_append_str(console->out, kept.size < wrapped.size ? STR(" ...\n") : STR("\n"));
    buf_free(&wrapped);
}

/* Returns a command that can be copied with all its lines, after its label. */
static struct str wrapped_command(struct console *console, const char *label, struct str text)
{
    struct buf wrapped = {0};
    buf_printf(&wrapped, "  %-10s", label);
    append_wrapped_command(&wrapped, text, COMMAND_INDENT);
    buf_append_byte(&wrapped, '\n');
    return arena_take(console->arena, &wrapped);
}

/* Appends the command, or, if that is long, one that plays the case again. */
static void command(struct console *console, const struct result *result, size_t lines)
{
    lines = lines < COMMAND_LINES ? lines : COMMAND_LINES;
    struct str text = result->command.size ? wrapped_command(console, "reproduce", result->command) : (struct str){0};
    if (count_lines(text) > lines && result->replay_command.size)
        text = wrapped_command(console, "reproduce", result->replay_command);
    buf_append_str(console->out, text);
    text = result->grpcurl.size ? wrapped_command(console, "or", result->grpcurl) : (struct str){0};
    if (text.size && console->report->all)
        buf_append_str(console->out, text);
}

/* --- A block --- */

/* Returns why the case failed. Empty if what stands above it says the same: what was received, or of the status of the
 * whole answer, such as "/status: expected 200, got 404", what was expected and what came. */
static struct str because_of(struct console *console, const struct result *result)
{
    struct str unrefused = STR("it was not refused: "), why = result->why;
    struct str outcome = result_exchange(result)->group->profile->outcome;
    struct str status = arena_printf(console->arena, "%.*s: expected ", STR_ARG(outcome));
    struct str rest = str_starts(why, unrefused) ? str_from(why, unrefused.size) : why;
    bool is_repeated = (outcome.size && result->received.size && str_starts(rest, status)) ||
                       (str_ends(result->received, why) && !str_starts(why, STR("/")));
    return is_repeated && !console->report->all ? STR("") : why;
}

/* How one kind of findings is told. */
struct telling {
    const char *mark, *colour;
};

static void heading(struct console *console, const struct telling *telling, const struct finding *finding)
{
    const struct requirement *requirement = finding->requirement;
    const struct result *witness = finding->witness;
    bool odd = witness->verdict == VERDICT_TIMEOUT || witness->verdict == VERDICT_ERROR;
    console_paint(console, telling->colour);
    buf_append_str(console->out, str_of(telling->mark));
    console_paint(console, "0");
    console_say(console, 2, " %.*s (%s, %s%s%s, %zu case%s): %.*s", STR_ARG(requirement->key),
                level_name(requirement->level), layer_name(requirement->layer), odd ? ", " : "",
                odd ? verdict_name(witness->verdict) : "", finding->count, finding->count == 1 ? "" : "s",
                STR_ARG(requirement->says));
}

static struct str keys_of(const struct requirement *const *requirements, size_t count, struct arena *arena)
{
    struct listing keys = {.arena = arena, .most = NAMED};
    for (size_t i = 0; i < count; i++)
        listing_add(&keys, requirements[i]->key);
    return listing_text(&keys);
}

/* Returns the ID of the case, with all what it says too. */
static struct str case_of(struct console *console, const struct result *result)
{
    const struct assertion *assertion = result->assertion;
    struct str id = str_before(assertion->id, '#');
    return console->report->all
               ? arena_printf(console->arena, "%.*s: %.*s", STR_ARG(id), STR_ARG(assertion->play->says))
               : id;
}

static void block(struct console *console, const struct telling *telling, const struct finding *finding)
{
    const struct result *witness = finding->witness;
    const struct report *report = console->report;
    const struct {
        const char *label;
        struct str text;
        size_t lines;
    } members[] = {
        {"source", finding->requirement->cites, 1},
        {"case", case_of(console, witness), 2},
        {"sent", witness->sent, 2},
        {"expected", witness->expected, 2},
        {"received", witness->received, 3},
        {"because", because_of(console, witness), 6}, /* a pointer, what was expected there, and what came */
        {"refused by", witness->refused_by, 1},
        {"also", keys_of(finding->also, finding->also_count, console->arena), 2},
    };
    size_t before = console->out->size;
    buf_append_byte(console->out, '\n');
    heading(console, telling, finding);
    for (size_t i = 0; i < COUNT_OF(members); i++)
        member(console, members[i].label, members[i].text, report->all ? SIZE_MAX : members[i].lines);
    struct str so_far = str_from(buf_str(console->out), before + 1);
    command(console, witness, BLOCK_LINES + 1 - count_lines(so_far));
}

/* Appends the cases of a finding from `first` on by name. */
static void by_name(struct console *console, const struct finding *finding, size_t first)
{
    for (size_t i = first; i < finding->count; i++) {
        buf_append_literal(console->out, "            ");
        append_printable(console->out, finding->results[i]->assertion->id, CONSOLE_TEXT);
        buf_append_byte(console->out, '\n');
    }
}

/* Appends the other cases of a finding, and those of its followers. */
static void others(struct console *console, const struct findings *findings, size_t index)
{
    if (findings->items[index].count > 1)
        buf_append_literal(console->out, "  others\n");
    by_name(console, &findings->items[index], 1);
    FOR_EACH(follower, findings->followers, findings->follower_count) {
        if (follower->leader != index)
            continue;
        buf_printf(console->out, "  through the same exchanges %.*s\n", STR_ARG(follower->requirement->key));
        by_name(console, follower, 0);
    }
}

static const struct telling failure = {"FAIL", "1;31"}, warning = {"WARN", "33"};

static void claim(struct console *console, const struct unjudged_claim *claim)
{
    buf_append_byte(console->out, '\n');
    console_paint(console, warning.colour);
    buf_append_str(console->out, str_of(warning.mark));
    console_paint(console, "0");
    console_say(console, 2, " %.*s", STR_ARG(claim_sentence(claim, console->arena)));
}

/* --- All findings --- */

/* Whether the finding has a block of its own. */
static bool has_block(const struct console *console, const struct finding *finding)
{
    const struct report *report = console->report;
    enum layer layer = finding->requirement->layer;
    return report->all || layer != LAYER_TRANSPORT || report->demands.layers[layer];
}

bool console_has_shown(const struct console *console, struct str command)
{
    const struct findings *failures = &console->summary->failures;
    return ANY(i, failures->count,
               has_block(console, &failures->items[i]) && str_equal(failures->items[i].witness->command, command));
}

static void blocks(struct console *console, const struct telling *telling, const struct findings *findings)
{
    for (size_t i = 0; i < findings->count; i++) {
        if (!has_block(console, &findings->items[i]))
            continue;
        block(console, telling, &findings->items[i]);
        if (console->report->all)
            others(console, findings, i);
    }
}

void console_findings(struct console *console)
{
    blocks(console, &failure, &console->summary->failures);
    if (console->report->all)
        blocks(console, &warning, &console->summary->warnings);
}

void console_warnings(struct console *console)
{
    const struct findings *warnings = &console->summary->warnings;
    for (size_t i = 0; i < console->summary->claim_count; i++)
        claim(console, &console->summary->claims[i]);
    if (!warnings->count || console->report->all)
        return;
    console_say(console, 2, "\nwarnings: %zu requirement%s not hold (--all prints %s)", warnings->count,
                warnings->count == 1 ? " that is not a MUST does" : "s that are not MUSTs do",
                warnings->count == 1 ? "it" : "them");
}
