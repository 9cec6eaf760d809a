#include "suite/encoding.h"

static const struct {
    const char *name;
    const char *profile;
    bool rest;
} encodings[ENCODING_COUNT] = {
    [ENCODING_REST_NESTED] = {"rest-nested", "v2-rest", true},
    [ENCODING_REST_FLAT] = {"rest-flat", "v2-rest", true},
    [ENCODING_GRPC_TYPED] = {"grpc-typed", "v2-grpc", false},
    [ENCODING_GRPC_RAW] = {"grpc-raw", "v2-grpc", false},
    [ENCODING_HTTP] = {"http", "v2-rest", true},
    [ENCODING_GRPC] = {"grpc", "v2-grpc", false},
    [ENCODING_TCP] = {"tcp", "v2-rest", true},
};

const char *encoding_name(enum encoding encoding)
{
    return encodings[encoding].name;
}

bool encoding_from_name(struct str name, enum encoding *encoding)
{
    for (int i = 0; i < ENCODING_COUNT; i++)
        if (str_is(name, encodings[i].name)) {
            *encoding = (enum encoding)i;
            return true;
        }
    return false;
}

bool encoding_is_act(enum encoding encoding)
{
    return encoding >= ENCODING_HTTP;
}

bool encoding_is_rest(enum encoding encoding)
{
    return encodings[encoding].rest;
}

const char *encoding_profile(enum encoding encoding)
{
    return encodings[encoding].profile;
}
