/* Expected values come from RFC 9113, and for mixtures of legal and other fields from libnghttp2. */
#include "base/count.h"
#include "field_judge.h"
#include "tests/scratch.h"

#define FIELD_OF(name, value)                                                                                          \
    {                                                                                                                  \
        STR(name), STR(value)                                                                                          \
    }
#define METHOD    FIELD_OF(":method", "POST")
#define SCHEME    FIELD_OF(":scheme", "http")
#define PATH      FIELD_OF(":path", "/a")
#define AUTHORITY FIELD_OF(":authority", "x")
#define NONE                                                                                                           \
    {                                                                                                                  \
        {                                                                                                              \
            {NULL, 0},                                                                                                 \
            {                                                                                                          \
                NULL, 0                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }
#define HEAD METHOD, SCHEME, PATH, AUTHORITY

static const struct {
    const char *section;
    bool is_legal;
    struct judged_field head[8];
    size_t content;
    struct judged_field trailers[2];
} requests[] = {
    {"a request", true, {HEAD, FIELD_OF("te", "trailers"), FIELD_OF("content-type", "application/grpc")}, 7, NONE},
    {"a field of any name", true, {HEAD, FIELD_OF("a-bin", "b\tc")}, 0, NONE},
    {"another scheme", true, {METHOD, PATH, AUTHORITY, FIELD_OF(":scheme", "https")}, 0, NONE},
    {"Host", true, {METHOD, SCHEME, PATH, FIELD_OF("host", "x")}, 0, NONE},
    {"trailers", true, {HEAD}, 7, {FIELD_OF("a", "b")}},
    {"a Content-Length", true, {HEAD, FIELD_OF("content-length", "7")}, 7, NONE},
    {"no content", true, {HEAD, FIELD_OF("content-length", "0")}, 0, NONE},
    {"te in upper case", true, {HEAD, FIELD_OF("te", "Trailers")}, 0, NONE},
    {"the path of another request", true, {METHOD, SCHEME, AUTHORITY, FIELD_OF(":path", "/known")}, 0, NONE},
    {"8.1, pseudo-headers in trailers", false, {HEAD}, 7, {METHOD}},
    {"8.1.1, more than Content-Length", false, {HEAD, FIELD_OF("content-length", "6")}, 7, NONE},
    {"8.1.1, less", false, {HEAD, FIELD_OF("content-length", "8")}, 7, NONE},
    {"8.1.1, nothing", false, {HEAD, FIELD_OF("content-length", "8")}, 0, NONE},
    {"8.1.1, two", false, {HEAD, FIELD_OF("content-length", "7"), FIELD_OF("content-length", "7")}, 7, NONE},
    {"8.1.1, no number", false, {HEAD, FIELD_OF("content-length", "7x")}, 7, NONE},
    {"8.1.1, an empty one", false, {HEAD, FIELD_OF("content-length", "")}, 0, NONE},
    {"8.1.1, a sign", false, {HEAD, FIELD_OF("content-length", "+7")}, 7, NONE},
    {"8.1.1, 2^64 + 7", false, {HEAD, FIELD_OF("content-length", "18446744073709551623")}, 7, NONE},
    {"8.1.1, 2^63", false, {HEAD, FIELD_OF("content-length", "9223372036854775808")}, 0, NONE},
    {"8.2.1, a name in upper case", false, {HEAD, FIELD_OF("A", "b")}, 0, NONE},
    {"8.2.1, no name", false, {HEAD, FIELD_OF("", "b")}, 0, NONE},
    {"8.2.1, a name with a blank", false, {HEAD, FIELD_OF("a b", "c")}, 0, NONE},
    {"8.2.1, a value with a line feed", false, {HEAD, FIELD_OF("a", "b\nc")}, 0, NONE},
    {"8.2.1, with a NUL", false, {HEAD, FIELD_OF("user-agent", "b\0c")}, 0, NONE},
    {"8.2.1, with a blank before it", false, {HEAD, FIELD_OF("grpc-timeout", " 1S")}, 0, NONE},
    {"8.2.1, with a blank behind it", false, {HEAD, FIELD_OF("content-type", "application/grpc ")}, 0, NONE},
    {"8.2.1, in trailers", false, {HEAD}, 7, {FIELD_OF("a", "b\rc")}},
    {"8.2.2, Connection", false, {HEAD, FIELD_OF("connection", "close")}, 0, NONE},
    {"8.2.2, an empty one", false, {HEAD, FIELD_OF("connection", "")}, 0, NONE},
    {"8.2.2, Keep-Alive", false, {HEAD, FIELD_OF("keep-alive", "1")}, 0, NONE},
    {"8.2.2, Proxy-Connection", false, {HEAD, FIELD_OF("proxy-connection", "close")}, 0, NONE},
    {"8.2.2, Transfer-Encoding", false, {HEAD, FIELD_OF("transfer-encoding", "chunked")}, 0, NONE},
    {"8.2.2, Upgrade", false, {HEAD, FIELD_OF("upgrade", "h2c")}, 0, NONE},
    {"8.2.2, another te", false, {HEAD, FIELD_OF("te", "trailers, gzip")}, 0, NONE},
    {"8.2.2, in trailers", false, {HEAD}, 7, {FIELD_OF("connection", "close")}},
    {"8.3, an unknown pseudo-header", false, {FIELD_OF(":x", "y"), HEAD}, 0, NONE},
    {"8.3, one of answers", false, {FIELD_OF(":status", "200"), HEAD}, 0, NONE},
    {"8.3, one behind others", false, {METHOD, SCHEME, AUTHORITY, FIELD_OF("a", "b"), PATH}, 0, NONE},
    {"8.3, one behind te", false, {METHOD, SCHEME, AUTHORITY, FIELD_OF("te", "trailers"), PATH}, 0, NONE},
    {"8.3, two methods", false, {METHOD, HEAD}, 0, NONE},
    {"8.3, two schemes", false, {SCHEME, HEAD}, 0, NONE},
    {"8.3, two paths", false, {PATH, HEAD}, 0, NONE},
    {"8.3, two authorities", false, {AUTHORITY, HEAD}, 0, NONE},
    {"8.3.1, no method", false, {SCHEME, PATH, AUTHORITY}, 0, NONE},
    {"8.3.1, no scheme", false, {METHOD, PATH, AUTHORITY}, 0, NONE},
    {"8.3.1, no path", false, {METHOD, SCHEME, AUTHORITY}, 0, NONE},
    {"8.3.1, no authority", false, {METHOD, SCHEME, PATH}, 0, NONE},
    {"8.3.1, an empty path", false, {METHOD, SCHEME, AUTHORITY, FIELD_OF(":path", "")}, 0, NONE},
    {"8.3.1, a path without a slash", false, {METHOD, SCHEME, AUTHORITY, FIELD_OF(":path", "a")}, 0, NONE},
    {"8.3.1, an asterisk", false, {METHOD, SCHEME, AUTHORITY, FIELD_OF(":path", "*")}, 0, NONE},
    {"8.3.1, that of OPTIONS",
     true,
     {FIELD_OF(":method", "OPTIONS"), SCHEME, AUTHORITY, FIELD_OF(":path", "*")},
     0,
     NONE},
    {"8.3.1, no method at all", false, {FIELD_OF(":method", ""), SCHEME, PATH, AUTHORITY}, 0, NONE},
    {"8.3.1, a scheme of digits", false, {METHOD, FIELD_OF(":scheme", "1a"), PATH, AUTHORITY}, 0, NONE},
    {"8.3.1, an empty authority", false, {METHOD, SCHEME, PATH, FIELD_OF(":authority", "")}, 0, NONE},
    {"8.5, CONNECT", true, {FIELD_OF(":method", "CONNECT"), AUTHORITY}, 7, NONE},
    {"8.5, with a path", false, {FIELD_OF(":method", "CONNECT"), AUTHORITY, PATH}, 7, NONE},
    {"8.5, with a scheme", false, {FIELD_OF(":method", "CONNECT"), AUTHORITY, SCHEME}, 7, NONE},
    {"8.5, without an authority", false, {FIELD_OF(":method", "CONNECT")}, 7, NONE},
};

static size_t copy(struct judged_field *to, const struct judged_field *from, size_t most)
{
    size_t count = 0;
    while (count < most && from[count].value.data)
        count++;
    memcpy(to, from, count * sizeof(*to));
    return count;
}

TEST(requests)
{
    EACH_ROW(row, requests, row->section) {
        struct judged_request request = {.content = row->content};
        request.head_count = copy(request.head, row->head, COUNT_OF(row->head));
        request.trailer_count = copy(request.trailers, row->trailers, COUNT_OF(row->trailers));
        request.has_trailers = request.trailer_count > 0;
        if (server_takes(&request) != row->is_legal || library_takes(&request) != row->is_legal)
            fail_msg("%s: the server %d, libnghttp2 %d", row->section, server_takes(&request), library_takes(&request));
    }
}

TEST(fields_are_told_apart)
{
    static const char *const names[FIELD_OTHER] = {
        ":method", ":scheme",    ":path",          ":authority",       "content-type",
        "te",      "user-agent", "content-length", "grpc-timeout",     "grpc-encoding",
        "host",    "connection", "keep-alive",     "proxy-connection", "transfer-encoding",
        "upgrade"};
    struct request_fields fields = {0};
    for (size_t i = 0; i < COUNT_OF(names); i++)
        assert_int_equal(request_take_field(&fields, str_of(names[i]), STR("a")), i);
    assert_int_equal(request_take_field(&fields, STR("x"), STR("a")), FIELD_OTHER);
}

/* --- Any mixture: the server and libnghttp2 agree --- */

#define FIELDS(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static const struct judged_field parts[] = FIELDS(
    HEAD, HEAD, HEAD, FIELD_OF("te", "trailers"), FIELD_OF("te", "gzip"), FIELD_OF("content-type", "application/grpc"),
    FIELD_OF("content-length", "7"), FIELD_OF("content-length", "07"), FIELD_OF("content-length", "0"),
    FIELD_OF("content-length", "9223372036854775807"), FIELD_OF("host", "x"), FIELD_OF("host", "x y"),
    FIELD_OF("a", "b"), FIELD_OF("a", ""), FIELD_OF("A", "b"), FIELD_OF("a", "\x80"), FIELD_OF("a", "b "),
    FIELD_OF(":method", "CONNECT"), FIELD_OF(":method", "OPTIONS"), FIELD_OF(":method", "P T"), FIELD_OF(":path", "*"),
    FIELD_OF(":path", "/ "), FIELD_OF(":path", "/\x80"), FIELD_OF(":scheme", "https"), FIELD_OF(":scheme", "h_"),
    FIELD_OF(":authority", "[::1]:80"), FIELD_OF(":authority", "a b"), FIELD_OF("grpc-timeout", "1S"),
    FIELD_OF("grpc-encoding", "identity"), FIELD_OF("user-agent", "x\x7f"), FIELD_OF("upgrade", "h2c"),
    FIELD_OF("keep-alive", ""), FIELD_OF("trailer", "a"), FIELD_OF(":protocol", "x"));

static size_t choose(uint32_t *state, size_t count)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % count;
}

