#include "report/headline.h"

#include "report/remarks.h"
#include "support/utc.h"

static const struct look looks[] = {
    [CONCLUSION_CERTIFIED] = {"good", "\xe2\x9c\x93", "Certified"},
    [CONCLUSION_CONFORMANT] = {"good", "\xe2\x9c\x93", "Conformant"},
    [CONCLUSION_WAIVED] = {"part", "~", "Waived"},
    [CONCLUSION_PARTIAL] = {"part", "\xe2\x97\x90", "Partial"},
    [CONCLUSION_INTEROPERABLE] = {"part", "\xe2\x97\x90", "Interoperable"},
    [CONCLUSION_NOT_CONFORMANT] = {"bad", "\xe2\x9c\x95", "Not conformant"},
    [CONCLUSION_NOT_INTEROPERABLE] = {"bad", "\xe2\x9c\x95", "Not interoperable"},
    [CONCLUSION_NOT_JUDGED] = {"part", "?", "Not judged"},
};

struct look look_of(enum conclusion conclusion)
{
    return looks[conclusion];
}

struct str number_text(size_t number, struct arena *arena)
{
    return number < 1000 ? arena_printf(arena, "%zu", number)
                         : arena_printf(arena, "%.*s,%03zu", STR_ARG(number_text(number / 1000, arena)), number % 1000);
}

static struct str sentence_of(const char *words, struct arena *arena)
{
    return arena_printf(arena, "%c%s.", words[0] - 'a' + 'A', words + 1);
}

/* Returns that nearly everything waits for something else, and for what most does; empty if it does not. */
static struct str on_blocked(const struct summary *summary)
{
    struct arena *arena = summary->arena;
    size_t blocked = summary->totals[VERDICT_BLOCKED], judged = run_judged(summary->report->run);
    const struct root *root = summary->waits.roots;
    if (blocked <= judged)
        return (struct str){0};
    struct str text = arena_printf(
        arena, " Nearly everything was blocked: %.*s assertions wait for others, %.*s %s judged.",
        STR_ARG(number_text(blocked, arena)), STR_ARG(number_text(judged, arena)), judged == 1 ? "was" : "were");
    return !summary->waits.root_count ? text
                                      : arena_printf(arena, "%.*s Most of them wait for one: %.*s.", STR_ARG(text),
                                                     STR_ARG(waits_what_came(root->result, arena)));
}

static struct str sentences_of(const struct summary *summary)
{
    struct arena *arena = summary->arena;
    struct str text = sentence_of(conclusion_meaning(summary->conclusion), arena),
               findings = findings_sentence(summary);
    if (findings.size)
        text = arena_printf(arena, "%.*s %.*s.", STR_ARG(text), STR_ARG(findings));
    return arena_printf(arena, "%.*s %.*s.%.*s", STR_ARG(text), STR_ARG(rows_sentence(&summary->must_rows, arena)),
                        STR_ARG(on_blocked(summary)));
}

struct headline headline_of(const struct summary *summary)
{
    const struct report *report = summary->report;
    struct arena *arena = summary->arena;
    return (struct headline){
        .look = look_of(summary->conclusion),
        .sentences = sentences_of(summary),
        .transport = transport_conclusion(summary),
        .next = next_of(summary).sentence,
        .server = arena_printf(arena, "%s%s%s", str_printable(arena, report->server_name),
                               report->server_name.size && report->server_version.size ? " " : "",
                               str_printable(arena, report->server_version)),
        .when = utc_text(report->started, "%Y-%m-%d %H:%M:%S UTC", arena),
    };
}
