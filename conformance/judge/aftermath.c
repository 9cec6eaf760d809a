#include "judge/aftermath.h"

#include "judge/play.h"
#include "judge/reproduce.h"
#include "judge/retry.h"
#include "judge/sent.h"

static struct str joined(struct str first, struct str then, struct arena *arena)
{
    return arena_printf(arena, "%.*s%s%.*s", STR_ARG(first), first.size && then.size ? "; " : "", STR_ARG(then));
}

/* If only the connection is harmed, and not the server, the failure counts for the requirement about connections
 * (`in_step` of the endpoint). That is so if the base is refused after the neighbour on the same connection, but
 * answered as before on a new one. If the base is not refused, the connection is in step, and the answer itself is
 * wrong. */
static void blame_connection(const struct session *session, const struct play_options *options, const struct play *base,
                             const struct exchange *exchange, const struct result *results, struct assertion *assertion)
{
    const struct ledger *ledger = &session->suite->ledger;
    const struct requirement *in_step = ledger_find(ledger, exchange->request.endpoint->in_step);
    if (in_step && !answer_succeeds(exchange->tree, base->group->profile) &&
        retry_find(options, base, NULL, exchange, results).before_count)
        assertion->requirement = in_step;
}

/* Reports that the server was harmed, as one result, however many keys of the base show it: at the key that find_harm
 * or find_gravest_level chose, and by the level of that key. */
static void add_harm(struct session *session, const struct play_options *options, const struct aftermath *aftermath,
                     const struct exchange *exchange, struct result shown, struct str why)
{
    struct arena *arena = options->arena;
    const struct play *neighbour = aftermath->neighbour, *base = neighbour->group->plays[0];
    bool timeout = shown.verdict == VERDICT_TIMEOUT;
    shown.verdict = timeout ? VERDICT_TIMEOUT : verdict_of_level(shown.assertion->requirement, options->run->strict);
    shown.why = arena_printf(arena, "after %.*s%s the base is answered differently: %.*s", STR_ARG(neighbour->id),
                             servers_beside(&session->servers), STR_ARG(why));
    shown.command =
        reproduce_replay(options, session_replay_id(neighbour, shown.assertion->requirement->key, arena), NULL);
    shown.grpcurl = STR("");
    shown.sent = joined(sent_describe(neighbour->group->profile, &aftermath->exchange->request, false, arena),
                        sent_describe(base->group->profile, &exchange->request, false, arena), arena);
    struct str first = reproduce_transcript(options, neighbour, aftermath->exchange);
    shown.transcript =
        arena_printf(arena, "%.*s%.*s", STR_ARG(first), STR_ARG(reproduce_transcript(options, base, exchange)));
    session_add_replay(session, neighbour, &shown);
}

/* Returns the index of the assertion that shows the harm: the first MUST that passed before and does not now, else the
 * first SHOULD; the count of the assertions if none does. */
static size_t find_harm(const struct play *base, const struct result *before, const struct result *again)
{
    size_t found = base->assertion_count;
    for (size_t i = base->assertion_count; i-- > 0;) {
        bool harmed = verdict_passes(before[i].verdict) && !verdict_passes(again[i].verdict) &&
                      again[i].verdict < VERDICT_BLOCKED;
        bool weaker = found < base->assertion_count &&
                      base->assertions[i].requirement->level > base->assertions[found].requirement->level;
        if (harmed && !weaker)
            found = i;
    }
    return found;
}

/* Returns the index of the first assertion of the gravest level. */
static size_t find_gravest_level(const struct play *base)
{
    size_t found = 0;
    for (size_t i = 1; i < base->assertion_count; i++)
        if (base->assertions[i].requirement->level < base->assertions[found].requirement->level)
            found = i;
    return found;
}

bool aftermath_is_harmful(struct session *session, struct server *server, const struct play_options *options,
                          const struct aftermath *aftermath)
{
    const struct play *base = aftermath->neighbour->group->plays[0];
    struct exchange exchange;
    struct result *again = arena_alloc_zero(options->arena, base->assertion_count, sizeof(*again));
    play_and_judge(options, base, NULL, &exchange, again);
    if (!exchange_is_made(&exchange))
        return aftermath->was_harmed;
    servers_note(&session->servers, server, aftermath->neighbour, &exchange.answer);
    if (exchange.answer.outcome == OUTCOME_LIMITED) /* the target limits requests, so it did not answer */
        return aftermath->was_harmed;
    struct str why = {0};
    const struct result *before = played_of(session, base)->results;
    bool infer = tree_member(base->act, "infer") != NULL;
    bool same = infer && exchange.tree &&
                match_same(aftermath->first->tree, exchange.tree, play_likeness(base), options->arena, &why);
    size_t count = base->assertion_count, shown = same ? count : find_harm(base, before, again);
    bool is_harmed = shown < count || (infer && !same && count);
    if (is_harmed && !aftermath->was_harmed) {
        struct result told = again[shown < count ? shown : find_gravest_level(base)];
        struct assertion assertion = *told.assertion;
        blame_connection(session, options, base, &exchange, again, &assertion);
        told.assertion = &assertion;
        add_harm(session, options, aftermath, &exchange, told, shown < count ? told.why : why);
    }
    return is_harmed;
}
