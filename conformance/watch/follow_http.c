/* HTTP/1: what the client sends is a row of requests, what the server sends a row of answers in the same order. */
#include "client/http1.h"
#include "client/inflate.h"
#include "support/memory.h"
#include "watch/follow.h"

#include <stdlib.h>

#define PENDING_MAX 100 /* requests without an answer on one connection */

/* A request and its answer, as far as they came. */
struct pair {
    struct arena arena;
    struct http1 request, answer;
    bool is_answering; /* its answer has begun */
    struct pair *next;
};

struct http_follow {
    struct traffic *traffic;
    const struct port *port;
    struct pair *first, *last; /* those without a whole answer; only the last may lack a part of its request */
    size_t count;
    bool is_client_gone;
};

static void *create(struct traffic *traffic, const struct port *port)
{
    struct http_follow *follow = memory_zeroed(sizeof *follow);
    *follow = (struct http_follow){.traffic = traffic, .port = port};
    return follow;
}

static void pair_free(struct pair *pair)
{
    http1_free(&pair->request);
    http1_free(&pair->answer);
    arena_free(&pair->arena);
    free(pair);
}

static void destroy(void *reader)
{
    struct http_follow *follow = reader;
    while (follow->first) {
        struct pair *pair = follow->first;
        follow->first = pair->next;
        pair_free(pair);
    }
    free(follow);
}

/* --- What came as a whole --- */

/* Takes the content coding off a body. False: it is one that is not read. */
static bool decode(const struct header_list *headers, struct str *body, struct arena *arena)
{
    struct str coding = header_value(headers, "content-encoding");
    struct answer answer = {0};
    if (!coding.size || !body->size || str_equal_ignoring_case(coding, STR("identity")))
        return true;
    bool gzip = str_equal_ignoring_case(coding, STR("gzip"));
    if (!gzip && !str_equal_ignoring_case(coding, STR("deflate")))
        return false;
    *body = inflate_message(*body, gzip, KEPT_MAX, arena, &answer);
    return answer.outcome == OUTCOME_ANSWERED && !answer.truncated;
}

static void judge(struct http_follow *follow, struct pair *pair, enum outcome outcome)
{
    struct arena *arena = &pair->arena;
    struct http1 *asked = &pair->request, *told = &pair->answer;
    struct str path = arena_take(arena, &asked->target);
    struct str body = arena_take(arena, &asked->body), answer = arena_take(arena, &told->body);
    if (str_starts(path, follow->port->prefix))
        path = str_from(path, follow->port->prefix.size);
    struct str version = arena_printf(arena, "HTTP/%d.%d", asked->parser.http_major, asked->parser.http_minor);
    bool is_readable = decode(&asked->headers, &body, arena) && decode(&told->headers, &answer, arena);
    if (asked->is_truncated || told->is_truncated) {
        traffic_not_judged(follow->traffic, "a body of more than 1 MiB");
        return;
    }
    if (!is_readable) {
        traffic_not_judged(follow->traffic, "a body in a content coding that is not read");
        return;
    }
    struct passed passed = {
        .endpoint = follow->port->endpoint,
        .is_asked = asked->is_complete,
        .request = {.method = str_of(http_method_str((enum http_method)asked->parser.method)),
                    .path = path,
                    .http_version = version,
                    .headers = asked->headers,
                    .has_body = body.size > 0,
                    .body = body},
        .is_answered = told->is_head_complete,
        .answer = {.outcome = outcome,
                   .status = (int)told->parser.status_code,
                   .headers = told->headers,
                   .body = answer,
                   .version = str_from(version, strlen("HTTP/"))},
    };
    if (outcome == OUTCOME_CLOSED)
        passed.answer.trouble = STR("the connection was closed before the whole answer came");
    traffic_exchange(follow->traffic, &passed, arena);
}

/* The first pair is over. */
static void finish(struct http_follow *follow, enum outcome outcome)
{
    struct pair *pair = follow->first;
    judge(follow, pair, outcome);
    follow->first = pair->next;
    follow->last = follow->last == pair ? NULL : follow->last;
    follow->count--;
    pair_free(pair);
}

/* --- What comes --- */

static const char *take_request(struct http_follow *follow, struct str bytes)
{
    while (bytes.size) {
        struct pair *pair = follow->last;
        if (!pair || pair->request.is_complete) {
            if (follow->count++ == PENDING_MAX)
                return "a connection with too many requests that wait for their answers";
            pair = memory_zeroed(sizeof *pair);
            pair->arena = memory_arena();
            pair->request = (struct http1){.arena = &pair->arena, .limit = KEPT_MAX};
            http1_begin(&pair->request, HTTP_REQUEST);
            *(follow->last ? &follow->last->next : &follow->first) = pair;
            follow->last = pair;
        }
        size_t taken = http1_read(&pair->request, bytes);
        if (http1_error(&pair->request) != HPE_OK)
            return "a connection on which the client does not send HTTP/1";
        bytes = str_from(bytes, taken);
        if (pair->request.is_complete && pair->answer.is_complete) /* it was answered before it came as a whole */
            finish(follow, OUTCOME_ANSWERED);
    }
    return NULL;
}

static void begin_answer(struct pair *pair)
{
    http1_free(&pair->answer);
    pair->answer = (struct http1){
        .arena = &pair->arena, .limit = KEPT_MAX, .has_no_body = pair->request.parser.method == HTTP_HEAD};
    http1_begin(&pair->answer, HTTP_RESPONSE);
    pair->is_answering = true;
}

static const char *take_answer(struct http_follow *follow, struct str bytes)
{
    while (bytes.size) {
        struct pair *pair = follow->first;
        if (!pair || pair->answer.is_complete)
            return "a connection on which the server sends an answer without a request";
        if (!pair->is_answering)
            begin_answer(pair);
        size_t taken = http1_read(&pair->answer, bytes);
        if (http1_error(&pair->answer) != HPE_OK)
            return "a connection on which the server does not send HTTP/1";
        bytes = str_from(bytes, taken);
        if (!pair->answer.is_complete)
            continue;
        if (pair->answer.parser.status_code == 101)
            return "a connection that goes on in another protocol";
        if (pair->answer.parser.status_code / 100 == 1) {
            begin_answer(pair);
            pair->is_answering = false;
        } else if (pair->request.is_complete) {
            finish(follow, OUTCOME_ANSWERED);
        }
    }
    return NULL;
}

/* The server sends nothing more: an answer may end so, or break off. What a client no longer waited for is not the
 * server's fault. */
static void end_answer(struct http_follow *follow)
{
    struct pair *pair = follow->first;
    if (!pair || !pair->is_answering || pair->answer.is_complete)
        return;
    http1_read(&pair->answer, STR(""));
    if (pair->answer.is_complete)
        finish(follow, OUTCOME_ANSWERED);
    else if (!follow->is_client_gone)
        finish(follow, OUTCOME_CLOSED);
}

static const char *take(void *reader, enum side side, struct str bytes)
{
    struct http_follow *follow = reader;
    if (bytes.size)
        return side == SIDE_CLIENT ? take_request(follow, bytes) : take_answer(follow, bytes);
    follow->is_client_gone |= side == SIDE_CLIENT;
    if (side == SIDE_SERVER)
        end_answer(follow);
    return NULL;
}

const struct reader http_reader = {create, take, destroy};
