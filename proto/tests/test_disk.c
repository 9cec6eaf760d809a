/* Files that are read as a whole, and what is no such file. */
#include "base/disk.h"
#include "base/search.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static int make_folder(void **state)
{
    (void)snprintf(folder, sizeof(folder), "/tmp/oip-disk-XXXXXX");
    return make_arena(state) || !mkdtemp(folder);
}

static int drop_folder(void **state)
{
    return rmdir(folder) || drop_arena(state);
}

static const char *path_of(const char *name)
{
    return arena_printf(&arena, "%s/%s", folder, name).data;
}

static const char *write_file(const char *name, struct str content)
{
    const char *path = path_of(name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(content.data, 1, content.size, file), content.size);
    fclose(file);
    return path;
}

/* Both functions must refuse the file in the same way, and name it. */
static void assert_refused(const char *path, size_t limit, enum status_code code, const char *words)
{
    struct str content = {0};
    struct status checked = disk_check(path, limit, &arena), read = disk_read(path, limit, &arena, &content);
    assert_int_equal(checked.code, code);
    assert_int_equal(read.code, code);
    assert_true(str_equal(checked.message, read.message));
    assert_has(read.message, path);
    assert_has(read.message, words);
    assert_null(content.data);
}

#define FOLDER_TEST(name) TEST_WITH(name, make_folder, drop_folder)

FOLDER_TEST(a_file_is_read_as_it_is)
{
    static const struct str contents[] = {STR(""), STR("text\n"), STR("a\0b")};
    for (size_t i = 0; i < COUNT_OF(contents); i++) {
        const char *path = write_file("file", contents[i]);
        struct str content;
        assert_ok(disk_check(path, contents[i].size, &arena));
        assert_ok(disk_read(path, contents[i].size, &arena, &content));
        assert_true(str_equal(content, contents[i]));
        assert_int_equal(content.data[content.size], 0);
        unlink(path);
    }
}

FOLDER_TEST(a_file_has_a_bound)
{
    const char *path = write_file("file", STR("12345"));
    assert_refused(path, 4, STATUS_FAILED_PRECONDITION, "has 5 bytes; at most 4 are read");
    assert_int_equal(truncate(path, (off_t)1 << 40), 0); /* takes no room on the disk */
    assert_refused(path, 1 << 20, STATUS_FAILED_PRECONDITION, "has 1099511627776 bytes");
    unlink(path);
}

FOLDER_TEST(what_is_no_file_is_refused_at_once)
{
    const char *fifo = path_of("fifo"), *link = path_of("link");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(symlink(fifo, link), 0);
    assert_refused(path_of("nothing"), 100, STATUS_NOT_FOUND, "No such file");
    assert_refused(fifo, 100, STATUS_FAILED_PRECONDITION, "is not a regular file");
    assert_refused(link, 100, STATUS_FAILED_PRECONDITION, "is not a regular file");
    assert_refused(folder, 100, STATUS_FAILED_PRECONDITION, "is not a regular file");
    assert_refused("/dev/zero", 100, STATUS_FAILED_PRECONDITION, "is not a regular file");
    unlink(fifo);
    unlink(link);
}

FOLDER_TEST(memory_is_taken_of_the_arena)
{
    const char *path = write_file("file", STR("12345"));
    struct arena poor = arena_new(1);
    struct str content;
    assert_int_equal(disk_read(path, 100, &poor, &content).code, STATUS_RESOURCE_EXHAUSTED);
    arena_free(&poor);
    unlink(path);
}
