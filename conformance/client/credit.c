#include "client/credit.h"

#include "client/frame.h"
#include <string.h>

#define PREFACE    ((size_t)24)
#define WINDOW_MAX ((uint32_t)INT32_MAX) /* RFC 9113, 6.9.1 */

/* --- What is owed --- */

/* Returns the window of an open stream, or NULL. */
static struct window *find(struct credit *credit, uint32_t stream)
{
    for (size_t i = 0; stream != 0 && i < CREDIT_STREAMS; i++)
        if (credit->streams[i].stream == stream)
            return &credit->streams[i];
    return NULL;
}

static void owe(struct window *window, size_t bytes)
{
    window->owed = bytes < WINDOW_MAX - window->owed ? window->owed + (uint32_t)bytes : WINDOW_MAX;
}

void credit_padding(struct credit *credit, uint32_t stream, size_t bytes)
{
    struct window *window = find(credit, stream);
    owe(&credit->connection, bytes);
    if (window != NULL)
        owe(window, bytes);
}

void credit_end(struct credit *credit, uint32_t stream)
{
    struct window *window = find(credit, stream);
    if (window != NULL)
        *window = (struct window){0};
}

static void open_stream(struct credit *credit, uint32_t stream)
{
    credit->streams[credit->next] = (struct window){.stream = stream};
    credit->next = (credit->next + 1) % CREDIT_STREAMS;
}

/* --- What goes up --- */

static size_t write_number(uint32_t number, char *out)
{
    for (int i = 0; i < 4; i++)
        out[i] = (char)(number >> (24 - 8 * i));
    return 4;
}

/* Writes the WINDOW_UPDATE that is due, if one is. Returns its size. */
static size_t give_back(struct window *window, char *out)
{
    static const char head[] = {0, 0, 4, FRAME_WINDOW_UPDATE, 0};
    if (window->owed == 0)
        return 0;
    size_t size = sizeof head;
    memcpy(out, head, size);
    size += write_number(window->stream, out + size);
    size += write_number(window->owed, out + size);
    window->owed = 0;
    return size;
}

static size_t give_all_back(struct credit *credit, char *out)
{
    size_t size = give_back(&credit->connection, out);
    for (size_t i = 0; i < CREDIT_STREAMS; i++)
        size += give_back(&credit->streams[i], out + size);
    return size;
}

/* The head of a frame of the core has passed, or the preface. */
static void begin(struct credit *credit)
{
    credit->head_size = 0;
    if (!credit->begun) {
        credit->begun = true;
        return;
    }
    int kind = credit->head[3];
    credit->greeted = true;
    credit->rest = frame_size(credit->head);
    if (kind == FRAME_HEADERS)
        open_stream(credit, frame_stream(credit->head));
    else if (kind == FRAME_RST_STREAM)
        credit_end(credit, frame_stream(credit->head));
}

size_t credit_pass(struct credit *credit, struct str bytes, char *out)
{
    size_t written = 0;
    for (size_t at = 0;;) {
        if (credit->greeted && credit->head_size == 0 && credit->rest == 0)
            written += give_all_back(credit, out + written);
        if (at == bytes.size)
            return written;
        size_t head = credit->begun ? FRAME_HEAD : PREFACE;
        size_t missing = credit->rest > 0 ? credit->rest : head - credit->head_size;
        size_t step = bytes.size - at < missing ? bytes.size - at : missing;
        memcpy(out + written, bytes.data + at, step);
        if (credit->rest > 0) {
            credit->rest -= step;
        } else {
            memcpy(credit->head + credit->head_size, bytes.data + at, step);
            credit->head_size += step;
        }
        written += step;
        at += step;
        if (credit->head_size == head)
            begin(credit);
    }
}
