#include "models/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

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

struct status file_read(const char *path, struct arena *arena, struct str *content)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0)
        return fault(arena, path);
    struct status status = read_all(descriptor, path, arena, content);
    close(descriptor);
    return status;
}

static bool stays_below(struct str file)
{
    if (!file.size || file.data[0] == '/' || memchr(file.data, '\0', file.size))
        return false;
    for (size_t start = 0, i = 0; i <= file.size; i++) {
        if (i < file.size && file.data[i] != '/')
            continue;
        if (str_equal((struct str){file.data + start, i - start}, STR("..")))
            return false;
        start = i + 1;
    }
    return true;
}

struct status file_below(const char *folder, const char *field, struct str file, struct arena *arena, const char **path)
{
    if (!stays_below(file))
        return status_error(arena, STATUS_INVALID_ARGUMENT, "config.pbtxt: %s '%s' is not in the model's folder", field,
                            str_printable(arena, file));
    *path = arena_printf(arena, "%s/%.*s", folder, STR_ARG(file)).data;
    return *path ? STATUS_IS_OK : status_no_memory();
}
