#include "deviations/frames.h"

#include "base/count.h"
#include "base/search.h"

#include <nghttp2/nghttp2.h>
#include <stdlib.h>

#define FRAME_HEAD   ((size_t)9)
#define FRAME_NEEDED ((size_t)6) /* bytes of a payload that are looked at: a setting */
#define PREFACE_SIZE ((size_t)NGHTTP2_CLIENT_MAGIC_LEN)
#define FRAME_MAX    16384
#define WINDOW_TOP   0x7fffffffU
#define WINDOW_FAR   0x7fff0000U /* what is added twice is above the top */
#define ERRORS_KNOWN 13

/* A frame as RFC 9113, 4.1 has it. */
struct frame {
    uint32_t size, stream, begun;
    uint8_t kind, flags;
    const uint8_t *payload; /* FRAME_NEEDED bytes, zeros behind the last one */
};

static uint32_t number_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* --- Kinds: each function says whether a frame of the right types is of the kind --- */

static bool is_unfinished(const struct frame *frame)
{
    return !(frame->flags & NGHTTP2_FLAG_END_HEADERS);
}

static bool begins_with_its_block(const struct frame *frame)
{
    return !(frame->flags & (NGHTTP2_FLAG_PADDED | NGHTTP2_FLAG_PRIORITY));
}

/* A block whose first field is spelled out, with its name. */
static bool is_literal(const struct frame *frame)
{
    return begins_with_its_block(frame) && frame->payload[0] == 0;
}

/* A block whose first bytes cannot be decoded. */
static bool is_undecodable(const struct frame *frame)
{
    static const struct {
        size_t size;
        const char *bytes;
    } starts[] = {
        {1, "\x80"},                     /* row 0 of the table, */
        {1, "\xc6"},                     /* or one that it has not got yet, */
        {1, "\xff"},                     /* or never has */
        {4, "\x3f\xff\xff\x7f"},         /* a table that is larger than SETTINGS allow */
        {2, "\x83\x20"},                 /* its size, behind a field */
        {6, "\x00\x01\x61\x82\x1f\xff"}, /* a value that ends with more bits than padding has, */
        {6, "\x00\x01\x61\x84\xff\xff"}, /* or with the code of the end */
    };
    bool is_met = ANY(i, COUNT_OF(starts), memcmp(frame->payload, starts[i].bytes, starts[i].size) == 0);
    return is_met && begins_with_its_block(frame);
}

static bool is_padded(const struct frame *frame)
{
    return frame->flags & NGHTTP2_FLAG_PADDED;
}

static bool is_overpadded(const struct frame *frame)
{
    return is_padded(frame) && frame->payload[0] >= frame->size;
}

static bool is_on_an_even_stream(const struct frame *frame)
{
    return frame->stream && frame->stream % 2 == 0;
}

static bool is_on_stream_0(const struct frame *frame)
{
    return frame->stream == 0;
}

static bool is_on_a_stream(const struct frame *frame)
{
    return frame->stream != 0;
}

static bool is_not_begun(const struct frame *frame)
{
    return frame->stream > frame->begun;
}

static bool has_wrong_size(const struct frame *frame)
{
    bool is_answer = frame->flags & NGHTTP2_FLAG_ACK;
    switch (frame->kind) {
    case NGHTTP2_SETTINGS:
        return is_answer ? frame->size > 0 : frame->size % 6 > 0;
    case NGHTTP2_PING:
        return frame->size != 8;
    case NGHTTP2_RST_STREAM:
    case NGHTTP2_WINDOW_UPDATE:
        return frame->size != 4;
    default:
        return frame->size > FRAME_MAX;
    }
}

/* A PING that is answered. */
static bool is_sound_ping(const struct frame *frame)
{
    return is_on_stream_0(frame) && !has_wrong_size(frame) && !(frame->flags & NGHTTP2_FLAG_ACK);
}

static bool has_priority(const struct frame *frame)
{
    return frame->kind == NGHTTP2_PRIORITY || frame->flags & NGHTTP2_FLAG_PRIORITY;
}

static bool has_flags(const struct frame *frame)
{
    return frame->flags;
}

