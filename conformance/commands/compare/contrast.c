/* A difference is told by its place, that of a status or code also by its case: a hundred of a kind are one. What
 * differs even between two answers of one target to the same request, such as a counter, says nothing of the other
 * target, so such a place is left out of these requests. */
#include "commands/compare/contrast.h"

#include "client/tape_text.h"
#include "commands/compare/difference.h"
#include "support/digested.h"

#include <pthread.h>
#include <stdlib.h>

#define ANSWER_TEXT_MAX ((size_t)1 << 20) /* bytes of an answer, as a text, whose tree is kept */
#define NODES_MAX       ((size_t)4 << 20) /* nodes of all trees of a target that are kept */
#define ANSWERS_MAX     4                 /* different answers to one question that are kept */

/* --- Keeping --- */

/* A request of a play, and the different answers to it. */
struct question {
    struct digested entry;
    struct str request, play;
    struct str family; /* the path of its case */
    const struct tree *answers[ANSWERS_MAX];
    size_t count;
};

struct answer_kept {
    struct digested entry;
    const struct tree *tree;
};

struct answers {
    pthread_mutex_t lock;
    struct arena arena;
    void *kept;           /* struct answer_kept, by its digest; the next member too */
    void *questions;      /* struct question */
    struct list in_order; /* the same, as they came */
    size_t nodes;
};

struct answers *answers_new(void)
{
    struct answers *answers = memory_zeroed(sizeof *answers);
    answers->arena = memory_arena();
    pthread_mutex_init(&answers->lock, NULL);
    return answers;
}

void answers_free(struct answers *answers)
{
    digested_free(answers->kept);
    digested_free(answers->questions);
    pthread_mutex_destroy(&answers->lock);
    arena_free(&answers->arena);
    free(answers);
}

/* Returns "POST /v2/models/simple/infer", or an rpc with its model. */
static struct str request_of(const struct play *play, const struct request *request, struct arena *arena)
{
    const struct group *group = play->group;
    struct str model = group->probe ? tree_text(group->probe, "name") : group->model;
    if (request->method.size)
        return arena_printf(arena, "%.*s %.*s", STR_ARG(request->method), STR_ARG(request->path));
    return request->rpc.size ? arena_printf(arena, "%.*s %.*s", STR_ARG(request->rpc), STR_ARG(model)) : STR("bytes");
}

/* Returns the answer in the arena of the answers; of one that is too large its digest alone. */
static const struct tree *keep_answer(struct answers *answers, const struct tree *tree, struct str text)
{
    const struct digested key = digested_of(text);
    struct answer_kept *kept = digested_entry(&answers->kept, &key, sizeof *kept, &answers->arena);
    size_t nodes = tree_most_nodes(text);
    bool is_large = text.size > ANSWER_TEXT_MAX || answers->nodes + nodes > NODES_MAX;
    if (kept->tree)
        return kept->tree;
    if (is_large) {
        struct tree *digest_alone = tree_new(&answers->arena, TREE_OBJECT);
        tree_add(digest_alone, STR("large answer"), tree_string(&answers->arena, str_of(kept->entry.digest)));
        kept->tree = digest_alone;
        return digest_alone;
    }
    answers->nodes += nodes;
    kept->tree = tree_copy_whole(&answers->arena, tree);
    return kept->tree;
}

static void note_answer(struct answers *answers, const struct play *play, const struct exchange *exchange,
                        const struct tree *tree, struct arena *scratch)
{
    struct buf asked = {0}, came = {0};
    buf_append_str(&asked, play->id);
    buf_append_byte(&asked, '\n');
    tape_write_request(&exchange->request, NULL, scratch, &asked);
    const struct digested key = digested_of(buf_str(&asked));
    tree_write(tree, &came);
    pthread_mutex_lock(&answers->lock);
    struct question *question = digested_entry(&answers->questions, &key, sizeof *question, &answers->arena);
    if (question->count == 0) {
        question->request = request_of(play, &exchange->request, &answers->arena);
        question->play = arena_copy(&answers->arena, play->id);
        question->family = arena_copy(&answers->arena, play->group->family->path);
        list_append(&answers->in_order, question, &answers->arena);
    }
    const struct tree *kept = question->count < ANSWERS_MAX ? keep_answer(answers, tree, buf_str(&came)) : NULL;
    for (size_t i = 0; i < question->count && kept; i++)
        kept = question->answers[i] == kept ? NULL : kept;
    if (kept)
        question->answers[question->count++] = kept;
    pthread_mutex_unlock(&answers->lock);
    buf_free(&asked);
    buf_free(&came);
}

void answers_note(void *answers, const struct play *play, const struct exchange *exchange, const struct result *)
{
    struct arena scratch = memory_arena();
    const struct tree *tree = exchange->tree;
    if (!tree) {
        struct tree *silence = tree_new(&scratch, TREE_OBJECT);
        tree_add(silence, STR("no answer"), tree_string(&scratch, exchange->answer.trouble));
        tree = silence;
    }
    note_answer(answers, play, exchange, tree, &scratch);
    arena_free(&scratch);
}

/* --- All of them --- */

