/* The makefile packs the fixtures into an archive (ustar, gzip), with the entries of each folder in byte order. It is
 * unpacked when it is first used, and then kept. */
#include "support/inside.h"

#include "base/embed.h"
#include <pthread.h>
#include <stdlib.h>
#include <zlib.h>

EMBED(archive, "fixtures.tar.gz")

#define BLOCK ((size_t)512) /* of an archive: a header, or a part of a content */

/* As the header of an entry begins. The numbers are octal. */
struct header {
    char name[100], rights[24], size[12], more[20], type;
};

struct entry {
    struct str path; /* "v2/infer/sum.json" */
    struct str content;
};

static struct arena kept;
static struct list entries;

static struct str unpack(void)
{
    struct str packed = archive();
    uint32_t size; /* the last bytes of a gzip file */
    memcpy(&size, packed.data + packed.size - sizeof size, sizeof size);
    char *bytes = arena_alloc(&kept, size);
    z_stream stream = {.next_in = (Bytef *)(uintptr_t)packed.data, .avail_in = (uInt)packed.size};
    if (inflateInit2(&stream, 16 + MAX_WBITS) != Z_OK)
        memory_exhausted();
    stream.next_out = (Bytef *)bytes;
    stream.avail_out = size;
    inflate(&stream, Z_FINISH);
    inflateEnd(&stream);
    return (struct str){bytes, stream.total_out};
}

static void list_entries(void)
{
    kept = memory_arena();
    struct str bytes = unpack();
    size_t next = 0;
    for (size_t at = 0; at + BLOCK <= bytes.size && bytes.data[at]; at = next) {
        const struct header *header = (const struct header *)(bytes.data + at);
        struct str content = {bytes.data + at + BLOCK, strtoull(header->size, NULL, 8)};
        next = at + BLOCK + (content.size + BLOCK - 1) / BLOCK * BLOCK;
        if (header->type != '0' || next > bytes.size)
            continue;
        struct entry *entry = arena_new_of(&kept, struct entry);
        *entry = (struct entry){arena_copy(&kept, (struct str){header->name, strnlen(header->name, 100)}), content};
        list_append(&entries, entry, &kept);
    }
}

bool inside_has(const char *path)
{
    return strncmp(path, INSIDE, strlen(INSIDE)) == 0;
}

/* Returns the path of an entry without INSIDE, and for a folder with a slash after it. */
static struct str entry_path(const char *path, const char *behind, struct arena *arena)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, list_entries);
    const char *rest = path + strlen(INSIDE);
    rest += *rest == '/';
    return arena_printf(arena, "%s%s", rest, *rest ? behind : "");
}

struct status inside_read(const char *path, struct arena *arena, struct str *content)
{
    struct str wanted = entry_path(path, "", arena);
    for (size_t i = 0; i < entries.count; i++) {
        const struct entry *entry = entries.items[i];
        if (str_equal(entry->path, wanted)) {
            *content = arena_copy(arena, entry->content);
            return STATUS_IS_OK;
        }
    }
    return status_error(arena, STATUS_NOT_FOUND, "there is no file '%s'", path);
}

struct status inside_files(const char *directory, const char *suffix, struct arena *arena, struct list *files)
{
    struct str folder = entry_path(directory, "/", arena), end = str_of(suffix);
    bool found = false;
    for (size_t i = 0; i < entries.count; i++) {
        struct str path = ((const struct entry *)entries.items[i])->path;
        if (!str_starts(path, folder))
            continue;
        found = true;
        path = str_from(path, folder.size);
        if (path.size > end.size && str_ends(path, end))
            list_append_str(files, path, arena);
    }
    return found ? STATUS_IS_OK : status_error(arena, STATUS_NOT_FOUND, "cannot read the folder '%s'", directory);
}

void inside_folders(const char *directory, struct arena *arena, struct list *folders)
{
    struct str folder = entry_path(directory, "/", arena), last = {0};
    for (size_t i = 0; i < entries.count; i++) {
        struct str path = ((const struct entry *)entries.items[i])->path;
        const char *slash = str_starts(path, folder) ? strchr(path.data + folder.size, '/') : NULL;
        if (!slash)
            continue;
        struct str name = {path.data + folder.size, (size_t)(slash - path.data) - folder.size};
        if (!str_equal(name, last))
            list_append_str(folders, arena_copy(arena, name), arena);
        last = name;
    }
}
