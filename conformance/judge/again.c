#include "judge/again.h"

#include "client/tcp.h"
#include "judge/sent.h"
#include "judge/transcript.h"

#define TRANSCRIPT 16000 /* bytes of a transcript that are kept with a result */

/* Returns the transcript, in the arena of the options. Of a long one the first lines are kept. */
static struct str transcript_of(const struct play_options *options, const struct play *play,
                                const struct exchange *exchange)
{
    struct buf text = {0};
    transcript_append(options->client_options, play, exchange, options->arena, &text);
    if (text.size > TRANSCRIPT) {
        const char *end = memrchr(text.data, '\n', TRANSCRIPT);
        text.size = (size_t)(end + 1 - text.data);
        buf_append_literal(&text, "...\n");
    }
    return arena_take(options->arena, &text);
}

struct again again_make(const struct play_options *options, const struct play *play, const struct exchange *exchange,
                        struct str name)
{
    const struct request *request = &exchange->request;
    struct buf bytes = {0};
    for (size_t i = 0; i < request->write_count; i++)
        buf_append_str(&bytes, request->writes[i]);
    struct again again = {.sent = sent_describe(play->group->profile, request, options->arena),
                          .grpcurl = sent_grpcurl(options->client_options, request, options->protos, options->arena)};
    if (bytes.size)
        again.command = tcp_command(options->client_options, client_address(options->client_options, request->endpoint),
                                    buf_str(&bytes), options->arena);
    else if (request->path.size || request->rpc.size)
        again.command = client_command(options->client_options, request, options->evidence, name, options->arena);
    buf_free(&bytes);
    if (options->transcripts)
        again.transcript = transcript_of(options, play, exchange);
    return again;
}

static bool wants_command(const struct result *result)
{
    return result->verdict >= VERDICT_WARN && result->verdict <= VERDICT_ERROR;
}

void again_add(const struct play_options *options, const struct exchange *exchange, struct str name,
               struct result *results, size_t count)
{
    struct again again = {0};
    for (size_t i = 0; i < count && options->commands; i++) {
        if (!wants_command(&results[i]))
            continue;
        if (!again.command.data)
            again = again_make(options, results[i].assertion->play, exchange, name);
        results[i].sent = again.sent;
        results[i].command = again.command;
        results[i].grpcurl = again.grpcurl;
        results[i].transcript = again.transcript;
    }
}
