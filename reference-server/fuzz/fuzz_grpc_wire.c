/* The input is what a peer decides of a call, apart from HTTP/2 itself: values of headers, and the bytes of DATA
 * frames. The first byte chooses how large the frames are. */
#include "base/search.h"
#include "grpc/headers.h"
#include "grpc/message.h"

#include <stdint.h>
#include <stdlib.h>

#define LIMIT ((size_t)256 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_headers(struct str value, struct arena *arena)
{
    int64_t nanoseconds = 0;
    header_is_grpc(value);
    if (header_timeout(value, &nanoseconds) && nanoseconds < 0)
        abort();
    struct str text = header_percent_encoded(arena, value);
    if (text.size < value.size || ANY(i, text.size, text.data[i] < ' ' || text.data[i] > '~'))
        abort();
}

static void read_frames(struct str bytes, size_t step, struct arena *arena)
{
    struct message message = {0};
    struct status status = STATUS_IS_OK;
    for (size_t at = 0; at < bytes.size && is_ok(status); at += step) {
        struct str left = str_from(bytes, at);
        status = message_take(&message, (struct str){left.data, left.size < step ? left.size : step}, LIMIT, arena);
    }
    if (message.bytes.size != message.stored || (is_ok(status) && message.stored > message.size))
        abort();
    message_free(&message);
}

/* The same bytes as many messages, of which each gets what it wants and no more (streaming.c). */
static void read_stream(struct str bytes, struct arena *arena)
{
    struct status status = STATUS_IS_OK;
    while (bytes.size > 0 && is_ok(status)) {
        struct message message = {0};
        while (bytes.size > 0 && !message_is_whole(&message) && is_ok(status)) {
            size_t wanted = message_wants(&message), taken = wanted < bytes.size ? wanted : bytes.size;
            if (wanted == 0)
                abort();
            status = message_take(&message, (struct str){bytes.data, taken}, LIMIT, arena);
            bytes = str_from(bytes, taken);
        }
        message_free(&message);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0)
        return 0;
    struct arena arena = arena_new(16 << 20);
    struct str bytes = {(const char *)data + 1, size - 1};
    read_headers(bytes, &arena);
    read_frames(bytes, 1 + (size_t)data[0] * data[0], &arena);
    read_stream(bytes, &arena);
    arena_free(&arena);
    return 0;
}
