/* Passes any bytes as the frames of a server, as a whole and in pieces of the size that the first byte says. Both must
 * give the same bytes and the same fault, and never more bytes than came. */
#include "client/frames.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

/* Returns the fault, and what was passed in `out`, which has space for all of it. */
static const char *pass(struct str bytes, size_t piece, char *out, size_t *passed)
{
    struct frames *frames = calloc(1, sizeof *frames);
    const char *fault = NULL;
    *passed = 0;
    for (size_t at = 0; at < bytes.size && fault == NULL; at += piece) {
        size_t written, step = bytes.size - at < piece ? bytes.size - at : piece;
        fault = frames_pass(frames, (struct str){bytes.data + at, step}, out + *passed, &written);
        *passed += written;
    }
    free(frames);
    return fault;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    struct str all = {(const char *)bytes + 1, size - 1};
    char *whole = malloc(all.size + FRAMES_HELD), *parts = malloc(all.size + FRAMES_HELD);
    size_t whole_size, parts_size;
    const char *fault = pass(all, all.size, whole, &whole_size);
    const char *other = pass(all, 1 + bytes[0], parts, &parts_size);
    if (fault != other || whole_size != parts_size || whole_size > all.size || memcmp(whole, parts, whole_size) != 0)
        abort();
    free(whole);
    free(parts);
    return 0;
}
