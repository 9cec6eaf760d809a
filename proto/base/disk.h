/* Files that are read as a whole. Only regular files are, of a size that the caller finds sensible, so that neither a
 * FIFO nor a huge file can hold a program up. */
#pragma once

#include "base/status.h"

/* Reads a file of at most `limit` bytes into the arena. The content is aligned as arena_alloc says, and a NUL that is
 * not counted follows it. Fails with NOT_FOUND if there is none, FAILED_PRECONDITION if it is no regular file, is
 * larger, or cannot be read, and RESOURCE_EXHAUSTED without memory for it; the message names the file. */
struct status disk_read(const char *path, size_t limit, struct arena *arena, struct str *content);

/* Fails as disk_read would before it reads. For files that a library reads by their names. */
struct status disk_check(const char *path, size_t limit, struct arena *arena);
