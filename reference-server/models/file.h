/* Whole files of a model repository. */
#ifndef MODELS_FILE_H
#define MODELS_FILE_H

#include "base/status.h"

/* Reads a regular file into the arena (aligned as arena_alloc says; not NUL-terminated). NOT_FOUND if there is none,
 * FAILED_PRECONDITION with the system's reason if it cannot be read, RESOURCE_EXHAUSTED if memory cannot hold it. */
struct status file_read(const char *path, struct arena *arena, struct str *content);

/* "folder/file" for a file that a configuration names in its member `field`. INVALID_ARGUMENT if it leads out of the
 * folder (absolute, or with a "..") or is no path (a NUL). */
struct status file_below(const char *folder, const char *field, struct str file, struct arena *arena,
                         const char **path);

#endif
