/* One recursion with play.c and retry.c: to find what must be sent again, it is played again. */
#include "judge/reproduce.h"

#include "base/search.h"
#include "judge/sent.h"
#include "judge/transcript.h"
#include "support/printable.h"
#include "support/shell.h"

#define TRANSCRIPT 16000 /* bytes of a transcript that are kept with a result */

struct str reproduce_transcript(const struct play_options *options, const struct play *play,
                                const struct exchange *exchange)
{
    struct buf text = {0};
    if (!options->run->transcripts)
        return (struct str){0};
    transcript_append(options->client_options, play, exchange, options->arena, &text);
    if (text.size > TRANSCRIPT) {
        const char *end = memrchr(text.data, '\n', TRANSCRIPT);
        text.size = (size_t)(end + 1 - text.data);
        buf_append_literal(&text, "...\n");
    }
    return arena_take(options->arena, &text);
}

/* --- By curl --- */

/* Whether the exchange is all of its play, and curl can send it: one request, or a call with one message. The end of
 * a deadline is made by the client of the judge, which curl does not do. */
static bool is_one_request(const struct play *whole, const struct request *request)
{
    return !whole->step_count && !request->write_count && (request->path.size || request->rpc.size) &&
           !request->framed && !request->http2_raw && !request->streams && !request->cancel && request->deadline == 0;
}

static bool is_printable(struct str text)
{
    struct buf printable = {0};
    append_printable_lines(&printable, text);
    bool is = str_equal(buf_str(&printable), text);
    buf_free(&printable);
    return is;
}

/* Whether a terminal might obey what the command prints, or show nothing of it. */
static bool is_binary(const struct exchange *exchange)
{
    const struct answer *answer = &exchange->answer;
    bool printable = request_is_http(&exchange->request) && is_printable(answer->body) &&
                     ALL(i, answer->headers.count, is_printable(answer->headers.entries[i].value));
    return !printable;
}

/* Returns the command that sends the exchange's request; empty, if there is none.
 *
 * Bytes go through `cat -v`: it leaves headers, trailers and the texts of a message readable, in their order, every
 * other byte has a spelling that no terminal obeys, and there is hardly a machine without it. A dump in hexadecimal
 * digits hides the texts, and `file`-like guesses of curl (no --output) print nothing at all. */
static struct str curl_command(const struct play_options *options, const struct play *play,
                               const struct exchange *exchange)
{
    struct str command =
        client_command(options->client_options, &exchange->request, options->run->evidence, play->id, options->arena);
    if (!command.size || !is_binary(exchange))
        return command;
    return arena_printf(options->arena, "%.*s | cat -v", STR_ARG(command));
}

/* --- By our own command --- */

struct str reproduce_replay(const struct play_options *options, struct str id, const struct retry *retry)
{
    const struct called *called = options->run->called;
    struct buf out = {0};
    if (!called)
        return (struct str){0};
    shell_word(str_of(called->program), &out);
    buf_append_literal(&out, " replay ");
    shell_quote(id, &out);
    for (size_t i = 0; retry && i < retry->before_count; i++) {
        buf_append_literal(&out, " --after ");
        shell_quote(retry->before[i]->id, &out);
    }
    buf_append_str(&out, called->flags);
    return arena_take(options->arena, &out);
}

/* Leaves out the base if what must be sent begins with it, since it is sent before the play anyway. */
static void leave_out_base(const struct play *whole, struct retry *retry)
{
    if (!retry->before_count || whole->is_base || retry->before[0] != whole->group->plays[0])
        return;
    retry->before++;
    retry->before_count--;
}

/* --- Both --- */

static bool wants_command(const struct result *result)
{
    return result->verdict >= VERDICT_WARN && result->verdict <= VERDICT_ERROR;
}

void reproduce_add(const struct play_options *options, const struct play *play, const struct tree *base,
                   const struct exchange *exchange, struct result *results, size_t count)
{
    const struct request *request = &exchange->request;
    const struct play *whole = play_whole(play);
    struct retry retry = {.by_curl = is_one_request(whole, request)};
    struct str curl = {0}, grpcurl = {0};
    if (!options->commands || !ANY(i, count, wants_command(&results[i])))
        return;
    if (retry.by_curl && results[0].assertion->play == whole)
        retry = retry_find(options, whole, base, exchange, results);
    if (retry.by_curl)
        curl = curl_command(options, whole, exchange);
    if (!whole->step_count && !retry.before_count)
        grpcurl = sent_grpcurl(options->client_options, request, options->run->protos, options->arena);
    leave_out_base(whole, &retry);
    struct str sent = sent_describe(play->group->profile, request, curl.size > 0, options->arena);
    struct str transcript = reproduce_transcript(options, play, exchange);
    for (size_t i = 0; i < count; i++) {
        if (!wants_command(&results[i]))
            continue;
        struct str id = arena_printf(options->arena, "%.*s#%.*s", STR_ARG(whole->id),
                                     STR_ARG(results[i].assertion->requirement->key));
        results[i].sent = sent;
        results[i].replay_command = reproduce_replay(options, id, &retry);
        results[i].command = curl.size ? curl : results[i].replay_command;
        results[i].grpcurl = grpcurl;
        results[i].transcript = transcript;
    }
}
