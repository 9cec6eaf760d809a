/* What all connections over TLS share: whom the judge trusts, and the sessions that can be resumed. The certificates
 * are read once: a system has some 150 authorities, and reading them for each connection takes twenty times as long as
 * all the rest of a run. */
#pragma once

#include <curl/curl.h>

/* It may be used on any number of threads. */
struct trust;

/* Reads whom to trust: who is in the file `ca`; if that is NULL, whom OpenSSL's variables SSL_CERT_FILE and
 * SSL_CERT_DIR name, as for curl and Go; else the system's authorities, wherever they are; perhaps none. NULL: they
 * cannot be read. */
struct trust *trust_read(const char *ca);

void trust_free(struct trust *trust); /* may be NULL */

/* Has a connection trust them, instead of what libcurl would read. */
void trust_use(const struct trust *trust, CURL *curl);

/* The same for an SSL_CTX, before the handshake: for whoever has a CURLOPT_SSL_CTX_FUNCTION of its own. */
void trust_use_context(const struct trust *trust, void *context);
