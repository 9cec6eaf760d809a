#include "client/tcp.h"

#include "base/search.h"
#include "client/http1.h"
#include "client/line.h"
#include "support/printable.h"
#include "support/seconds.h"
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#define QUOTED_MAX 80        /* bytes of a wrong answer that are quoted */
#define PAUSE      10000000L /* nanoseconds */

#define READ_KEPT ((size_t)64 << 10) /* bytes that were read and may still be kept */

struct tcp {
    const struct client_options *options;
    struct line line;
    struct buf in; /* the bytes that came; those behind `at` are not read yet */
    size_t at;
    bool ended;     /* the server sends nothing more */
    bool head;      /* the last request was a HEAD, so its answer has no body */
    bool timed_out; /* the server did not take a write in time */
    bool in_pieces; /* the next write is another piece of what was written */
};

/* --- The connection --- */

struct tcp *tcp_open(const struct client_options *options, struct str address)
{
    struct tcp *tcp = memory_zeroed(sizeof *tcp);
    tcp->options = options;
    line_open(&tcp->line, options, address, false);
    return tcp;
}

void tcp_close(struct tcp *tcp)
{
    if (!tcp)
        return;
    line_close(&tcp->line);
    buf_free(&tcp->in);
    free(tcp);
}

void tcp_write(struct tcp *tcp, struct str bytes)
{
    tcp->head = str_starts(bytes, STR("HEAD "));
    if (tcp->in_pieces)
        nanosleep(&(struct timespec){.tv_nsec = PAUSE}, NULL);
    tcp->in_pieces = true;
    if (tcp->line.curl) /* on an error the answer may have come all the same */
        tcp->timed_out = line_write(&tcp->line, bytes, seconds_now() + tcp->options->timeout) == CURLE_AGAIN;
}

void tcp_half_close(struct tcp *tcp)
{
    if (tcp->line.curl)
        shutdown(tcp->line.socket, SHUT_WR);
}

/* Waits for more bytes. False at the end of the connection or of the time, whatever a server still sends then. */
static bool receive(struct tcp *tcp, double until)
{
    bool can_read = tcp->line.curl && !tcp->ended && seconds_now() < until;
    CURLcode code = can_read ? line_read(&tcp->line, &tcp->in, until) : CURLE_AGAIN;
    tcp->ended |= code != CURLE_OK && code != CURLE_AGAIN;
    return code == CURLE_OK;
}

/* --- Answers --- */

/* Tells why there is no whole answer. If one had begun, the end of the connection does not stand for it. */
static void end_without(const struct tcp *tcp, bool begun, struct arena *arena, struct answer *answer)
{
    if (!tcp->line.curl) {
        curl_outcome(tcp->line.code, tcp->line.detail, arena, answer);
    } else if (tcp->ended) {
        answer->outcome = OUTCOME_CLOSED;
        answer->closed = !begun;
        answer->trouble = begun ? STR("the connection was closed before the whole answer came")
                                : STR("the connection was closed without an answer");
    } else {
        answer->outcome = OUTCOME_TIMEOUT;
        answer->trouble = tcp->timed_out ? STR("the server did not take the whole request within the timeout")
                                         : STR("no whole answer within the timeout");
    }
}

/* Turns the tabs of a head, which begins at `start`, into blanks: RFC 9110 has both around a value, but http_parser
 * reads no tab beside a Content-Length. */
static void blank_tabs(struct tcp *tcp, size_t start)
{
    char *head = tcp->in.data + start;
    const char *end = memmem(head, tcp->in.size - start, "\r\n\r\n", 4);
    size_t size = end ? (size_t)(end - head) : tcp->in.size - start;
    for (char *tab = head; (tab = memchr(tab, '\t', size - (size_t)(tab - head)));)
        *tab = ' ';
}

/* Forgets what was read, once there is much of it. An answer began at `start`, or begins there now. */
static void forget(struct tcp *tcp, size_t *start)
{
    if (tcp->at < READ_KEPT)
        return;
    memmove(tcp->in.data, tcp->in.data + tcp->at, tcp->in.size - tcp->at);
    tcp->in.size -= tcp->at;
    tcp->at = *start = 0;
}

