/* A requirement, and a deviation that breaks one. */
#include "commands/explain/explain.h"

#include "base/search.h"
#include "notation/json_text.h"
#include "support/listing.h"

#define FAMILIES   8 /* that are named without --all */
#define DEVIATIONS 4

/* --- The simplest exchange --- */

/* How much a person has to understand of an exchange, the most important first. */
static bool is_simpler(const struct play *one, const struct play *other)
{
    const size_t ours[] = {!one->answer, one->watches, one->step_count, one->state.size > 0, plan_prerequisites(one),
                           one->id.size};
    const size_t theirs[] = {
        !other->answer, other->watches, other->step_count, other->state.size > 0, plan_prerequisites(other),
        other->id.size};
    return FIRST(i, COUNT_OF(ours), ours[i] != theirs[i], ours[i] < theirs[i], false);
}

static const struct assertion *simplest(const struct nominal *nominal, const struct requirement *row)
{
    const struct assertion *best = NULL;
    FOR_EACH(play, nominal->plan.plays, nominal->plan.play_count)
        for (size_t a = 0; a < play->assertion_count; a++)
            if (play->assertions[a].requirement == row && (!best || is_simpler(play, best->play)))
                best = &play->assertions[a];
    return best;
}

/* --- Cases and deviations --- */

static bool expects(const struct play *play, const struct requirement *row)
{
    return ANY(a, play->assertion_count, play->assertions[a].requirement == row);
}

static void write_families(struct explaining *explaining, const struct requirement *row)
{
    const struct plan *plan = &explaining->nominal->plan;
    struct listing families = {.arena = explaining->arena, .most = explaining->all ? 0 : FAMILIES};
    size_t cases = 0;
    for (size_t i = 0; i < plan->group_count;) {
        const struct family *family = plan->groups[i].family; /* its groups stand one after the other */
        size_t count = 0;
        for (; i < plan->group_count && plan->groups[i].family == family; i++)
            count += SUM(k, plan->groups[i].play_count, expects(plan->groups[i].plays[k], row));
        cases += count;
        if (count)
            listing_add(&families, arena_printf(explaining->arena, "%.*s (%zu)", STR_ARG(family->path), count));
    }
    if (cases)
        explain_say(explaining, "cases", 8, "%zu: %.*s", cases, STR_ARG(listing_text(&families)));
}

static void write_all_cases(struct explaining *explaining, const struct requirement *row)
{
    bool lists = explaining->all && explaining->form == &form_text; /* other forms have links to the files */
    for (size_t i = 0; i < explaining->nominal->plan.play_count && lists; i++) {
        const struct play *play = &explaining->nominal->plan.plays[i];
        if (expects(play, row))
            buf_printf(explaining->out, "  expected by %.*s#%.*s\n", STR_ARG(play->id), STR_ARG(row->key));
    }
}

static void write_deviations(struct explaining *explaining, struct str key)
{
    const struct suite *suite = &explaining->nominal->suite;
    struct listing names = {.arena = explaining->arena, .most = explaining->all ? 0 : DEVIATIONS};
    for (size_t i = 0; i < suite->deviation_count; i++)
        if (str_equal(suite->deviations[i].breaks, key))
            listing_add(&names, suite->deviations[i].name);
    explain_member(explaining, "broken by", listing_text(&names), 4);
}

/* --- The row --- */

static void write_row(struct explaining *explaining, const struct requirement *row)
{
    explain_title(explaining, 3, row->key,
                  arena_printf(explaining->arena, "%.*s (%s, %s, binds the %.*s)", STR_ARG(row->key),
                               level_name(row->level), layer_name(row->layer), STR_ARG(row->binds)));
    explain_member(explaining, "says", row->says, 3);
    explain_member(explaining, "source", row->source, SIZE_MAX); /* whoever asks why must be able to read it there */
    if (!str_is(row->status, "tested"))
        explain_member(explaining, arena_copy(explaining->arena, row->status).data, row->why, 3);
}

void explain_row(struct explaining *explaining, const struct requirement *row)
{
    const struct assertion *example = simplest(explaining->nominal, row);
    write_row(explaining, row);
    if (example) {
        explain_title(explaining, 4, STR(""),
                      arena_printf(explaining->arena, "For example %.*s", STR_ARG(example->play->id)));
        explain_member(explaining, "says", example->play->says, 2);
        explain_exchange(explaining, example);
        explain_title(explaining, 4, STR(""), STR(""));
    }
    write_families(explaining, row);
    write_deviations(explaining, row->key);
    explain_member(
        explaining, "run it",
        example ? arena_printf(explaining->arena, "oip-conformance run --target URL --filter %.*s", STR_ARG(row->key))
                : STR(""),
        2);
    write_all_cases(explaining, row);
}

void explain_deviation(struct explaining *explaining, const struct deviation *deviation)
{
    static const char *const members[] = {"by", "on"};
    const struct requirement *row = ledger_find(&explaining->nominal->suite.ledger, deviation->breaks);
    explain_title(explaining, 3, deviation->name,
                  arena_printf(explaining->arena, "%.*s (a deviation of the reference server: --deviate %.*s)",
                               STR_ARG(deviation->name), STR_ARG(deviation->name)));
    explain_member(explaining, "says", tree_text(deviation->tree, "says"), 2);
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        const struct tree *value = tree_member(deviation->tree, members[i]);
        struct buf json = {0};
        if (value)
            json_text(value, &json);
        explain_member(explaining, members[i], buf_str(&json), 4);
        buf_free(&json);
    }
    if (deviation->process)
        explain_member(explaining, "process", STR("it needs a server process of its own"), 1);
    explain_member(explaining, "unnoticed", deviation->equivalent, 2);
    explain_member(explaining, "file", deviation->file, 1);
    explain_title(explaining, 4, STR(""), STR("It breaks"));
    if (row)
        explain_row(explaining, row);
    else
        explain_say(explaining, "", 2, "%.*s, which the ledger does not have", STR_ARG(deviation->breaks));
}
