/* v1 over HTTP: answers, whose outcome is in NV-Status. */
#include "trtis_v1/http.h"

#define NO_MEMORY STR("code: INTERNAL msg: \"out of memory\" server_id: \"" V1_SERVER_ID "\"")

/* Returns the NV-Status of an outcome; without memory, one that says so. */
static struct str status_text(const struct http_request *http, const struct v1_outcome *outcome)
{
    const V1__RequestStatus status = v1_request_status(outcome);
    struct str text = v1_text(&status.base, TEXT_LINE, http->arena);
    return text.data ? text : NO_MEMORY;
}

void v1_http_answer_no_memory(struct http_request *http)
{
    http_answer_header(http, STR("NV-Status"), NO_MEMORY);
    http_answer(http, 400, V1_TEXT);
}

/* trtis-v1-http.nv-status */
void v1_http_say_outcome(struct http_request *http, const struct v1_outcome *outcome)
{
    http_answer_header(http, STR("NV-Status"), status_text(http, outcome));
}

void v1_http_answer_outcome(struct http_request *http, const struct v1_outcome *outcome, int status,
                            const char *content_type)
{
    http->refused_by = outcome->broken;
    v1_http_say_outcome(http, outcome);
    http_answer(http, status, content_type);
}

void v1_http_answer_nothing(struct http_request *http)
{
    http_answer(http, 400, V1_TEXT);
}

/* The first `format` counts. Its name may have letters of either case; its value is exact.
 * trtis-v1-http.status-format */
bool v1_http_wants_binary(struct str query)
{
    while (query.size > 0) {
        size_t size = 0;
        while (size < query.size && query.data[size] != '&' && query.data[size] != ';')
            size++;
        const char *equals = memchr(query.data, '=', size);
        struct str name = {query.data, equals ? (size_t)(equals - query.data) : size};
        if (str_equal_ignoring_case(name, STR("format")))
            return equals && str_equal((struct str){equals + 1, size - name.size - 1}, STR("binary"));
        query = str_from(query, size < query.size ? size + 1 : size);
    }
    return false;
}
