#include "commands/spec/spec.h"

#include "base/search.h"
#include "support/files.h"
#include "support/shell.h"

#include <stdio.h>
#include <sys/stat.h>

static const struct {
    const char *suffix;
    enum edition_kind kind;
} kinds[] = {
    {".md", EDITION_PROSE},    {".rst", EDITION_PROSE},    {".txt", EDITION_PROSE},   {".html", EDITION_PROSE},
    {".proto", EDITION_PROTO}, {".yaml", EDITION_OPENAPI}, {".yml", EDITION_OPENAPI},
};

/* Returns the row of the suffix; COUNT_OF(kinds) if there is none. */
static size_t row_of(struct str name)
{
    return FIRST(row, COUNT_OF(kinds), !str_is(name, kinds[row].suffix) && str_ends(name, str_of(kinds[row].suffix)),
                 row, COUNT_OF(kinds));
}

static void append_file(struct edition_files *files, struct str name, struct str text, struct arena *arena)
{
    size_t row = row_of(name);
    files->items = arena_room(files->items, files->count, sizeof *files->items, arena);
    files->items[files->count++] =
        (struct edition_file){name, text, row < COUNT_OF(kinds) ? kinds[row].kind : EDITION_PROSE};
}

static struct status nothing_in(struct str where, struct arena *arena)
{
    return status_invalid(arena, "'%s' has no file that can be an edition: no .md, .rst, .txt, .html, .proto or .yaml",
                          str_printable(arena, where));
}

static struct status add_file(const char *path, struct str name, struct arena *arena, struct edition_files *files)
{
    struct str content;
    struct status status = disk_read(path, FILE_SIZE_MAX, arena, &content);
    if (is_ok(status))
        append_file(files, name, content, arena);
    else
        status.code = STATUS_INVALID_ARGUMENT;
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(**(struct str *const *)a, **(struct str *const *)b);
}

struct status edition_files_at(const char *path, struct arena *arena, struct edition_files *files)
{
    struct stat stat_of;
    struct list names = {0};
    if (stat(path, &stat_of) != 0 || !S_ISDIR(stat_of.st_mode))
        return add_file(path, str_of(path), arena, files);
    struct status status = directory_files(path, "", arena, &names);
    size_t before = files->count;
    array_sort(names.items, names.count, compare_names);
    for (size_t i = 0; i < names.count && is_ok(status); i++) {
        struct str name = list_str(&names, i);
        if (row_of(name) < COUNT_OF(kinds))
            status = add_file(arena_printf(arena, "%s/%.*s", path, STR_ARG(name)).data, name, arena, files);
    }
    return is_ok(status) && files->count == before ? nothing_in(str_of(path), arena) : status;
}

/* --- Of a commit --- */

/* Runs git in the folder, and returns what it prints, up to FILE_SIZE_MAX bytes. */
static struct status git(const char *folder, const char *const words[], struct arena *arena, struct str *printed)
{
    enum { PIECE = 65536 };
    struct buf line = {0}, came = {0};
    buf_append_literal(&line, "exec git -C ");
    shell_quote(str_of(folder), &line);
    for (size_t i = 0; words[i]; i++) {
        buf_append_byte(&line, ' ');
        shell_quote(str_of(words[i]), &line);
    }
    FILE *pipe = popen(arena_take(arena, &line).data, "r"); /* NOLINT(cert-env33-c): its words are quoted */
    for (size_t got = 1; pipe && got > 0 && came.size < FILE_SIZE_MAX; came.size += got)
        got = fread(buf_reserve(&came, PIECE), 1, PIECE, pipe);
    int code = pipe ? pclose(pipe) : -1;
    *printed = arena_take(arena, &came);
    return code == 0 ? STATUS_IS_OK
                     : status_invalid(arena, "git cannot %s '%s' in '%s'", words[0],
                                      str_printable(arena, str_of(words[1][0] == '-' ? words[3] : words[1])),
                                      str_printable(arena, str_of(folder)));
}

struct status edition_files_of_commit(const char *commit, const char *folder, struct arena *arena,
                                      struct edition_files *files)
{
    const char *const list[] = {"ls-tree", "-rz", "--name-only", commit, NULL};
    size_t before = files->count;
    struct str names = {0};
    if (*commit == '-')
        return status_invalid(arena, "'%s' is not a commit", str_printable(arena, str_of(commit)));
    struct status status = git(folder, list, arena, &names);
    for (size_t at = 0; is_ok(status) && at < names.size;) {
        struct str name = str_of(names.data + at), text;
        const char *const show[] = {"show", arena_printf(arena, "%s:./%s", commit, name.data).data, NULL};
        at += name.size + 1;
        if (row_of(name) == COUNT_OF(kinds))
            continue;
        status = git(folder, show, arena, &text);
        if (is_ok(status))
            append_file(files, name, text, arena);
    }
    return is_ok(status) && files->count == before ? nothing_in(str_of(commit), arena) : status;
}
