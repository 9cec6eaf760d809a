#include "judge/watchers.h"

#include "base/search.h"
#include "judge/reproduce.h"

#include <pthread.h>

/* What one watcher has seen. */
struct watched {
    const struct play *watcher;
    struct result *gravest; /* one for each assertion; its `assertion` is NULL before the first answer */
    size_t *from;           /* for each assertion: index of the play that gave the gravest result */
    char *saw;              /* for each play of the plan: whether the watcher looked at an answer of it */
    size_t answers;
};

struct watchers {
    const struct plan *plan;
    bool strict;
    struct watched *list;
    size_t count;
    struct arena kept; /* holds the texts of the gravest results */
    pthread_mutex_t mutex;
};

struct watchers *watchers_new(const struct plan *plan, bool strict, struct arena *arena)
{
    struct watchers *watchers = arena_new_of(arena, struct watchers);
    *watchers = (struct watchers){.plan = plan, .strict = strict, .kept = memory_arena()};
    pthread_mutex_init(&watchers->mutex, NULL);
    watchers->list = arena_alloc_zero(arena, plan->play_count + 1, sizeof(*watchers->list));
    FOR_EACH(play, plan->plays, plan->play_count) {
        if (!play->watches || play->disabled.size || play->not_applicable.size)
            continue;
        watchers->list[watchers->count++] = (struct watched){
            .watcher = play,
            .gravest = arena_alloc_zero(arena, play->assertion_count, sizeof(struct result)),
            .from = arena_alloc_zero(arena, play->assertion_count, sizeof(size_t)),
            .saw = arena_alloc_zero(arena, plan->play_count, 1),
        };
    }
    return watchers;
}

void watchers_free(struct watchers *watchers)
{
    arena_free(&watchers->kept);
    pthread_mutex_destroy(&watchers->mutex);
}

/* --- One exchange --- */

static bool meets(const struct tree *pattern, struct str text, struct arena *arena)
{
    return !pattern || match(pattern, tree_string(arena, text), arena, NULL, NULL);
}

/* Returns whether the watcher is about every answer at its endpoint. If it expects a key of its own profile, it is only
 * about that profile: another protocol at the same endpoint is not bound by it. */
static bool is_of_endpoint(const struct play *watcher)
{
    return !ANY(i, watcher->assertion_count,
                str_equal(watcher->assertions[i].requirement->prefix, watcher->group->profile->name));
}

/* Whether a wrong request was served. No correct client gets such an answer, and the case itself judges that the
 * request was not refused; so watchers of rows about answers ignore it. */
static bool is_served_wrongly(const struct play *play, const struct exchange *exchange, struct arena *arena)
{
    const struct tree *refused = play->group->profile->refused;
    return FIRST(i, play->assertion_count,
                 play->assertions[i].requirement->layer == LAYER_REFUSALS && !play->assertions[i].of_refusal,
                 !match(refused, exchange->tree, arena, NULL, NULL), false);
}

static bool looks_at(const struct play *watcher, const struct play *play, const struct exchange *exchange,
                     struct arena *arena)
{
    const struct request *request = &exchange->request;
    const struct tree *on = tree_member(watcher->group->family->tree, "on"), *answer = tree_member(on, "answer");
    const struct tree *http = tree_member(on, "http"), *grpc = tree_member(on, "grpc");
    bool is_limited = exchange->answer.outcome == OUTCOME_LIMITED;
    bool is_answered = (exchange->tree && exchange->answer.outcome == OUTCOME_ANSWERED) ||
                       (!answer && !is_limited &&
                        answer_begins(&exchange->answer)); /* of an answer that broke off, only that it began */
    bool is_http = request_is_http(request);
    const struct profile *profile = watcher->group->profile;
    bool is_bound = play->group->profile == profile || is_of_endpoint(watcher);
    if (!is_answered || !is_bound || play->group->profile->endpoint != profile->endpoint)
        return false;
    if (watcher->assertions[0].requirement->layer == LAYER_ANSWERS && is_served_wrongly(play, exchange, arena))
        return false;
    struct str line = arena_printf(arena, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->path));
    return meets(is_http ? http : grpc, is_http ? line : str_behind_last(request->rpc, '/'), arena) &&
           (!answer || match(answer, exchange->tree, arena, NULL, NULL));
}

