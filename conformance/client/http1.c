#include "client/http1.h"

static void end_header(struct http1 *message)
{
    if (message->name.size) {
        struct header header = {arena_copy(message->arena, buf_str(&message->name)),
                                arena_copy(message->arena, str_trimmed(buf_str(&message->value)))};
        header_list_add(&message->headers, header, message->arena);
    }
    buf_clear(&message->name);
    buf_clear(&message->value);
    message->in_value = false;
}

static int on_target(http_parser *parser, const char *at, size_t size)
{
    struct http1 *message = parser->data;
    buf_append(&message->target, at, size);
    return 0;
}

static int on_field(http_parser *parser, const char *at, size_t size)
{
    struct http1 *message = parser->data;
    if (message->in_value)
        end_header(message);
    buf_append(&message->name, at, size);
    return message->headers.count > HEADERS_MAX;
}

static int on_value(http_parser *parser, const char *at, size_t size)
{
    struct http1 *message = parser->data;
    message->in_value = true;
    buf_append(&message->value, at, size);
    return 0;
}

static int on_headers(http_parser *parser)
{
    struct http1 *message = parser->data;
    end_header(message);
    message->is_head_complete = true;
    return message->has_no_body; /* 1 tells the parser that there is no body */
}

static int on_body(http_parser *parser, const char *at, size_t size)
{
    struct http1 *message = parser->data;
    size_t room = message->limit - message->body.size;
    message->is_truncated = message->is_truncated || size > room;
    buf_append(&message->body, at, size < room ? size : room);
    return 0;
}

static int on_complete(http_parser *parser)
{
    struct http1 *message = parser->data;
    if (!message->is_head_complete)
        return 0;        /* the connection ended before the message began */
    end_header(message); /* these are trailers */
    message->is_complete = true;
    http_parser_pause(parser, 1);
    return 0;
}

static const http_parser_settings settings = {.on_url = on_target,
                                              .on_header_field = on_field,
                                              .on_header_value = on_value,
                                              .on_headers_complete = on_headers,
                                              .on_body = on_body,
                                              .on_message_complete = on_complete};

void http1_begin(struct http1 *message, enum http_parser_type type)
{
    *message = (struct http1){.arena = message->arena, .limit = message->limit, .has_no_body = message->has_no_body};
    http_parser_init(&message->parser, type);
}

size_t http1_read(struct http1 *message, struct str bytes)
{
    message->parser.data = message;
    return http_parser_execute(&message->parser, &settings, bytes.data, bytes.size);
}

enum http_errno http1_error(const struct http1 *message)
{
    enum http_errno error = HTTP_PARSER_ERRNO(&message->parser);
    return error == HPE_PAUSED ? HPE_OK : error;
}

void http1_free(struct http1 *message)
{
    buf_free(&message->target);
    buf_free(&message->body);
    buf_free(&message->name);
    buf_free(&message->value);
}
