/* Files below a folder. */
#ifndef SUPPORT_FILES_H
#define SUPPORT_FILES_H

#include "base/status.h"
#include "support/memory.h"

#define DIRECTORY_DEPTH 8          /* folders within folders that are looked into */
#define FILE_SIZE_MAX   (64 << 20) /* bytes of a fixture file */

/* Appends (struct str *) the path of every regular file below `directory` whose name ends in `suffix`, relative to it,
 * in byte order of each folder's names. Hidden names are left out. NOT_FOUND if the folder cannot be read. */
struct status directory_files(const char *directory, const char *suffix, struct arena *arena, struct list *files);

/* Appends (struct str *) the names of the folders in `directory`, in byte order; nothing if it does not exist. */
void directory_folders(const char *directory, struct arena *arena, struct list *folders);

/* Makes the folders that a file of that path lies in; one that is missing all the same shows when the file is opened.
 * The path is only written to meanwhile. */
void directory_make_for(char *path);

/* The whole file. NOT_FOUND or RESOURCE_EXHAUSTED (larger than FILE_SIZE_MAX) name it. */
struct status file_read(const char *path, struct arena *arena, struct str *text);

#endif
