/* Lint of the ledger: each requirement has a case, and each case a requirement. */
#include "lint/linter.h"

#include "base/search.h"
#include "suite/grammar.h"

struct place row_place(const struct requirement *row, struct faults *faults)
{
    return place_in(faults, row->file, arena_printf(faults->arena, "/%zu (%.*s)", row->position, STR_ARG(row->key)));
}

struct place deviation_place(const struct deviation *deviation, struct faults *faults)
{
    return place_below(place_in(faults, deviation->file, STR("")), deviation->name);
}

static bool has_case(const struct linter *linter, const struct requirement *requirement)
{
    const struct play *plays = linter->plan->plays;
    return ANY(i, linter->plan->play_count,
               ANY(k, plays[i].assertion_count, str_equal(plays[i].assertions[k].requirement->key, requirement->key)));
}

/* Whether the play sends a wrong request beside a right one: it is a neighbour, a step after others, a case that waits
 * for the right one, or it looks at the answers to all requests. */
static bool is_beside_a_right_one(const struct play *play)
{
    return !play->is_base || play->step_count > 1 || play->control_count || play->watches;
}

/* Whether such a play expects the row, or every refusal must meet it. */
static bool has_changed_request(const struct linter *linter, const struct requirement *requirement)
{
    FOR_EACH(play, linter->plan->plays, linter->plan->play_count)
        for (size_t a = 0; a < play->assertion_count; a++)
            if (play->assertions[a].requirement == requirement &&
                (is_beside_a_right_one(play) || play->assertions[a].of_refusal))
                return true;
    return false;
}

/* A layer says whom a failure concerns, so it must fit the texts and the cases of the row. */
static void check_layer(struct linter *linter, const struct requirement *row, struct place place, bool expected)
{
    bool of_text = registry_is_text(&linter->suite->registry, row->prefix);
    const char *layer = layer_name(row->layer);
    if (of_text && row->layer != LAYER_TRANSPORT)
        fault_add(place, "layer-text",
                  "'%.*s' is a row of a text on which profiles build, so its layer is transport, not %s",
                  STR_ARG(row->key), layer);
    if (!of_text && row->layer == LAYER_TRANSPORT && !registry_is_text(&linter->suite->registry, row->under))
        fault_add(place, "layer-text",
                  "'%.*s' is about the transport, but documents.json gives its first source no `text`",
                  STR_ARG(row->key));
    if (!of_text && row->layer == LAYER_TRANSPORT &&
        ANY_IN(source, row->sources->first, !str_is(tree_text(source, "kind"), "referenced")))
        fault_add(place, "layer-text",
                  "'%.*s' cites a document, which demands it of the server and not of the transport",
                  STR_ARG(row->key));
    if (row->layer == LAYER_REFUSALS && expected && !has_changed_request(linter, row))
        fault_add(place, "layer-case", "'%.*s' is about refusals, but no case of it stands beside a right request",
                  STR_ARG(row->key));
}

static bool has_deviation(const struct suite *suite, struct str key)
{
    return ANY(i, suite->deviation_count,
               str_equal(suite->deviations[i].breaks, key) && !suite->deviations[i].equivalent.size);
}

/* A sentence that a source names must be in fixtures/texts, in that section. */
static void check_sentence(struct linter *linter, const struct tree *source, struct str sentence, struct place place)
{
    struct str name = tree_text(source, "text"), section = tree_text(source, "section");
    const struct text *text = texts_find(&linter->suite->texts, name);
    if (!text)
        fault_add(place, "ledger-sentence", "there is no fixtures/texts/%.*s.json in which the sentence could stand",
                  STR_ARG(name));
    else if (text_find(text, section, sentence) == NO_UNIT)
        fault_add(place, "ledger-sentence",
                  "the section \"%s\" of texts/%.*s.json has no sentence %s; `oip-conformance spec-check --sentence "
                  "'THE SENTENCE'` prints the fingerprint of one",
                  str_printable(linter->arena, section), STR_ARG(name), str_printable(linter->arena, sentence));
}

