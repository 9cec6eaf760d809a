#include "judge/session.h"

#include "base/search.h"

#include <unistd.h>

struct replay {
    struct result result;
    struct replay *next;
};

/* --- Before the run --- */

static void want(struct session *session, const struct play *play)
{
    if (play->not_applicable.size || played_of(session, play)->wanted)
        return;
    struct played *played = played_of(session, play);
    played->wanted = true;
    want(session, play->group->plays[0]);
    for (size_t i = 0; i < play->control_count; i++)
        want(session, play->controls[i].play);
    const struct play *standard = play_standard(play);
    if (standard) {
        want(session, standard);
        played_of(session, standard)->is_standard = true;
    }
}

void session_open(struct session *session, const struct suite *suite, const struct plan *plan,
                  const struct run_options *options, struct arena *arena)
{
    *session = (struct session){.suite = suite,
                                .plan = plan,
                                .options = options,
                                .arena = arena,
                                .plays = arena_alloc_zero(arena, plan->play_count, sizeof(*session->plays)),
                                .mutex = PTHREAD_MUTEX_INITIALIZER,
                                .telling = PTHREAD_MUTEX_INITIALIZER};
    servers_make(options, &suite->registry, &session->servers);
    struct result *results = arena_alloc_zero(arena, plan->assertion_count, sizeof(*results));
    FOR_EACH(play, plan->plays, plan->play_count) {
        struct played *played = played_of(session, play);
        played->results = results;
        played->last_replay = &played->replays;
        for (size_t k = 0; k < play->assertion_count; k++)
            *results++ = (struct result){.assertion = &play->assertions[k], .verdict = VERDICT_BLOCKED};
    }
    for (size_t i = 0; i < plan->play_count; i++)
        if (!plan->plays[i].disabled.size)
            want(session, &plan->plays[i]);
}

void session_close(struct session *session)
{
    servers_free(&session->servers);
    pthread_mutex_destroy(&session->telling);
    pthread_mutex_destroy(&session->mutex);
}

/* --- During the run --- */

static const struct secrets *secrets_of(const struct session *session)
{
    return session->options->client.secrets;
}

/* Locks the mutex. When the session is frozen, the calling thread was left behind, and never returns from here. */
static void lock(struct session *session)
{
    pthread_mutex_lock(&session->mutex);
    if (!session->frozen)
        return;
    pthread_mutex_unlock(&session->mutex);
    while (true)
        pause();
}

static void unlock(struct session *session)
{
    pthread_mutex_unlock(&session->mutex);
}

void session_decide(struct session *session, const struct play *play, enum verdict verdict, struct str why,
                    const struct play *waits_for)
{
    struct result *results = played_of(session, play)->results;
    lock(session);
    struct str kept = secrets_keep(secrets_of(session), why, session->arena);
    for (size_t i = 0; i < play->assertion_count; i++) {
        results[i].verdict = verdict;
        results[i].why = kept;
        results[i].waits_for = waits_for;
    }
    unlock(session);
}

void session_record(struct session *session, const struct play *play, const struct exchange *exchange,
                    const struct result *results)
{
    struct played *played = played_of(session, play);
    lock(session);
    played->answered = answer_is_seen(&exchange->answer);
    played->succeeded = answer_succeeds(exchange->tree, play->group->profile);
    played->accepted = play_accepted(play, exchange, results);
    if (played->is_standard && exchange->tree)
        played->standard = tree_copy_whole(session->arena, exchange->tree);
    for (size_t i = 0; i < play->assertion_count; i++) {
        played->results[i] = result_keep(session->arena, secrets_of(session), &results[i]);
        if (results[i].waits_for && results[i].waits_for->index == play->index) /* the play of a step does not live as
                                                                                   long */
            played->results[i].waits_for = play;
    }
    unlock(session);
}

struct str session_replay_id(const struct play *neighbour, struct str key, struct arena *arena)
{
    struct str path = str_before(neighbour->id, '@'), labels = str_from(neighbour->id, path.size);
    return arena_printf(arena, "%.*s/replay%.*s#%.*s", STR_ARG(path), STR_ARG(labels), STR_ARG(key));
}

void session_add_replay(struct session *session, const struct play *neighbour, const struct result *failed)
{
    lock(session);
    struct replay *replay = arena_new_of(session->arena, struct replay);
    struct assertion *assertion = arena_new_of(session->arena, struct assertion);
    *assertion = *failed->assertion;
    assertion->id = session_replay_id(neighbour, failed->assertion->requirement->key, session->arena);
    replay->result = result_keep(session->arena, secrets_of(session), failed);
    replay->result.assertion = assertion;
    replay->result.exchange = neighbour;
    replay->result.replay = true;
    struct played *played = played_of(session, neighbour);
    *played->last_replay = replay;
    played->last_replay = &replay->next;
    unlock(session);
}

struct str session_not_passed(struct str control, struct str reason, struct arena *arena)
{
    enum { REASON_MAX = 300 };
    reason.size = reason.size < REASON_MAX ? reason.size : REASON_MAX;
    return arena_printf(arena, "its control %.*s did not pass%s%.*s", STR_ARG(control), reason.size ? ": " : "",
                        STR_ARG(reason));
}

