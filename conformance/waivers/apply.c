/* Applies waivers to results, and finds those that excuse nothing. */
#include "base/search.h"
#include "support/utc.h"
#include "waivers/waivers.h"

#define DAY (24 * 60 * 60)

/* Whether the text matches the pattern, in which `*` stands for any bytes. */
static bool matches(struct str pattern, struct str text)
{
    size_t at = 0, i = 0, star = SIZE_MAX, resume = 0;
    while (at < text.size) {
        if (i < pattern.size && pattern.data[i] == '*') {
            star = i++;
            resume = at;
        } else if (i < pattern.size && pattern.data[i] == text.data[at]) {
            i++;
            at++;
        } else if (star != SIZE_MAX) {
            i = star + 1;
            at = ++resume;
        } else {
            return false;
        }
    }
    while (i < pattern.size && pattern.data[i] == '*')
        i++;
    return i == pattern.size;
}

static struct str name_of(const struct waiver *waiver)
{
    return waiver->assertion.size ? waiver->assertion : waiver->requirement;
}

static bool concerns(const struct waiver *waiver, const struct assertion *assertion)
{
    return waiver->assertion.size ? matches(waiver->assertion, assertion->id)
                                  : str_equal(waiver->requirement, assertion->requirement->key);
}

static bool is_in_plan(const struct waiver *waiver, const struct plan *plan)
{
    return ANY(i, plan->play_count,
               ANY(k, plan->plays[i].assertion_count, concerns(waiver, &plan->plays[i].assertions[k])));
}

/* Returns why the waiver is no good, whatever it excuses; empty: nothing is wrong. */
static struct str why_unsound(const struct waiver *waiver, time_t now, struct arena *arena)
{
    if (str_compare(waiver->expires, utc_text(now, "%Y-%m-%d", arena)) < 0)
        return arena_printf(arena, "expired after %.*s", STR_ARG(waiver->expires));
    if (str_compare(waiver->expires, utc_text(now + (time_t)WAIVER_DAYS * DAY, "%Y-%m-%d", arena)) > 0)
        return arena_printf(arena, "is too broad: it holds for more than %d days", WAIVER_DAYS);
    FOR_EACH_IN(text, waiver->observed->first)
        if (SUM(i, text->text.size, text->text.data[i] != '*') < WAIVER_OBSERVED)
            return arena_printf(arena, "is too broad: '%s' would excuse almost anything",
                                str_printable(arena, text->text));
    return (struct str){0};
}

/* Excuses what the waiver can with one text of `observed`, and returns how much that was. */
static size_t excuse(const struct waiver *waiver, struct str observed, struct run *run)
{
    size_t count = 0;
    for (size_t i = 0; i < run->result_count; i++) {
        struct result *result = &run->results[i];
        if ((result->verdict != VERDICT_FAIL && result->verdict != VERDICT_TIMEOUT) ||
            !concerns(waiver, result->assertion) || !matches(observed, result->why))
            continue;
        result->verdict = VERDICT_WAIVED;
        result->why = arena_printf(&run->arena, "until %.*s by %.*s: %.*s; it was: %.*s", STR_ARG(waiver->expires),
                                   STR_ARG(waiver->owner), STR_ARG(waiver->reason), STR_ARG(result->why));
        count++;
    }
    return count;
}

static bool was_judged(const struct waiver *waiver, const struct run *run)
{
    return ANY(i, run->result_count,
               concerns(waiver, run->results[i].assertion) &&
                   (verdict_is_judged(run->results[i].verdict) || run->results[i].verdict == VERDICT_WAIVED));
}

/* Returns what is wrong with the waiver after it has excused what it can; empty: nothing. */
static struct str apply(const struct waiver *waiver, const struct suite *suite, const struct plan *plan, time_t now,
                        struct run *run)
{
    struct str fault = why_unsound(waiver, now, &run->arena);
    if (waiver->assertion.size ? !is_in_plan(waiver, plan) : !ledger_find(&suite->ledger, waiver->requirement))
        return STR("is stale: the suite does not have it, or not for this target");
    FOR_EACH_IN(text, waiver->observed->first)
        if (!excuse(waiver, text->text, run) && !waiver->sometimes && was_judged(waiver, run) && !fault.size)
            fault =
                arena_printf(&run->arena, "is stale: nothing failed with '%s'", str_printable(&run->arena, text->text));
    return fault;
}

struct str waivers_apply(const struct waivers *waivers, const struct suite *suite, const struct plan *plan, time_t now,
                         struct run *run)
{
    struct str faults = {0};
    for (size_t i = 0; i < waivers->count; i++) {
        struct str fault = apply(&waivers->items[i], suite, plan, now, run);
        if (fault.size)
            faults = arena_printf(&run->arena, "%.*s%sthe waiver of %s %.*s", STR_ARG(faults), faults.size ? "; " : "",
                                  str_printable(&run->arena, name_of(&waivers->items[i])), STR_ARG(fault));
    }
    return faults;
}
