/* A folder for a test, in which it builds model repositories. */
#pragma once

#include "tests/kit.h"

#include <ftw.h>
#include <sys/stat.h>

static char folder[64];

static inline int make_folder(void **state)
{
    make_arena(state);
    (void)snprintf(folder, sizeof(folder), "/tmp/oip-folder-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static inline int drop(const char *path, const struct stat *about, int type, struct FTW *walk)
{
    (void)about, (void)type, (void)walk;
    return remove(path);
}

static inline int drop_folder(void **state)
{
    (void)state;
    arena_free(&arena);
    return nftw(folder, drop, 16, FTW_DEPTH | FTW_PHYS);
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
