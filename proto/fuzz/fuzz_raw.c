/* The first byte chooses the datatype; the rest is its raw data. The sizes of BYTES elements must add up to the
 * whole. */
#include "tensor/raw.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    char *copy = malloc(size);
    if (!copy)
        return 0;
    memcpy(copy, bytes + 1, size - 1);
    struct arena arena = arena_new(1 << 20);
    struct tensor tensor = {.name = STR("x"), .datatype = (enum datatype)(1 + bytes[0] % (DATATYPE_COUNT - 1))};
    if (is_ok(raw_read_tensor((struct str){copy, size - 1}, &tensor, &arena)) && tensor.datatype == DATATYPE_BYTES) {
        size_t offset = 0, count = 0, sum = 0;
        for (struct str element; raw_next_bytes(&tensor, &offset, &element); count++)
            for (size_t i = 0; i < element.size; i++)
                sum += (unsigned char)element.data[i];
        if (count != tensor.count || offset != size - 1 || sum > 255 * size)
            abort();
    }
    arena_free(&arena);
    free(copy);
    return 0;
}
