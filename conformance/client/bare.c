/* HTTP/2 as bytes (RFC 9113): a case writes the frames of a connection, right or wrong, and this file tells what the
 * server says of them. It reads no header block.
 *
 * A server may have more to say when it answers a PING, since it may send frames of another kind later. So the PING of
 * the case is followed by a second one, and what came before the answer to that is everything. */
#include "base/count.h"
#include "client/frame.h"
#include "client/line.h"
#include "client/transport.h"
#include "support/seconds.h"
#include <poll.h>

#define READ_MAX  ((size_t)16 << 20) /* bytes that are read at most */
#define DATA_KEPT ((size_t)64 * 1024)
#define LAST_PING "and goes"

struct bare {
    const struct client_options *options;
    struct line line;
    struct buf in; /* what came; the frames before `at` are taken */
    size_t at;
    struct buf data;
    double until;
    struct bare_answer *said;
    struct arena *arena;
    bool asks_for_life; /* the case ends with BARE_PING, so the ends of streams end nothing */
    bool is_last;       /* nothing more is waited for */
};

static bool wait_for(const struct bare *bare, short events)
{
    struct pollfd poller = {.fd = bare->line.socket, .events = events};
    double left = bare->until - seconds_now();
    return left > 0 && poll(&poller, 1, (int)(left * 1000) + 1) > 0;
}

/* Errors are left to the next read, since the server may have said something before. */
static void write_all(const struct bare *bare, struct str bytes)
{
    while (bytes.size) {
        size_t sent = 0;
        CURLcode code = curl_easy_send(bare->line.curl, bytes.data, bytes.size, &sent);
        if (code != CURLE_OK && (code != CURLE_AGAIN || !wait_for(bare, POLLOUT)))
            return;
        bytes = str_from(bytes, sent);
    }
}

/* Reads some bytes. False at the end of the connection, or of the time. */
static bool read_some(struct bare *bare)
{
    for (;;) {
        size_t got = 0;
        char *room = buf_reserve(&bare->in, 16384);
        CURLcode code = room ? curl_easy_recv(bare->line.curl, room, 16384, &got) : CURLE_OUT_OF_MEMORY;
        if (code == CURLE_AGAIN && wait_for(bare, POLLIN))
            continue;
        bare->said->is_closed = code == CURLE_OK ? got == 0 : code != CURLE_AGAIN;
        bare->in.size += code == CURLE_OK ? got : 0;
        return code == CURLE_OK && got > 0;
    }
}

static uint32_t number_at(struct str bytes, size_t at)
{
    uint32_t number = 0;
    for (size_t i = at; i < at + 4 && at + 4 <= bytes.size; i++)
        number = number << 8 | (unsigned char)bytes.data[i];
    return number;
}

/* RFC 9113, 7 */
static struct str error_name(uint32_t code, struct arena *arena)
{
    static const char *const names[] = {"NO_ERROR",
                                        "PROTOCOL_ERROR",
                                        "INTERNAL_ERROR",
                                        "FLOW_CONTROL_ERROR",
                                        "SETTINGS_TIMEOUT",
                                        "STREAM_CLOSED",
                                        "FRAME_SIZE_ERROR",
                                        "REFUSED_STREAM",
                                        "CANCEL",
                                        "COMPRESSION_ERROR",
                                        "CONNECT_ERROR",
                                        "ENHANCE_YOUR_CALM",
                                        "INADEQUATE_SECURITY",
                                        "HTTP_1_1_REQUIRED"};
    return code < COUNT_OF(names) ? str_of(names[code]) : arena_printf(arena, "CODE_%u", code);
}

