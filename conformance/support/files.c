#include "support/files.h"

#include "support/inside.h"
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

struct status file_read(const char *path, struct arena *arena, struct str *content)
{
    return inside_has(path) ? inside_read(path, arena, content) : disk_read(path, FILE_SIZE_MAX, arena, content);
}

static int is_visible(const struct dirent *entry)
{
    return entry->d_name[0] != '.';
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void free_entries(struct dirent **entries, int count)
{
    for (int i = 0; i < count; i++)
        free(entries[i]);
    free(entries);
}

static struct status walk(const char *directory, const char *below, const char *suffix, int depth, struct arena *arena,
                          struct list *files)
{
    const char *folder = arena_printf(arena, "%s/%s", directory, below).data;
    struct dirent **entries;
    int count = scandir(folder, &entries, is_visible, compare_names);
    if (count < 0)
        return status_error(arena, STATUS_NOT_FOUND, "cannot read the folder '%s': %s", folder, strerror(errno));
    struct status status = STATUS_IS_OK;
    for (int i = 0; i < count && is_ok(status); i++) {
        const char *name = entries[i]->d_name;
        struct str path = arena_printf(arena, "%s%s", below, name);
        struct stat about;
        if (stat(arena_printf(arena, "%s/%s", directory, path.data).data, &about) != 0)
            continue;
        if (S_ISREG(about.st_mode) && str_ends(str_of(name), str_of(suffix)))
            list_append_str(files, path, arena);
        if (S_ISDIR(about.st_mode)) {
            if (depth == DIRECTORY_DEPTH)
                status = status_invalid(arena, "the folder '%s' lies too deep", path.data);
            else
                status = walk(directory, arena_printf(arena, "%s/", path.data).data, suffix, depth + 1, arena, files);
        }
    }
    free_entries(entries, count);
    return status;
}

struct status directory_files(const char *directory, const char *suffix, struct arena *arena, struct list *files)
{
    return inside_has(directory) ? inside_files(directory, suffix, arena, files)
                                 : walk(directory, "", suffix, 0, arena, files);
}

void directory_folders(const char *directory, struct arena *arena, struct list *folders)
{
    struct dirent **entries;
    if (inside_has(directory)) {
        inside_folders(directory, arena, folders);
        return;
    }
    int count = scandir(directory, &entries, is_visible, compare_names);
    if (count < 0)
        return;
    for (int i = 0; i < count; i++) {
        struct stat about;
        if (stat(arena_printf(arena, "%s/%s", directory, entries[i]->d_name).data, &about) == 0 &&
            S_ISDIR(about.st_mode))
            list_append_str(folders, arena_copy(arena, str_of(entries[i]->d_name)), arena);
    }
    free_entries(entries, count);
}

void directory_make_for(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(path, 0777);
        *slash = '/';
    }
}