/* Reads one answer, interim or final. */
static void read_one(struct tcp *tcp, double until, struct arena *arena, struct answer *answer)
{
    struct http1 message = {
        .arena = arena, .has_no_body = tcp->head, .limit = answer_max(tcp->options, &(struct request){0})};
    http1_begin(&message, HTTP_RESPONSE);
    size_t start = tcp->at;
    forget(tcp, &start);
    for (;;) {
        if (message.is_head_complete)
            forget(tcp, &start);
        size_t size = tcp->in.size - tcp->at;
        if (size && !message.is_head_complete)
            blank_tabs(tcp, start);
        if (size || tcp->ended) {
            size_t taken = http1_read(&message, (struct str){tcp->in.data + tcp->at, size});
            tcp->at += taken < size ? taken : size;
        }
        if (message.is_complete || http1_error(&message) != HPE_OK || (tcp->ended && !size))
            break;
        if (!receive(tcp, until) && !tcp->ended)
            break;
    }
    enum http_errno error = http1_error(&message);
    answer->status = (int)message.parser.status_code;
    answer->headers = message.headers;
    answer->body = arena_take(arena, &message.body);
    answer->truncated = message.is_truncated;
    if (message.is_head_complete)
        answer->version = arena_printf(arena, "%d.%d", message.parser.http_major, message.parser.http_minor);
    if (message.is_complete) {
        answer->outcome = OUTCOME_ANSWERED;
    } else if (error != HPE_OK && error != HPE_INVALID_EOF_STATE) {
        answer->outcome = OUTCOME_GARBLED;
        struct str came = {tcp->in.data + start, tcp->in.size - start};
        struct buf told = {0};
        answer->came = arena_copy(arena, came.size < CAME_MAX ? came : (struct str){came.data, CAME_MAX});
        append_printable(&told, came, QUOTED_MAX);
        answer->trouble = arena_printf(arena, "the answer is not HTTP/1 (%s), it begins with: %.*s",
                                       http_errno_description(error), STR_ARG(buf_str(&told)));
        buf_free(&told);
    } else {
        end_without(tcp, error == HPE_INVALID_EOF_STATE, arena, answer);
    }
    http1_free(&message);
}

void tcp_read(struct tcp *tcp, const struct tcp_wanted *wanted, struct arena *arena, struct answer *answer)
{
    tcp->in_pieces = false;
    double begin = seconds_now(), until = begin + tcp->options->timeout;
    do {
        *answer = (struct answer){0};
        read_one(tcp, until, arena, answer);
    } while (answer->outcome == OUTCOME_ANSWERED && answer->status / 100 == 1 && !wanted->interim);
    if (wanted->closed && answer->outcome == OUTCOME_CLOSED && answer->closed) {
        answer->outcome = OUTCOME_ANSWERED;
        answer->status = 0;
    }
    bool behind = tcp->at < tcp->in.size;
    while (wanted->end && answer->outcome == OUTCOME_ANSWERED && !tcp->ended && !behind)
        if (receive(tcp, until))
            behind = true;
        else if (!tcp->ended)
            break;
    if (answer->outcome != OUTCOME_CLOSED)
        answer->closed = (wanted->end || answer->status == 0) && tcp->ended && tcp->at == tcp->in.size;
    answer->seconds = seconds_now() - begin;
}

/* --- The request --- */

struct str tcp_with_headers(struct str bytes, const struct client_options *options, const struct header *extra,
                            struct arena *arena)
{
    struct buf lines = {0}, out = {0};
    for (size_t i = 0; i < options->headers.count; i++)
        buf_printf(&lines, "%s\r\n", options->headers.items[i]);
    if (extra)
        buf_printf(&lines, "%.*s: %.*s\r\n", STR_ARG(extra->name), STR_ARG(extra->value));
    const struct str version = STR(" HTTP/1.x\r\n");
    const char *line;
    while (lines.size && bytes.size && (line = memmem(bytes.data, bytes.size, version.data, 8)) != NULL) {
        size_t head = (size_t)(line - bytes.data) + version.size;
        bool whole = head <= bytes.size && memcmp(line + version.size - 2, "\r\n", 2) == 0;
        head = whole ? head : head - version.size + 8;
        buf_append(&out, bytes.data, head);
        if (whole)
            buf_append_str(&out, buf_str(&lines));
        bytes = str_from(bytes, head);
    }
    buf_append_str(&out, bytes);
    struct str text = arena_take(arena, &out);
    buf_free(&lines);
    return text;
}

/* Returns the line of an option's header with which the bytes start; NULL: none. */
static const char *option_line(const struct client_options *options, struct str bytes)
{
    return FIRST(i, options->headers.count, str_starts(bytes, str_of(options->headers.items[i])),
                 options->headers.items[i], NULL);
}

struct str tcp_shown(const struct client_options *options, struct str bytes, struct arena *arena)
{
    struct buf out = {0};
    size_t kept = 0; /* the bytes before are in the buffer */
    for (size_t at = 0; options->headers.count && at < bytes.size; at++) {
        bool line_begins = at == 0 || bytes.data[at - 1] == '\n';
        const char *line = line_begins ? option_line(options, str_from(bytes, at)) : NULL;
        if (!line)
            continue;
        buf_append(&out, bytes.data + kept, at - kept);
        buf_append_str(&out, header_of_line(line).name);
        buf_append_literal(&out, ": " SECRET_HIDDEN);
        kept = at + strlen(line);
        at = kept - 1;
    }
    if (kept) {
        buf_append_str(&out, str_from(bytes, kept));
        bytes = arena_take(arena, &out);
    }
    return secrets_hide(options->secrets, bytes, arena);
}
