/* Reads whole files of a model repository. */
#ifndef MODELS_FILE_H
#define MODELS_FILE_H

#include "base/status.h"

/* Reads a regular file into the arena, aligned as arena_alloc says and not NUL-terminated. Fails with NOT_FOUND if
 * there is none, FAILED_PRECONDITION with the system's reason if it cannot be read, and RESOURCE_EXHAUSTED without
 * memory for it. */
struct status file_read(const char *path, struct arena *arena, struct str *content);

/* Makes the path "folder/file" for a file that the member `field` of a configuration names. Fails with INVALID_ARGUMENT
 * if it leads out of the folder (it is absolute or has a "..") or is no path (it has a NUL). */
struct status file_below(const char *folder, const char *field, struct str file, struct arena *arena,
                         const char **path);

#endif
