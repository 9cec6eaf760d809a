/* The bytes of a connection, plain or through TLS. Sockets are non-blocking. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

struct ssl_st;     /* SSL of OpenSSL */
struct ssl_ctx_st; /* SSL_CTX */

/* Returns the TLS of a connection that was accepted; NULL without memory. secure_free frees it. */
struct ssl_st *secure_new(struct ssl_ctx_st *context, int fd);
void secure_free(struct ssl_st *tls);

enum handshake { HANDSHAKE_DONE, HANDSHAKE_READS, HANDSHAKE_WRITES, HANDSHAKE_FAILED };

/* Goes on with the handshake. It is done only if the client has agreed on a protocol by ALPN. */
enum handshake secure_shake(struct ssl_st *tls);

/* These do what recv and sendmsg do on `fd`, through `tls` if it is not NULL. They return -1 and set errno, EAGAIN if
 * the socket gives or takes no more. */
ssize_t secure_read(int fd, struct ssl_st *tls, void *bytes, size_t size);
ssize_t secure_write(int fd, struct ssl_st *tls, const struct iovec *vectors, size_t count);

/* Whether bytes were taken from the socket that secure_read has not given yet; no event will tell of them. */
bool secure_has_more(const struct ssl_st *tls);

/* Says that nothing more will be written. */
void secure_finish(int fd, struct ssl_st *tls);
