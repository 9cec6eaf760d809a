/* Reads any bytes as the files of descriptors of an answer of reflection. Each message must have its list of files, and
 * it must be possible to write the tree. */
#include "protocols/monitoring/monitoring.h"
#include "support/memory.h"

#include <stdint.h>
#include <stdlib.h>

static struct tree *object_with(struct arena *arena, const char *name, struct tree *value)
{
    struct tree *object = tree_new(arena, TREE_OBJECT);
    tree_add(object, str_of(name), value);
    return object;
}

/* Makes the tree of an answer with one message, whose files are the parts of the bytes between the bytes 0xff. */
static struct tree *answer_of(struct str bytes, struct arena *arena)
{
    struct tree *files = tree_new(arena, TREE_ARRAY), *messages = tree_new(arena, TREE_ARRAY);
    while (bytes.size) {
        const char *end = memchr(bytes.data, 0xff, bytes.size);
        struct str part = {bytes.data, end ? (size_t)(end - bytes.data) : bytes.size};
        tree_append(files, tree_string(arena, part));
        bytes = str_from(bytes, end ? part.size + 1 : part.size);
    }
    tree_append(messages,
                object_with(arena, "file_descriptor_response", object_with(arena, "file_descriptor_proto", files)));
    return object_with(arena, "messages", messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = memory_arena();
    struct answer_reading reading = {.arena = &arena};
    struct tree *tree = answer_of((struct str){(const char *)bytes, size}, &arena);
    struct buf written = {0};
    size_t sent = tree_member(tree->first->first->first, "file_descriptor_proto")->count;
    reflection_read(&reading, tree);
    const struct tree *files = tree_member(tree, "files");
    tree_write(tree, &written);
    if (!files || files->count != 1 || files->first->count != sent || written.failed)
        abort();
    buf_free(&written);
    arena_free(&arena);
    return 0;
}
