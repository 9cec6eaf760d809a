/* What waits to be written to a socket: frames in order, of which each part is either copied here, or is lent by the
 * answer of a call. All of it is written with one system call, if the socket takes it.
 *
 * An output has a fixed size. A connection has one only while it has something to write (connection.c). */
#pragma once

#include "base/str.h"

#define OUTPUT_BYTES  ((size_t)128 * 1024)
#define OUTPUT_PARTS  512
#define FRAME_PAYLOAD ((size_t)32 * 1024) /* the largest payload of a frame that is made here */
#define COPIED_PART   1024                /* a smaller part is copied */

struct ssl_st;

/* Whose memory some parts are in. */
struct lender {
    size_t lent;                               /* parts that are neither written nor dropped */
    void (*given_back)(struct lender *lender); /* called when the last one is; may be NULL */
};

struct part {
    const char *data;
    size_t size;
    struct lender *lender; /* NULL: copied */
};

struct output {
    struct output *next; /* in a list of free ones */
    size_t used;         /* of the bytes */
    size_t first, count; /* parts: the first one that is not yet written, and how many were added */
    bool is_full;        /* something did not fit */
    struct part parts[OUTPUT_PARTS];
    char bytes[OUTPUT_BYTES];
};

enum output_result { OUTPUT_DONE, OUTPUT_BLOCKED, OUTPUT_BROKEN };

/* Whether a frame with a payload of `size` fits for sure. If not, says so in is_full. */
bool output_fits(struct output *output, size_t size);

/* Does the work of output_copy unless the copy fits after the last one. */
size_t output_copy_apart(struct output *output, struct str bytes);

/* Appends a copy; returns how many bytes of it fit. */
static inline size_t output_copy(struct output *output, struct str bytes)
{
    struct part *last = output->parts + output->count - (output->count > 0);
    bool fits = bytes.size > 0 && bytes.size <= OUTPUT_BYTES - output->used;
    if (output->count == output->first || last->lender || !fits)
        return output_copy_apart(output, bytes);
    memcpy(output->bytes + output->used, bytes.data, bytes.size);
    last->size += bytes.size;
    output->used += bytes.size;
    return bytes.size;
}

/* Appends a part that is lent. Before, output_fits must have said that the frame fits. */
void output_add(struct output *output, struct str bytes, struct lender *lender);

/* Writes to the socket, through TLS if it is not NULL. *size gets the bytes that the socket took. */
enum output_result output_write(struct output *output, int fd, struct ssl_st *tls, size_t *size);

/* Forgets all, and drops what is not written. */
void output_drop(struct output *output);

static inline bool output_is_empty(const struct output *output)
{
    return output->first == output->count;
}
