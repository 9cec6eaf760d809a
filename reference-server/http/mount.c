#include "http/mount.h"

#include "base/search.h"

#include <stdlib.h>

#define INFLATED_PART     12
#define INFLATED_AT_LEAST ((size_t)192 * 1024 * 1024)

size_t http_inflated_memory(const struct http_options *options)
{
    size_t memory = options->memory / INFLATED_PART;
    if (memory < INFLATED_AT_LEAST)
        memory = INFLATED_AT_LEAST;
    return memory < options->memory ? memory : options->memory;
}

/* Says whether this service is the first of its listener. */
static bool is_first(const struct http_mount *mounts, size_t position)
{
    return ALL(i, position, strcmp(mounts[i].service->listener, mounts[position].service->listener) != 0);
}

static int compare_prefixes(const void *one, const void *other)
{
    size_t a = ((const struct mount *)one)->prefix.size, b = ((const struct mount *)other)->prefix.size;
    return (a < b) - (a > b);
}

struct status mounts_make(const struct http_options *options, struct arena *arena, struct mounts *mounts)
{
    const size_t memory[] = {options->memory, http_inflated_memory(options)};
    mounts->list = arena_alloc_zero(arena, options->mount_count, sizeof(*mounts->list));
    if (!mounts->list)
        return status_no_memory();
    mounts->count = options->mount_count;
    for (size_t i = 0; i < mounts->count; i++) {
        const struct http_mount *from = &options->mounts[i];
        mounts->list[i] = (struct mount){
            .service = from->service,
            .context = from->context,
            .prefix = str_of(from->service->prefix),
            .is_first = is_first(options->mounts, i),
        };
    }
    qsort(mounts->list, mounts->count, sizeof(*mounts->list), compare_prefixes);
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < mounts->count && is_ok(status); i++) {
        mounts->list[i].index = i;
        status = prepared_make(mounts->list[i].service, memory, arena, mounts->list[i].prepared);
    }
    return status;
}

void mounts_free(struct mounts *mounts)
{
    for (size_t i = 0; i < mounts->count; i++)
        prepared_free(mounts->list[i].prepared);
}

void mounts_set_port(struct mounts *mounts, const char *listener, int port)
{
    for (size_t i = 0; i < mounts->count; i++)
        if (strcmp(mounts->list[i].service->listener, listener) == 0)
            mounts->list[i].port = port;
}

static bool lies_under(struct str path, struct str prefix)
{
    size_t same = 0;
    if (path.size < prefix.size)
        return false;
    while (same < prefix.size && path.data[same] == prefix.data[same])
        same++;
    return same == prefix.size && (same == path.size || path.data[same] == '/');
}

const struct mount *mount_of(const struct mounts *mounts, int port, struct str path)
{
    const struct mount *end = mounts->list + mounts->count;
    for (const struct mount *mount = mounts->list; mount < end; mount++)
        if (mount->port == port && lies_under(path, mount->prefix))
            return mount;
    for (const struct mount *mount = mounts->list; mount < end; mount++)
        if (mount->port == port && mount->is_first)
            return mount;
    return mounts->list;
}
