/* What all uses of libcurl share, and a bare connection that libcurl makes. */
#pragma once

#include "base/buf.h"
#include "client/answer.h"
#include <curl/curl.h>

/* Sets the certificates, the trusted authorities and the timeout of the options, and the buffer for libcurl's messages,
 * of CURL_ERROR_SIZE bytes. Nothing of this machine may change an exchange, so it also switches proxies and signals
 * off. */
void curl_setup(CURL *curl, const struct client_options *options, char *detail);

/* Sets the outcome for a libcurl code, with a sentence about it. `detail` is libcurl's message; it may be "". */
void curl_outcome(CURLcode code, const char *detail, struct arena *arena, struct answer *answer);

struct line {
    CURL *curl;           /* for curl_easy_send and curl_easy_recv; NULL: there is no connection */
    curl_socket_t socket; /* for poll */
    CURLcode code;        /* result of connecting */
    char detail[CURL_ERROR_SIZE];
};

/* Connects to the host of the URL, over TLS if its scheme is https. TLS then announces HTTP/2 if `http2` is set, else
 * HTTP/1. The options must live as long as the line. */
void line_open(struct line *line, const struct client_options *options, struct str url, bool http2);
void line_close(struct line *line);

/* Waits for events of poll until that time (support/seconds.h). False: the time passed first. */
bool line_wait(const struct line *line, short events, double until);

/* Sends all of the bytes. Returns CURLE_OK, CURLE_AGAIN if the time ended first, or another code if the server takes
 * nothing more; what it sent before may still be read. */
CURLcode line_write(const struct line *line, struct str bytes, double until);

/* Appends some bytes that came. Returns CURLE_OK, CURLE_AGAIN if the time ended first, CURLE_GOT_NOTHING at the end of
 * the connection, or another code if it was lost. */
CURLcode line_read(const struct line *line, struct buf *in, double until);
