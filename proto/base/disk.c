#include "base/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct status fault(struct arena *arena, const char *path)
{
    int number = errno;
    return status_error(arena, number == ENOENT ? STATUS_NOT_FOUND : STATUS_FAILED_PRECONDITION, "cannot read %s: %s",
                        str_printable(arena, str_of(path)), strerror(number));
}

/* Opens a file, and says how many bytes it has. The descriptor is to be closed unless it is -1. */
static struct status open_regular(const char *path, size_t limit, struct arena *arena, int *descriptor, size_t *size)
{
    struct stat about;
    *descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK); /* a FIFO without a writer is opened at once */
    if (*descriptor < 0 || fstat(*descriptor, &about) != 0)
        return fault(arena, path);
    if (!S_ISREG(about.st_mode))
        return status_error(arena, STATUS_FAILED_PRECONDITION, "%s is not a regular file",
                            str_printable(arena, str_of(path)));
    *size = (size_t)about.st_size;
    if (*size > limit)
        return status_error(arena, STATUS_FAILED_PRECONDITION, "%s has %zu bytes; at most %zu are read",
                            str_printable(arena, str_of(path)), *size, limit);
    return STATUS_IS_OK;
}

static struct status read_all(int descriptor, size_t size, const char *path, struct arena *arena, struct str *content)
{
    size_t have = 0;
    char *bytes = arena_alloc(arena, size + 1);
    NEED(bytes);
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
    bytes[have] = '\0';
    *content = (struct str){bytes, have};
    return STATUS_IS_OK;
}

struct status disk_read(const char *path, size_t limit, struct arena *arena, struct str *content)
{
    int descriptor;
    size_t size = 0;
    struct status status = open_regular(path, limit, arena, &descriptor, &size);
    if (is_ok(status))
        status = read_all(descriptor, size, path, arena, content);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}

struct status disk_check(const char *path, size_t limit, struct arena *arena)
{
    int descriptor;
    size_t size = 0;
    struct status status = open_regular(path, limit, arena, &descriptor, &size);
    if (descriptor >= 0)
        close(descriptor);
    return status;
}
