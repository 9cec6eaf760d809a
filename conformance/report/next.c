#include "report/next.h"

#include "report/remarks.h"

static struct str count_text(size_t count, const char *singular, const char *plural, struct arena *arena)
{
    return arena_printf(arena, "%zu %s", count, count == 1 ? singular : plural);
}

/* Returns "POST /v2/models/add/infer answered 404". */
static struct str what_came(const struct result *result, struct arena *arena)
{
    struct str asked = result->asked.size ? result->asked : result->assertion->play->id;
    return result->outcome.size ? arena_printf(arena, "%.*s answered %.*s", STR_ARG(asked), STR_ARG(result->outcome))
                                : arena_printf(arena, "%.*s: %.*s", STR_ARG(asked), STR_ARG(result->why));
}

/* What most assertions wait for comes first, unless the first finding has more cases. */
static bool mend_the_root(const struct report *report, const struct summary *summary, const struct findings *failures,
                          struct arena *arena, struct next *next)
{
    const struct root *root = summary->waits.roots;
    const struct finding *first = failures->items;
    bool is_due = failures->count && report->demands.layers[first->requirement->layer];
    if (!summary->waits.root_count || (is_due && first->count > root->waiting))
        return false;
    struct str waiting = count_text(root->waiting, "assertion waits", "assertions wait", arena);
    *next = (struct next){
        .sentence = arena_printf(arena, "%.*s (%.*s), and %.*s for it", STR_ARG(what_came(root->result, arena)),
                                 STR_ARG(root->result->assertion->requirement->key), STR_ARG(waiting)),
        .command = root->result->command};
    return true;
}

static bool mend_the_first(const struct report *report, const struct summary *summary, const struct findings *failures,
                           struct arena *arena, struct next *next)
{
    const struct finding *first = failures->items;
    (void)summary;
    if (!failures->count || !report->demands.layers[first->requirement->layer])
        return false;
    *next = (struct next){.sentence = arena_printf(arena, "%.*s: %.*s", STR_ARG(first->requirement->key),
                                                   STR_ARG(first->requirement->says)),
                          .command = first->witness->command};
    return true;
}

/* Whether two rows were not tried for the same reason. Models of the kit that are not hosted are one. */
static bool same_reason(const struct untried *one, const struct untried *other)
{
    return one->model.size ? other->model.size > 0 : str_equal(one->why, other->why);
}

/* Returns the first row of the reason for which most MUST rows were not tried, and counts them; NULL if all were, or
 * the user left them out. */
static const struct untried *commonest(const struct summary *summary, size_t *count)
{
    const struct untried *best = NULL;
    *count = 0;
    for (size_t i = 0; i < summary->untried_count; i++) {
        size_t rows = 0;
        for (size_t k = 0; k < summary->untried_count && !summary->untried[i].left_out; k++)
            rows += same_reason(&summary->untried[i], &summary->untried[k]);
        if (rows > *count) {
            *count = rows;
            best = &summary->untried[i];
        }
    }
    return best;
}

/* Returns the names of the models for want of which rows were not tried, each once. */
static struct str missing_models(const struct summary *summary, struct arena *arena)
{
    struct str names = {0};
    for (size_t i = 0; i < summary->untried_count; i++) {
        struct str model = summary->untried[i].model;
        bool known = !model.size || ANY(k, i, str_equal(summary->untried[k].model, model));
        if (!known)
            names = arena_printf(arena, "%.*s%s%.*s", STR_ARG(names), names.size ? ", " : "", STR_ARG(model));
    }
    return names;
}

static bool let_more_be_tried(const struct report *report, const struct summary *summary,
                              const struct findings *failures, struct arena *arena, struct next *next)
{
    size_t count;
    const struct untried *reason = commonest(summary, &count);
    (void)report;
    (void)failures;
    if (!reason)
        return false;
    struct str rows = count_text(count, "MUST row was not tried", "MUST rows were not tried", arena);
    struct str why = reason->model.size
                         ? arena_printf(arena,
                                        "models of the kit are not hosted (%.*s; --map KIT=NAME names one of "
                                        "yours that does the same)",
                                        STR_ARG(missing_models(summary, arena)))
                         : reason->why;
    *next = (struct next){.sentence = arena_printf(arena, "%.*s: %.*s", STR_ARG(rows), STR_ARG(why))};
    return true;
}

static bool look_at_the_transport(const struct report *report, const struct summary *summary,
                                  const struct findings *failures, struct arena *arena, struct next *next)
{
    const struct finding *first = failures->items;
    (void)report;
    (void)summary;
    if (!failures->count)
        return false;
    *next = (struct next){.sentence = arena_printf(arena, "the documents ask no more; of the transport, %.*s: %.*s",
                                                   STR_ARG(first->requirement->key), STR_ARG(first->requirement->says)),
                          .command = first->witness->command};
    return true;
}

/* Returns that nothing is left to do, or of which part of the rows alone that is said. */
static struct str nothing_left(const struct row_counts *rows, struct arena *arena)
{
    return rows->met == rows->asked
               ? STR("nothing is left to do: every MUST row that was asked for was tried, and holds")
               : arena_printf(arena, "nothing is left to do in the part of the suite that was chosen: %.*s",
                              STR_ARG(rows_sentence(rows, arena)));
}

struct next next_of(const struct report *report, const struct summary *summary, const struct findings *failures,
                    struct arena *arena)
{
    static bool (*const choices[])(const struct report *report, const struct summary *summary,
                                   const struct findings *failures, struct arena *arena, struct next *next) = {
        mend_the_root, mend_the_first, let_more_be_tried, look_at_the_transport};
    struct next next = {.sentence = nothing_left(&summary->must_rows, arena)};
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++)
        if (choices[i](report, summary, failures, arena, &next))
            break;
    return next;
}
