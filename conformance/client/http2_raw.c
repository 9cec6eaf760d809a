/* HTTP/2 as bytes (RFC 9113): a case writes the frames of a connection, right or wrong, and this file tells what the
 * server says of them. It reads no header block.
 *
 * A server may have more to say when it answers a PING, since it may send frames of another kind later. So the PING of
 * the case is followed by a second one, and what came before the answer to that is everything. */
#include "client/http2_raw.h"

#include "base/search.h"
#include "client/http2.h"
#include "client/line.h"
#include "support/frame.h"
#include "support/seconds.h"

#include <ctype.h>
#include <nghttp2/nghttp2.h>

#define READ_MAX  ((size_t)16 << 20) /* bytes that are read at most */
#define DATA_KEPT ((size_t)64 * 1024)
#define LAST_PING "and goes"

struct http2_raw {
    struct line line;
    struct buf in; /* what came; the frames before `at` are taken */
    size_t at;
    struct buf data;
    double until;
    struct http2_raw_answer *said;
    struct arena *arena;
    bool asks_for_life; /* the case ends with RAW_PING, so the ends of streams end nothing */
    bool is_last;       /* nothing more is waited for */
};

/* Errors are left to the next read, since the server may have said something before. */
static void write_all(const struct http2_raw *raw, struct str bytes)
{
    line_write(&raw->line, bytes, raw->until);
}

/* Reads some bytes. False at the end of the connection, or of the time. */
static bool read_some(struct http2_raw *raw)
{
    CURLcode code = line_read(&raw->line, &raw->in, raw->until);
    raw->said->is_closed = code != CURLE_OK && code != CURLE_AGAIN;
    return code == CURLE_OK;
}

/* --- What is written --- */

/* Adds the headers of the user as fields that no table keeps (RFC 7541, 6.2.3), so that they may end any block. */
static void append_fields(const struct client_options *options, struct arena *arena, struct buf *out)
{
    nghttp2_hd_deflater *deflater;
    if (nghttp2_hd_deflate_new(&deflater, NGHTTP2_DEFAULT_HEADER_TABLE_SIZE) != 0)
        memory_exhausted();
    for (size_t i = 0; i < options->headers.count; i++) {
        struct header header = header_of_line(options->headers.items[i]);
        struct str name = header.name, value = header.value;
        uint8_t *text = arena_alloc_zero(arena, name.size + value.size, 1);
        for (size_t at = 0; at < name.size; at++)
            text[at] = (uint8_t)tolower((unsigned char)name.data[at]);
        memcpy(text + name.size, value.data, value.size);
        const nghttp2_nv field = {text, text + name.size, name.size, value.size, NGHTTP2_NV_FLAG_NO_INDEX};
        size_t bound = nghttp2_hd_deflate_bound(deflater, &field, 1);
        uint8_t *block = arena_alloc_zero(arena, bound, 1);
        ssize_t size = nghttp2_hd_deflate_hd(deflater, block, bound, &field, 1);
        buf_append(out, block, size > 0 ? (size_t)size : 0);
    }
    nghttp2_hd_deflate_del(deflater);
}

/* Returns the frames of a case with these fields at the end of each header block: a server that wants credentials
 * serves no call without them. Bytes that are no whole frame stay as they are, and so do padded blocks. */
static struct str with_fields(struct str frames, const struct client_options *options, struct arena *arena)
{
    struct buf fields = {0}, out = {0};
    append_fields(options, arena, &fields);
    while (fields.size && frames.size >= FRAME_HEAD) {
        unsigned char head[FRAME_HEAD];
        memcpy(head, frames.data, FRAME_HEAD);
        size_t size = FRAME_HEAD + frame_size(head), longer = frame_size(head) + fields.size;
        bool ends_block = (head[3] == FRAME_HEADERS || head[3] == FRAME_CONTINUATION) && head[4] & FRAME_END_HEADERS;
        bool is_longer = ends_block && !(head[4] & FRAME_PADDED) && longer >> 24 == 0;
        if (size > frames.size)
            break;
        for (size_t i = 0; i < 3 && is_longer; i++)
            head[i] = (unsigned char)(longer >> (16 - 8 * i));
        buf_append(&out, head, FRAME_HEAD);
        buf_append(&out, frames.data + FRAME_HEAD, size - FRAME_HEAD);
        buf_append_str(&out, is_longer ? buf_str(&fields) : STR(""));
        frames = str_from(frames, size);
    }
    buf_append_str(&out, frames);
    buf_free(&fields);
    return arena_take(arena, &out);
}

/* --- What is read --- */

static uint32_t number_at(struct str bytes, size_t at)
{
    uint32_t number = 0;
    for (size_t i = at; i < at + 4 && at + 4 <= bytes.size; i++)
        number = number << 8 | (unsigned char)bytes.data[i];
    return number;
}

static void take_ping(struct http2_raw *raw, int flags, struct str body)
{
    static const struct str last = STR("\0\0\10\6\0\0\0\0\0" LAST_PING);
    if (flags & FRAME_ACK && str_is(body, RAW_PING))
        write_all(raw, last);
    raw->said->is_alive |= flags & FRAME_ACK && str_is(body, LAST_PING);
    raw->is_last |= raw->said->is_alive;
}

