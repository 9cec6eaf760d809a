/* Writes a report to a file that is replaced as a whole, or to standard output. */
#include "report/report.h"

#include "support/files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
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

/* A report is written to a file without a name, which is named beside its place and then moved there, so that nobody
 * sees half of one, and nothing is left of one that was interrupted. A device such as /dev/stdout is written to, not
 * replaced. */
struct destination {
    const char *path;   /* where links lead */
    const char *folder; /* that it is in */
    char *beside;       /* the name that it has before it is moved */
    bool is_device;
};

/* Returns where a link leads; another path as it is. */
static const char *goal_of(const char *path, struct arena *arena)
{
    char *goal = realpath(path, NULL);
    const char *kept = goal ? arena_copy(arena, str_of(goal)).data : path;
    free(goal);
    return kept;
}

static struct destination destination_of(const char *path, struct arena *arena)
{
    struct stat there;
    struct destination destination = {.path = path, .is_device = stat(path, &there) == 0 && !S_ISREG(there.st_mode)};
    if (!destination.is_device)
        destination.path = goal_of(path, arena);
    const char *slash = strrchr(destination.path, '/');
    destination.folder =
        slash ? arena_copy(arena, (struct str){destination.path, (size_t)(slash - destination.path) + 1}).data : ".";
    struct str beside = arena_printf(arena, "%s.tmp%ld", destination.path, (long)getpid());
    destination.beside = memcpy(arena_alloc(arena, beside.size + 1), beside.data, beside.size + 1);
    return destination;
}

/* Opens a file without a name, or with the one beside the place where the file system has no others. */
static int open_destination(const struct destination *destination)
{
    if (destination->is_device)
        return open(destination->path, O_WRONLY | O_CLOEXEC);
    directory_make_for(destination->beside);
    int file = open(destination->folder, O_WRONLY | O_TMPFILE | O_CLOEXEC, 0666);
    return file >= 0 ? file : open(destination->beside, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

/* Moves what was written to its place. */
static bool put_in_place(const struct destination *destination, int file)
{
    char name[sizeof "/proc/self/fd/-2147483648"];
    struct stat about;
    bool is_named = fstat(file, &about) == 0 && about.st_nlink > 0;
    snprintf(name, sizeof name, "/proc/self/fd/%d", file);
    return (is_named || linkat(AT_FDCWD, name, AT_FDCWD, destination->beside, AT_SYMLINK_FOLLOW) == 0) &&
           rename(destination->beside, destination->path) == 0;
}

static struct status unwritable(const char *path, int error, struct arena *arena)
{
    return status_error(arena, STATUS_UNAVAILABLE, "%s cannot be written: %s", path, strerror(error));
}

struct status report_try(const char *path, struct arena *arena)
{
    if (strcmp(path, "-") == 0)
        return STATUS_IS_OK;
    struct destination destination = destination_of(path, arena);
    struct stat there;
    bool exists = stat(path, &there) == 0;
    if (exists && S_ISDIR(there.st_mode))
        return unwritable(path, EISDIR, arena);
    if (exists && S_ISFIFO(there.st_mode) && !str_starts(str_of(path), STR("/dev/")))
        return status_invalid(arena, "%s is a FIFO, which may never be read", path);
    int file = open_destination(&destination);
    if (file < 0)
        return unwritable(path, errno, arena);
    close(file);
    if (!destination.is_device)
        unlink(destination.beside);
    return STATUS_IS_OK;
}

struct status report_save(const struct buf *text, const char *path, struct arena *arena)
{
    if (text->failed)
        return status_no_memory();
    if (strcmp(path, "-") == 0)
        return write_to_standard_output(text, arena);
    struct destination destination = destination_of(path, arena);
    int file = open_destination(&destination);
    bool written =
        file >= 0 && write_all(file, buf_str(text)) && (destination.is_device || put_in_place(&destination, file));
    int error = errno;
    if (file >= 0 && close(file) != 0 && written) {
        written = false;
        error = errno;
    }
    if (!written && !destination.is_device && file >= 0)
        unlink(destination.beside);
    return written ? STATUS_IS_OK : unwritable(path, error, arena);
}
