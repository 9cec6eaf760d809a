/* Reads any bytes as metrics. Each sample must belong to a family, and it must be possible to write the tree. */
#include "protocols/monitoring/exposition.h"
#include "support/memory.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = memory_arena();
    const struct tree *tree = exposition_read((struct str){(const char *)bytes, size}, &arena);
    struct buf written = {0};
    int64_t samples = 0, counted = 0;
    if (tree) {
        tree_write(tree, &written);
        for (const struct tree *family = tree_member(tree, "families")->first; family; family = family->next)
            counted += (int64_t)tree_member(family, "samples")->count;
        if (written.failed || !tree_to_int64(tree_member(tree, "samples"), &samples) || samples != counted)
            abort();
    }
    buf_free(&written);
    arena_free(&arena);
    return 0;
}
