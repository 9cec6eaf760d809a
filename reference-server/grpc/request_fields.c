#include "grpc/request_fields.h"

#include <nghttp2/nghttp2.h>
#include <strings.h>

#define BIT(field) (1U << (field))
#define PSEUDO     (BIT(FIELD_METHOD) | BIT(FIELD_SCHEME) | BIT(FIELD_PATH) | BIT(FIELD_AUTHORITY))

static const uint8_t *bytes_of(struct str text)
{
    return (const uint8_t *)text.data;
}

/* --- Values: each function says whether a value is legal --- */

/* 8.2.1 */
static bool read_any(struct request_fields *, struct str value)
{
    return nghttp2_check_header_value_rfc9113(bytes_of(value), value.size);
}

static bool read_method(struct request_fields *request, struct str value)
{
    request->is_connect = str_equal(value, STR("CONNECT"));
    request->is_options = str_equal(value, STR("OPTIONS"));
    return nghttp2_check_method(bytes_of(value), value.size);
}

/* RFC 3986, 3.1 */
static bool read_scheme(struct request_fields *, struct str value)
{
    for (size_t i = 0; i < value.size; i++) {
        char c = value.data[i], lower = (char)(c | ' ');
        bool is_letter = lower >= 'a' && lower <= 'z', is_digit = c >= '0' && c <= '9';
        if (!is_letter && (i == 0 || !(is_digit || c == '+' || c == '-' || c == '.')))
            return false;
    }
    return value.size > 0;
}

/* 8.3.1: a path begins with a slash, or is the asterisk of OPTIONS. */
static bool read_path(struct request_fields *request, struct str value)
{
    request->is_asterisk = str_equal(value, STR("*"));
    if (value.size > 0 && str_equal(value, request->known_path))
        return true;
    return value.size > 0 && (request->is_asterisk || value.data[0] == '/') &&
           nghttp2_check_path(bytes_of(value), value.size);
}

static bool read_authority(struct request_fields *, struct str value)
{
    return value.size > 0 && nghttp2_check_authority(bytes_of(value), value.size);
}

/* 8.2.2: TE may say nothing else. */
static bool read_te(struct request_fields *, struct str value)
{
    return value.size == strlen("trailers") && strncasecmp(value.data, "trailers", value.size) == 0;
}

static bool read_length(struct request_fields *request, struct str value)
{
    request->has_length = true;
    request->length = 0;
    for (size_t i = 0; i < value.size; i++) {
        unsigned digit = (unsigned char)value.data[i] - (unsigned)'0';
        if (digit > 9 || __builtin_mul_overflow(request->length, 10, &request->length) ||
            __builtin_add_overflow(request->length, digit, &request->length))
            return false;
    }
    return value.size > 0 && request->length <= INT64_MAX;
}

/* 8.2.2: fields that concern one connection of HTTP/1.1 */
static bool read_none(struct request_fields *, struct str)
{
    return false;
}

/* --- Fields --- */

struct rule {
    struct str name;
    unsigned not_behind; /* the fields after which it is malformed: itself, if two of them are */
    struct str usual;    /* a legal value, which is not read; empty: each is */
    bool (*read)(struct request_fields *request, struct str value);
    enum malformed fault; /* what a value is that is not legal */
};

#define TEXT(literal)                                                                                                  \
    {                                                                                                                  \
        literal, sizeof(literal) - 1                                                                                   \
    }

/* 8.3: pseudo-header fields come before all others, and once. */
#define BEFORE_OTHERS(field) (~PSEUDO | BIT(field))

