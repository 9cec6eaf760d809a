/* The first byte chooses the type and whether the rest is a text or a message. What is read must be printed in both
 * forms, and these must be read as the same message. The memory ends with the text, so a sanitizer sees each byte that
 * is read beyond it. */
#include "text/text.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define DEMAND(condition)                                                                                              \
    if (!(condition))                                                                                                  \
    abort()

static void print_and_read(const struct text_type *type, struct str message, struct arena *arena)
{
    for (enum text_form form = TEXT_LINE; form <= TEXT_LINES; form++) {
        struct buf text = {0}, again = {0}, once_more = {0};
        struct status status = text_print(type, message, form, arena, &text);
        if (is_ok(status) && is_ok(text_read(type, buf_str(&text), arena, &again))) {
            buf_clear(&text);
            DEMAND(is_ok(text_print(type, buf_str(&again), form, arena, &text)));
            DEMAND(is_ok(text_read(type, buf_str(&text), arena, &once_more)));
            DEMAND(str_equal(buf_str(&again), buf_str(&once_more)));
        }
        DEMAND(is_ok(status) || status.code == STATUS_INVALID_ARGUMENT);
        buf_free(&text);
        buf_free(&again);
        buf_free(&once_more);
    }
}

static void read_text(const struct text_type *type, struct str text, struct arena *arena)
{
    struct buf message = {0};
    struct status status = text_read(type, text, arena, &message);
    DEMAND(is_ok(status) ? status.message.size == 0 : status.code == STATUS_INVALID_ARGUMENT && message.size == 0);
    if (is_ok(status))
        print_and_read(type, buf_str(&message), arena);
    buf_free(&message);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    static const char *const types[] = {"InferRequestHeader", "InferResponseHeader", "RequestStatus", "ServerStatus"};
    if (size == 0)
        return 0;
    const struct text_type *type = text_type_of("trtis_v1", types[bytes[0] % 4]);
    char *memory = malloc(size);
    if (!memory)
        return 0;
    memcpy(memory + 1, bytes + 1, size - 1);
    struct str rest = {memory + 1, size - 1};
    struct arena arena = arena_new((size_t)64 << 20);
    if (bytes[0] & 4)
        print_and_read(type, rest, &arena);
    else
        read_text(type, rest, &arena);
    arena_free(&arena);
    free(memory);
    return 0;
}