struct summing {
    struct arena *arena;
    const struct question *question;
    void *unsteady; /* struct digested, by request and place; a tree of tsearch */
    void *sums;     /* struct sum, by what is told */
    struct list in_order;
    size_t found; /* differences of the question that are no unsteady ones */
    size_t unsteady_count;
    bool counts; /* they are added to the sums */
};

struct sum {
    struct digested entry;
    struct contrast contrast;
    const struct question *last; /* that was counted */
};

static struct digested key_of(const struct summing *summing, struct str about, struct str place, struct str what)
{
    return digested_of(arena_printf(summing->arena, "%.*s\n%.*s\n%.*s", STR_ARG(about), STR_ARG(place), STR_ARG(what)));
}

/* Returns the key of a place that is unsteady in such answers. */
static struct digested key_of_unsteady(const struct summing *summing, struct str place)
{
    return key_of(summing, summing->question->request, place, STR(""));
}

static void note_unsteady(void *context, struct str place, struct str, struct str)
{
    struct summing *summing = context;
    const struct digested key = key_of_unsteady(summing, place), of_any = key_of(summing, STR("\n"), place, STR(""));
    summing->unsteady_count += digested_find(&summing->unsteady, &of_any) == NULL;
    digested_entry(&summing->unsteady, &of_any, sizeof of_any, summing->arena);
    digested_entry(&summing->unsteady, &key, sizeof key, summing->arena);
}

/* Whether a status or a code is there. */
static bool is_kind(struct str place)
{
    return str_is(place, "/status") || str_is(place, "/code");
}

static void note_difference(void *context, struct str place, struct str first, struct str second)
{
    struct summing *summing = context;
    bool is_missing = str_is(first, "nothing") || str_is(second, "nothing");
    struct digested key = key_of_unsteady(summing, place);
    if (digested_find(&summing->unsteady, &key))
        return;
    summing->found++;
    if (!summing->counts)
        return;
    struct str what = is_kind(place) ? arena_printf(summing->arena, "%.*s\n%.*s", STR_ARG(first), STR_ARG(second))
                      : !is_missing  ? STR("other")
                                     : arena_printf(summing->arena, "%d", str_is(first, "nothing"));
    key = key_of(summing, is_kind(place) ? summing->question->family : STR(""), place, what);
    struct sum *sum = digested_entry(&summing->sums, &key, sizeof *sum, summing->arena);
    if (!sum->last) {
        sum->contrast = (struct contrast){summing->question->request, place, first, second, summing->question->play, 0};
        list_append(&summing->in_order, sum, summing->arena);
    }
    sum->contrast.count += sum->last != summing->question;
    sum->last = summing->question;
}

/* Finds the places at which answers of one target to the same request differ: among those that it gave to a play, and
 * those that it gave when everything was played again. */
static void find_unsteady(struct summing *summing, const struct answers *answers, const struct answers *again)
{
    struct comparing comparing = {.found = note_unsteady, .context = summing, .arena = summing->arena};
    for (size_t i = 0; i < answers->in_order.count; i++) {
        const struct question *question = summing->question = answers->in_order.items[i];
        const struct question *same = digested_find(&again->questions, &question->entry);
        for (size_t k = 1; k < question->count; k++)
            differences_find(&comparing, question->answers[0], question->answers[k]);
        for (size_t k = 0; same && k < same->count; k++)
            differences_find(&comparing, question->answers[0], same->answers[k]);
    }
}

static int by_count(const void *a, const void *b)
{
    const struct contrast *one = a, *other = b;
    int order = (one->count < other->count) - (one->count > other->count);
    order = order ? order : str_compare(one->request, other->request);
    return order ? order : str_compare(one->place, other->place);
}

struct contrasts answers_compare(const struct answers *first, const struct answers *again, const struct answers *second,
                                 bool (*differs)(const void *context, struct str play), const void *context,
                                 const struct secrets *secrets, struct arena *arena)
{
    struct summing summing = {.arena = arena};
    struct contrasts contrasts = {0};
    struct comparing comparing = {.found = note_difference, .context = &summing, .secrets = secrets, .arena = arena};
    find_unsteady(&summing, first, again);
    find_unsteady(&summing, second, second);
    for (size_t i = 0; i < first->in_order.count; i++) {
        summing.question = first->in_order.items[i];
        const struct question *same = digested_find(&second->questions, &summing.question->entry);
        if (!same)
            continue;
        contrasts.both++;
        summing.found = 0;
        summing.counts = !differs(context, summing.question->play);
        differences_find(&comparing, summing.question->answers[0], same->answers[0]);
        contrasts.judged += !summing.counts && summing.found;
    }
    contrasts.first_alone = first->in_order.count - contrasts.both;
    contrasts.second_alone = second->in_order.count - contrasts.both;
    contrasts.unsteady = summing.unsteady_count;
    contrasts.items = arena_alloc_zero(arena, summing.in_order.count + 1, sizeof *contrasts.items);
    for (; contrasts.count < summing.in_order.count; contrasts.count++)
        contrasts.items[contrasts.count] = ((const struct sum *)summing.in_order.items[contrasts.count])->contrast;
    array_sort(contrasts.items, contrasts.count, by_count);
    digested_free(summing.unsteady);
    digested_free(summing.sums);
    return contrasts;
}