static void take_ping(struct bare *bare, int flags, struct str body)
{
    static const struct str last = STR("\0\0\10\6\0\0\0\0\0" LAST_PING);
    if (flags & FRAME_ACK && str_is(body, BARE_PING))
        write_all(bare, last);
    bare->said->is_alive |= flags & FRAME_ACK && str_is(body, LAST_PING);
    bare->is_last |= bare->said->is_alive;
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
static void take_settings(struct bare *bare, struct str body)
{
    static const struct str acknowledgement = STR("\0\0\0\4\1\0\0\0\0");
    for (size_t at = 0; at + 6 <= body.size; at += 6)
        if (body.data[at] == 0 && body.data[at + 1] == SETTING_MAX_FRAME_SIZE)
            bare->said->frame_max = number_at(body, at + 2);
    write_all(bare, acknowledgement);
}

static void take_frame(struct bare *bare, int kind, int flags, struct str body)
{
    struct bare_answer *said = bare->said;
    if (kind == FRAME_SETTINGS && flags & FRAME_ACK)
        said->is_acknowledged = true;
    else if (kind == FRAME_SETTINGS)
        take_settings(bare, body);
    else if (kind == FRAME_PING)
        take_ping(bare, flags, body);
    else if (kind == FRAME_GOAWAY && body.size >= 8)
        said->goaway = error_name(number_at(body, 4), bare->arena);
    else if (kind == FRAME_RST_STREAM && body.size == 4 && !said->reset.data)
        said->reset = error_name(number_at(body, 0), bare->arena);
    else if (kind == FRAME_DATA && bare->data.size + body.size <= DATA_KEPT)
        buf_append_str(&bare->data, without_padding(flags, body));
    said->is_ended |= (kind == FRAME_DATA || kind == FRAME_HEADERS) && flags & FRAME_END_STREAM;
    bare->is_last |= said->goaway.data || (!bare->asks_for_life && (said->reset.data || said->is_ended));
}

/* Takes the whole frames that have come. False if the server sends without end. */
static bool take_frames(struct bare *bare)
{
    while (!bare->is_last && bare->in.size - bare->at >= FRAME_HEAD) {
        const unsigned char *head = (const unsigned char *)bare->in.data + bare->at;
        size_t size = frame_size(head);
        if (bare->in.size - bare->at - FRAME_HEAD < size)
            break;
        take_frame(bare, head[3], head[4], (struct str){bare->in.data + bare->at + FRAME_HEAD, size});
        bare->at += FRAME_HEAD + size;
    }
    return bare->in.size < READ_MAX;
}

/* Returns a sentence about what came. */
static struct str tale(const struct bare_answer *said, struct arena *arena)
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

void bare_exchange(const struct client_options *options, struct str url, const struct request *request,
                   struct arena *arena, struct answer *answer)
{
    struct bare_answer *said = arena_new_of(arena, struct bare_answer);
    struct bare bare = {.options = options, .until = seconds_now() + options->timeout, .said = said, .arena = arena};
    line_open(&bare.line, options, arena_copy(arena, url).data, true);
    if (bare.line.curl == NULL || said == NULL) {
        curl_outcome(bare.line.code, bare.line.detail, arena, answer);
        return;
    }
    said->frame_max = FRAME_MAX_AT_FIRST;
    bare.asks_for_life = request->message.size > 0 &&
                         memmem(request->message.data, request->message.size, BARE_PING, sizeof BARE_PING - 1);
    write_all(&bare, request->preface);
    write_all(&bare, request->message);
    bool reads = true;
    while (reads && !bare.is_last && read_some(&bare))
        reads = take_frames(&bare);
    line_close(&bare.line);
    said->data = arena_take(arena, &bare.data);
    answer->came = arena_copy(arena, (struct str){bare.in.data, bare.in.size < CAME_MAX ? bare.in.size : CAME_MAX});
    bool tells = bare.is_last || said->is_closed;
    answer->bare = tells ? said : NULL;
    answer->outcome = tells || !reads ? OUTCOME_GARBLED : OUTCOME_TIMEOUT;
    answer->trouble = !reads  ? STR("the server's frames do not end")
                      : tells ? tale(said, arena)
                              : STR("the server ended neither a stream nor the connection within the timeout");
    buf_free(&bare.in);
}
