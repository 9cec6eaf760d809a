/* A requirement, and a deviation that breaks one. */
#include "commands/explain.h"

#include "notation/json_text.h"

#define FAMILIES   8 /* that are named without --all */
#define DEVIATIONS 4

/* --- The simplest exchange --- */

/* How much a person has to understand of an exchange, the most important first. */
static bool is_simpler(const struct play *one, const struct play *other)
{
    const size_t ours[] = {one->watches, one->step_count, one->state.size > 0, plan_prerequisites(one), one->id.size};
    const size_t theirs[] = {other->watches, other->step_count, other->state.size > 0, plan_prerequisites(other),
                             other->id.size};
    for (size_t i = 0; i < sizeof ours / sizeof *ours; i++)
        if (ours[i] != theirs[i])
            return ours[i] < theirs[i];
    return false;
}

static const struct assertion *simplest(const struct nominal *nominal, const struct requirement *row)
{
    const struct assertion *best = NULL;
    for (size_t i = 0; i < nominal->plan.play_count; i++) {
        const struct play *play = &nominal->plan.plays[i];
        for (size_t a = 0; a < play->assertion_count; a++)
            if (play->assertions[a].requirement == row && (!best || is_simpler(play, best->play)))
                best = &play->assertions[a];
    }
    return best;
}

/* --- Cases and deviations --- */

static bool expects(const struct play *play, const struct requirement *row)
{
    for (size_t a = 0; a < play->assertion_count; a++)
        if (play->assertions[a].requirement == row)
            return true;
    return false;
}

/* Counts the plays of a family that expect the row. */
static size_t count_of_family(const struct nominal *nominal, const struct family *family, const struct requirement *row)
{
    size_t count = 0;
    for (size_t i = 0; i < nominal->plan.play_count; i++)
        count += nominal->plan.plays[i].group->family == family && expects(&nominal->plan.plays[i], row);
    return count;
}

static void tell_families(struct explaining *explaining, const struct requirement *row)
{
    const struct nominal *nominal = explaining->nominal;
    struct str text = {0};
    size_t cases = 0, families = 0;
    for (size_t i = 0; i < nominal->suite.family_count; i++) {
        size_t count = count_of_family(nominal, &nominal->suite.families[i], row);
        cases += count;
        if (count && (families++ < FAMILIES || explaining->all))
            text = arena_printf(explaining->arena, "%.*s%s%.*s (%zu)", STR_ARG(text), text.size ? ", " : "",
                                STR_ARG(nominal->suite.families[i].path), count);
    }
    if (families > FAMILIES && !explaining->all)
        text = arena_printf(explaining->arena, "%.*s and %zu more", STR_ARG(text), families - FAMILIES);
    if (cases)
        explain_member(explaining, "cases", arena_printf(explaining->arena, "%zu: %.*s", cases, STR_ARG(text)), 8);
}

static void tell_all_cases(struct explaining *explaining, const struct requirement *row)
{
    for (size_t i = 0; i < explaining->nominal->plan.play_count && explaining->all; i++) {
        const struct play *play = &explaining->nominal->plan.plays[i];
        if (expects(play, row))
            buf_printf(explaining->out, "  expected by %.*s#%.*s\n", STR_ARG(play->id), STR_ARG(row->key));
    }
}

static void tell_deviations(struct explaining *explaining, struct str key)
{
    const struct suite *suite = &explaining->nominal->suite;
    struct str names = {0};
    size_t count = 0;
    for (size_t i = 0; i < suite->deviation_count; i++)
        if (str_equal(suite->deviations[i].breaks, key) && (count++ < DEVIATIONS || explaining->all))
            names = arena_printf(explaining->arena, "%.*s%s%.*s", STR_ARG(names), names.size ? ", " : "",
                                 STR_ARG(suite->deviations[i].name));
    if (count > DEVIATIONS && !explaining->all)
        names = arena_printf(explaining->arena, "%.*s and %zu more", STR_ARG(names), count - DEVIATIONS);
    explain_member(explaining, "broken by", names, 4);
}

/* --- The row --- */

static void tell_row(struct explaining *explaining, const struct requirement *row)
{
    buf_printf(explaining->out, "%.*s (%s, %s, binds the %.*s)\n", STR_ARG(row->key), level_name(row->level),
               layer_name(row->layer), STR_ARG(row->binds));
    explain_member(explaining, "says", row->says, 3);
    explain_member(explaining, "source", row->source, 4);
    if (!str_is(row->status, "tested"))
        explain_member(explaining, arena_copy(explaining->arena, row->status).data, row->why, 3);
}

void explain_row(struct explaining *explaining, const struct requirement *row)
{
    const struct assertion *example = simplest(explaining->nominal, row);
    tell_row(explaining, row);
    if (example) {
        buf_printf(explaining->out, "\nFor example %.*s\n", STR_ARG(example->play->id));
        explain_member(explaining, "says", example->play->says, 2);
        explain_exchange(explaining, example);
        buf_append_byte(explaining->out, '\n');
    }
    tell_families(explaining, row);
    tell_deviations(explaining, row->key);
    explain_member(
        explaining, "alone",
        example ? arena_printf(explaining->arena, "oip-conformance run --target URL --filter %.*s", STR_ARG(row->key))
                : STR(""),
        1);
    tell_all_cases(explaining, row);
}

void explain_deviation(struct explaining *explaining, const struct deviation *deviation)
{
    static const char *const members[] = {"by", "on"};
    const struct requirement *row = ledger_find(&explaining->nominal->suite.ledger, deviation->breaks);
    buf_printf(explaining->out, "%.*s (a deviation of the reference server: --deviate %.*s)\n",
               STR_ARG(deviation->name), STR_ARG(deviation->name));
    explain_member(explaining, "says", tree_text(deviation->tree, "says"), 2);
    for (size_t i = 0; i < sizeof members / sizeof *members; i++) {
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
    buf_append_literal(explaining->out, "\nIt breaks\n");
    if (row)
        explain_row(explaining, row);
    else
        explain_member(
            explaining, "",
            arena_printf(explaining->arena, "%.*s, which the ledger does not have", STR_ARG(deviation->breaks)), 2);
}
