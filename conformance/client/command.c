/* Prints the commands that send a request again, for a person who reads a failure: curl sends the same bytes, and
 * grpcurl makes the same call. */
#include "base/search.h"
#include "client/call.h"
#include "client/client.h"
#include "client/tape.h"
#include "support/files.h"
#include "support/shell.h"
#include <stdio.h>

#define BODY_IN_LINE 400 /* bytes of a body that the command itself may hold */

static void add_word(struct str text, struct buf *out)
{
    buf_append_byte(out, ' ');
    shell_quote(text, out);
}

/* Adds the files that TLS needs, after flags that begin with so many dashes. */
static void add_files(const struct client_options *options, const char *dashes, struct buf *out)
{
    static const char *const flags[] = {"cacert", "cert", "key"};
    const char *const files[] = {options->ca, options->cert, options->key};
    for (size_t i = 0; i < COUNT_OF(flags); i++)
        if (files[i] != NULL) {
            buf_printf(out, " %s%s", dashes, flags[i]);
            add_word(str_of(files[i]), out);
        }
}

/* --- curl --- */

static void add_header(struct str name, struct str value, struct buf *out)
{
    struct buf line = {0};
    buf_append_str(&line, name);
    if (value.data == NULL)
        buf_append_byte(&line, ':');
    else if (value.size == 0)
        buf_append_byte(&line, ';');
    else
        buf_append_literal(&line, ": ");
    buf_append_str(&line, value);
    buf_append_literal(out, " -H");
    add_word(buf_str(&line), out);
    buf_free(&line);
}

static void add_headers(const struct client_options *options, const struct request *request, struct buf *out)
{
    static const char *const unasked[] = {"Accept", "User-Agent", "Expect", "Content-Type"};
    for (size_t i = 0; i < COUNT_OF(unasked); i++)
        if (!headers_have(&request->headers, unasked[i]) &&
            (request->has_body || i < 2)) /* curl sends the others only with a body */
            add_header(str_of(unasked[i]), (struct str){0}, out);
    for (size_t i = 0; i < request->headers.count; i++)
        add_header(request->headers.entries[i].name, request->headers.entries[i].value, out);
    for (size_t i = 0; i < options->headers.count; i++)
        add_header(header_of_line(options->headers.items[i]).name, STR(SECRET_HIDDEN), out);
}

static bool is_plain(struct str text)
{
    return text.size <= BODY_IN_LINE && str_is_utf8(text) && (text.size == 0 || text.data[0] != '@') &&
           !ANY(i, text.size, (unsigned char)text.data[i] < 0x20 || (unsigned char)text.data[i] == 0x7f);
}

bool client_shows_body(const struct request *request)
{
    return is_plain(request->body);
}

/* Returns "printf '\000\001...' | ", which stands before the command and feeds its standard input. */
static struct str printf_pipe(struct str body, struct arena *arena)
{
    struct buf out = {0};
    buf_append_literal(&out, "printf '");
    for (size_t i = 0; i < body.size; i++)
        buf_printf(&out, "\\%03o", (unsigned char)body.data[i]);
    buf_append_literal(&out, "' | ");
    return arena_take(arena, &out);
}

/* Writes the body into `directory` and returns the path; a null str if it cannot be written. Where a tape plays, the
 * run that made it has written it. */