static bool control_holds(const struct session *session, const struct control *control, struct arena *arena,
                          struct unmet *unmet)
{
    const struct play *play = control->play;
    struct str id = control->assertion ? control->assertion->id : play->id;
    *unmet = (struct unmet){.verdict = VERDICT_BLOCKED, .control = play};
    if (play->not_applicable.size) {
        unmet->verdict = VERDICT_NOT_APPLICABLE;
        unmet->why = arena_printf(arena, "its control %.*s: %.*s", STR_ARG(id), STR_ARG(play->not_applicable));
        return false;
    }
    const struct played *played = played_of(session, play);
    bool holds = control->assertion ? played->answered : played->accepted;
    struct str reason = play->assertion_count ? played->results[0].why : (struct str){0};
    FOR_EACH(result, played->results, play->assertion_count) {
        bool asked = control->assertion ? result->assertion == control->assertion
                                        : !played->accepted && plan_builds_on(play, result->assertion);
        if (asked && !verdict_passes(result->verdict)) {
            holds = false;
            reason = result->why;
            if (result->verdict == VERDICT_NOT_APPLICABLE)
                unmet->verdict = VERDICT_NOT_APPLICABLE;
            break;
        }
    }
    if (!holds)
        unmet->why = session_not_passed(id, reason, arena);
    return holds;
}

/* Whether at least one of several alternative controls holds. */
static bool choice_holds(const struct session *session, const struct control *first, size_t choices,
                         struct arena *arena, struct unmet *unmet)
{
    for (size_t i = 0; i < choices; i++) {
        struct unmet one;
        if (control_holds(session, &first[i], arena, &one))
            return true;
        if (i == 0 || (unmet->verdict == VERDICT_NOT_APPLICABLE && one.verdict != VERDICT_NOT_APPLICABLE))
            *unmet = one;
    }
    if (choices > 1)
        unmet->why =
            arena_printf(arena, "%.*s; nor did any of %zu others that would do", STR_ARG(unmet->why), choices - 1);
    return false;
}

bool session_controls_hold(const struct session *session, const struct play *play, struct arena *arena,
                           struct unmet *unmet)
{
    size_t choices;
    for (size_t i = 0; i < play->control_count; i += choices) {
        const struct control *first = &play->controls[i];
        choices = control_choices(first);
        bool own = first->play == play; /* another key of the same exchange */
        if (!own && !choice_holds(session, first, choices, arena, unmet))
            return false;
    }
    return true;
}

/* Why the user left the assertion out, by itself or with its play; empty if not. */
static struct str left_out(const struct play *play, const struct assertion *assertion)
{
    return play->disabled.size ? play->disabled : assertion->disabled;
}

void session_report(struct session *session, const struct play *play)
{
    if (!session->options->progress)
        return;
    pthread_mutex_lock(&session->telling);
    for (size_t i = 0; i < play->assertion_count; i++) {
        lock(session);
        struct result result = played_of(session, play)->results[i];
        unlock(session);
        if (left_out(play, result.assertion).size)
            result.verdict = VERDICT_DISABLED;
        session->options->progress(++session->reported, session->plan->assertion_count, &result,
                                   session->options->context);
    }
    pthread_mutex_unlock(&session->telling);
}

void session_freeze(struct session *session)
{
    lock(session);
    session->frozen = true;
    unlock(session);
}

/* --- After everything was played --- */

/* Decides a watcher's assertions. A failed control voids a watcher's passes, but never its failures. */
static void decide_watcher(struct session *session, const struct play *watcher)
{
    struct result *results = played_of(session, watcher)->results;
    struct unmet unmet = {0};
    watchers_decide(session->watchers, watcher, session->arena, results);
    bool hold = watcher->not_applicable.size || session_controls_hold(session, watcher, session->arena, &unmet);
    for (size_t k = 0; k < watcher->assertion_count && !hold; k++)
        if (verdict_passes(results[k].verdict)) {
            results[k].verdict = unmet.verdict;
            results[k].why = unmet.why;
            results[k].waits_for = unmet.control;
        }
    if (!session->frozen)
        session_report(session, watcher);
}

/* Whether the play is the base of an infer case that succeeded, and one of its assertions passed. */
static bool is_inference(const struct play *play, const struct played *played)
{
    if (!play->is_base || !tree_member(play->act, "infer") || !played->succeeded)
        return false;
    return ANY(i, play->assertion_count, verdict_passes(played->results[i].verdict));
}

void session_collect(struct session *session, struct run *run)
{
    run->inferences =
        arena_alloc_zero(session->arena, session->suite->registry.profile_count, sizeof(*run->inferences));
    FOR_EACH(play, session->plan->plays, session->plan->play_count) {
        const struct played *played = played_of(session, play);
        if (play->watches)
            decide_watcher(session, play);
        const struct profile *inherits = play->group->encoding->inherits;
        run->inferences[play->group->profile->index] += is_inference(play, played);
        if (inherits && inherits != play->group->profile) /* it is one of that profile too, in another form */
            run->inferences[inherits->index] += is_inference(play, played);
        for (size_t k = 0; k < play->assertion_count; k++) {
            struct result *result = array_add(run->results, run->result_count, session->arena);
            *result = played->results[k];
            if (session->frozen && result->verdict == VERDICT_BLOCKED && !result->why.size)
                result->why = run_interruption(*session->options->interrupted);
            struct str why = left_out(play, result->assertion);
            if (why.size)
                *result = (struct result){.assertion = result->assertion, .verdict = VERDICT_DISABLED, .why = why};
        }
        FOR_EACH_IN(replay, played->replays)
            if (!left_out(play, replay->result.assertion).size)
                *array_add(run->results, run->result_count, session->arena) = replay->result;
    }
}
