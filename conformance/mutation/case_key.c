/* Assertions are sorted by their ID without labels. Those with equal IDs share one case key, which is made for the
 * first. */
#include "mutation/case_key.h"

#include <stdlib.h>

struct labelled {
    struct str id; /* ID without labels */
    const struct assertion *assertion;
    size_t index, first; /* indices in the plan: of this assertion, and of the first one with the same ID */
};

/* Returns "PATH[/NEIGHBOUR]@ENCODING#KEY" for an ID that has labels between the first and the last @. */
static struct str without_labels(struct str id, struct arena *arena)
{
    size_t head = str_before(id, '#').size;
    const char *first = memchr(id.data, '@', head), *last = memrchr(id.data, '@', head);
    if (!first || first == last)
        return id;
    return arena_printf(arena, "%.*s%.*s", (int)(first - id.data), id.data, (int)(id.data + id.size - last), last);
}

static int by_id(const void *a, const void *b)
{
    const struct labelled *left = a, *right = b;
    int order = str_compare(left->id, right->id);
    return order ? order : (left->index > right->index) - (left->index < right->index);
}

static int by_index(const void *a, const void *b)
{
    const struct labelled *left = a, *right = b;
    return (left->index > right->index) - (left->index < right->index);
}

struct case_keys case_keys_make(const struct plan *plan, struct arena *arena)
{
    size_t count = 0;
    struct labelled *all = arena_alloc_zero(arena, plan->assertion_count, sizeof(*all));
    struct case_keys keys = {.list = arena_alloc_zero(arena, plan->assertion_count, sizeof(struct case_key)),
                             .of = arena_alloc_zero(arena, plan->assertion_count, sizeof(struct case_key *))};
    for (size_t i = 0; i < plan->play_count; i++)
        for (size_t k = 0; k < plan->plays[i].assertion_count; k++, count++) {
            const struct assertion *assertion = &plan->plays[i].assertions[k];
            all[count] = (struct labelled){without_labels(assertion->id, arena), assertion, count, count};
        }
    qsort(all, count, sizeof(*all), by_id);
    for (size_t i = 1; i < count; i++)
        if (str_equal(all[i].id, all[i - 1].id))
            all[i].first = all[i - 1].first;
    qsort(all, count, sizeof(*all), by_index);
    for (size_t i = 0; i < count; i++) {
        if (all[i].first != i) {
            keys.of[i] = keys.of[all[i].first];
            continue;
        }
        keys.of[i] = &keys.list[keys.count++];
        *keys.of[i] = (struct case_key){.id = all[i].id, .requirement = all[i].assertion->requirement};
    }
    return keys;
}
