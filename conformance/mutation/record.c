/* Records what a trial showed: killed, refused by another row, or unchanged. */
#include "mutation/bench.h"

#include "base/search.h"
#include "plan/word.h"

/* Whether the server says that it refused the request because of another row than this key's. */
static bool refused_by_another(const struct result *result)
{
    const struct requirement *requirement = result->assertion->requirement;
    return result->refused_by.size && !str_equal(result->refused_by, requirement->key);
}

/* Whether the assertion expects a refusal, and a refusal was seen. */
static bool saw_refusal(const struct result *result)
{
    const struct tree *observation = result->assertion->observation, *any = tree_member(observation, "$any");
    if (any)
        observation = tree_member_str(any, result->observed);
    return !result->assertion->of_refusal && word_of(observation) == WORD_REFUSED && verdict_passes(result->verdict);
}

static bool is_kill(const struct result *before, const struct result *after)
{
    switch (after->verdict) {
    case VERDICT_FAIL:
    case VERDICT_TIMEOUT:
    case VERDICT_WARN:
        return true;
    case VERDICT_PASS:
    case VERDICT_PASS_WEAK:
        return before->assertion->requirement->level >= LEVEL_MAY && !str_equal(before->observed, after->observed);
    default:
        return false;
    }
}

static bool may_notice(const struct bench *bench, const struct play *play, size_t i, const struct trial *trial)
{
    return str_equal(play->assertions[i].requirement->key, trial->deviation->breaks) &&
           verdict_passes(bench->before[bench->first_assertion[play->index] + i]->verdict);
}

bool bench_may_kill(const struct bench *bench, const struct play *play, const struct trial *trial)
{
    return ANY(i, play->assertion_count, may_notice(bench, play, i, trial));
}

bool refused_by_another_row(const struct result *result)
{
    return saw_refusal(result) && refused_by_another(result);
}

/* Says what a key saw of a trial that it did not notice. */
static struct str describe(const struct bench *bench, const struct trial *trial, const struct result *after)
{
    struct arena *arena = &bench->mutation->arena;
    struct str text = arena_printf(arena, "%.*s: %s%s%.*s", STR_ARG(trial->deviation->name),
                                   verdict_name(after->verdict), after->why.size ? ", " : "", STR_ARG(after->why));
    return secrets_keep(bench->options->client.secrets, text, arena);
}

/* Counts the result of assertion `index`. Returns whether it noticed the deviation. */
static bool record(struct bench *bench, struct trial *trial, size_t index, const struct result *after)
{
    const struct result *before = bench->before[index];
    struct case_key *key = bench->mutation->keys.of[index];
    bool killed = is_kill(before, after);
    bool masked = !killed && refused_by_another_row(after);
    pthread_mutex_lock(&bench->mutex);
    trial->tried++;
    trial->killed += killed;
    trial->masked += masked;
    key->tried++;
    key->killed += killed;
    if (!key->killed)
        key->unnoticed = describe(bench, trial, after);
    if (masked && !trial->masked_by.size)
        trial->masked_by = secrets_keep(bench->options->client.secrets, after->refused_by, &bench->mutation->arena);
    if (killed && (!trial->killer || trial->killer->play->index > before->assertion->play->index))
        trial->killer = before->assertion;
    pthread_mutex_unlock(&bench->mutex);
    return killed;
}

bool bench_record(struct bench *bench, struct trial *trial, const struct play *play, const struct result *after)
{
    bool noticed = false;
    for (size_t i = 0; i < play->assertion_count; i++)
        if (may_notice(bench, play, i, trial))
            noticed |= record(bench, trial, bench->first_assertion[play->index] + i, &after[i]);
    return noticed;
}
