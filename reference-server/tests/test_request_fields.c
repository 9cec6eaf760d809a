/* What is legal of any mixture of fields, libnghttp2 says, whose rules are those of RFC 9113. */
#include "base/search.h"
#include "field_judge.h"
#include "tests/scratch.h"

#define MIXTURES 100000

#define FIELD_OF(name, value)                                                                                          \
    {                                                                                                                  \
        STR(name), STR(value)                                                                                          \
    }
#define METHOD    FIELD_OF(":method", "POST")
#define SCHEME    FIELD_OF(":scheme", "http")
#define PATH      FIELD_OF(":path", "/a")
#define AUTHORITY FIELD_OF(":authority", "x")
#define HEAD      METHOD, SCHEME, PATH, AUTHORITY

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

#define FIELDS(...)                                                                                                    \
    {                                                                                                                  \
        __VA_ARGS__                                                                                                    \
    }

/* The first four make a legal head. None of the first twelve is put into trailers. */
static const struct judged_field parts[] = FIELDS(
    HEAD, HEAD, HEAD, FIELD_OF("te", "trailers"), FIELD_OF("te", "Trailers"), FIELD_OF("te", "trailers, gzip"),
    FIELD_OF("content-type", "application/grpc"), FIELD_OF("content-type", "application/grpc "),
    FIELD_OF("content-length", "7"), FIELD_OF("content-length", "07"), FIELD_OF("content-length", "0"),
    FIELD_OF("content-length", "6"), FIELD_OF("content-length", "8"), FIELD_OF("content-length", "7x"),
    FIELD_OF("content-length", ""), FIELD_OF("content-length", "+7"), FIELD_OF("content-length", "9223372036854775807"),
    FIELD_OF("content-length", "9223372036854775808"), FIELD_OF("content-length", "18446744073709551623"),
    FIELD_OF("host", "x"), FIELD_OF("host", "x y"), FIELD_OF("a", "b"), FIELD_OF("a", ""), FIELD_OF("a-bin", "b\tc"),
    FIELD_OF("A", "b"), FIELD_OF("", "b"), FIELD_OF("a b", "c"), FIELD_OF("a", "\x80"), FIELD_OF("a", "b "),
    FIELD_OF("a", "b\nc"), FIELD_OF("a", "b\rc"), FIELD_OF(":method", "CONNECT"), FIELD_OF(":method", "OPTIONS"),
    FIELD_OF(":method", "P T"), FIELD_OF(":method", ""), FIELD_OF(":path", "*"), FIELD_OF(":path", "/ "),
    FIELD_OF(":path", "/\x80"), FIELD_OF(":path", ""), FIELD_OF(":path", "a"), FIELD_OF(":path", "/known"),
    FIELD_OF(":scheme", "https"), FIELD_OF(":scheme", "h_"), FIELD_OF(":scheme", "1a"),
    FIELD_OF(":authority", "[::1]:80"), FIELD_OF(":authority", "a b"), FIELD_OF(":authority", ""), FIELD_OF(":x", "y"),
    FIELD_OF(":status", "200"), FIELD_OF(":protocol", "x"), FIELD_OF("grpc-timeout", "1S"),
    FIELD_OF("grpc-timeout", " 1S"), FIELD_OF("grpc-encoding", "identity"), FIELD_OF("user-agent", "x\x7f"),
    FIELD_OF("user-agent", "b\0c"), FIELD_OF("upgrade", "h2c"), FIELD_OF("connection", "close"),
    FIELD_OF("connection", ""), FIELD_OF("keep-alive", ""), FIELD_OF("proxy-connection", "close"),
    FIELD_OF("transfer-encoding", "chunked"), FIELD_OF("trailer", "a"));

static size_t choose(uint32_t *state, size_t count)
{
    *state = *state * 1664525 + 1013904223;
    return (*state >> 8) % count;
}

TEST(mixtures)
{
    uint32_t random = 1;
    size_t legal = 0;
    for (int i = 0; i < MIXTURES; i++) {
        struct judged_request request = {.content = choose(&random, 3) ? 7 : 0,
                                         .has_trailers = choose(&random, 4) == 0};
        bool is_ordered = choose(&random, 2);
        for (size_t k = 0; k < 4 && is_ordered; k++)
            request.head[request.head_count++] = parts[choose(&random, 8) ? k : choose(&random, COUNT_OF(parts))];
        for (size_t more = choose(&random, 4); more > 0; more--)
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
    assert_in_range(legal, MIXTURES / 20, MIXTURES / 20 * 19); /* there are enough of both */
}
