#include "probe/team.h"

#include "base/search.h"

#include <pthread.h>

/* The questions, and everything that the members share. */
struct team {
    struct probing *probing; /* with the prober that the team works for, which nobody uses meanwhile */
    ask_one *ask;
    const void *context;
    struct found_one *found;
    struct str *notes, *requests; /* by the number of the question */
    size_t count, next;
    pthread_mutex_t mutex; /* guards `next`, and the arena in which all of these lie */
};

struct member {
    struct team *team;
    struct prober prober;
    struct arena arena;
    pthread_t thread;
    size_t asked; /* questions so far */
};

/* --- One member --- */

/* Makes a prober that knows what the other one knows, with connections of its own. */
static void open_member(struct member *member, struct team *team)
{
    const struct prober *first = team->probing->prober;
    member->team = team;
    member->arena = memory_arena();
    member->prober = *first;
    member->prober.arena = &member->arena;
    member->prober.scratch = memory_arena();
    member->prober.held = memory_arena();
    member->prober.notes = member->prober.requests = (struct buf){0};
    member->prober.details = first->details ? tree_copy(&member->arena, first->details) : NULL;
    member->prober.client = client_create(team->probing->client_options, &member->arena);
}

static void close_member(struct member *member)
{
    client_destroy(member->prober.client);
    buf_free(&member->prober.notes);
    buf_free(&member->prober.requests);
    arena_free(&member->prober.scratch);
    arena_free(&member->prober.held);
    arena_free(&member->arena);
}

/* Takes the number of the next question. False if there is none. */
static bool take_next(struct team *team, size_t *number)
{
    pthread_mutex_lock(&team->mutex);
    *number = team->next;
    team->next += team->next < team->count;
    bool is_one = *number < team->count;
    pthread_mutex_unlock(&team->mutex);
    return is_one;
}

static void keep_result(struct team *team, size_t number, struct found_one found, const struct prober *prober)
{
    struct arena *arena = team->probing->prober->arena;
    pthread_mutex_lock(&team->mutex);
    team->found[number].tree = found.tree ? tree_copy_whole(arena, found.tree) : NULL;
    team->found[number].evidence = arena_copy(arena, found.evidence);
    team->notes[number] = arena_copy(arena, buf_str(&prober->notes));
    team->requests[number] = arena_copy(arena, buf_str(&prober->requests));
    pthread_mutex_unlock(&team->mutex);
}

/* How many models and profiles there are details of. */
static size_t count_details(const struct tree *details)
{
    size_t count = 0;
    FOR_EACH_IN(profile, tree_first(details))
        count += 1 + profile->count;
    return count;
}

/* Moves what the member has learned into its own arena. `details`, with `count` entries, lie there already; they are
 * copied only if there are more now. */
static void settle_member(struct member *member, const struct tree *details, size_t count)
{
    struct prober *prober = &member->prober;
    for (size_t i = 0; i < ENDPOINTS_MAX; i++) {
        struct endpoint_state *state = &prober->endpoints[i];
        state->trouble = arena_copy(&member->arena, state->trouble);
        state->redirects_to = arena_copy(&member->arena, state->redirects_to);
        state->only = arena_copy(&member->arena, state->only);
    }
    if (prober->details && (prober->details != details || count_details(details) > count))
        prober->details = tree_copy_whole(&member->arena, prober->details);
}

/* Asks a question with an arena of its own, which is freed afterwards: there are hundreds of questions, and each may
 * take megabytes. */
static void ask_next(struct member *member, struct probing *probing, size_t number)
{
    struct team *team = member->team;
    struct prober *prober = &member->prober;
    struct arena arena = memory_arena();
    const struct tree *details = prober->details;
    size_t count = count_details(details);
    prober->arena = &arena;
    struct found_one found = team->ask(probing, team->context, number);
    keep_result(team, number, found, prober);
    prober->evidence = STR("");
    buf_clear(&prober->notes);
    buf_clear(&prober->requests);
    settle_member(member, details, count);
    prober->arena = &member->arena;
    arena_free(&arena);
    member->asked++;
}

static void *work(void *argument)
{
    struct member *member = argument;
    struct probing probing = *member->team->probing;
    size_t number;
    probing.prober = &member->prober;
    while (take_next(member->team, &number))
        ask_next(member, &probing, number);
    return NULL;
}

/* --- What all of them learned --- */

