#include "judge/stage.h"

struct replay {
    struct result result;
    struct replay *next;
};

/* --- Before --- */

static void want(struct stage *stage, const struct play *play)
{
    if (play->not_applicable.size || part_of(stage, play)->wanted)
        return;
    struct part *part = part_of(stage, play);
    part->wanted = true;
    want(stage, play->group->plays[0]);
    for (size_t i = 0; i < play->control_count; i++)
        want(stage, play->controls[i].play);
    const struct play *standard = play_standard(play);
    if (standard) {
        want(stage, standard);
        part_of(stage, standard)->is_standard = true;
    }
}

void stage_set(struct stage *stage, const struct suite *suite, const struct plan *plan,
               const struct run_options *options, struct arena *arena)
{
    *stage = (struct stage){.suite = suite,
                            .plan = plan,
                            .options = options,
                            .arena = arena,
                            .parts = arena_alloc_zero(arena, plan->play_count, sizeof(*stage->parts)),
                            .mutex = PTHREAD_MUTEX_INITIALIZER};
    servers_make(options, &suite->registry, &stage->servers);
    struct result *results = arena_alloc_zero(arena, plan->assertion_count, sizeof(*results));
    for (size_t i = 0; i < plan->play_count; i++) {
        const struct play *play = &plan->plays[i];
        struct part *part = part_of(stage, play);
        part->results = results;
        part->last_replay = &part->replays;
        for (size_t k = 0; k < play->assertion_count; k++)
            *results++ = (struct result){.assertion = &play->assertions[k], .verdict = VERDICT_BLOCKED};
    }
    for (size_t i = 0; i < plan->play_count; i++)
        if (!plan->plays[i].disabled.size)
            want(stage, &plan->plays[i]);
}

void stage_clear(struct stage *stage)
{
    servers_free(&stage->servers);
    pthread_mutex_destroy(&stage->mutex);
}

/* --- While it goes on --- */

void stage_settle(struct stage *stage, const struct play *play, enum verdict verdict, struct str why)
{
    struct result *results = part_of(stage, play)->results;
    pthread_mutex_lock(&stage->mutex);
    struct str kept = arena_copy(stage->arena, why);
    for (size_t i = 0; i < play->assertion_count; i++) {
        results[i].verdict = verdict;
        results[i].why = kept;
    }
    pthread_mutex_unlock(&stage->mutex);
}

void stage_keep(struct stage *stage, const struct play *play, const struct exchange *exchange,
                const struct result *results)
{
    struct part *part = part_of(stage, play);
    pthread_mutex_lock(&stage->mutex);
    part->answered = exchange->answer.outcome == OUTCOME_ANSWERED;
    if (part->is_standard && exchange->tree)
        part->standard = tree_copy_whole(stage->arena, exchange->tree);
    for (size_t i = 0; i < play->assertion_count; i++)
        part->results[i] = result_keep(stage->arena, &results[i]);
    pthread_mutex_unlock(&stage->mutex);
}

/* "PATH/NEIGHBOUR/replay@ENCODING#KEY" */
static struct str replay_id(const struct play *neighbour, struct str key, struct arena *arena)
{
    const char *at = memchr(neighbour->id.data, '@', neighbour->id.size);
    size_t path = at ? (size_t)(at - neighbour->id.data) : neighbour->id.size;
    return arena_printf(arena, "%.*s/replay%.*s#%.*s", (int)path, neighbour->id.data, (int)(neighbour->id.size - path),
                        neighbour->id.data + path, STR_ARG(key));
}

void stage_add_replay(struct stage *stage, const struct play *neighbour, const struct result *failed)
{
    pthread_mutex_lock(&stage->mutex);
    struct replay *replay = arena_new_of(stage->arena, struct replay);
    struct assertion *assertion = arena_new_of(stage->arena, struct assertion);
    *assertion = *failed->assertion;
    assertion->id = replay_id(neighbour, failed->assertion->requirement->key, stage->arena);
    replay->result = result_keep(stage->arena, failed);
    replay->result.assertion = assertion;
    replay->result.verdict = failed->verdict == VERDICT_TIMEOUT ? VERDICT_TIMEOUT : VERDICT_FAIL;
    replay->result.replay = true;
    struct part *part = part_of(stage, neighbour);
    *part->last_replay = replay;
    part->last_replay = &replay->next;
    pthread_mutex_unlock(&stage->mutex);
}