static struct str save(const struct client_options *options, struct str body, const char *directory, struct str name,
                       const char *ending, struct arena *arena)
{
    size_t size = strlen(directory) + name.size + strlen(ending) + sizeof "/.";
    char *path = arena_alloc(arena, size);
    snprintf(path, size, "%s/%.*s.%s", directory, STR_ARG(name), ending);
    for (char *at = path + strlen(directory) + 1; *at; at++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._", *at))
            *at = '_';
    if (tape_plays(options->tape))
        return str_of(path);
    directory_make_for(path);
    FILE *file = fopen(path, "wb");
    if (file == NULL)
        return (struct str){0};
    bool whole = fwrite(body.data, 1, body.size, file) == body.size;
    return fclose(file) == 0 && whole ? str_of(path) : (struct str){0};
}

static bool url_spells(struct str path)
{
    return path.size > 0 && path.data[0] == '/' &&
           !ANY(i, path.size,
                (unsigned char)path.data[i] <= 0x20 || (unsigned char)path.data[i] >= 0x7f || path.data[i] == '#');
}

static void add_target(struct str base, const struct request *request, struct buf *out)
{
    struct buf url = {0};
    buf_append_str(&url, base);
    if (url_spells(request->path)) {
        buf_append_str(&url, request->path);
    } else {
        buf_append_literal(out, " --request-target");
        add_word(request->path, out);
        buf_append_byte(&url, '/');
    }
    add_word(buf_str(&url), out);
    buf_free(&url);
}

static void add_method(const struct request *request, struct buf *out)
{
    bool posts = request->has_body && str_is(request->method, "POST");
    bool gets = !request->has_body && str_is(request->method, "GET");
    if (str_is(request->method, "HEAD")) {
        buf_append_literal(out, " --head");
    } else if (!posts && !gets) {
        buf_append_literal(out, " -X");
        add_word(request->method, out);
    }
}

static void add_version(struct str version, bool secure, struct buf *out)
{
    if (str_is(version, "HTTP/1.0"))
        buf_append_literal(out, " --http1.0");
    else if (str_is(version, "HTTP/2"))
        buf_append_str(out, secure ? STR(" --http2") : STR(" --http2-prior-knowledge"));
    else if (secure)
        buf_append_literal(out, " --http1.1");
}

struct str client_command(const struct client_options *options, const struct request *request, const char *directory,
                          struct str name, struct arena *arena)
{
    static const char *const with_content[] = {"POST", "PUT", "PATCH"};
    struct request http = *request;
    struct str base = client_address(options, request->endpoint);
    bool grpc = !request_is_http(request);
    if (grpc) {
        http = call_as_http(request, arena);
        base = address_url(options, base, arena);
    }
    http.body = secrets_hide(options->secrets, http.body, arena);
    for (size_t i = 0; i < COUNT_OF(with_content); i++)
        http.has_body = http.has_body || str_is(http.method, with_content[i]);
    struct str pipe = {0}, file = {0};
    bool plain = !grpc && is_plain(http.body);
    if (http.has_body && !plain && directory != NULL)
        file = save(options, http.body, directory, name, grpc ? "grpc" : "body", arena);
    if (http.has_body && !plain && file.data == NULL)
        pipe = printf_pipe(http.body, arena);

    struct buf out = {0};
    buf_append_str(&out, pipe);
    buf_append_literal(&out, "curl -sSig --noproxy '*' --path-as-is --output -");
    buf_printf(&out, " -m %g", options->timeout);
    bool secure = str_starts(base, STR("https:"));
    add_version(http.http_version, secure, &out);
    if (secure && options->insecure)
        buf_append_literal(&out, " --insecure");
    add_files(options, "--", &out);
    add_method(&http, &out);
    add_headers(options, &http, &out);
    if (http.has_body) {
        buf_append_literal(&out, " --data-binary");
        add_word(pipe.data ? STR("@-") : file.data ? arena_printf(arena, "@%s", file.data) : http.body, &out);
    }
    add_target(base, &http, &out);
    return arena_take(arena, &out);
}

/* --- grpcurl --- */

static void add_field(struct str name, struct str value, struct arena *arena, struct buf *out)
{
    buf_append_literal(out, " -H");
    add_word(arena_printf(arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(value)), out);
}

static void add_security_of_grpcurl(const struct client_options *options, bool secure, struct buf *out)
{
    if (!secure) {
        buf_append_literal(out, " -plaintext");
        return;
    }
    if (options->insecure)
        buf_append_literal(out, " -insecure");
    add_files(options, "-", out);
}

struct str client_grpcurl(const struct client_options *options, const struct request *request,
                          const struct grpcurl_call *call, struct arena *arena)
{
    struct str base = address_url(options, client_address(options, request->endpoint), arena);
    struct buf out = {0};
    buf_append_literal(&out, "grpcurl");
    add_security_of_grpcurl(options, str_starts(base, STR("https:")), &out);
    buf_printf(&out, " -max-time %g", request->deadline > 0 ? request->deadline : options->timeout);
    if (call->folder) {
        buf_append_literal(&out, " -import-path");
        add_word(str_of(call->folder), &out);
        buf_append_literal(&out, " -proto");
        add_word(str_of(call->file), &out);
    }
    for (size_t i = 0; i < request->metadata.count; i++)
        add_field(request->metadata.entries[i].name, request->metadata.entries[i].value, arena, &out);
    for (size_t i = 0; i < options->headers.count; i++)
        add_field(header_of_line(options->headers.items[i]).name, STR(SECRET_HIDDEN), arena, &out);
    buf_append_literal(&out, " -d");
    add_word(call->messages, &out);
    buf_append_byte(&out, ' ');
    buf_append_str(&out, address_authority(base));
    buf_append_byte(&out, ' ');
    buf_append_str(&out, str_from(request->rpc, 1));
    return arena_take(arena, &out);
}
