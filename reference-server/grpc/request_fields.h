/* What RFC 9113 demands of the header fields of a request, and of its length. A request that breaks it is malformed
 * (8.1.1). libnghttp2 can demand the same, but looks at each character of each field of each call, which took a tenth
 * of the time of a small call. Here a common field is only compared with its usual value. */
#pragma once

#include "base/str.h"
#include <stdint.h>

enum field {
    FIELD_METHOD, /* the first four are pseudo-header fields */
    FIELD_SCHEME,
    FIELD_PATH,
    FIELD_AUTHORITY,
    FIELD_CONTENT_TYPE,
    FIELD_TE,
    FIELD_USER_AGENT,
    FIELD_CONTENT_LENGTH,
    FIELD_GRPC_TIMEOUT,
    FIELD_GRPC_ENCODING,
    FIELD_HOST,
    FIELD_CONNECTION,
    FIELD_KEEP_ALIVE,
    FIELD_PROXY_CONNECTION,
    FIELD_TRANSFER_ENCODING,
    FIELD_UPGRADE,
    FIELD_OTHER, /* must be last */
};

/* What makes a request malformed, a bit for each. */
enum malformed {
    MALFORMED_NAME = 1,
    MALFORMED_VALUE = 2,
    MALFORMED_PSEUDO = 4,     /* pseudo-header fields and their order, and the head as a whole */
    MALFORMED_CONNECTION = 8, /* fields that concern one connection */
    MALFORMED_LENGTH = 16,
};

/* All zero at the start of a request. */
struct request_fields {
    struct str known_path; /* a path that was legal in another request; empty: none is known */
    unsigned seen;         /* one bit for each enum field */
    bool is_connect, is_options, is_asterisk;
    bool has_ended; /* the head; other fields are trailers */
    bool has_length;
    uint64_t length, received; /* bytes */
    unsigned malformed;        /* bits of enum malformed: the faults of what came so far; 0: none */
};

/* Takes a field of the head, or of the trailers once the head has ended. Returns which one it is. */
enum field request_take_field(struct request_fields *request, struct str name, struct str value);
void request_end_head(struct request_fields *request);

/* Takes `size` bytes of content. */
void request_take_content(struct request_fields *request, size_t size);
void request_end(struct request_fields *request);
