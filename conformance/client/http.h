/* Requests of HTTP, by libcurl. */
#pragma once

#include "client/answer.h"

struct http_client;

/* Makes a client of the address `base` ("http://127.0.0.1:8000", NUL-terminated). Options and base must live as long as
 * the client. */
struct http_client *http_client_create(const struct client_options *options, struct str base);
void http_client_destroy(struct http_client *client);

/* Makes one exchange. The caller sets the answer's `seconds`. */
void http_exchange(struct http_client *client, const struct request *request, const struct header *extra,
                   struct arena *arena, struct answer *answer);
