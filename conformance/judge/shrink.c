#include "judge/shrink.h"

#include "base/search.h"
#include "judge/edits.h"
#include "judge/play.h"
#include "support/seconds.h"

#include <ctype.h>

/* What is compared of two failures. */
struct manner {
    enum verdict verdict;
    enum outcome outcome;
    struct str answered; /* the status or code */
    struct str place;    /* "/json/outputs/0/name", without numbers */
    struct str says;     /* what a refusal says, without numbers */
};

struct searching {
    const struct shrink_options *options;
    struct play_options playing;
    struct arena *arena;
    struct shrunk *shrunk;
    const struct play *base;           /* of a neighbour; else NULL */
    const struct tree *act, *base_act; /* of the smallest that failed so far */
    struct manner manner;
    double begun;
};

enum attempt { ATTEMPT_SAME, ATTEMPT_PASSES, ATTEMPT_OTHER };

/* --- One request --- */

static struct str without_numbers(struct str text, struct arena *arena)
{
    struct buf out = {0};
    for (size_t i = 0; i < text.size; i++)
        if (!isdigit((unsigned char)text.data[i]))
            buf_append_byte(&out, text.data[i]);
        else if (i == 0 || !isdigit((unsigned char)text.data[i - 1]))
            buf_append_byte(&out, '#');
    return arena_take(arena, &out);
}

static struct manner manner_of(const struct searching *searching, const struct tried *tried, struct arena *arena)
{
    const struct exchange *exchange = &tried->exchange;
    struct str why = tried->result.why, place = str_has(why, ':') ? str_before(why, ':') : STR("");
    struct manner manner = {.verdict = tried->result.verdict,
                            .outcome = exchange->answer.outcome,
                            .answered = arena_copy(arena, tried->result.outcome),
                            .place = without_numbers(place, arena),
                            .says = STR("")};
    if (exchange->tree && !answer_succeeds(exchange->tree, searching->options->play->group->profile))
        manner.says = without_numbers(
            request_is_http(&exchange->request) ? exchange->answer.body : exchange->answer.details, arena);
    return manner;
}

static bool are_alike(const struct manner *one, const struct manner *other)
{
    return one->verdict == other->verdict && one->outcome == other->outcome &&
           str_equal(one->answered, other->answered) && str_equal(one->place, other->place) &&
           str_equal(one->says, other->says);
}

/* Returns the assertion that was asked for, or the first that fails. */
static const struct result *chosen(const struct searching *searching, const struct result *results, size_t count)
{
    const struct result *warned = NULL;
    for (size_t i = 0; i < count; i++) {
        bool is_named = str_equal(results[i].assertion->requirement->key, searching->options->key);
        bool fails = result_fails(&results[i], searching->options->run->strict);
        if (searching->options->key.size ? is_named : fails)
            return &results[i];
        warned = !warned && results[i].verdict == VERDICT_WARN ? &results[i] : warned;
    }
    return warned ? warned : &results[0];
}

/* Sends the play with another act. False: it cannot be sent. */
static bool send(struct searching *searching, const struct play *play, const struct tree *act,
                 const struct tree *base_act, const struct tree *base, struct tried *tried)
{
    struct result *results = arena_alloc_zero(searching->playing.arena, play->assertion_count + 1, sizeof *results);
    *tried = (struct tried){.play = *play};
    tried->play.act = act;
    tried->play.base_act = base_act;
    searching->shrunk->requests++;
    play_and_judge(&searching->playing, &tried->play, base, &tried->exchange, results);
    if (!exchange_is_made(&tried->exchange) || !play->assertion_count)
        return exchange_is_made(&tried->exchange);
    tried->result = *chosen(searching, results, play->assertion_count);
    return true;
}

/* Tries a request, that of a neighbour after the one of its base, which must be taken. */
static enum attempt try_acts(struct searching *searching, const struct tree *act, const struct tree *base_act,
                             struct tried *tried, struct tried *base)
{
    const struct tree *tree = NULL;
    *base = (struct tried){0};
    if (searching->base) {
        if (tree_equal(act, base_act) || !send(searching, searching->base, base_act, NULL, NULL, base) ||
            !answer_succeeds(base->exchange.tree, searching->base->group->profile))
            return ATTEMPT_OTHER;
        tree = base->exchange.tree;
    }
    if (!send(searching, searching->options->play, act, base_act, tree, tried))
        return ATTEMPT_OTHER;
    if (verdict_passes(tried->result.verdict))
        return ATTEMPT_PASSES;
    struct manner manner = manner_of(searching, tried, searching->playing.arena);
    return are_alike(&manner, &searching->manner) ? ATTEMPT_SAME : ATTEMPT_OTHER;
}

/* --- The search --- */

static bool is_over(const struct searching *searching)
{
    const struct shrink_options *options = searching->options;
    return searching->shrunk->requests >= options->max_requests ||
           seconds_now() - searching->begun >= options->max_time || run_is_interrupted(options->run);
}

static bool has_data(const struct tree *tree)
{
    const struct tree *data = tree_member(tree, "data");
    return (data && data->type == TREE_ARRAY) || ANY_IN(child, tree_first(tree), has_data(child));
}

