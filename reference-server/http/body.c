/* Bodies of requests. Address space is reserved for the announced length, but no page is touched or charged before its
 * bytes arrive. The memory for a chunked body grows with the bytes. A compressed body is inflated up to the same limit,
 * and its request is charged to a smaller budget: a client that wants more memory must send more. */
#define ZLIB_CONST
#include "http/exchange.h"

#include "base/clock.h"
#include "civetweb/head.h"
#include "json/reader.h"

#include <sys/mman.h>
#include <zlib.h>

#define BLOCK        ((size_t)64 * 1024)
#define LARGE_PAGE   ((uintptr_t)2 * 1024 * 1024)
#define STEP         ((size_t)1024 * 1024)     /* a body is charged by this many bytes, the first of them by BLOCKs */
#define TRUSTED_FROM ((size_t)4 * 1024 * 1024) /* bytes after which we trust the client to send the rest */
#define DISCARD_MAX  ((long long)64 * 1024)
#define LINGER       1.0 /* seconds */
#define LINGER_MAX   ((long long)1024 * 1024 * 1024)

static struct status too_large(struct arena *arena, size_t limit)
{
    return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "the body is larger than this server accepts (%zu bytes)",
                        limit);
}

/* Returns why mg_read gave fewer bytes than it should. */
static struct status broken_off(struct http_exchange *exchange, size_t got, int64_t begun)
{
    struct arena *arena = exchange->request.arena;
    double limit = exchange->worker->server->options.body_timeout, seconds = (double)(clock_coarse() - begun) / 1e9;
    exchange->close = true;
    if (atomic_load(&exchange->worker->timed_out) || seconds >= limit)
        return status_error(arena, STATUS_DEADLINE_EXCEEDED,
                            "the body did not arrive in time: %zu bytes came within %.1f seconds", got, seconds);
    if (exchange->chunked)
        return status_breaks(arena, http_head_is_at_end() ? "http.incomplete" : "http.chunk-valid",
                             "the chunked body is malformed or breaks off after %zu bytes of data", got);
    return status_breaks(arena, "http.incomplete", "the body breaks off: Content-Length is %lld, %zu bytes came",
                         exchange->info->content_length, got);
}

/* Asks the system for large pages, which it provides many times as fast, for the rest of a large body. A client that
 * only announces a large body gets none. */
static void ask_for_large_pages(char *at, size_t size)
{
    uintptr_t start = ((uintptr_t)at + LARGE_PAGE - 1) & ~(LARGE_PAGE - 1), end = (uintptr_t)at + size;
    if (start < end)
        madvise((void *)start, end - start, MADV_HUGEPAGE);
}

/* Returns memory for the body, placed so that the byte aligned_from lies aligned to HTTP_BODY_ALIGNMENT. */
static char *place_for(const struct http_request *request, size_t size, bool is_paid)
{
    size_t all = size + (request->aligned_from > 0 ? HTTP_BODY_ALIGNMENT : 0);
    char *room = is_paid ? arena_alloc(request->arena, all) : arena_alloc_unpaid(request->arena, all);
    if (request->aligned_from == 0)
        return room;
    return room ? room + (-((uintptr_t)room + request->aligned_from) & (HTTP_BODY_ALIGNMENT - 1)) : NULL;
}

/* Charges the next bytes of a body to the budget. Without room there, the connection will close. */
static struct status pay_for_more(struct http_exchange *exchange, size_t *paid, size_t size)
{
    size_t step = *paid < STEP ? BLOCK : STEP, left = size - *paid;
    step = step < left ? step : left;
    if (!http_pay(exchange->worker, step)) {
        exchange->close = true;
        return status_no_memory();
    }
    *paid += step;
    return STATUS_IS_OK;
}