/* The number and the value of the first setting. */
static unsigned setting_of(const struct frame *frame, uint32_t *value)
{
    *value = number_at(frame->payload + 2);
    return frame->size == 6 ? (unsigned)frame->payload[0] << 8 | frame->payload[1] : 0;
}

static bool is_unknown_setting(const struct frame *frame)
{
    uint32_t value;
    return setting_of(frame, &value) > NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE;
}

static bool is_wrong_setting(const struct frame *frame)
{
    uint32_t value;
    switch (setting_of(frame, &value)) {
    case NGHTTP2_SETTINGS_ENABLE_PUSH:
        return value > 1;
    case NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE:
        return value > WINDOW_TOP;
    case NGHTTP2_SETTINGS_MAX_FRAME_SIZE:
        return value < FRAME_MAX || value >= 1U << 24;
    default:
        return false;
    }
}

static bool is_small_window(const struct frame *frame)
{
    uint32_t value;
    return setting_of(frame, &value) == NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE && value < FRAME_MAX;
}

static bool grows_by_0(const struct frame *frame)
{
    return frame->size == 4 && number_at(frame->payload) == 0;
}

static bool grows_far(const struct frame *frame)
{
    uint32_t value;
    if (frame->kind == NGHTTP2_WINDOW_UPDATE)
        return frame->size == 4 && number_at(frame->payload) >= WINDOW_FAR;
    return setting_of(frame, &value) == NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE && value == WINDOW_TOP;
}

static bool has_unknown_error(const struct frame *frame)
{
    return number_at(frame->payload) > ERRORS_KNOWN;
}

/* --- Which --- */

#define DATA          (1U << NGHTTP2_DATA)
#define HEADERS       (1U << NGHTTP2_HEADERS)
#define PRIORITY      (1U << NGHTTP2_PRIORITY)
#define RST_STREAM    (1U << NGHTTP2_RST_STREAM)
#define SETTINGS      (1U << NGHTTP2_SETTINGS)
#define PUSH_PROMISE  (1U << NGHTTP2_PUSH_PROMISE)
#define PING          (1U << NGHTTP2_PING)
#define GOAWAY        (1U << NGHTTP2_GOAWAY)
#define WINDOW_UPDATE (1U << NGHTTP2_WINDOW_UPDATE)
#define CONTINUATION  (1U << NGHTTP2_CONTINUATION)
#define UNKNOWN       (1U << 10)

static const struct kind {
    const char *name;
    unsigned types;
    bool (*is_met)(const struct frame *frame); /* NULL: all frames of these types are of the kind */
} kinds[] = {
    {"DATA", DATA, NULL},
    {"HEADERS", HEADERS, NULL},
    {"PING", PING, is_sound_ping},
    {"PUSH_PROMISE", PUSH_PROMISE, NULL},
    {"CONTINUATION", CONTINUATION, NULL},
    {"UNKNOWN", UNKNOWN, NULL},
    {"PRIORITY", HEADERS | PRIORITY, has_priority},
    {"UNFINISHED", HEADERS, is_unfinished},
    {"LITERAL", HEADERS, is_literal},
    {"UNDECODABLE", HEADERS, is_undecodable},
    {"PADDED", DATA | HEADERS, is_padded},
    {"OVERPADDED", DATA | HEADERS, is_overpadded},
    {"EVEN_STREAM", DATA | HEADERS, is_on_an_even_stream},
    {"STREAM_0", DATA | HEADERS | RST_STREAM | CONTINUATION, is_on_stream_0},
    {"CONNECTION_ON_A_STREAM", SETTINGS | PING | GOAWAY, is_on_a_stream},
    {"NOT_BEGUN", DATA | RST_STREAM | WINDOW_UPDATE | CONTINUATION, is_not_begun},
    {"WRONG_SIZE", DATA | HEADERS | RST_STREAM | SETTINGS | PING | WINDOW_UPDATE, has_wrong_size},
    {"WRONG_SETTING", SETTINGS, is_wrong_setting},
    {"SMALL_WINDOW", SETTINGS, is_small_window},
    {"GROWS_BY_0", WINDOW_UPDATE, grows_by_0},
    {"GROWS_FAR", WINDOW_UPDATE | SETTINGS, grows_far},
    {"PRIORITY_WITH_FLAGS", PRIORITY, has_flags},
    {"UNKNOWN_SETTING", SETTINGS, is_unknown_setting},
    {"UNKNOWN_ERROR", RST_STREAM, has_unknown_error},
};

