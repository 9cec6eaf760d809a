/* The names of the folders in a folder. */
#pragma once

#include "base/status.h"

struct names {
    struct str *list;
    size_t count;
};

/* Lists the folders in `path`, sorted by name; hidden ones are left out. Fails with NOT_FOUND and the system's
 * reason. */
struct status read_folders(const char *path, struct arena *arena, struct names *names);

/* Whether there is a folder at `path`, perhaps behind a link. */
bool is_directory(const char *path);

/* Adds a name at the end; returns false without memory. */
bool names_add(struct names *names, struct str name, struct arena *arena);