/* Returns the body of a DATA frame without its padding (RFC 9113, 6.1). */
static struct str without_padding(int flags, struct str body)
{
    size_t padding = flags & FRAME_PADDED && body.size > 0 ? 1 + (size_t)(unsigned char)body.data[0] : 0;
    if (padding == 0 || padding > body.size)
        return body;
    return (struct str){body.data + 1, body.size - padding};
}

/* Notes the maximum of frames that the settings give (RFC 9113, 6.5.1 and 6.5.2). */
static void take_settings(struct http2_raw *raw, struct str body)
{
    static const struct str acknowledgement = STR("\0\0\0\4\1\0\0\0\0");
    for (size_t at = 0; at + 6 <= body.size; at += 6)
        if (body.data[at] == 0 && body.data[at + 1] == SETTING_MAX_FRAME_SIZE)
            raw->said->frame_max = number_at(body, at + 2);
    write_all(raw, acknowledgement);
}

static void take_frame(struct http2_raw *raw, int kind, int flags, struct str body)
{
    struct http2_raw_answer *said = raw->said;
    if (kind == FRAME_SETTINGS && flags & FRAME_ACK)
        said->is_acknowledged = true;
    else if (kind == FRAME_SETTINGS)
        take_settings(raw, body);
    else if (kind == FRAME_PING)
        take_ping(raw, flags, body);
    else if (kind == FRAME_GOAWAY && body.size >= 8)
        said->goaway = http2_error_name(number_at(body, 4), raw->arena);
    else if (kind == FRAME_RST_STREAM && body.size == 4 && !said->reset.data)
        said->reset = http2_error_name(number_at(body, 0), raw->arena);
    else if (kind == FRAME_DATA && raw->data.size + body.size <= DATA_KEPT)
        buf_append_str(&raw->data, without_padding(flags, body));
    said->is_ended |= (kind == FRAME_DATA || kind == FRAME_HEADERS) && flags & FRAME_END_STREAM;
    raw->is_last |= said->goaway.data || (!raw->asks_for_life && (said->reset.data || said->is_ended));
}

/* Takes the whole frames that have come. False if the server sends without end. */
static bool take_frames(struct http2_raw *raw)
{
    while (!raw->is_last && raw->in.size - raw->at >= FRAME_HEAD) {
        const unsigned char *head = (const unsigned char *)raw->in.data + raw->at;
        size_t size = frame_size(head);
        if (raw->in.size - raw->at - FRAME_HEAD < size)
            break;
        take_frame(raw, head[3], head[4], (struct str){raw->in.data + raw->at + FRAME_HEAD, size});
        raw->at += FRAME_HEAD + size;
    }
    return raw->in.size < READ_MAX;
}

/* Returns a sentence about what came. */
static struct str tale(const struct http2_raw_answer *said, struct arena *arena)
{
    const struct {
        bool holds;
        const char *says;
        struct str code;
    } parts[] = {
        {said->goaway.data != NULL, "GOAWAY ", said->goaway},   {said->reset.data != NULL, "RST_STREAM ", said->reset},
        {said->is_ended, "a stream was ended", STR("")},        {said->is_alive, "the connection lives", STR("")},
        {said->is_closed, "the connection was ended", STR("")},
    };
    struct str text = STR("only the frames of HTTP/2 were looked at");
    const char *separator = ": ";
    for (size_t i = 0; i < COUNT_OF(parts); i++) {
        if (!parts[i].holds)
            continue;
        text = arena_printf(arena, "%.*s%s%s%.*s", STR_ARG(text), separator, parts[i].says, STR_ARG(parts[i].code));
        separator = ", ";
    }
    return text;
}

void http2_raw_exchange(const struct client_options *options, struct str url, const struct request *request,
                        struct arena *arena, struct answer *answer)
{
    struct http2_raw_answer *said = arena_new_of(arena, struct http2_raw_answer);
    struct http2_raw raw = {.until = seconds_now() + options->timeout, .said = said, .arena = arena};
    line_open(&raw.line, options, url, true);
    if (raw.line.curl == NULL) {
        curl_outcome(raw.line.code, raw.line.detail, arena, answer);
        return;
    }
    said->frame_max = FRAME_MAX_AT_FIRST;
    raw.asks_for_life = request->message.size > 0 &&
                        memmem(request->message.data, request->message.size, RAW_PING, sizeof RAW_PING - 1);
    write_all(&raw, request->preface);
    write_all(&raw, with_fields(request->message, options, arena));
    bool reads = true;
    while (reads && !raw.is_last && read_some(&raw))
        reads = take_frames(&raw);
    line_close(&raw.line);
    said->data = arena_take(arena, &raw.data);
    answer->came = arena_copy(arena, (struct str){raw.in.data, raw.in.size < CAME_MAX ? raw.in.size : CAME_MAX});
    bool tells = raw.is_last || said->is_closed;
    answer->http2_raw = tells ? said : NULL;
    answer->outcome = tells || !reads ? OUTCOME_GARBLED : OUTCOME_TIMEOUT;
    answer->trouble = !reads  ? STR("the server's frames do not end")
                      : tells ? tale(said, arena)
                              : STR("the server ended neither a stream nor the connection within the timeout");
    buf_free(&raw.in);
}
