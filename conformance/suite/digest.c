/* The fingerprint of the fixtures: a hash of all paths and texts. */
#include "suite/suite.h"

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
