/* A folder for a test, in which it builds model repositories, and the one that it opens. */
#pragma once

#include "tests/kit.h"

#include <ftw.h>
#include <sys/stat.h>

static char folder[64];
static struct repository *repository; /* NULL if it is not open */

static inline int make_folder(void **state)
{
    make_arena(state);
    repository = NULL;
    (void)snprintf(folder, sizeof(folder), "/tmp/oip-folder-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int drop(const char *path, const struct stat *, int, struct FTW *)
{
    return remove(path);
}

static inline void close_repository(void)
{
    kit_close(repository);
    repository = NULL;
}

static inline int drop_folder(void **state)
{
    if (repository)
        close_repository();
    drop_arena(state);
    return nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
}

#define FOLDER_TEST(name) TEST_WITH(name, make_folder, drop_folder)

/* Opens the repository in one folder or in two, of which it loads all models, or one alone; `second` and `load` may be
 * NULL. */
static inline struct status open_folders(const char *first, const char *second, const char *load)
{
    const char *paths[] = {first, second};
    struct repository_options options = {paths, second ? 2 : 1, &load, load != NULL, backends};
    return repository_open(&options, &arena, &repository);
}

/* Does the same, and waits for all loads. */
static inline void open_loaded(const char *first, const char *second, const char *load)
{
    assert_ok(open_folders(first, second, load));
    kit_load(repository);
}

static inline void assert_versions(const char *name, const char *const *expected)
{
    struct str *versions;
    size_t count = repository_versions(repository, str_of(name), &arena, &versions), wanted = 0;
    for (; expected[wanted]; wanted++)
        assert_true(wanted < count && str_is(versions[wanted], expected[wanted]));
    assert_int_equal(count, wanted);
}

static inline const char *in_folder(const char *path)
{
    return arena_printf(&arena, "%s/%s", folder, path).data;
}

/* Makes a folder, and those that it lies in. */
static inline void make_directory(const char *path)
{
    const char *whole = in_folder(path);
    for (const char *slash = strchr(whole + strlen(folder) + 1, '/'); slash; slash = strchr(slash + 1, '/'))
        mkdir(arena_printf(&arena, "%.*s", (int)(slash - whole), whole).data, 0700);
    mkdir(whole, 0700);
}

/* Writes a file, and makes the folders that it needs. */
static inline void put(const char *path, struct str content)
{
    make_directory(arena_printf(&arena, "%.*s", (int)(strrchr(path, '/') - path), path).data);
    FILE *file = fopen(in_folder(path), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content.data, 1, content.size, file), content.size);
    fclose(file);
}

static inline void put_text(const char *path, const char *text)
{
    put(path, str_of(text));
}

/* Copies version 1 of a model of the kit to <path>/model.onnx. */
static inline void put_model(const char *path, const char *name)
{
    put(arena_printf(&arena, "%s/model.onnx", path).data, kit_model(name));
}
