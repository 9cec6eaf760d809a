#include "client/line.h"

#include "base/search.h"
#include "client/trust.h"
#include "support/seconds.h"
#include <errno.h>
#include <openssl/ssl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#define PIECE ((size_t)16 * 1024) /* bytes of one read */

/* Sets whom to trust. Where the authorities could not be read, libcurl says why. */
static void set_authorities(CURL *curl, const struct client_options *options)
{
    const char *file = options->ca ? options->ca : getenv("SSL_CERT_FILE");
    if (options->trust)
        trust_use(options->trust, curl);
    else if (options->insecure || (file && *file))
        curl_easy_setopt(curl, CURLOPT_CAINFO, options->insecure ? NULL : file);
    if (options->insecure) {
        curl_easy_setopt(curl, CURLOPT_CAPATH, NULL);
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYPEER, 0L);
        curl_easy_setopt(curl, CURLOPT_SSL_VERIFYHOST, 0L);
    }
}

/* A socket that this machine does not give is no fault of the target. */
static curl_socket_t open_socket(void *, curlsocktype, struct curl_sockaddr *address)
{
    int opened = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
    if (opened < 0 && errno != EAFNOSUPPORT)
        memory_exhausted();
    return opened;
}

void curl_setup(CURL *curl, const struct client_options *options, char *detail)
{
    detail[0] = '\0';
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, detail);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_OPENSOCKETFUNCTION, open_socket);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)(options->timeout * 1000));
    set_authorities(curl, options);
    if (options->cert != NULL)
        curl_easy_setopt(curl, CURLOPT_SSLCERT, options->cert);
    if (options->key != NULL)
        curl_easy_setopt(curl, CURLOPT_SSLKEY, options->key);
}

static const struct {
    CURLcode code;
    enum outcome outcome;
    const char *says;
} outcomes[] = {
    {CURLE_OK, OUTCOME_ANSWERED, ""},
    {CURLE_OPERATION_TIMEDOUT, OUTCOME_TIMEOUT, "no whole answer within the timeout"},
    {CURLE_URL_MALFORMAT, OUTCOME_UNREACHABLE, "the address cannot be read"},
    {CURLE_COULDNT_RESOLVE_HOST, OUTCOME_UNREACHABLE, "the host name is not known"},
    {CURLE_COULDNT_CONNECT, OUTCOME_UNREACHABLE, "no connection"},
    {CURLE_SSL_CONNECT_ERROR, OUTCOME_UNREACHABLE, "no TLS connection"},
    {CURLE_PEER_FAILED_VERIFICATION, OUTCOME_UNREACHABLE,
     "the server's certificate cannot be verified: --ca FILE names the authority that signed it, --insecure skips the "
     "check"},
    {CURLE_SSL_CACERT_BADFILE, OUTCOME_UNREACHABLE, "the CA file cannot be read"},
    {CURLE_SSL_CERTPROBLEM, OUTCOME_UNREACHABLE, "the client certificate cannot be used"},
    {CURLE_GOT_NOTHING, OUTCOME_CLOSED, "the connection was closed without an answer"},
    {CURLE_RECV_ERROR, OUTCOME_CLOSED, "the connection was lost before the whole answer came"},
    {CURLE_SEND_ERROR, OUTCOME_CLOSED, "the connection was lost while the request was sent"},
    {CURLE_PARTIAL_FILE, OUTCOME_CLOSED, "the connection was closed before the whole body came"},
    {CURLE_WEIRD_SERVER_REPLY, OUTCOME_GARBLED, "the answer is not HTTP"},
    {CURLE_UNSUPPORTED_PROTOCOL, OUTCOME_GARBLED, "the answer is not HTTP/1"},
    {CURLE_BAD_CONTENT_ENCODING, OUTCOME_GARBLED, "the transfer coding cannot be read"},
    {CURLE_OUT_OF_MEMORY, OUTCOME_GARBLED,
     "a header line has no end"}, /* or, far less likely, this machine has no memory left */
};

void curl_outcome(CURLcode code, const char *detail, struct arena *arena, struct answer *answer)
{
    const char *says = "the exchange failed";
    answer->outcome = OUTCOME_GARBLED;
    for (size_t i = 0; i < COUNT_OF(outcomes); i++)
        if (outcomes[i].code == code) {
            answer->outcome = outcomes[i].outcome;
            says = outcomes[i].says;
        }
    if (answer->outcome != OUTCOME_ANSWERED)
        answer->trouble = arena_printf(arena, "%s (%s)", says, detail[0] ? detail : curl_easy_strerror(code));
}

/* --- A connection --- */

/* Offers HTTP/2 by TLS (ALPN) without asking libcurl for HTTP/2, because libcurl would then speak it itself. */
static CURLcode offer_http2(CURL *, void *context, void *trust)
{
    SSL_CTX_set_alpn_protos(context, (const unsigned char *)"\2h2", 3);
    if (trust)
        trust_use_context(trust, context);
    return CURLE_OK;
}

void line_open(struct line *line, const struct client_options *options, struct str url, bool http2)
{
    struct arena scratch = memory_arena();
    line->curl = curl_easy_init();
    if (line->curl == NULL)
        memory_exhausted();
    curl_setup(line->curl, options, line->detail);
    curl_easy_setopt(line->curl, CURLOPT_URL, arena_copy(&scratch, url).data);
    arena_free(&scratch);
    curl_easy_setopt(line->curl, CURLOPT_CONNECT_ONLY, 1L);
    curl_easy_setopt(line->curl, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    if (http2) {
        curl_easy_setopt(line->curl, CURLOPT_SSL_ENABLE_ALPN, 0L);
        curl_easy_setopt(line->curl, CURLOPT_SSL_CTX_FUNCTION, offer_http2);
    }
    line->code = curl_easy_perform(line->curl);
    if (line->code == CURLE_OK)
        line->code = curl_easy_getinfo(line->curl, CURLINFO_ACTIVESOCKET, &line->socket);
    if (line->code != CURLE_OK)
        line_close(line);
}

void line_close(struct line *line)
{
    curl_easy_cleanup(line->curl);
    line->curl = NULL;
}

bool line_wait(const struct line *line, short events, double until)
{
    struct pollfd poller = {.fd = line->socket, .events = events};
    double left = until - seconds_now();
    return left > 0 && poll(&poller, 1, (int)(left * 1000) + 1) > 0;
}

CURLcode line_write(const struct line *line, struct str bytes, double until)
{
    while (bytes.size > 0) {
        size_t sent = 0;
        CURLcode code = curl_easy_send(line->curl, bytes.data, bytes.size, &sent);
        if (code != CURLE_OK && (code != CURLE_AGAIN || !line_wait(line, POLLOUT, until)))
            return code;
        bytes = str_from(bytes, sent);
    }
    return CURLE_OK;
}

CURLcode line_read(const struct line *line, struct buf *in, double until)
{
    for (;;) {
        size_t got = 0;
        char *room = buf_reserve(in, PIECE);
        CURLcode code = room ? curl_easy_recv(line->curl, room, PIECE, &got) : CURLE_OUT_OF_MEMORY;
        if (code == CURLE_AGAIN && line_wait(line, POLLIN, until))
            continue;
        in->size += code == CURLE_OK ? got : 0;
        return code == CURLE_OK && got == 0 ? CURLE_GOT_NOTHING : code;
    }
}
