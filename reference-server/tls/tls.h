/* reference-server/tls/ holds what the ports need to speak TLS: a certificate with its key, and whose clients are let
 * in. The transports make connections of it. It may include proto/base and nothing else. */
#pragma once

#include "base/status.h"

struct ssl_ctx_st; /* SSL_CTX of OpenSSL */
struct tls;

struct tls_options {
    const char *certificate; /* file: the server's certificate, and those between it and the root, in PEM */
    const char *key;         /* file: its private key, in PEM */
    const char *client_ca;   /* file: who signs the certificates that clients must show; NULL: clients need none */
};

/* Reads the files. Fails with INVALID_ARGUMENT, which names the file. The texts of the options must live as long as the
 * result, which tls_close frees when no transport uses it any more. */
struct status tls_open(const struct tls_options *options, struct arena *arena, struct tls **tls);
void tls_close(struct tls *tls);

/* Reads certificate and key anew, for the connections that begin from now on. If that fails, the old ones stay. */
struct status tls_renew(struct tls *tls, struct arena *arena);

/* The contexts for connections, of TLS 1.2 or newer: of HTTP/1.1, and of HTTP/2, which a client must ask for by ALPN
 * (RFC 9113, section 3.2). */
struct ssl_ctx_st *tls_for_http(const struct tls *tls);
struct ssl_ctx_st *tls_for_http2(const struct tls *tls);
