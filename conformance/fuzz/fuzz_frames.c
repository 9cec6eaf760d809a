/* Passes any bytes as the frames of a server, as a whole and in pieces of the size that the first byte says. Both must
 * give the same bytes and the same fault, owe the same padding, and never give back more bytes than came. */
#include "client/frames.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#define GREETING                                                                                                       \
    "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"                                                                                 \
    "\0\0\0\4\0\0\0\0\0"                                                                                               \
    "\0\0\0\1\4\0\0\0\1"

/* Returns the fault, what was passed in `out`, which has space for all of it, and what the connection is owed. */
static const char *pass(struct str bytes, size_t piece, char *out, size_t *passed, uint32_t *owed)
{
    struct credit credit = {0};
    char up[sizeof GREETING + CREDIT_SPACE];
    credit_pass(&credit, STR(GREETING), up); /* stream 1 is open */
    struct frames *frames = calloc(1, sizeof *frames);
    const char *fault = NULL;
    *passed = 0;
    for (size_t at = 0; at < bytes.size && fault == NULL; at += piece) {
        size_t written, step = bytes.size - at < piece ? bytes.size - at : piece;
        fault = frames_pass(frames, &credit, (struct str){bytes.data + at, step}, out + *passed, &written);
        *passed += written;
    }
    *owed = credit.connection.owed;
    for (size_t i = 0; i < CREDIT_STREAMS; i++)
        if (credit.streams[i].owed > *owed)
            abort();
    size_t updates = credit_pass(&credit, STR(""), up);
    if (updates > CREDIT_SPACE || (updates > 0) != (*owed > 0))
        abort();
    free(frames);
    return fault;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size < 2)
        return 0;
    struct str all = {(const char *)bytes + 1, size - 1};
    char *whole = malloc(all.size + FRAMES_SPACE), *parts = malloc(all.size + FRAMES_SPACE);
    size_t whole_size, parts_size;
    uint32_t owed, parts_owed;
    const char *fault = pass(all, all.size, whole, &whole_size, &owed);
    const char *other = pass(all, 1 + bytes[0], parts, &parts_size, &parts_owed);
    if (fault != other || whole_size != parts_size || whole_size > all.size || memcmp(whole, parts, whole_size) != 0 ||
        owed != parts_owed)
        abort();
    free(whole);
    free(parts);
    return 0;
}
