/* Files of folders, and of the program itself (support/inside.h). */
#pragma once

#include "base/disk.h"
#include "base/status.h"
#include "support/memory.h"

#define DIRECTORY_DEPTH 8                  /* most folders within folders that are searched */
#define FILE_SIZE_MAX   ((size_t)64 << 20) /* most bytes of a file that is read */

/* Reads a file of at most FILE_SIZE_MAX bytes, as disk_read does. */
struct status file_read(const char *path, struct arena *arena, struct str *content);

/* Appends (as struct str *) the path of every regular file below `directory` whose name ends in `suffix`. The paths are
 * relative to it, in the byte order of each folder's names. Hidden names are skipped. NOT_FOUND: the folder cannot be
 * read. */
struct status directory_files(const char *directory, const char *suffix, struct arena *arena, struct list *files);

/* Appends (as struct str *) the names of the folders in `directory`, in byte order; none if it does not exist. */
void directory_folders(const char *directory, struct arena *arena, struct list *folders);

/* Makes the folders in which a file of that path lies. It reports no error: opening the file does. The path is changed
 * while the function runs, and then restored. */
void directory_make_for(char *path);