static struct status read_known(struct http_exchange *exchange, struct str *body, int64_t begun)
{
    struct http_request *request = &exchange->request;
    size_t size = (size_t)exchange->info->content_length, got = 0, paid = size <= BLOCK ? size : 0;
    char *bytes = place_for(request, size + JSON_PADDING, size <= BLOCK);
    NEED(bytes);
    bool is_settled = size <= TRUSTED_FROM;
    while (got < size) {
        TRY(got == paid ? pay_for_more(exchange, &paid, size) : STATUS_IS_OK);
        int n = mg_read(exchange->connection, bytes + got, paid - got);
        if (n <= 0)
            break;
        got += (size_t)n;
        atomic_store_explicit(&exchange->worker->arrived, got, memory_order_relaxed);
        if (!is_settled && got >= TRUSTED_FROM) {
            ask_for_large_pages(bytes + got, size - got);
            is_settled = true;
        }
    }
    if (got < size)
        return broken_off(exchange, got, begun);
    memset(bytes + size, 0, JSON_PADDING);
    *body = (struct str){bytes, size};
    return STATUS_IS_OK;
}

/* mg_read returns -1 both for a malformed chunk and for a body that ends before its last chunk. */
static struct status read_chunked(struct http_exchange *exchange, struct str *body, int64_t begun)
{
    struct http_request *request = &exchange->request;
    struct buf *buf = &exchange->worker->body;
    size_t limit = exchange->worker->server->options.max_message;
    buf_clear(buf);
    for (;;) {
        if (!buf_reserve(buf, BLOCK + JSON_PADDING)) {
            exchange->close = true;
            return status_no_memory();
        }
        int n = mg_read(exchange->connection, buf->data + buf->size, BLOCK);
        if (n < 0 || atomic_load(&exchange->worker->timed_out))
            return broken_off(exchange, buf->size, begun);
        if (n == 0)
            break;
        buf->size += (size_t)n;
        atomic_store_explicit(&exchange->worker->arrived, buf->size, memory_order_relaxed);
        if (buf->size > limit) {
            exchange->close = true;
            return too_large(request->arena, limit);
        }
    }
    memset(buf->data + buf->size, 0, JSON_PADDING);
    *body = buf_str(buf);
    return STATUS_IS_OK;
}

static struct status inflate_all(struct http_exchange *exchange, bool gzip, z_stream *stream)
{
    struct arena *arena = exchange->request.arena;
    struct buf *out = &exchange->worker->inflated;
    size_t limit = exchange->worker->server->options.max_message;
    for (;;) {
        NEED(buf_reserve(out, BLOCK + JSON_PADDING));
        stream->next_out = (Bytef *)out->data + out->size;
        stream->avail_out = (uInt)BLOCK;
        int result = inflate(stream, Z_NO_FLUSH);
        out->size += BLOCK - stream->avail_out;
        if (out->size > limit)
            return too_large(arena, limit);
        if (result == Z_STREAM_END && stream->avail_in == 0)
            return STATUS_IS_OK;
        if (result == Z_STREAM_END && gzip && inflateReset(stream) == Z_OK)
            continue; /* a gzip file may have several members (RFC 1952) */
        if (result != Z_OK)
            return status_invalid(arena, "the body is not valid %s data, as its Content-Encoding says",
                                  gzip ? "gzip" : "deflate");
    }
}

static struct status inflate_body(struct http_exchange *exchange, bool gzip, struct str *body)
{
    struct http_worker *worker = exchange->worker;
    struct buf *out = &worker->inflated;
    lease_change(&worker->lease, &worker->server->inflated_budget);
    z_stream stream = {.next_in = (const Bytef *)body->data, .avail_in = (uInt)body->size};
    if (inflateInit2(&stream, gzip ? 15 + 16 : 15) != Z_OK)
        return status_no_memory();
    buf_clear(out);
    struct status status = inflate_all(exchange, gzip, &stream);
    inflateEnd(&stream);
    TRY(status);
    memset(out->data + out->size, 0, JSON_PADDING);
    *body = buf_str(out);
    return STATUS_IS_OK;
}

