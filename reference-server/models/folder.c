#include "models/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

static int by_text(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

bool is_directory(const char *path)
{
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

bool names_add(struct names *names, struct str name, struct arena *arena)
{
    size_t count = names->count;
    if ((count & (count - 1)) == 0) { /* the list has room for a power of two, and is full */
        struct str *list = arena_alloc_zero(arena, count ? 2 * count : 1, sizeof(*list));
        if (!list)
            return false;
        if (count)
            memcpy(list, names->list, count * sizeof(*list));
        names->list = list;
    }
    names->list[names->count++] = name;
    return true;
}

struct status read_folders(const char *path, struct arena *arena, struct names *names)
{
    DIR *directory = opendir(path);
    if (!directory)
        return status_error(arena, STATUS_NOT_FOUND, "cannot read the folder %s: %s",
                            str_printable(arena, str_of(path)), strerror(errno));
    struct status status = STATUS_IS_OK;
    struct dirent *found;
    *names = (struct names){0};
    while (is_ok(status) && (found = readdir(directory))) {
        struct str inside = arena_printf(arena, "%s/%s", path, found->d_name);
        if (found->d_name[0] == '.' || (inside.data && !is_directory(inside.data)))
            continue;
        struct str name = arena_copy(arena, str_of(found->d_name));
        if (!inside.data || !name.data || !names_add(names, name, arena))
            status = status_no_memory();
    }
    closedir(directory);
    if (is_ok(status) && names->count)
        qsort(names->list, names->count, sizeof(*names->list), by_text);
    return status;
}
