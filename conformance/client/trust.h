/* What all connections over TLS share: whom the judge trusts, and the sessions that can be resumed. The certificates
 * are read once: a system has some 150 authorities, and reading them for each connection takes twenty times as long as
 * all the rest of a run. */
#pragma once

#include <curl/curl.h>

/* It may be used on any number of threads. */
struct trust;

/* Reads the trusted authorities: those in the file `ca`; if that is NULL, those that OpenSSL's variables SSL_CERT_FILE
 * and SSL_CERT_DIR name, as for curl and Go; otherwise the system's, wherever they are, which may be none. NULL: they
 * cannot be read. */
struct trust *trust_read(const char *ca);

void trust_free(struct trust *trust); /* may be NULL */

/* Makes a connection trust them, instead of the authorities that libcurl would read. */
void trust_use(const struct trust *trust, CURL *curl);

/* The same for an SSL_CTX, before the handshake: for whoever has a CURLOPT_SSL_CTX_FUNCTION of its own. */
void trust_use_context(const struct trust *trust, void *context);
