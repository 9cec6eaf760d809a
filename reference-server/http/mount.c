#include "http/mount.h"

#include "base/search.h"

#define INFLATED_PART     12
#define INFLATED_AT_LEAST ((size_t)192 * 1024 * 1024)

size_t http_inflated_memory(const struct http_options *options)
{
    size_t memory = options->memory / INFLATED_PART;
    if (memory < INFLATED_AT_LEAST)
        memory = INFLATED_AT_LEAST;
    return memory < options->memory ? memory : options->memory;
}

struct status mounts_make(const struct http_options *options, struct arena *arena, struct mounts *mounts)
{
    const size_t memory[] = {options->memory, http_inflated_memory(options)};
    mounts->list = arena_alloc_zero(arena, options->mount_count, sizeof(*mounts->list));
    NEED(mounts->list);
    for (; mounts->count < options->mount_count; mounts->count++) {
        const struct http_mount *from = &options->mounts[mounts->count];
        struct mount *mount = &mounts->list[mounts->count];
        *mount = (struct mount){from->service, from->context, .prefix = str_of(from->service->prefix)};
        TRY(prepared_make(mount->service, memory, arena, mount->prepared));
    }
    return STATUS_IS_OK;
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
    const struct mount *first = NULL, *found = NULL;
    FOR_EACH(mount, mounts->list, mounts->count) {
        if (mount->port != port)
            continue;
        if (!first)
            first = mount;
        if (lies_under(path, mount->prefix) && (!found || mount->prefix.size > found->prefix.size))
            found = mount;
    }
    return found ? found : first ? first : mounts->list;
}
