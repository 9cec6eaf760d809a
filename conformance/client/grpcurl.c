/* Prints the grpcurl command that makes a call again, for a person who has no other client of gRPC at hand. */
#include "client/client.h"
#include "support/shell.h"

static void add_word(struct str text, struct buf *out)
{
    buf_append_byte(out, ' ');
    shell_quote(text, out);
}

static void add_header(struct str name, struct str value, struct arena *arena, struct buf *out)
{
    buf_append_literal(out, " -H");
    add_word(arena_printf(arena, "%.*s: %.*s", STR_ARG(name), STR_ARG(value)), out);
}

static void add_security(const struct client_options *options, bool secure, struct buf *out)
{
    if (!secure) {
        buf_append_literal(out, " -plaintext");
        return;
    }
    if (options->insecure)
        buf_append_literal(out, " -insecure");
    const char *const flags[] = {" -cacert", " -cert", " -key"};
    const char *const files[] = {options->ca, options->cert, options->key};
    for (size_t i = 0; i < 3; i++)
        if (files[i]) {
            buf_append_str(out, str_of(flags[i]));
            add_word(str_of(files[i]), out);
        }
}

struct str client_grpcurl(const struct client_options *options, const struct request *request,
                          const struct grpcurl_call *call, struct arena *arena)
{
    struct str base = address_url(options, client_address(options, request->endpoint), arena);
    struct buf out = {0};
    buf_append_literal(&out, "grpcurl");
    add_security(options, str_starts(base, STR("https:")), &out);
    buf_printf(&out, " -max-time %g", request->deadline > 0 ? request->deadline : options->timeout);
    if (call->folder) {
        buf_append_literal(&out, " -import-path");
        add_word(str_of(call->folder), &out);
        buf_append_literal(&out, " -proto");
        add_word(str_of(call->file), &out);
    }
    for (size_t i = 0; i < request->metadata_count; i++)
        add_header(request->metadata[i].name, request->metadata[i].value, arena, &out);
    for (size_t i = 0; i < options->header_count; i++)
        add_header(header_of_line(options->headers[i]).name, STR(SECRET_HIDDEN), arena, &out);
    buf_append_literal(&out, " -d");
    add_word(call->messages, &out);
    buf_append_byte(&out, ' ');
    buf_append_str(&out, address_authority(base));
    buf_append_byte(&out, ' ');
    buf_append_str(&out, str_from(request->rpc, 1));
    return arena_take(arena, &out);
}
