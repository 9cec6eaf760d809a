/* What all uses of libcurl have in common, and a bare connection by it. */
#ifndef CLIENT_LINE_H
#define CLIENT_LINE_H

#include "client/client.h"
#include <curl/curl.h>

/* The options' certificates and timeout, the place for libcurl's words, and nothing of this machine's: no proxy, no
 * signals. */
void curl_setup(CURL *curl, const struct client_options *options, char detail[CURL_ERROR_SIZE]);

/* The outcome of what ended with that code, and a sentence about it; libcurl's words may be "". */
void curl_outcome(CURLcode code, const char *detail, struct arena *arena, struct answer *answer);

struct line {
    CURL *curl;           /* for curl_easy_send and curl_easy_recv; NULL: there is no connection */
    curl_socket_t socket; /* to wait for */
    CURLcode code;        /* of connecting */
    char detail[CURL_ERROR_SIZE];
};

/* Connects to the host of the URL; over TLS if that is https, which is told that HTTP/2 is to come, or else HTTP/1. The
 * options must outlive it. */
void line_open(struct line *line, const struct client_options *options, const char *url, bool http2);
void line_close(struct line *line);

#endif
