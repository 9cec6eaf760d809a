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

/* A report is written beside its place and then moved there. A device such as /dev/stdout is written to, not replaced.
 */
struct place {
    const char *path;
    char *beside; /* where it is written */
    bool is_device;
};

static struct place place_of(const char *path, struct arena *arena)
{
    struct stat there;
    struct place place = {.path = path, .is_device = stat(path, &there) == 0 && !S_ISREG(there.st_mode)};
    struct str beside = place.is_device ? str_of(path) : arena_printf(arena, "%s.tmp%ld", path, (long)getpid());
    place.beside = arena_alloc(arena, beside.size + 1);
    if (place.beside)
        memcpy(place.beside, beside.data, beside.size + 1);
    return place;
}

static int open_place(const struct place *place)
{
    directory_make_for(place->beside);
    return open(place->beside, O_WRONLY | O_CREAT | O_CLOEXEC | (place->is_device ? 0 : O_TRUNC), 0666);
}

static struct status unwritable(const char *path, int error, struct arena *arena)
{
    return status_error(arena, STATUS_UNAVAILABLE, "%s cannot be written: %s", path, strerror(error));
}

struct status report_try(const char *path, struct arena *arena)
{
    if (strcmp(path, "-") == 0)
        return STATUS_IS_OK;
    struct place place = place_of(path, arena);
    struct stat there;
    if (!place.beside)
        return status_no_memory();
    if (stat(path, &there) == 0 && S_ISDIR(there.st_mode))
        return unwritable(path, EISDIR, arena);
    int file = open_place(&place);
    if (file < 0)
        return unwritable(path, errno, arena);
    close(file);
    if (!place.is_device)
        unlink(place.beside);
    return STATUS_IS_OK;
}

struct status report_save(const struct buf *text, const char *path, struct arena *arena)
{
    if (text->failed)
        return status_no_memory();
    if (strcmp(path, "-") == 0)
        return write_to_standard_output(text, arena);
    struct place place = place_of(path, arena);
    if (!place.beside)
        return status_no_memory();
    int file = open_place(&place);
    bool written = file >= 0 && write_all(file, buf_str(text));
    int error = errno;
    if (file >= 0 && close(file) != 0 && written) {
        written = false;
        error = errno;
    }
    if (written && !place.is_device && rename(place.beside, path) != 0) {
        written = false;
        error = errno;
    }
    if (!written && !place.is_device && file >= 0)
        unlink(place.beside);
    return written ? STATUS_IS_OK : unwritable(path, error, arena);
}
