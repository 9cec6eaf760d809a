/* A shared object named libssl.so. civetweb 1.15, as Debian builds it, loads OpenSSL by that name when it runs, and
 * looks for a function that OpenSSL 3 has under another name. This object gives it that one, and one that tells where
 * civetweb reads; the others it finds in the libssl.so.3 behind it. */
#include <openssl/ssl.h>

void http_head_comes(const void *to, size_t size); /* reference-server/civetweb/head.h */

#undef SSL_get_peer_certificate
X509 *SSL_get_peer_certificate(const SSL *ssl);

X509 *SSL_get_peer_certificate(const SSL *ssl)
{
    return SSL_get1_peer_certificate(ssl);
}

/* SSL_read_ex says 0 where SSL_read says 0 or less; SSL_get_error takes either. */
int SSL_read(SSL *ssl, void *to, int size)
{
    size_t got;
    http_head_comes(to, (size_t)size);
    return SSL_read_ex(ssl, to, (size_t)size, &got) ? (int)got : 0;
}
