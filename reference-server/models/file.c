#include "models/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX ((off_t)INT32_MAX) /* bytes; no model is larger, as protobuf reads no larger message */

static struct status fault(struct arena *arena, const char *path)
{
    int number = errno;
    return status_error(arena, number == ENOENT ? STATUS_NOT_FOUND : STATUS_FAILED_PRECONDITION, "cannot read %s: %s",
                        str_printable(arena, str_of(path)), strerror(number));
}

static struct status read_all(int descriptor, const char *path, struct arena *arena, struct str *content)
{
    struct stat about;
    if (fstat(descriptor, &about) != 0)
        return fault(arena, path);
    if (!S_ISREG(about.st_mode))
        return status_error(arena, STATUS_FAILED_PRECONDITION, "%s is not a file", str_printable(arena, str_of(path)));
    if (about.st_size > FILE_MAX)
        return status_error(arena, STATUS_FAILED_PRECONDITION, "%s has %lld bytes; this server reads files of %lld",
                            str_printable(arena, str_of(path)), (long long)about.st_size, (long long)FILE_MAX);
    size_t size = (size_t)about.st_size, have = 0;
    char *bytes = arena_alloc(arena, size);
    if (!bytes)
        return status_no_memory();
    while (have < size) {
        ssize_t got = read(descriptor, bytes + have, size - have);
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0)
            return fault(arena, path);
        if (got == 0)
            break;
        have += (size_t)got;
    }
    *content = (struct str){bytes, have};
    return STATUS_IS_OK;
}

static struct status read_from_disk(const char *path, struct arena *arena, struct str *content)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return fault(arena, path);
    struct status status = read_all(descriptor, path, arena, content);
    close(descriptor);
    return status;
}

bool path_stays_below(struct str path)
{
    if (!path.size || memchr(path.data, '\0', path.size))
        return false;
    for (size_t start = 0, i = 0; i <= path.size; i++) {
        if (i < path.size && path.data[i] != '/')
            continue;
        struct str segment = {path.data + start, i - start};
        if (segment.size == 0 || str_equal(segment, STR("..")))
            return false;
        start = i + 1;
    }
    return true;
}

struct status source_read(const struct source *source, struct str path, struct arena *arena, struct str *content)
{
    for (size_t i = 0; i < source->file_count; i++) {
        if (!str_equal(source->files[i].path, path))
            continue;
        *content = source->files[i].content;
        return STATUS_IS_OK;
    }
    if (source->file_count)
        return status_error(arena, STATUS_NOT_FOUND, "the request to load the model has no file '%s'",
                            str_printable(arena, path));
    struct str whole = arena_printf(arena, "%s/%.*s", source->directory, STR_ARG(path));
    return whole.data ? read_from_disk(whole.data, arena, content) : status_no_memory();
}

struct status source_read_named(const struct source *source, struct str folder, const char *field, struct str name,
                                struct arena *arena, struct str *content)
{
    if (!path_stays_below(name))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "config.pbtxt: %s '%s' is not in the model's folder", field,
                            str_printable(arena, name));
    struct str path = arena_printf(arena, "%.*s%s%.*s", STR_ARG(folder), folder.size ? "/" : "", STR_ARG(name));
    return path.data ? source_read(source, path, arena, content) : status_no_memory();
}
