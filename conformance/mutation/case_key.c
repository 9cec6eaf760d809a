/* Assertions whose IDs are equal without labels share one case key, which is made for the first. */
#include "mutation/case_key.h"

#include "base/search.h"
#include "support/digested.h"

/* Returns "PATH[/NEIGHBOUR]@ENCODING#KEY" for an ID that has labels between the first and the last @. */
static struct str without_labels(struct str id, struct arena *arena)
{
    size_t head = str_before(id, '#').size;
    const char *first = memchr(id.data, '@', head), *last = memrchr(id.data, '@', head);
    if (!first || first == last)
        return id;
    return arena_printf(arena, "%.*s%.*s", (int)(first - id.data), id.data, (int)(id.data + id.size - last), last);
}

/* The case key of all assertions with the same ID. */
struct shared {
    struct digested id; /* without labels */
    struct case_key *key;
};

static struct case_key *key_of(const struct assertion *assertion, void **shared, struct case_keys *keys,
                               struct arena *arena)
{
    struct str id = without_labels(assertion->id, arena);
    const struct digested digest = digested_of(id);
    struct shared *same = digested_entry(shared, &digest, sizeof *same, arena);
    if (!same->key) {
        same->key = &keys->list[keys->count++];
        *same->key = (struct case_key){.id = id, .requirement = assertion->requirement};
    }
    return same->key;
}

struct case_keys case_keys_make(const struct plan *plan, struct arena *arena)
{
    void *shared = NULL;
    size_t count = 0;
    struct case_keys keys = {.list = arena_alloc_zero(arena, plan->assertion_count, sizeof(struct case_key)),
                             .of = arena_alloc_zero(arena, plan->assertion_count, sizeof(struct case_key *))};
    FOR_EACH(play, plan->plays, plan->play_count)
        for (size_t k = 0; k < play->assertion_count; k++)
            keys.of[count++] = key_of(&play->assertions[k], &shared, &keys, arena);
    digested_free(shared);
    return keys;
}