static void check_source(struct linter *linter, const struct tree *source, struct place place)
{
    struct str name = tree_text(source, "text"), section = tree_text(source, "section");
    const struct tree *sentence = tree_member(source, "sentence");
    const struct text *text = texts_find(&linter->suite->texts, name);
    if (!tree_member_str(linter->suite->documents, name))
        fault_add(place, "document-known", "documents.json does not name the text '%s'",
                  str_printable(linter->arena, name));
    if (text && !text_has_section(text, section))
        fault_add(place, "ledger-sentence", "texts/%.*s.json has no section \"%s\"", STR_ARG(name),
                  str_printable(linter->arena, section));
    else
        FOR_EACH_OF(one, sentence)
            check_sentence(linter, source, one->text, place);
}

static void check_sources(struct linter *linter, const struct requirement *row, struct place place)
{
    struct place sources = place_below(place, STR("sources"));
    FOR_EACH_IN(source, row->sources->first)
        check_source(linter, source, place_of_child(sources, row->sources, source));
}

static void check_implied(struct linter *linter, const struct requirement *row, struct place place)
{
    for (size_t i = 0; i < row->implies.count; i++) {
        struct str key = row->implies.items[i];
        if (!ledger_find(&linter->suite->ledger, key) || str_equal(key, row->key))
            fault_add(place, "implies", "'%.*s' implies '%s', which is no other row", STR_ARG(row->key),
                      str_printable(linter->arena, key));
    }
}

static void check_row(struct linter *linter, const struct requirement *row, const struct requirement *before)
{
    struct place place = row_place(row, linter->faults);
    bool tested = str_is(row->status, "tested");
    if (!str_equal(row->file, arena_printf(linter->arena, "requirements/%.*s.json", STR_ARG(row->prefix))))
        fault_add(place, "ledger-file", "'%.*s' belongs in requirements/%.*s.json", STR_ARG(row->key),
                  STR_ARG(row->prefix));
    if (before && str_equal(before->key, row->key))
        fault_add(place, "ledger-once", "'%.*s' has another row", STR_ARG(row->key));
    if (!tested && !row->why.size)
        fault_add(place, "ledger-why", "'%.*s' is %.*s and gives no `why`", STR_ARG(row->key), STR_ARG(row->status));
    check_sources(linter, row, place);
    check_implied(linter, row, place);
    if (row->level == LEVEL_MUST &&
        ALL_IN(source, row->sources->first, str_is(tree_text(source, "kind"), "convention")))
        fault_add(place, "level-source",
                  "'%.*s' is a MUST, but no text is among its sources: what servers share is at most a SHOULD",
                  STR_ARG(row->key));
    bool expected = has_case(linter, row);
    check_layer(linter, row, place, expected);
    if (expected && !has_deviation(linter->suite, row->key))
        fault_add(place, "killer", "no deviation breaks '%.*s', so no case of it was seen to fail", STR_ARG(row->key));
    if (tested && str_is(row->binds, "server") && !expected)
        fault_add(place, "coverage", "no case expects '%.*s'", STR_ARG(row->key));
}

static void check_deviation(struct linter *linter, const struct deviation *deviation)
{
    struct place place = deviation_place(deviation, linter->faults);
    struct str model = tree_text(tree_member(deviation->tree, "on"), "model");
    if (!ledger_find(&linter->suite->ledger, deviation->breaks))
        fault_add(place, "deviation-key", "the ledger has no row '%s'",
                  str_printable(linter->arena, deviation->breaks));
    if (model.size && !suite_model(linter->suite, model))
        fault_add(place, "deviation-model", "there is no model '%s' in fixtures/models",
                  str_printable(linter->arena, model));
}

void lint_ledger(struct linter *linter)
{
    const struct suite *suite = linter->suite;
    for (size_t i = 0; i < suite->ledger.count; i++)
        check_row(linter, &suite->ledger.rows[i], i ? &suite->ledger.rows[i - 1] : NULL);
    for (size_t i = 0; i < suite->deviation_count; i++) {
        const struct deviation *deviation = &suite->deviations[i];
        check_deviation(linter, deviation);
        if (i && str_equal(deviation->name, suite->deviations[i - 1].name))
            fault_add(deviation_place(deviation, linter->faults), "member-once", "there are two deviations '%.*s'",
                      STR_ARG(deviation->name));
    }
    FOR_EACH_IN(text, tree_first(suite->documents))
        grammar_check("document", text,
                      place_below(place_in(linter->faults, STR("documents.json"), STR("")), text->name));
    FOR_EACH_IN(state, tree_first(suite->states))
        grammar_check("state", state, place_below(place_in(linter->faults, STR("servers.json"), STR("")), state->name));
}