/* Without a base nothing shows that what is expected of the request still belongs to a smaller one: what is in both
 * is left as it is. */
static struct edit_rules rules_of(const struct searching *searching)
{
    const struct assertion *failed = searching->shrunk->failing.result.assertion;
    if (searching->base)
        return (struct edit_rules){0};
    return (struct edit_rules){.expected = failed->observation,
                               .keeps_values = has_data(failed->observation) || failed->standard};
}

static void replace(struct arena *old, struct arena *new)
{
    arena_free(old);
    *old = *new;
    *new = memory_arena();
}

/* Tries an edit. What is found is kept with the arena in which it lies. */
static enum attempt try_edit(struct searching *searching, const struct edit *edit, struct arena *scratch)
{
    struct shrunk *shrunk = searching->shrunk;
    struct tree *act = edit_apply(searching->act, edit, scratch);
    struct tree *base_act = searching->base ? edit_apply(searching->base_act, edit, scratch) : NULL;
    struct tried tried, base;
    searching->playing.arena = scratch;
    enum attempt attempt =
        tree_equal(act, searching->act) ? ATTEMPT_OTHER : try_acts(searching, act, base_act, &tried, &base);
    if (attempt == ATTEMPT_PASSES && !searching->base) { /* the last one is by the smallest edit */
        shrunk->passing = tried;
        replace(&shrunk->arenas[1], scratch);
    } else if (attempt == ATTEMPT_SAME) {
        searching->act = act;
        searching->base_act = base_act;
        shrunk->failing = tried;
        shrunk->passing = base;
        replace(&shrunk->arenas[0], scratch);
    }
    searching->playing.arena = searching->arena;
    return attempt;
}

/* Tries each edit once. Returns whether one of them was good. */
static bool sweep(struct searching *searching)
{
    const struct edit_rules rules = rules_of(searching);
    struct arena arena = memory_arena();
    bool found = false;
    struct list edits = edits_of(searching->act, &rules, &arena);
    for (size_t i = 0; i < edits.count && !is_over(searching); i++) {
        struct arena scratch = memory_arena();
        bool is_smaller = try_edit(searching, edits.items[i], &scratch) == ATTEMPT_SAME;
        arena_free(&scratch);
        if (!is_smaller)
            continue;
        found = true;
        arena_free(&arena);
        arena = memory_arena();
        edits = edits_of(searching->act, &rules, &arena);
    }
    arena_free(&arena);
    return found;
}

/* Plays what the play itself sends. Returns whether it fails; else the result says why not. */
static bool play_first(struct searching *searching)
{
    struct shrunk *shrunk = searching->shrunk;
    const struct play *play = searching->options->play, *standard = play_standard(play);
    struct tried other;
    if (standard && send(searching, standard, standard->act, standard->base_act, NULL, &other))
        searching->playing.standard = other.exchange.tree;
    const struct tree *base = NULL;
    if (searching->base) {
        bool is_sent = send(searching, searching->base, searching->base_act, NULL, NULL, &shrunk->passing);
        if (!is_sent || !answer_succeeds(shrunk->passing.exchange.tree, searching->base->group->profile)) {
            shrunk->why_not = STR("the base of the case, a correct request, is refused: shrink that one first");
            return false;
        }
        base = shrunk->passing.exchange.tree;
    }
    bool is_sent = send(searching, play, play->act, play->base_act, base, &shrunk->failing);
    const struct result *result = &shrunk->failing.result;
    shrunk->holds = is_sent && verdict_passes(result->verdict);
    if (!is_sent)
        shrunk->why_not = STR("its request cannot be made");
    else if (shrunk->holds)
        shrunk->why_not = STR("it holds");
    else if (!verdict_is_judged(result->verdict))
        shrunk->why_not = result->why.size ? result->why : STR("it was not judged");
    return !shrunk->why_not.size;
}

void shrink(const struct shrink_options *options, struct arena *arena, struct shrunk *shrunk)
{
    const struct play *play = options->play;
    struct searching searching = {.options = options,
                                  .arena = arena,
                                  .shrunk = shrunk,
                                  .base = play->is_base ? NULL : play->group->plays[0],
                                  .act = play->act,
                                  .begun = seconds_now()};
    searching.base_act = searching.base ? searching.base->act : NULL;
    searching.playing = (struct play_options){.client = client_create(&options->run->client, arena),
                                              .client_options = &options->run->client,
                                              .run = options->run,
                                              .arena = arena};
    *shrunk = (struct shrunk){.arenas = {memory_arena(), memory_arena()}};
    if (play_first(&searching)) {
        searching.manner = manner_of(&searching, &shrunk->failing, arena);
        shrunk->before = edit_weight(play->act);
        while (sweep(&searching)) {
        }
        shrunk->after = edit_weight(searching.act);
        shrunk->is_smallest = !is_over(&searching);
    }
    client_destroy(searching.playing.client);
}

void shrunk_free(struct shrunk *shrunk)
{
    arena_free(&shrunk->arenas[0]);
    arena_free(&shrunk->arenas[1]);
}
