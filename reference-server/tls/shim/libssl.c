/* A shared object named libssl.so. civetweb 1.15, as Debian builds it, loads OpenSSL by that name when it runs, and
 * looks for a function that OpenSSL 3 has under another name. This object gives it that one; the others it finds in the
 * libssl.so.3 behind it. */
#include <openssl/ssl.h>

#undef SSL_get_peer_certificate
X509 *SSL_get_peer_certificate(const SSL *ssl);

X509 *SSL_get_peer_certificate(const SSL *ssl)
{
    return SSL_get1_peer_certificate(ssl);
}