static void learn_endpoint(struct endpoint_state *state, const struct endpoint_state *other, struct arena *arena)
{
    state->answered |= other->answered;
    state->lost = other->lost;
    state->limited |= other->limited;
    state->succeeded |= other->succeeded;
    if (!state->redirects_to.size)
        state->redirects_to = arena_copy(arena, other->redirects_to);
    state->lost_as = other->lost_as;
    if (!state->trouble.size)
        state->trouble = arena_copy(arena, other->trouble);
    state->differs |= other->differs || (state->only.size && other->only.size && !str_equal(state->only, other->only));
    if (state->differs)
        state->only = STR("");
    else if (!state->only.size)
        state->only = arena_copy(arena, other->only);
}

/* Adds the details that the other prober has asked for. */
static void learn_details(struct prober *prober, const struct prober *other)
{
    FOR_EACH_IN(one, tree_first(other->details)) {
        if (!prober->details)
            prober->details = tree_new(prober->arena, TREE_OBJECT);
        if (!tree_member_str(prober->details, one->name))
            tree_add(prober->details, arena_copy(prober->arena, one->name), tree_copy_whole(prober->arena, one));
    }
}

/* A kind of questions that one member got an answer to is not given up. */
static void learn_kinds(struct kinds *kinds, const struct kinds *other)
{
    FOR_EACH(theirs, other->list, other->count) {
        size_t known = kinds->count;
        struct kind *ours = kinds_find(kinds, theirs->key);
        bool is_new = kinds->count > known;
        ours->silent = is_new || theirs->silent < ours->silent ? theirs->silent : ours->silent;
        ours->answered |= theirs->answered;
    }
    kinds->different = other->different < kinds->different ? other->different : kinds->different;
}

/* Makes the prober know what its members learned. */
static void learn(struct prober *prober, const struct member *members, size_t count)
{
    bool first = true;
    for (size_t i = 0; i < count; i++) {
        const struct prober *other = &members[i].prober;
        if (members[i].asked == 0)
            continue;
        for (size_t k = 0; k < ENDPOINTS_MAX; k++) {
            learn_endpoint(&prober->endpoints[k], &other->endpoints[k], prober->arena);
            if (first)
                prober->endpoints[k].kinds = other->endpoints[k].kinds; /* it knew all of the prober's */
            learn_kinds(&prober->endpoints[k].kinds, &other->endpoints[k].kinds);
        }
        first = false;
        prober->versionless_refused |= other->versionless_refused;
        prober->versions_known |= other->versions_known;
        learn_details(prober, other);
    }
}

/* Adds the lines that the notes do not have yet. */
static void add_notes(struct buf *notes, struct str lines)
{
    while (lines.size) {
        const char *end = memchr(lines.data, '\n', lines.size);
        struct str line = {lines.data, end ? (size_t)(end - lines.data) + 1 : lines.size};
        if (!notes->size || !memmem(notes->data, notes->size, line.data, line.size))
            buf_append_str(notes, line);
        lines = str_from(lines, line.size);
    }
}

/* --- The team --- */

/* Asks all questions with the prober itself. */
static void ask_alone(struct team *team)
{
    for (size_t i = 0; i < team->count; i++)
        team->found[i] = team->ask(team->probing, team->context, i);
}

static void ask_together(struct team *team, size_t size)
{
    struct prober *prober = team->probing->prober;
    struct member *members = arena_alloc_zero(prober->arena, size, sizeof *members);
    size_t started = 0;
    for (size_t i = 0; i < size; i++)
        open_member(&members[i], team);
    while (started < size && pthread_create(&members[started].thread, NULL, work, &members[started]) == 0)
        started++;
    if (started == 0)
        work(&members[0]);
    for (size_t i = 0; i < started; i++)
        pthread_join(members[i].thread, NULL);
    learn(prober, members, size);
    for (size_t i = 0; i < team->count; i++) {
        add_notes(&prober->notes, team->notes[i]);
        buf_append_str(&prober->requests, team->requests[i]);
    }
    for (size_t i = 0; i < size; i++)
        close_member(&members[i]);
}

struct found_one *team_ask(struct probing *probing, ask_one *ask, const void *context, size_t count)
{
    struct arena *arena = probing->prober->arena;
    size_t jobs = probing->options->flags.jobs, size = jobs < count ? jobs : count;
    struct team team = {.probing = probing,
                        .ask = ask,
                        .context = context,
                        .found = arena_alloc_zero(arena, count + 1, sizeof *team.found),
                        .notes = arena_alloc_zero(arena, count + 1, sizeof *team.notes),
                        .requests = arena_alloc_zero(arena, count + 1, sizeof *team.requests),
                        .count = count,
                        .mutex = PTHREAD_MUTEX_INITIALIZER};
    if (size > 1 && !probing->client_options->one_connection)
        ask_together(&team, size);
    else
        ask_alone(&team);
    pthread_mutex_destroy(&team.mutex);
    return team.found;
}
