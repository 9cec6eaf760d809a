/* The fingerprint of the fixtures, a hash of all paths and texts, and whether they are those inside the program. */
#include "suite/suite.h"

#include "support/digested.h"
#include "support/files.h"
#include "support/inside.h"

static int by_path(const void *a, const void *b)
{
    return str_compare((*(const struct suite_file *const *)a)->path, (*(const struct suite_file *const *)b)->path);
}

static struct str digest_of(struct str text, struct arena *arena)
{
    char digits[SHA256_DIGITS + 1];
    sha256_digits(text, digits);
    return arena_printf(arena, "sha256:%s", digits);
}

/* Every file counts with its path and text, in the order of the paths. A NUL behind each keeps suites apart. */
struct str suite_digest(const struct suite *suite, struct arena *arena)
{
    struct buf all = {0};
    const struct suite_file **files = arena_alloc_zero(arena, suite->file_count + 1, sizeof(*files));
    for (size_t i = 0; i < suite->file_count; i++)
        files[i] = &suite->files[i];
    array_sort(files, suite->file_count, by_path);
    for (size_t i = 0; i < suite->file_count; i++) {
        buf_append_str(&all, files[i]->path);
        buf_append_byte(&all, '\0');
        buf_append_str(&all, files[i]->text);
        buf_append_byte(&all, '\0');
    }
    struct str digest = digest_of(buf_str(&all), arena);
    buf_free(&all);
    return digest;
}

struct tree *suite_document_digests(const struct suite *suite, struct arena *arena)
{
    struct tree *digests = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < suite->texts.count; i++) {
        struct str name = suite->texts.items[i].name;
        struct str path = arena_printf(arena, "texts/%.*s.json", STR_ARG(name));
        for (size_t k = 0; k < suite->file_count; k++)
            if (str_equal(suite->files[k].path, path))
                tree_add(digests, name, tree_string(arena, digest_of(suite->files[k].text, arena)));
    }
    return digests;
}

bool suite_is_own(const struct suite *suite, struct arena *arena)
{
    struct list own = {0};
    bool same = is_ok(directory_files(INSIDE, ".json", arena, &own)) && own.count == suite->file_count;
    for (size_t i = 0; i < own.count && same; i++) {
        const struct suite_file *file = &suite->files[i];
        struct str path = list_str(&own, i), text;
        same = str_equal(path, file->path) &&
               is_ok(file_read(arena_printf(arena, INSIDE "%s", path.data).data, arena, &text)) &&
               str_equal(text, file->text);
    }
    return same;
}
