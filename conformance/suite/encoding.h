/* The encodings an inference can be played over, and the acts whose bytes are the point (fixtures/encodings.json). */
#ifndef SUITE_ENCODING_H
#define SUITE_ENCODING_H

#include "base/str.h"

enum encoding {
    ENCODING_REST_NESTED,
    ENCODING_REST_FLAT,
    ENCODING_GRPC_TYPED,
    ENCODING_GRPC_RAW,
    ENCODING_HTTP, /* the act `http` */
    ENCODING_GRPC, /* the act `grpc` */
    ENCODING_TCP,  /* the act `tcp`: HTTP/1 as bytes on connections of its own */
    ENCODING_COUNT
};

/* As in IDs: "rest-nested", "http". */
const char *encoding_name(enum encoding encoding);
bool encoding_from_name(struct str name, enum encoding *encoding);

/* Whether it is an act whose bytes are the point: its keys are written in full, and outputs come in the answer's order.
 */
bool encoding_is_act(enum encoding encoding);

/* Whether it goes over HTTP (else over gRPC). */
bool encoding_is_rest(enum encoding encoding);

/* The profile whose prefix bare slugs get: "v2-rest" or "v2-grpc". (For the acts http and grpc: of "refused" only;
 * their keys are written in full.) */
const char *encoding_profile(enum encoding encoding);

#endif
