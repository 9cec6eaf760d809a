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
    names->list = arena_room(names->list, names->count, sizeof(*names->list), arena);
    if (names->list)
        names->list[names->count++] = name;
    return names->list;
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
