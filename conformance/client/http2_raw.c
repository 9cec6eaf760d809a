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
    write_all(&raw, request->message);
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