uint32_t frames_kind(struct str name)
{
    return FIRST(i, COUNT_OF(kinds), str_is(name, kinds[i].name), 1U << i, 0);
}

static uint32_t kinds_of(const struct frame *frame)
{
    unsigned type = frame->kind <= NGHTTP2_CONTINUATION ? 1U << frame->kind : UNKNOWN;
    uint32_t set = 0;
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (kinds[i].types & type && (!kinds[i].is_met || kinds[i].is_met(frame)))
            set |= 1U << i;
    return set;
}

/* Kinds, a bit for each. */
static struct {
    uint32_t read_over, end_at;
} chosen;

bool frames_choose(uint32_t read_over, uint32_t end_at)
{
    chosen.read_over = read_over;
    chosen.end_at = end_at;
    return read_over || end_at;
}

/* --- The bytes of a connection --- */

/* Where a connection is among the frames that come. All zero at its beginning. */
struct place {
    uint8_t start[FRAME_HEAD + FRAME_NEEDED]; /* of a frame */
    size_t preface, start_size, rest; /* bytes of the preface and of a start that came, of a payload that are to come */
    uint32_t begun;                   /* the highest stream that has HEADERS */
    bool is_dropped;                  /* the frame that comes now */
};

/* Takes the byte of a frame's start. Returns whether that is enough to say what becomes of the frame. */
static bool take_start(struct place *at, uint8_t byte)
{
    if (at->start_size == 0)
        memset(at->start, 0, sizeof(at->start));
    at->start[at->start_size++] = byte;
    if (at->start_size < FRAME_HEAD)
        return false;
    at->rest = number_at(at->start) >> 8;
    return at->start_size == FRAME_HEAD + (at->rest < FRAME_NEEDED ? at->rest : FRAME_NEEDED);
}

static ssize_t begin(struct place *at, nghttp2_session *session)
{
    const uint8_t *head = at->start;
    struct frame frame = {.size = (uint32_t)at->rest,
                          .stream = number_at(head + 5),
                          .begun = at->begun,
                          .kind = head[3],
                          .flags = head[4],
                          .payload = head + FRAME_HEAD};
    bool is_first = at->preface == PREFACE_SIZE;
    uint32_t set = is_first ? 0 : kinds_of(&frame);
    size_t start = at->start_size;
    at->preface = PREFACE_SIZE + 1;
    if (frame.kind == NGHTTP2_HEADERS && frame.stream > at->begun)
        at->begun = frame.stream;
    at->rest -= start - FRAME_HEAD;
    at->start_size = 0;
    at->is_dropped = set & chosen.read_over;
    if (set & chosen.end_at)
        return NGHTTP2_ERR_PROTO;
    return at->is_dropped ? 0 : nghttp2_session_mem_recv(session, head, start);
}

long frames_receive(struct nghttp2_session *session, void **state, const uint8_t *bytes, size_t size)
{
    ssize_t result = 0;
    struct place *at = *state ? *state : calloc(1, sizeof *at);
    *state = at;
    if (!at)
        return NGHTTP2_ERR_NOMEM;
    for (size_t i = 0, step; i < size && result >= 0; i += step) {
        step = 1;
        if (at->preface < PREFACE_SIZE) {
            at->preface++;
            result = nghttp2_session_mem_recv(session, bytes + i, 1);
        } else if (at->start_size == 0 && at->rest > 0) {
            step = size - i < at->rest ? size - i : at->rest;
            at->rest -= step;
            if (!at->is_dropped)
                result = nghttp2_session_mem_recv(session, bytes + i, step);
        } else if (take_start(at, bytes[i])) {
            result = begin(at, session);
        }
    }
    return result;
}
