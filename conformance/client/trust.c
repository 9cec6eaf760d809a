#include "client/trust.h"

#include "base/search.h"
#include <openssl/ssl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <unistd.h>

struct trust {
    X509_STORE *authorities;
    CURLSH *sessions;
    pthread_mutex_t lock; /* of the sessions */
};

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

/* Returns the system's authorities: where libcurl knows them, or where another distribution keeps them, for a program
 * that was built elsewhere. NULL: there are none. */
static const char *system_authorities(void)
{
    const char *const files[] = {
        curl_version_info(CURLVERSION_NOW)->cainfo,
        "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Arch, Alpine */
        "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora, RHEL */
        "/etc/pki/tls/certs/ca-bundle.crt",                  /* older ones of these */
        "/etc/ssl/ca-bundle.pem",                            /* openSUSE */
        "/etc/ssl/cert.pem",                                 /* Alpine, BSD */
    };
    return FIRST(i, COUNT_OF(files), files[i] && access(files[i], R_OK) == 0, files[i], NULL);
}

static bool read_authorities(X509_STORE *store, const char *ca)
{
    const char *file = ca ? ca : variable("SSL_CERT_FILE"), *folder = ca ? NULL : variable("SSL_CERT_DIR");
    if (!file && !folder) {
        file = system_authorities();
        folder = curl_version_info(CURLVERSION_NOW)->capath;
    }
    /* As libcurl does it: whoever is named is trusted, though another has signed their certificate. */
    return store && X509_STORE_set_flags(store, X509_V_FLAG_TRUSTED_FIRST | X509_V_FLAG_PARTIAL_CHAIN) &&
           (!file || X509_STORE_load_file(store, file)) && (!folder || X509_STORE_load_path(store, folder));
}

static void lock(CURL *, curl_lock_data, curl_lock_access, void *mutex)
{
    pthread_mutex_lock(mutex);
}

static void unlock(CURL *, curl_lock_data, void *mutex)
{
    pthread_mutex_unlock(mutex);
}

struct trust *trust_read(const char *ca)
{
    struct trust *trust = calloc(1, sizeof *trust);
    if (!trust)
        return NULL;
    pthread_mutex_init(&trust->lock, NULL);
    trust->authorities = X509_STORE_new();
    trust->sessions = curl_share_init();
    if (!trust->sessions || !read_authorities(trust->authorities, ca)) {
        trust_free(trust);
        return NULL;
    }
    curl_share_setopt(trust->sessions, CURLSHOPT_SHARE, CURL_LOCK_DATA_SSL_SESSION);
    curl_share_setopt(trust->sessions, CURLSHOPT_LOCKFUNC, lock);
    curl_share_setopt(trust->sessions, CURLSHOPT_UNLOCKFUNC, unlock);
    curl_share_setopt(trust->sessions, CURLSHOPT_USERDATA, &trust->lock);
    return trust;
}

void trust_free(struct trust *trust)
{
    if (!trust)
        return;
    curl_share_cleanup(trust->sessions);
    X509_STORE_free(trust->authorities);
    pthread_mutex_destroy(&trust->lock);
    free(trust);
}

static CURLcode before_handshake(CURL *, void *context, void *trust)
{
    trust_use_context(trust, context);
    return CURLE_OK;
}

void trust_use(const struct trust *trust, CURL *curl)
{
    curl_easy_setopt(curl, CURLOPT_CAINFO, NULL);
    curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
    curl_easy_setopt(curl, CURLOPT_SHARE, trust->sessions);
    curl_easy_setopt(curl, CURLOPT_SSL_CTX_FUNCTION, before_handshake);
    curl_easy_setopt(curl, CURLOPT_SSL_CTX_DATA, trust);
}

void trust_use_context(const struct trust *trust, void *context)
{
    SSL_CTX_set1_cert_store(context, trust->authorities);
}