bool watchers_judge(const struct play *watcher, const struct play *play, const struct exchange *exchange, bool strict,
                    struct arena *arena, struct result *results)
{
    if (!looks_at(watcher, play, exchange, arena))
        return false;
    const struct observed observed = {.answer = &exchange->answer,
                                      .tree = exchange->tree,
                                      .trouble = exchange->trouble,
                                      .profile = play->group->profile,
                                      .strict = strict};
    for (size_t i = 0; i < watcher->assertion_count; i++) {
        judge_assertion(&watcher->assertions[i], &observed, arena, &results[i]);
        if (results[i].why.size)
            results[i].why =
                arena_printf(arena, "in the answer to %.*s: %.*s", STR_ARG(play->id), STR_ARG(results[i].why));
    }
    return true;
}

/* --- The whole run --- */

/* Whether a result replaces the one that is kept: it is graver; or else it is of an earlier play; or it is of the same
 * play, which was sent several times at once, and came faster. So the kept result does not depend on the order of the
 * threads. */
static bool stands_before(const struct result *result, size_t index, const struct result *kept, size_t kept_index)
{
    if (!kept->assertion || kept->verdict != result->verdict)
        return !kept->assertion || verdict_is_graver(result->verdict, kept->verdict);
    return index < kept_index || (index == kept_index && result->seconds < kept->seconds);
}

/* Keeps the gravest verdict. */
static void remember(struct watchers *watchers, struct watched *watched, const struct play *play,
                     const struct exchange *exchange, const struct play_options *options, struct result *results)
{
    watched->answers++;
    watched->saw[play->index] = 1;
    for (size_t i = 0; i < watched->watcher->assertion_count; i++) {
        struct result *gravest = &watched->gravest[i];
        if (!stands_before(&results[i], play->index, gravest, watched->from[i]))
            continue;
        reproduce_add(options, play, NULL, exchange, &results[i], 1);
        results[i].exchange = &watchers->plan->plays[play->index]; /* the play of a step does not live as long */
        *gravest = result_keep(&watchers->kept, options->client_options->secrets, &results[i]);
        watched->from[i] = play->index;
    }
}

void watchers_look(struct watchers *watchers, const struct play *play, const struct exchange *exchange,
                   const struct play_options *options)
{
    struct arena scratch = memory_arena();
    struct play_options commands = *options;
    commands.arena = &scratch;
    for (size_t i = 0; i < watchers->count; i++) {
        struct watched *watched = &watchers->list[i];
        struct result *results = arena_alloc_zero(&scratch, watched->watcher->assertion_count, sizeof(*results));
        if (!watchers_judge(watched->watcher, play, exchange, watchers->strict, &scratch, results))
            continue;
        pthread_mutex_lock(&watchers->mutex);
        remember(watchers, watched, play, exchange, &commands, results);
        pthread_mutex_unlock(&watchers->mutex);
    }
    arena_free(&scratch);
}

static const struct watched *find_watched(const struct watchers *watchers, const struct play *watcher)
{
    return FIND(watchers->list, i, watchers->count, watchers->list[i].watcher == watcher);
}

void watchers_decide(struct watchers *watchers, const struct play *watcher, struct arena *arena, struct result *results)
{
    const struct watched *watched = find_watched(watchers, watcher);
    pthread_mutex_lock(&watchers->mutex);
    for (size_t i = 0; watched && i < watcher->assertion_count; i++) {
        if (watched->answers) {
            results[i] = result_keep(arena, NULL, &watched->gravest[i]);
            continue;
        }
        results[i].verdict = VERDICT_NOT_APPLICABLE;
        results[i].why = STR("no answer of this run holds what it is about");
    }
    pthread_mutex_unlock(&watchers->mutex);
}

size_t watchers_seen(const struct watchers *watchers, const struct play *watcher, const struct play **plays,
                     size_t room)
{
    const struct watched *watched = find_watched(watchers, watcher);
    size_t count = 0;
    for (int others = 0; watched && others < 2; others++) {
        const struct family *family = NULL;
        for (size_t i = 0; i < watchers->plan->play_count && count < room; i++) {
            const struct play *play = &watchers->plan->plays[i];
            bool is_other = play->group->profile != watcher->group->profile;
            if (!watched->saw[i] || is_other != others || play->group->family == family)
                continue;
            family = play->group->family;
            plays[count++] = play;
        }
    }
    return count;
}
