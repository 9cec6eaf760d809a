/* The fingerprint of the fixtures, a hash of all paths and texts, and whether they are those inside the program. */
#include "suite/suite.h"

#include "support/files.h"
#include "support/inside.h"
#include "support/sha256.h"

#include <stdlib.h>

static int by_path(const void *a, const void *b)
{
    return str_compare((*(const struct suite_file *const *)a)->path, (*(const struct suite_file *const *)b)->path);
}

/* Every file counts with its path and its text, in the order of the paths. Each of them ends with a NUL, so that no two
 * suites look alike. */
struct str suite_digest(const struct suite *suite, struct arena *arena)
{
    char digits[SHA256_DIGITS + 1];
    struct buf all = {0};
    const struct suite_file **files = arena_alloc_zero(arena, suite->file_count + 1, sizeof(*files));
    for (size_t i = 0; i < suite->file_count; i++)
        files[i] = &suite->files[i];
    qsort(files, suite->file_count, sizeof(*files), by_path);
    for (size_t i = 0; i < suite->file_count; i++) {
        buf_append_str(&all, files[i]->path);
        buf_append_byte(&all, '\0');
        buf_append_str(&all, files[i]->text);
        buf_append_byte(&all, '\0');
    }
    sha256_digits(buf_str(&all), digits);
    struct str copy = arena_printf(arena, "sha256:%s", digits);
    buf_free(&all);
    return copy;
}

bool suite_is_own(const struct suite *suite, struct arena *arena)
{
    struct list own = {0};
    bool same = is_ok(directory_files(INSIDE, ".json", arena, &own)) && own.count == suite->file_count;
    for (size_t i = 0; i < own.count && same; i++) {
        const struct suite_file *file = &suite->files[i];
        struct str path = *(struct str *)own.items[i], text;
        same = str_equal(path, file->path) &&
               is_ok(file_read(arena_printf(arena, INSIDE "%s", path.data).data, arena, &text)) &&
               str_equal(text, file->text);
    }
    return same;
}
