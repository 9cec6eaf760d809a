/* HTTP/2 as bytes that a case writes. */
#pragma once

#include "client/answer.h"

/* Writes the bytes of the request on a connection of its own, to the URL, and reads how the server reacts. */
void http2_raw_exchange(const struct client_options *options, struct str url, const struct request *request,
                        struct arena *arena, struct answer *answer);