struct str stage_not_passed(struct str control, struct str reason, struct arena *arena)
{
    enum { REASON_MAX = 300 };
    reason.size = reason.size < REASON_MAX ? reason.size : REASON_MAX;
    return arena_printf(arena, "its control %.*s did not pass%s%.*s", STR_ARG(control), reason.size ? ": " : "",
                        STR_ARG(reason));
}

bool stage_control_holds(const struct stage *stage, const struct control *control, struct arena *arena,
                         enum verdict *verdict, struct str *why)
{
    const struct play *play = control->play;
    struct str id = control->assertion ? control->assertion->id : play->id;
    *verdict = VERDICT_BLOCKED;
    if (play->not_applicable.size) {
        *verdict = VERDICT_NOT_APPLICABLE;
        *why = arena_printf(arena, "its control %.*s: %.*s", STR_ARG(id), STR_ARG(play->not_applicable));
        return false;
    }
    const struct result *results = part_of(stage, play)->results;
    bool holds = part_of(stage, play)->answered;
    struct str reason = play->assertion_count ? results[0].why : (struct str){0};
    for (size_t i = 0; i < play->assertion_count && holds; i++) {
        bool asked =
            control->assertion ? results[i].assertion == control->assertion : play_needs(play, results[i].assertion);
        if (asked && !verdict_passes(results[i].verdict)) {
            holds = false;
            reason = results[i].why;
        }
    }
    if (!holds)
        *why = stage_not_passed(id, reason, arena);
    return holds;
}

void stage_tell(struct stage *stage, const struct play *play)
{
    pthread_mutex_lock(&stage->mutex);
    for (size_t i = 0; i < play->assertion_count && stage->options->progress; i++) {
        struct result told = part_of(stage, play)->results[i];
        if (play->disabled.size)
            told.verdict = VERDICT_DISABLED;
        stage->options->progress(++stage->told, stage->plan->assertion_count, &told, stage->options->context);
    }
    pthread_mutex_unlock(&stage->mutex);
}

/* --- When everything was played --- */

/* Its controls guard what it passes; what it saw go wrong went wrong without them. */
static void settle_watcher(struct stage *stage, const struct play *watcher)
{
    struct result *results = part_of(stage, watcher)->results;
    enum verdict verdict;
    struct str why;
    watch_settle(stage->watch, watcher, stage->arena, results);
    for (size_t i = 0; i < watcher->control_count && !watcher->not_applicable.size; i++) {
        if (stage_control_holds(stage, &watcher->controls[i], stage->arena, &verdict, &why))
            continue;
        for (size_t k = 0; k < watcher->assertion_count; k++)
            if (verdict_passes(results[k].verdict)) {
                results[k].verdict = verdict;
                results[k].why = why;
            }
    }
    stage_tell(stage, watcher);
}

static size_t count_replays(const struct stage *stage)
{
    size_t count = 0;
    for (size_t i = 0; i < stage->plan->play_count; i++)
        for (const struct replay *replay = stage->parts[i].replays; replay; replay = replay->next)
            count++;
    return count;
}

void stage_collect(struct stage *stage, struct run *run)
{
    size_t most = stage->plan->assertion_count + count_replays(stage);
    run->results = arena_alloc_zero(stage->arena, most, sizeof(*run->results));
    for (size_t i = 0; i < stage->plan->play_count; i++) {
        const struct play *play = &stage->plan->plays[i];
        const struct part *part = part_of(stage, play);
        if (play->watches)
            settle_watcher(stage, play);
        for (size_t k = 0; k < play->assertion_count; k++) {
            struct result *result = &run->results[run->result_count++];
            *result = part->results[k];
            if (play->disabled.size)
                *result =
                    (struct result){.assertion = result->assertion, .verdict = VERDICT_DISABLED, .why = play->disabled};
        }
        for (const struct replay *replay = part->replays; replay && !play->disabled.size; replay = replay->next)
            run->results[run->result_count++] = replay->result;
    }
}