static const struct rule rules[FIELD_OTHER] = {
    [FIELD_METHOD] = {TEXT(":method"), BEFORE_OTHERS(FIELD_METHOD), TEXT("POST"), read_method, MALFORMED_VALUE},
    [FIELD_SCHEME] = {TEXT(":scheme"), BEFORE_OTHERS(FIELD_SCHEME), TEXT("http"), read_scheme, MALFORMED_VALUE},
    [FIELD_PATH] = {TEXT(":path"), BEFORE_OTHERS(FIELD_PATH), TEXT(""), read_path, MALFORMED_VALUE},
    [FIELD_AUTHORITY] = {TEXT(":authority"), BEFORE_OTHERS(FIELD_AUTHORITY), TEXT(""), read_authority, MALFORMED_VALUE},
    [FIELD_CONTENT_TYPE] = {TEXT("content-type"), 0, TEXT("application/grpc"), read_any, MALFORMED_VALUE},
    [FIELD_TE] = {TEXT("te"), 0, TEXT("trailers"), read_te, MALFORMED_CONNECTION},
    [FIELD_USER_AGENT] = {TEXT("user-agent"), 0, TEXT(""), read_any, MALFORMED_VALUE},
    [FIELD_CONTENT_LENGTH] = {TEXT("content-length"), BIT(FIELD_CONTENT_LENGTH), TEXT(""), read_length,
                              MALFORMED_LENGTH},
    [FIELD_GRPC_TIMEOUT] = {TEXT("grpc-timeout"), 0, TEXT(""), read_any, MALFORMED_VALUE},
    [FIELD_GRPC_ENCODING] = {TEXT("grpc-encoding"), 0, TEXT("identity"), read_any, MALFORMED_VALUE},
    [FIELD_HOST] = {TEXT("host"), BIT(FIELD_HOST), TEXT(""), read_authority, MALFORMED_VALUE},
    [FIELD_CONNECTION] = {TEXT("connection"), 0, TEXT(""), read_none, MALFORMED_CONNECTION},
    [FIELD_KEEP_ALIVE] = {TEXT("keep-alive"), 0, TEXT(""), read_none, MALFORMED_CONNECTION},
    [FIELD_PROXY_CONNECTION] = {TEXT("proxy-connection"), 0, TEXT(""), read_none, MALFORMED_CONNECTION},
    [FIELD_TRANSFER_ENCODING] = {TEXT("transfer-encoding"), 0, TEXT(""), read_none, MALFORMED_CONNECTION},
    [FIELD_UPGRADE] = {TEXT("upgrade"), 0, TEXT(""), read_none, MALFORMED_CONNECTION},
};

/* The loop is unrolled so that the compiler knows the name of each rule: nearly all comparisons end with the size. */
static inline enum field field_named(struct str name)
{
#pragma GCC unroll 16
    for (enum field field = 0; field < FIELD_OTHER; field++)
        if (str_equal(rules[field].name, name))
            return field;
    return FIELD_OTHER;
}

/* 8.2.1, 8.3: a pseudo-header field that is not defined has a name that is not legal. */
static unsigned fault_of_other(struct request_fields *request, struct str name, struct str value)
{
    if (name.size > 0 && name.data[0] == ':')
        return MALFORMED_PSEUDO;
    if (name.size == 0 || !nghttp2_check_header_name(bytes_of(name), name.size))
        return MALFORMED_NAME;
    return read_any(request, value) ? 0 : MALFORMED_VALUE;
}

/* Returns what is malformed: of enum malformed. */
static unsigned fault_of(struct request_fields *request, enum field field, struct str name, struct str value)
{
    if (field == FIELD_OTHER)
        return fault_of_other(request, name, value);
    const struct rule *rule = &rules[field];
    if (request->seen & rule->not_behind)
        return BIT(field) & PSEUDO ? MALFORMED_PSEUDO : rule->fault;
    if ((rule->usual.size > 0 && str_equal(value, rule->usual)) || rule->read(request, value))
        return 0;
    return rule->fault;
}

enum field request_take_field(struct request_fields *request, struct str name, struct str value)
{
    enum field field = field_named(name);
    request->malformed |= fault_of(request, field, name, value);
    request->seen |= BIT(field);
    return field;
}

/* 8.3.1, and 8.5 for CONNECT, which has no length either */
void request_end_head(struct request_fields *request)
{
    const unsigned must = BIT(FIELD_METHOD) | BIT(FIELD_SCHEME) | BIT(FIELD_PATH);
    bool is_malformed, has_host = request->seen & (BIT(FIELD_AUTHORITY) | BIT(FIELD_HOST));
    if (request->is_connect) {
        is_malformed = (request->seen & PSEUDO) != (BIT(FIELD_METHOD) | BIT(FIELD_AUTHORITY));
        request->has_length = false;
    } else {
        is_malformed = (request->seen & must) != must || !has_host || (request->is_asterisk && !request->is_options);
    }
    request->malformed |= is_malformed ? MALFORMED_PSEUDO : 0;
    request->has_ended = true;
    request->seen |= BIT(FIELD_OTHER); /* trailers have no pseudo-header fields (8.1) */
}

/* --- Content: it is as long as Content-Length says (8.1.1) --- */

void request_take_content(struct request_fields *request, size_t size)
{
    request->received += size;
    request->malformed |= request->has_length && request->received > request->length ? MALFORMED_LENGTH : 0;
}

void request_end(struct request_fields *request)
{
    request->malformed |= request->has_length && request->received != request->length ? MALFORMED_LENGTH : 0;
}
