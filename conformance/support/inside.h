/* The fixtures inside the program: a copy of the folder fixtures/ as it was when the program was built, so that the
 * program needs no other file. Their paths begin with INSIDE; support/files.h reads them like any other. */
#pragma once

#include "base/status.h"
#include "support/memory.h"

#define INSIDE "program:"

/* Whether a path leads into the program. */
bool inside_has(const char *path);

/* The following do what their namesakes in support/files.h do, for paths that lead into the program. */
struct status inside_read(const char *path, struct arena *arena, struct str *content);
struct status inside_files(const char *directory, const char *suffix, struct arena *arena, struct list *files);
void inside_folders(const char *directory, struct arena *arena, struct list *folders);
