/* The input is a flatbuffer; its first byte chooses the root. The memory ends with the message, so a sanitizer sees
 * each byte that is read beyond it. What becomes a tree must become a message that is the same tree. What a reader
 * visits is bounded, so a tree is never larger than the message allows. */
#include "flat/message.h"
#include "schema/graphpipe.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define DEMAND(condition)                                                                                              \
    if (!(condition))                                                                                                  \
    abort()

static size_t text_size(const struct tree *tree)
{
    size_t size = tree->type == TREE_STRING ? tree->text.size : 0;
    for (const struct tree *child = tree->first; child; child = child->next)
        size += text_size(child);
    return size;
}

static void read_and_write(const struct flat_table *root, struct str message)
{
    struct arena arena = arena_new((size_t)256 << 20);
    struct tree *tree = NULL, *again = NULL;
    struct buf out = {0};
    struct status status = flat_to_tree(root, message, &arena, &tree, NULL);
    if (is_ok(status)) {
        DEMAND(text_size(tree) <= 2 * flat_work_of(message.size)); /* with the names of enums */
        status = flat_from_tree(root, tree, &out, &arena);
        DEMAND(is_ok(status) || status.code == STATUS_RESOURCE_EXHAUSTED);
        if (is_ok(status))
            status = flat_to_tree(root, buf_str(&out), &arena, &again, NULL);
        DEMAND(status.code == STATUS_RESOURCE_EXHAUSTED || (is_ok(status) && tree_equal(tree, again)));
    } else {
        DEMAND(status.code == STATUS_INVALID_ARGUMENT || status.code == STATUS_RESOURCE_EXHAUSTED);
    }
    buf_free(&out);
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const struct flat_table *const roots[] = {&graphpipe_request, &graphpipe_infer_response,
                                                     &graphpipe_metadata_response};
    if (size == 0)
        return 0;
    char *message = malloc(size);
    if (!message)
        return 0;
    memcpy(message + 1, bytes + 1, size - 1);
    read_and_write(roots[bytes[0] % 3], (struct str){message + 1, size - 1});
    free(message);
    return 0;
}
