/* The first byte chooses the datatype, the second the shape; the rest is the text. Data that can be read must also be
 * written, and the text must read back to the same bits. */
#include "tensor/json_tensor.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool read_text(struct json_reader *json, struct str text, struct tensor *tensor, struct arena *arena)
{
    enum nesting nesting;
    char *padded = malloc(text.size + JSON_PADDING);
    if (!padded)
        abort();
    if (text.size)
        memcpy(padded, text.data, text.size);
    memset(padded + text.size, ']', JSON_PADDING);
    padded[text.size] = '\0';
    json_begin(json, (struct str){padded, text.size});
    struct status status = json_read_tensor(json, tensor, &nesting, arena);
    bool sound = is_ok(status) && is_ok(json_end(json, arena));
    free(padded);
    return sound;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static struct json_reader *json;
    if (!json)
        json = json_reader_create(NULL);
    if (!json || size < 2)
        return 0;
    int64_t shape[] = {bytes[1] & 3, bytes[1] >> 2 & 3, bytes[1] >> 4};
    struct arena arena = arena_new(16 << 20);
    struct tensor tensor = {.name = STR("x"),
                            .datatype = (enum datatype)(1 + bytes[0] % (DATATYPE_COUNT - 1)),
                            .shape = bytes[1] ? shape : NULL,
                            .rank = bytes[1] % 4};
    if (read_text(json, (struct str){(const char *)bytes + 2, size - 2}, &tensor, &arena)) {
        struct tensor again = {.name = STR("x"), .datatype = tensor.datatype};
        struct buf out = {0};
        if (!is_ok(json_write_tensor(&tensor, &out, &arena)) || !read_text(json, buf_str(&out), &again, &arena) ||
            again.count != tensor.count || again.size != tensor.size ||
            memcmp(again.data, tensor.data, tensor.size) != 0)
            abort();
        buf_free(&out);
    }
    arena_free(&arena);
    return 0;
}
