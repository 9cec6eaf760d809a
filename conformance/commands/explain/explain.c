/* `explain`: for a key, prints what it demands, where that is written, the simplest exchange that asks for it, its
 * cases and the deviations that break it. For a deviation, prints what it does and what it breaks. For a case, prints
 * what is sent and what is expected. For a model of the suite or a state of a server, prints what it is. Everything
 * fits two screens; --all prints the rest. */
#include "commands/explain/explain.h"
#include "commands/commands.h"

#include "base/search.h"
#include "support/listing.h"
#include "support/nearest.h"
#include "targets/replay_id.h"

#include <stdio.h>

#define OTHERS 12 /* plays of an ID that are named */

/* Whether the text means the play: it is the play's ID, or the ID without encoding, or without labels and encoding. */
static bool is_meant(const struct play *play, struct str id)
{
    if (str_equal(play->id, id))
        return true;
    return str_starts(play->id, id) && play->id.size > id.size && play->id.data[id.size] == '@';
}

/* Returns the ID with "*" in place of its first label. A run has the name of a probed model there. */
static struct str of_any_model(struct str id, struct arena *arena)
{
    struct str rest = id, path = str_take(&rest, '@');
    return arena_printf(arena, "%.*s@*%.*s", STR_ARG(path), STR_ARG(str_from(rest, str_before(rest, '@').size)));
}

/* What was found of an ID. */
struct found {
    size_t count;
    const struct play *first;
    const struct play *unexpecting; /* a play of that ID that does not expect the key */
};

/* Explains the first play of the ID, or with --all each of them, and names the others. */
static struct found explain_id(struct explaining *explaining, struct str id, struct str key)
{
    const struct plan *plan = &explaining->nominal->plan;
    struct found found = {0};
    struct str others = {0};
    FOR_EACH(play, plan->plays, plan->play_count) {
        if (!is_meant(play, id))
            continue;
        if (key.size && !expects_key(play, key)) {
            found.unexpecting = play;
            continue;
        }
        if (!found.first || explaining->all)
            explain_play(explaining, play, key);
        else if (found.count <= OTHERS)
            others = arena_printf(explaining->arena, "%.*s %.*s", STR_ARG(others), STR_ARG(play->id));
        found.first = found.first ? found.first : play;
        found.count++;
    }
    if (found.count > 1 && !explaining->all)
        explain_say(explaining, "and", 8, "%zu more of this ID (--all):%.*s%s", found.count - 1, STR_ARG(others),
                    found.count - 1 > OTHERS ? " ..." : "");
    return found;
}

/* Explains the plays of an ID, "CASE@ENCODING#KEY" or a part of it. Returns whether there are any; it may have said
 * that they do not expect the key. */
static bool explain_plays(struct explaining *explaining, struct str text, int *code)
{
    struct str key = text, id = str_take(&key, '#');
    struct found found = explain_id(explaining, id, key);
    if (!found.first && !found.unexpecting)
        found = explain_id(explaining, of_any_model(id, explaining->arena), key);
    if (!found.first && found.unexpecting) {
        complain(key_not_expected(found.unexpecting, key, explaining->arena));
        *code = EXIT_USAGE;
    }
    return found.first || found.unexpecting;
}

/* Says how to list what the text stands for: a profile, or the beginning of the paths of cases. Returns whether it is
 * one of these. */
static bool say_how_to_list(const struct nominal *nominal, struct str text, struct arena *arena)
{
    struct str why = {0};
    while (text.size && text.data[text.size - 1] == '/')
        text.size--;
    if (text.size && registry_profile(&nominal->suite.registry, text)) {
        why = arena_printf(arena, "%.*s is a profile; `oip-conformance list --profile %.*s` shows its cases",
                           STR_ARG(text), STR_ARG(text));
    } else if (text.size && ANY(i, nominal->plan.play_count,
                                str_starts(nominal->plan.plays[i].id, arena_printf(arena, "%.*s/", STR_ARG(text))))) {
        why = arena_printf(arena, "cases begin so; `oip-conformance list --filter '%.*s/*'` shows them", STR_ARG(text));
    }
    if (why.size)
        complain(why);
    return why.size > 0;
}

