#include "report/flakes.h"

#include "support/listing.h"

/* Whether it differs only in that what it waits for did not pass each time. */
static bool is_waiting(const struct repeated *repeated)
{
    struct repeated judged = *repeated;
    judged.counts[VERDICT_BLOCKED] = 0;
    return !repeated_differs(&judged);
}

struct flakes flakes_of(const struct run *run, struct arena *arena)
{
    struct flakes flakes = {.items = arena_alloc_zero(arena, run->result_count + 1, sizeof *flakes.items)};
    for (size_t i = 0; i < run->result_count && run->repeated; i++) {
        const struct repeated *repeated = &run->repeated[i];
        if (!repeated_differs(repeated))
            continue;
        if (is_waiting(repeated))
            flakes.waiting++;
        else
            flakes.items[flakes.count++] = (struct flake){&run->results[i], repeated};
    }
    return flakes;
}

struct str flakes_sentence(const struct run *run, const struct flakes *flakes, struct arena *arena)
{
    if (!run->repeated)
        return (struct str){0};
    if (!flakes->count && !flakes->waiting)
        return arena_printf(arena, "Every verdict was the same in %zu round%s.", run->rounds,
                            run->rounds == 1 ? "" : "s");
    struct str waiting = flakes->waiting
                             ? arena_printf(arena, ", and %zu were blocked by such in some", flakes->waiting)
                             : (struct str){0};
    return arena_printf(arena, "%zu assertion%s did not have the same verdict in all %zu rounds%.*s.", flakes->count,
                        flakes->count == 1 ? "" : "s", run->rounds, STR_ARG(waiting));
}

struct str flakes_counts(const struct run *run, const struct result *result, struct arena *arena)
{
    const struct repeated *repeated = run->repeated ? &run->repeated[result - run->results] : NULL;
    struct listing counts = {.arena = arena};
    for (enum verdict verdict = 0; repeated && repeated_differs(repeated) && verdict < VERDICT_COUNT; verdict++)
        if (repeated->counts[verdict])
            listing_add(&counts, arena_printf(arena, "%zu x %s", repeated->counts[verdict], verdict_name(verdict)));
    return listing_text(&counts);
}
