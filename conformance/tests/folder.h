/* A folder of fixtures for one test: a copy of lint/good, which has no faults, and the files that the test writes into
 * it. */
#pragma once

#include "lint/lint.h"
#include "shell.h"

#include <stdlib.h>
#include <string.h>

#define GOOD_SUITE "conformance/tests/lint/good"

struct folder {
    char path[32];
};

static inline struct folder folder_new(void)
{
    struct folder folder;
    strcpy(folder.path, "/tmp/fixtures-XXXXXX");
    assert_non_null(mkdtemp(folder.path));
    shell_says("cp -r " GOOD_SUITE "/. %s", folder.path);
    return folder;
}

/* Copies another folder over it. A file change.diff there is what is to be changed in files of the first one. */
static inline void folder_lay(const struct folder *folder, const char *over)
{
    shell_says("cp -r %s/. %s && cd %s && "
               "if [ -e change.diff ]; then git apply change.diff && rm change.diff; fi",
               over, folder->path, folder->path);
}

/* Writes a file, and makes its folder. */
static inline void folder_write(const struct folder *folder, const char *name, const char *text, size_t size)
{
    struct str path = arena_printf(&arena, "%s/%s", folder->path, name);
    shell_says("mkdir -p $(dirname %s)", path.data);
    FILE *file = fopen(path.data, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

/* Does the same with JSON, of which the text has ' in place of ". */
static inline void folder_write_json(const struct folder *folder, const char *name, const char *text)
{
    folder_write(folder, name, json(text).data, strlen(text));
}

static inline void folder_free(const struct folder *folder)
{
    shell_says("rm -r %s", folder->path);
}

/* Lints the suite in it, and removes it. Returns how many findings there are. */
static inline size_t folder_lint(const struct folder *folder, struct str *findings)
{
    struct suite suite;
    struct buf found = {0};
    assert_ok(suite_load(folder->path, &suite));
    size_t count = lint_suite(&suite, &found);
    *findings = arena_take(&arena, &found);
    suite_free(&suite);
    folder_free(folder);
    return count;
}
