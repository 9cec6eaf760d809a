#include "grpc/output.h"

#include "grpc/secure.h"

#include <errno.h>
#include <stdint.h>

/* Parts of a frame: large ones, copies between them, padding */
#define FRAME_PARTS (2 * FRAME_PAYLOAD / COPIED_PART + 3)

bool output_fits(struct output *output, size_t size)
{
    bool fits = output->used + size + 64 <= OUTPUT_BYTES && output->count + FRAME_PARTS <= OUTPUT_PARTS;
    output->is_full |= !fits;
    return fits;
}

size_t output_copy_apart(struct output *output, struct str bytes)
{
    size_t room = OUTPUT_BYTES - output->used;
    struct part *last = output->count > output->first ? &output->parts[output->count - 1] : NULL;
    bool is_continued = last && !last->lender;
    if (!is_continued && output->count == OUTPUT_PARTS)
        room = 0;
    size_t size = bytes.size < room ? bytes.size : room;
    output->is_full |= size < bytes.size;
    if (size == 0)
        return 0;
    memcpy(output->bytes + output->used, bytes.data, size);
    if (is_continued)
        last->size += size;
    else
        output->parts[output->count++] = (struct part){output->bytes + output->used, size, NULL};
    output->used += size;
    return size;
}

void output_add(struct output *output, struct str bytes, struct lender *lender)
{
    output->parts[output->count++] = (struct part){bytes.data, bytes.size, lender};
    lender->lent++;
}

/* The first part needs to stand nowhere any more. */
static void give_back_first(struct output *output)
{
    struct lender *lender = output->parts[output->first++].lender;
    if (lender && --lender->lent == 0 && lender->given_back)
        lender->given_back(lender);
}

void output_drop(struct output *output)
{
    while (!output_is_empty(output))
        give_back_first(output);
    output->used = output->first = output->count = 0;
    output->is_full = false;
}

enum output_result output_write(struct output *output, int fd, struct ssl_st *tls, size_t *size)
{
    *size = 0;
    while (!output_is_empty(output)) {
        struct iovec vectors[OUTPUT_PARTS];
        size_t count = 0;
        for (size_t i = output->first; i < output->count; i++)
            vectors[count++] = (struct iovec){(void *)(uintptr_t)output->parts[i].data, output->parts[i].size};
        ssize_t sent = secure_write(fd, tls, vectors, count);
        if (sent < 0 && errno == EINTR)
            continue;
        if (sent < 0)
            return errno == EAGAIN || errno == EWOULDBLOCK ? OUTPUT_BLOCKED : OUTPUT_BROKEN;
        *size += (size_t)sent;
        for (size_t left = (size_t)sent; left > 0;) {
            struct part *part = &output->parts[output->first];
            size_t taken = left < part->size ? left : part->size;
            part->data += taken;
            part->size -= taken;
            left -= taken;
            if (part->size > 0)
                break;
            give_back_first(output);
        }
    }
    output_drop(output);
    return OUTPUT_DONE;
}
