#include "deviations/frames.h"

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
    const uint8_t *payload; /* FRAME_NEEDED bytes, zeros after the last one */
};

static uint32_t number_at(const uint8_t *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* --- Kinds: what their columns do not say, a function does --- */

/* A block whose first field is spelled out, with its name. */
static bool is_literal(const struct frame *frame)
{
    return frame->payload[0] == 0;
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
        {2, "\x83\x20"},                 /* its size, after a field */
        {6, "\x00\x01\x61\x82\x1f\xff"}, /* a value that ends with more bits than padding has, */
        {6, "\x00\x01\x61\x84\xff\xff"}, /* or with the code of the end */
    };
    return ANY(i, COUNT_OF(starts), memcmp(frame->payload, starts[i].bytes, starts[i].size) == 0);
}

static bool is_overpadded(const struct frame *frame)
{
    return frame->payload[0] >= frame->size;
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

static bool has_right_size(const struct frame *frame)
{
    return !has_wrong_size(frame);
}

static unsigned setting_of(const struct frame *frame)
{
    return frame->size == 6 ? (unsigned)frame->payload[0] << 8 | frame->payload[1] : 0;
}

static bool is_unknown_setting(const struct frame *frame)
{
    return setting_of(frame) > NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE;
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

#define BEFORE_BLOCK (NGHTTP2_FLAG_PADDED | NGHTTP2_FLAG_PRIORITY) /* flags of what precedes a block of fields */
#define NUMBERS_END  ((uint64_t)1 << 32)                           /* above all of 32 bits */

enum {
    ENABLE_PUSH = NGHTTP2_SETTINGS_ENABLE_PUSH,
    WINDOW_SIZE = NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE,
    FRAME_SIZE = NGHTTP2_SETTINGS_MAX_FRAME_SIZE
};
enum place_of_stream { ON_ANY, ON_0, ON_A_STREAM, ON_AN_EVEN, ON_ONE_NOT_BEGUN };

static const struct kind {
    const char *name; /* what has one of several rows of a name is of the kind */
    unsigned types;
    enum place_of_stream on;
    unsigned flags, lacks; /* one of these flags, unless there are none; none of those */
    unsigned setting;      /* SETTINGS that begin with this one */
    uint64_t from, below;  /* the growth of a window, an error or the value of a setting; below 0: any */
    bool (*is_met)(const struct frame *frame); /* or NULL */
} kinds[] = {
    {.name = "PING", .types = PING, .on = ON_0, .lacks = NGHTTP2_FLAG_ACK, .is_met = has_right_size},
    {.name = "PUSH_PROMISE", .types = PUSH_PROMISE},
    {.name = "CONTINUATION", .types = CONTINUATION},
    {.name = "UNKNOWN", .types = UNKNOWN},
    {.name = "PRIORITY", .types = PRIORITY},
    {.name = "PRIORITY", .types = HEADERS, .flags = NGHTTP2_FLAG_PRIORITY},
    {.name = "PRIORITY_WITH_FLAGS", .types = PRIORITY, .flags = 0xff},
    {.name = "UNFINISHED", .types = HEADERS, .lacks = NGHTTP2_FLAG_END_HEADERS},
    {.name = "LITERAL", .types = HEADERS, .lacks = BEFORE_BLOCK, .is_met = is_literal},
    {.name = "UNDECODABLE", .types = HEADERS, .lacks = BEFORE_BLOCK, .is_met = is_undecodable},
    {.name = "PADDED", .types = DATA | HEADERS, .flags = NGHTTP2_FLAG_PADDED},
    {.name = "OVERPADDED", .types = DATA | HEADERS, .flags = NGHTTP2_FLAG_PADDED, .is_met = is_overpadded},
    {.name = "EVEN_STREAM", .types = DATA | HEADERS, .on = ON_AN_EVEN},
    {.name = "STREAM_0", .types = DATA | HEADERS | RST_STREAM | CONTINUATION, .on = ON_0},
    {.name = "CONNECTION_ON_A_STREAM", .types = SETTINGS | PING | GOAWAY, .on = ON_A_STREAM},
    {.name = "NOT_BEGUN", .types = DATA | RST_STREAM | WINDOW_UPDATE | CONTINUATION, .on = ON_ONE_NOT_BEGUN},
    {.name = "WRONG_SIZE",
     .types = DATA | HEADERS | RST_STREAM | SETTINGS | PING | WINDOW_UPDATE,
     .is_met = has_wrong_size},
    {.name = "WRONG_SETTING", .types = SETTINGS, .setting = ENABLE_PUSH, .from = 2, .below = NUMBERS_END},
    {.name = "WRONG_SETTING", .types = SETTINGS, .setting = WINDOW_SIZE, .from = WINDOW_TOP + 1, .below = NUMBERS_END},
    {.name = "WRONG_SETTING", .types = SETTINGS, .setting = FRAME_SIZE, .below = FRAME_MAX},
    {.name = "WRONG_SETTING", .types = SETTINGS, .setting = FRAME_SIZE, .from = 1U << 24, .below = NUMBERS_END},
    {.name = "UNKNOWN_SETTING", .types = SETTINGS, .is_met = is_unknown_setting},
    {.name = "SMALL_WINDOW", .types = SETTINGS, .setting = WINDOW_SIZE, .below = FRAME_MAX},
    {.name = "GROWS_FAR", .types = SETTINGS, .setting = WINDOW_SIZE, .from = WINDOW_TOP, .below = WINDOW_TOP + 1},
    {.name = "GROWS_FAR", .types = WINDOW_UPDATE, .from = WINDOW_FAR, .below = NUMBERS_END, .is_met = has_right_size},
    {.name = "GROWS_BY_0", .types = WINDOW_UPDATE, .below = 1, .is_met = has_right_size},
    {.name = "UNKNOWN_ERROR", .types = RST_STREAM, .from = ERRORS_KNOWN + 1, .below = NUMBERS_END},
};

static bool is_on(enum place_of_stream on, const struct frame *frame)
{
    const bool is_there[] = {
        [ON_ANY] = true,
        [ON_0] = frame->stream == 0,
        [ON_A_STREAM] = frame->stream != 0,
        [ON_AN_EVEN] = frame->stream && frame->stream % 2 == 0,
        [ON_ONE_NOT_BEGUN] = frame->stream > frame->begun,
    };
    return is_there[on];
}

static bool is_of_kind(const struct frame *frame, const struct kind *kind)
{
    unsigned type = frame->kind <= NGHTTP2_CONTINUATION ? 1U << frame->kind : UNKNOWN;
    uint32_t number = number_at(frame->payload + (type == SETTINGS ? 2 : 0));
    return kind->types & type && is_on(kind->on, frame) && (!kind->flags || frame->flags & kind->flags) &&
           !(frame->flags & kind->lacks) && (!kind->setting || setting_of(frame) == kind->setting) &&
           (!kind->below || (number >= kind->from && number < kind->below)) && (!kind->is_met || kind->is_met(frame));
}

uint32_t frames_kind(struct str name)
{
    return SUM(i, COUNT_OF(kinds), str_is(name, kinds[i].name) ? 1U << i : 0);
}

static uint32_t kinds_of(const struct frame *frame)
{
    return SUM(i, COUNT_OF(kinds), is_of_kind(frame, &kinds[i]) ? 1U << i : 0);
}

/* Kinds, a bit for each row. */
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
