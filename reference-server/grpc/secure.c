#include "grpc/secure.h"

#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>

struct ssl_st *secure_new(struct ssl_ctx_st *context, int fd)
{
    SSL *tls = SSL_new(context);
    if (tls && SSL_set_fd(tls, fd) != 1) {
        SSL_free(tls);
        tls = NULL;
    }
    if (tls)
        SSL_set_accept_state(tls);
    return tls;
}

void secure_free(struct ssl_st *tls)
{
    SSL_free(tls);
}

/* OpenSSL keeps a queue of errors for each thread. It must be empty before a call whose error is asked for. */
enum handshake secure_shake(struct ssl_st *tls)
{
    const unsigned char *protocol;
    unsigned size;
    ERR_clear_error();
    int result = SSL_do_handshake(tls);
    if (result != 1) {
        int reason = SSL_get_error(tls, result);
        return reason == SSL_ERROR_WANT_READ    ? HANDSHAKE_READS
               : reason == SSL_ERROR_WANT_WRITE ? HANDSHAKE_WRITES
                                                : HANDSHAKE_FAILED;
    }
    SSL_get0_alpn_selected(tls, &protocol, &size);
    return size ? HANDSHAKE_DONE : HANDSHAKE_FAILED;
}

/* Returns what recv and sendmsg would: 0 when the client has closed, -1 with errno otherwise. */
static ssize_t failed(SSL *tls, int result)
{
    switch (SSL_get_error(tls, result)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
        errno = EAGAIN;
        return -1;
    case SSL_ERROR_ZERO_RETURN:
        return 0;
    default:
        errno = EPROTO;
        return -1;
    }
}

ssize_t secure_read(int fd, struct ssl_st *tls, void *bytes, size_t size)
{
    if (!tls)
        return recv(fd, bytes, size, 0);
    ERR_clear_error();
    int got = SSL_read(tls, bytes, size < INT_MAX ? (int)size : INT_MAX);
    return got > 0 ? got : failed(tls, got);
}

ssize_t secure_write(int fd, struct ssl_st *tls, const struct iovec *vectors, size_t count)
{
    if (!tls) {
        struct msghdr message = {.msg_iov = (struct iovec *)(uintptr_t)vectors, .msg_iovlen = count};
        return sendmsg(fd, &message, MSG_NOSIGNAL);
    }
    ssize_t all = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size = vectors[i].iov_len < INT_MAX ? vectors[i].iov_len : INT_MAX;
        if (size == 0)
            continue;
        ERR_clear_error();
        int sent = SSL_write(tls, vectors[i].iov_base, (int)size);
        if (sent <= 0 && all > 0)
            return all;
        if (sent <= 0 && failed(tls, sent) == 0)
            errno = EPIPE;
        if (sent <= 0)
            return -1;
        all += sent;
        if ((size_t)sent < vectors[i].iov_len)
            break;
    }
    return all;
}

bool secure_has_more(const struct ssl_st *tls)
{
    return tls && SSL_pending(tls) > 0;
}

void secure_finish(int fd, struct ssl_st *tls)
{
    ERR_clear_error();
    if (tls)
        SSL_shutdown(tls);
    shutdown(fd, SHUT_WR);
}
