#include "models/file.h"

#include "base/disk.h"
#include "base/search.h"

bool path_stays_below(struct str path)
{
    bool stays = path.size > 0 && !str_has(path, '\0') && !str_ends(path, STR("/"));
    while (stays && path.size > 0) {
        struct str segment = str_take(&path, '/');
        stays = segment.size > 0 && !str_equal(segment, STR(".."));
    }
    return stays;
}

struct status source_read(const struct source *source, struct str path, size_t limit, struct arena *arena,
                          struct str *content)
{
    const struct model_file *file = FIND(source->files, i, source->file_count, str_equal(source->files[i].path, path));
    if (file && file->content.size > limit)
        return status_error(arena, STATUS_FAILED_PRECONDITION, "the file '%s' has %zu bytes; at most %zu are read",
                            str_printable(arena, path), file->content.size, limit);
    if (file) {
        *content = file->content;
        return STATUS_IS_OK;
    }
    if (source->file_count)
        return status_error(arena, STATUS_NOT_FOUND, "the request to load the model has no file '%s'",
                            str_printable(arena, path));
    struct str whole = arena_printf(arena, "%s/%.*s", source->directory, STR_ARG(path));
    return whole.data ? disk_read(whole.data, limit, arena, content) : status_no_memory();
}

struct status source_read_named(const struct source *source, struct str folder, const char *field, struct str name,
                                size_t limit, struct arena *arena, struct str *content)
{
    if (!path_stays_below(name))
        return status_invalid(arena, "config.pbtxt: %s '%s' is not in the model's folder", field,
                              str_printable(arena, name));
    struct str path = arena_printf(arena, "%.*s%s%.*s", STR_ARG(folder), folder.size ? "/" : "", STR_ARG(name));
    return path.data ? source_read(source, path, limit, arena, content) : status_no_memory();
}
