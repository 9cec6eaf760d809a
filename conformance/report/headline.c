#include "report/headline.h"

static const struct {
    const char *conclusion, *tone, *mark, *words;
} looks[] = {
    {"certified", "good", "\xe2\x9c\x93", "Certified"},
    {"conformant", "good", "\xe2\x9c\x93", "Conformant"},
    {"waived", "part", "~", "Waived"},
    {"partial", "part", "\xe2\x97\x90", "Partial"},
    {"not conformant", "bad", "\xe2\x9c\x95", "Not conformant"},
    {"not judged", "part", "?", "Not judged"},
};

/* Returns the index of the conclusion. */
static size_t look_of(const char *conclusion)
{
    size_t i = 0;
    while (strcmp(looks[i].conclusion, conclusion) != 0)
        i++;
    return i;
}

struct str number_text(size_t number, struct arena *arena)
{
    return number < 1000 ? arena_printf(arena, "%zu", number)
                         : arena_printf(arena, "%.*s,%03zu", STR_ARG(number_text(number / 1000, arena)), number % 1000);
}

static struct str sentences_of(const struct summary *summary, const struct findings *failures, struct arena *arena)
{
    const struct row_counts *must = &summary->must_rows;
    struct str first = arena_printf(arena, "%c%s.", summary->meaning[0] - 'a' + 'A', summary->meaning + 1);
    if (summary->failing)
        first = arena_printf(arena, "%s assertion%s of %zu requirement%s failed.",
                             number_text(summary->failing, arena).data, summary->failing == 1 ? "" : "s",
                             failures->count, failures->count == 1 ? "" : "s");
    return arena_printf(arena, "%.*s %zu of %zu MUST rows of the asked profiles were tried and hold.", STR_ARG(first),
                        must->met, must->asked);
}

static struct str time_of(time_t time, struct arena *arena)
{
    char day_and_time[sizeof "2025-01-01 00:00:00 UTC"];
    struct tm utc;
    gmtime_r(&time, &utc);
    strftime(day_and_time, sizeof day_and_time, "%Y-%m-%d %H:%M:%S UTC", &utc);
    return arena_copy(arena, str_of(day_and_time));
}

struct headline headline_of(const struct report *report, const struct summary *summary, const struct findings *failures,
                            struct arena *arena)
{
    size_t look = look_of(summary->conclusion);
    return (struct headline){
        .tone = looks[look].tone,
        .mark = looks[look].mark,
        .words = looks[look].words,
        .sentences = sentences_of(summary, failures, arena),
        .server = arena_printf(arena, "%s%s%s", str_printable(arena, report->server_name),
                               report->server_name.size && report->server_version.size ? " " : "",
                               str_printable(arena, report->server_version)),
        .when = time_of(report->started, arena),
    };
}