TEST(mixtures)
{
    uint32_t random = 1;
    size_t legal = 0;
    for (int i = 0; i < 40000; i++) {
        struct judged_request request = {.content = choose(&random, 3) ? 7 : 0,
                                         .has_trailers = choose(&random, 4) == 0};
        bool is_ordered = choose(&random, 2);
        for (size_t k = 0; k < 4 && is_ordered; k++)
            request.head[request.head_count++] = parts[k];
        for (size_t more = choose(&random, 6); more > 0; more--)
            request.head[request.head_count++] = parts[choose(&random, COUNT_OF(parts))];
        for (size_t more = request.has_trailers ? choose(&random, 3) : 0; more > 0; more--)
            request.trailers[request.trailer_count++] = parts[12 + choose(&random, COUNT_OF(parts) - 12)];
        bool is_taken = server_takes(&request);
        legal += is_taken;
        if (is_taken == library_takes(&request))
            continue;
        for (size_t k = 0; k < request.head_count; k++)
            print_message("%s: %s\n", request.head[k].name.data, request.head[k].value.data);
        for (size_t k = 0; k < request.trailer_count; k++)
            print_message("trailer %s: %s\n", request.trailers[k].name.data, request.trailers[k].value.data);
        fail_msg("mixture %d, %zu bytes of content: the server %d", i, request.content, is_taken);
    }
    assert_in_range(legal, 2000, 38000); /* there are enough of both */
}
