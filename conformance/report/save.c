#include "report/report.h"

#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static bool write_all(int file, struct str text)
{
    while (text.size) {
        ssize_t written = write(file, text.data, text.size);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return false;
        text = str_from(text, (size_t)written);
    }
    return true;
}

static struct status write_to_standard_output(const struct buf *text, struct arena *arena)
{
    return write_all(STDOUT_FILENO, buf_str(text))
               ? STATUS_IS_OK
               : status_error(arena, STATUS_UNAVAILABLE, "the report cannot be written to standard output: %s",
                              strerror(errno));
}

struct status report_save(const struct buf *text, const char *path, struct arena *arena)
{
    if (text->failed)
        return status_no_memory();
    if (strcmp(path, "-") == 0)
        return write_to_standard_output(text, arena);
    struct stat place;
    bool device = stat(path, &place) == 0 &&
                  !S_ISREG(place.st_mode); /* a device such as /dev/stdout is written to, not replaced */
    struct str beside = device ? str_of(path) : arena_printf(arena, "%s.tmp%ld", path, (long)getpid());
    char *name = arena_alloc(arena, beside.size + 1);
    if (!name)
        return status_no_memory();
    memcpy(name, beside.data, beside.size + 1);
    directory_make_for(name);
    int file = open(name, O_WRONLY | O_CREAT | (device ? 0 : O_TRUNC), 0666);
    bool written = file >= 0 && write_all(file, buf_str(text));
    int error = errno;
    if (file >= 0 && close(file) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && !device && rename(name, path) != 0) {
        written = false;
        error = errno;
    }
    if (!written && !device && file >= 0)
        unlink(name);
    return written ? STATUS_IS_OK
                   : status_error(arena, STATUS_UNAVAILABLE, "%s cannot be written: %s", path, strerror(error));
}
