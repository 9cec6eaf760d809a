#include "client/answer.h"

#define ANSWER_TIMES 4 /* how much larger an answer of small numbers in JSON is than the same numbers as raw bytes */

size_t answer_max(const struct client_options *options, const struct request *request)
{
    size_t most = ANSWER_SMALL + ANSWER_TIMES * (request->body.size + request->message.size);
    return request->large || most > options->max_message ? options->max_message : most;
}

bool answer_is_seen(const struct answer *answer)
{
    return answer->outcome == OUTCOME_ANSWERED || answer->has_http || answer->http2_raw || answer->message_count > 0;
}

bool answer_begins(const struct answer *answer)
{
    return answer->outcome == OUTCOME_ANSWERED || answer->status >= 200;
}

struct str answer_header(const struct answer *answer, const char *name)
{
    struct str value = header_value(&answer->headers, name);
    return value.data ? value : header_value(&answer->trailers, name);
}
