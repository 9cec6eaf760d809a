#include "tls/tls.h"

#include "base/disk.h"

#include <openssl/err.h>
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct tls {
    struct tls_options options;
    SSL_CTX *http, *http2;
    pthread_mutex_t lock;
    SSL_CTX *holder; /* holds the certificate and the key; the lock guards the pointer */
};

static struct status fault(struct arena *arena, const char *flag, const char *file)
{
    unsigned long code = ERR_peek_error();
    const char *reason = ERR_SYSTEM_ERROR(code) ? strerror(ERR_GET_REASON(code)) : ERR_reason_error_string(code);
    struct status status = status_invalid(arena, "%s %s: %s", flag, file, reason ? reason : "it cannot be used");
    ERR_clear_error();
    return status;
}

#define PEM_MAX ((size_t)16 << 20) /* bytes; the authorities that systems trust are less than 1 MiB together */

static struct status check_file(const char *flag, const char *file, struct arena *arena)
{
    struct status status = disk_check(file, PEM_MAX, arena);
    return is_ok(status) ? status : status_invalid(arena, "%s: %.*s", flag, STR_ARG(status.message));
}

/* Reads the certificate and its key. */
static struct status read_certificate(const struct tls_options *options, struct arena *arena, SSL_CTX **holder)
{
    TRY(check_file("--tls-certificate", options->certificate, arena));
    TRY(check_file("--tls-key", options->key, arena));
    struct status status = STATUS_IS_OK;
    ERR_clear_error();
    *holder = SSL_CTX_new(TLS_server_method());
    NEED(*holder);
    if (SSL_CTX_use_certificate_chain_file(*holder, options->certificate) != 1)
        status = fault(arena, "--tls-certificate", options->certificate);
    else if (SSL_CTX_use_PrivateKey_file(*holder, options->key, SSL_FILETYPE_PEM) != 1 ||
             SSL_CTX_check_private_key(*holder) != 1)
        status = fault(arena, "--tls-key", options->key);
    if (is_ok(status))
        return status;
    SSL_CTX_free(*holder);
    *holder = NULL;
    return status;
}

/* Gives a connection that begins the certificate of this moment. */
static int give_certificate(SSL *ssl, void *argument)
{
    struct tls *tls = argument;
    pthread_mutex_lock(&tls->lock);
    SSL_CTX *holder = tls->holder;
    SSL_CTX_up_ref(holder);
    pthread_mutex_unlock(&tls->lock);
    STACK_OF(X509) *chain = NULL;
    SSL_CTX_get0_chain_certs(holder, &chain);
    int given = SSL_use_cert_and_key(ssl, SSL_CTX_get0_certificate(holder), SSL_CTX_get0_privatekey(holder), chain, 1);
    SSL_CTX_free(holder);
    return given;
}

/* Takes the protocol that the argument names, in the form of ALPN, and no other. */
static int select_protocol(SSL *, const unsigned char **out, unsigned char *size, const unsigned char *offered,
                           unsigned offered_size, void *argument)
{
    const unsigned char *ours = argument;
    return SSL_select_next_proto((unsigned char **)(uintptr_t)out, size, ours, ours[0] + 1U, offered, offered_size) ==
                   OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static struct status make_context(struct tls *tls, const char *protocol, struct arena *arena, SSL_CTX **made)
{
    static const unsigned char name[] = "oip-reference-server";
    const char *ca = tls->options.client_ca;
    ERR_clear_error();
    SSL_CTX *context = *made = SSL_CTX_new(TLS_server_method());
    NEED(context);
    SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
    SSL_CTX_set_cipher_list(context, "ECDHE+AESGCM:ECDHE+CHACHA20"); /* of TLS 1.2; RFC 9113, section 9.2.2 */
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_CIPHER_SERVER_PREFERENCE);
    SSL_CTX_set_mode(context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER);
    SSL_CTX_set_session_id_context(context, name, sizeof(name) - 1);
    SSL_CTX_set_cert_cb(context, give_certificate, tls);
    SSL_CTX_set_alpn_select_cb(context, select_protocol, (void *)(uintptr_t)protocol);
    if (!ca)
        return STATUS_IS_OK;
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    TRY(check_file("--tls-client-ca", ca, arena));
    if (SSL_CTX_load_verify_locations(context, ca, NULL) != 1)
        return fault(arena, "--tls-client-ca", ca);
    SSL_CTX_set_client_CA_list(context, SSL_load_client_CA_file(ca));
    return STATUS_IS_OK;
}

struct status tls_open(const struct tls_options *options, struct arena *arena, struct tls **result)
{
    struct tls *tls = calloc(1, sizeof(*tls));
    NEED(tls);
    tls->options = *options;
    pthread_mutex_init(&tls->lock, NULL);
    struct status status = read_certificate(options, arena, &tls->holder);
    if (is_ok(status))
        status = make_context(tls, "\x08http/1.1", arena, &tls->http);
    if (is_ok(status))
        status = make_context(tls, "\x02h2", arena, &tls->http2);
    if (!is_ok(status)) {
        tls_close(tls);
        return status;
    }
    *result = tls;
    return STATUS_IS_OK;
}

void tls_close(struct tls *tls)
{
    if (!tls)
        return;
    SSL_CTX_free(tls->http);
    SSL_CTX_free(tls->http2);
    SSL_CTX_free(tls->holder);
    pthread_mutex_destroy(&tls->lock);
    free(tls);
}

struct status tls_renew(struct tls *tls, struct arena *arena)
{
    SSL_CTX *renewed, *old;
    TRY(read_certificate(&tls->options, arena, &renewed));
    pthread_mutex_lock(&tls->lock);
    old = tls->holder;
    tls->holder = renewed;
    pthread_mutex_unlock(&tls->lock);
    SSL_CTX_free(old);
    return STATUS_IS_OK;
}

struct ssl_ctx_st *tls_for_http(const struct tls *tls)
{
    return tls ? tls->http : NULL;
}

struct ssl_ctx_st *tls_for_http2(const struct tls *tls)
{
    return tls ? tls->http2 : NULL;
}