static struct status read_as_sent(struct http_exchange *exchange, struct str *body)
{
    struct http_worker *worker = exchange->worker;
    if (exchange->body == BODY_ABSENT) {
        char *nothing = arena_alloc_zero(exchange->request.arena, 1, JSON_PADDING);
        *body = (struct str){nothing, 0};
        return nothing ? STATUS_IS_OK : status_no_memory();
    }
    if (!exchange->chunked && (size_t)exchange->info->content_length > worker->server->options.max_message) {
        exchange->close = true;
        return too_large(exchange->request.arena, worker->server->options.max_message);
    }
    /* A deviation closes without 100 Continue. */
    if (exchange->body == BODY_EXPECTED && exchange->request.delivery == HTTP_CLOSE)
        return broken_off(exchange, 0, clock_coarse());
    if (exchange->body == BODY_EXPECTED)
        mg_write(exchange->connection, "HTTP/1.1 100 Continue\r\n\r\n", 25);
    exchange->body = BODY_UNREAD;

    int64_t begun = clock_coarse();
    atomic_store_explicit(&worker->timed_out, false, memory_order_release);
    atomic_store_explicit(&worker->arrived, 0, memory_order_relaxed);
    atomic_store_explicit(&worker->deadline, begun + (int64_t)(worker->server->options.body_timeout * 1e9),
                          memory_order_release);
    struct status status = exchange->chunked ? read_chunked(exchange, body, begun) : read_known(exchange, body, begun);
    atomic_store_explicit(&worker->deadline, 0, memory_order_release);
    if (is_ok(status))
        exchange->body = BODY_READ;
    return status;
}

static struct status read_and_decode(struct http_exchange *exchange, struct str *body)
{
    struct arena *arena = exchange->request.arena;
    struct str encoding = exchange->encoding;
    bool gzip = str_equal_ignoring_case(encoding, STR("gzip")) || str_equal_ignoring_case(encoding, STR("x-gzip"));
    bool deflated = str_equal_ignoring_case(encoding, STR("deflate"));
    if (!gzip && !deflated && !str_equal_ignoring_case(encoding, STR("identity")))
        return status_error(arena, STATUS_UNIMPLEMENTED,
                            "Content-Encoding \"%s\" is not supported: send gzip, deflate or no encoding",
                            str_printable(arena, encoding));
    TRY(read_as_sent(exchange, body));
    return gzip || deflated ? inflate_body(exchange, gzip, body) : STATUS_IS_OK;
}

struct status http_read_body(struct http_request *request, struct str *body)
{
    struct http_exchange *exchange = (struct http_exchange *)request;
    struct status status = exchange->encoding.size > 0 ? read_and_decode(exchange, body) : read_as_sent(exchange, body);
    request->body = is_ok(status) ? *body : STR("");
    return status;
}

/* Reads and drops up to `most` bytes. Returns how many of them did not come in time. */
static long long drop(struct http_exchange *exchange, long long most, double seconds)
{
    struct http_worker *worker = exchange->worker;
    char *waste = buf_reserve(&worker->body, (size_t)DISCARD_MAX);
    atomic_store(&worker->deadline, clock_coarse() + (int64_t)(seconds * 1e9));
    while (waste && most > 0) {
        int n = mg_read(exchange->connection, waste, most < DISCARD_MAX ? (size_t)most : (size_t)DISCARD_MAX);
        if (n <= 0)
            break;
        most -= n;
    }
    atomic_store(&worker->deadline, 0);
    return most;
}

void http_discard_body(struct http_exchange *exchange)
{
    if (!http_leaves_body(exchange) || exchange->close)
        return;
    if (drop(exchange, exchange->info->content_length, exchange->worker->server->options.body_timeout) > 0)
        mg_disable_connection_keep_alive(exchange->connection);
}

void http_linger(struct http_exchange *exchange)
{
    if (exchange->close && exchange->body == BODY_UNREAD)
        drop(exchange, LINGER_MAX, LINGER);
}
