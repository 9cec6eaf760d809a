/* Lists of models: a row for each version in the catalog. */
#include "models/inside.h"

#include "base/search.h"

static struct model_row row_of(const struct generation *generation, const struct model *model, struct arena *arena)
{
    struct model_row row = {.state = atomic_load(&model->state), .is_wanted = generation->is_wanted};
    row.name = arena_copy(arena, generation->name);
    row.version = arena_copy(arena, model->version);
    if (row.state == MODEL_UNAVAILABLE)
        row.reason = arena_copy(arena, model->reason);
    return row;
}

static struct status rows_of(const struct catalog *catalog, struct str root, struct arena *arena,
                             struct model_row **rows, size_t *count)
{
    size_t room = SUM(i, catalog->count, catalog->generations[i]->version_count);
    *count = 0;
    *rows = arena_alloc_zero(arena, room, sizeof(**rows));
    NEED(*rows);
    for (size_t i = 0; i < catalog->count; i++) {
        const struct generation *generation = catalog->generations[i];
        for (size_t j = 0; j < generation->version_count; j++) {
            if (root.size && !str_equal(root, generation->repository))
                continue;
            struct model_row row = row_of(generation, &generation->models[j], arena);
            NEED(row.name.data && row.version.data);
            (*rows)[(*count)++] = row;
        }
    }
    return STATUS_IS_OK;
}

struct status repository_rows(struct repository *repository, struct str root, struct arena *arena,
                              struct model_row **rows, size_t *count)
{
    struct tally_place *place = readers_enter(&repository->readers, tally_here());
    struct status status = rows_of(atomic_load(&repository->catalog), root, arena, rows, count);
    readers_leave(place);
    return status;
}

struct status repository_list(struct repository *repository, struct arena *arena, struct model_row **rows,
                              size_t *count)
{
    return repository_rows(repository, (struct str){0}, arena, rows, count);
}