/* Names what comes nearest to a text that names nothing: keys, deviations, models, cases and neighbours. */
static void suggest(const struct nominal *nominal, struct str text, struct arena *arena)
{
    const struct suite *suite = &nominal->suite;
    struct nearest nearest = {.word = {text.data, strcspn(text.data, "@#")}};
    for (size_t i = 0; i < suite->ledger.count; i++)
        nearest_try(&nearest, suite->ledger.rows[i].key);
    for (size_t i = 0; i < suite->deviation_count; i++)
        nearest_try(&nearest, suite->deviations[i].name);
    for (size_t i = 0; i < suite->model_count; i++)
        nearest_try(&nearest, suite->models[i].name);
    FOR_EACH_IN(state, tree_first(suite->states))
        nearest_try(&nearest, state->name);
    for (size_t i = 0; i < nominal->plan.play_count; i++)
        nearest_try(&nearest, str_before(nominal->plan.plays[i].id, '@'));
    struct str hint = nearest_hint(&nearest, NEAREST_MAX, "`oip-conformance list` shows IDs and keys", arena);
    complain(arena_printf(arena, "there is no case, requirement, deviation, model or state '%s'; %s",
                          str_printable(arena, text), hint.data));
}

/* Explains a state of a server, for which --state names an address. */
static void explain_state(struct explaining *explaining, const struct tree *state)
{
    struct arena *arena = explaining->arena;
    struct listing folders = {.arena = arena};
    FOR_EACH_IN(model, tree_first(tree_member(state, "models")))
        listing_add(&folders, model->text);
    explain_title(explaining, 3, state->name,
                  arena_printf(arena, "%.*s (a state of a server: --state %.*s=URL)", STR_ARG(state->name),
                               STR_ARG(state->name)));
    explain_member(explaining, "says", tree_text(state, "says"), 3);
    explain_say(explaining, "serves", 3, "such models as those that `make models` writes into build/models: %.*s",
                STR_ARG(listing_text(&folders)));
    explain_say(explaining, "cases", 2, "oip-conformance list --filter '*/%.*s*'", STR_ARG(state->name));
}

/* Explains what the text names. Returns the exit code. */
static int explain(struct explaining *explaining, const struct options *options)
{
    struct str text = str_of(options->operands.items[0]);
    const struct suite *suite = &explaining->nominal->suite;
    const struct requirement *row = ledger_find(&suite->ledger, text);
    const struct deviation *deviation =
        FIND(suite->deviations, i, suite->deviation_count, str_equal(suite->deviations[i].name, text));
    const struct suite_model *model = suite_model(suite, text);
    const struct tree *state = tree_member_str(suite->states, text);
    int code = EXIT_CONFORMANT;
    if (row)
        explain_row(explaining, row);
    else if (deviation)
        explain_deviation(explaining, deviation);
    else if (model)
        explain_model(explaining, model);
    else if (state)
        explain_state(explaining, state);
    else if (!explain_plays(explaining, text, &code)) {
        if (!say_how_to_list(explaining->nominal, text, explaining->arena))
            suggest(explaining->nominal, text, explaining->arena);
        code = EXIT_USAGE;
    }
    return code;
}

int explain_print(struct nominal *nominal, const struct options *options,
                  int (*act)(struct explaining *explaining, const struct options *options))
{
    struct buf out = {0};
    struct explaining explaining = {nominal, &nominal->plan.arena, &out, options->all, &form_text, 0};
    int code = act(&explaining, options);
    fwrite(out.data, 1, out.size, stdout);
    buf_free(&out);
    return code;
}

static int print(struct nominal *nominal, const struct options *options)
{
    return explain_print(nominal, options, explain);
}

int command_explain(const struct options *options)
{
    return nominal_run(options, print);
}
