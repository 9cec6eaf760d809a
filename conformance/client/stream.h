/* A gRPC call with any number of messages in both directions. The server can send only one window more than was read,
 * and only as much is kept as the limits allow; so an endless stream costs neither memory nor more than the timeout. */
#pragma once

#include "client/channel.h"

/* The most messages of one stream that are read. A longer stream is cut off. */
#define STREAM_MESSAGES_MAX 20000

struct stream;

/* Begins the call of a request over the channel (users of a client call client_stream). `channel` is NULL if there is
 * no address. It sends only the metadata of the options, of the request and `extra` (may be NULL). It never fails:
 * stream_read says what went wrong. The channel must outlive the stream. */
struct stream *stream_open(struct channel *channel, const struct request *request, const struct header *extra);

/* Cancels the call if it has not ended, and frees the stream. */
void stream_close(struct stream *stream);

/* Sends messages and waits until the system has taken them, for at most the timeout; meanwhile it reads. */
void stream_send(struct stream *stream, const struct str *messages, size_t count);

/* Says that no message will follow. */
void stream_half_close(struct stream *stream);

/* Cancels the call. Earlier messages, and then the status, can still be read. */
void stream_cancel(struct stream *stream);

#define STREAM_END SIZE_MAX

/* Reads the next `count` messages, or those up to the end (STREAM_END), within the timeout. The answer has the messages
 * that came since the last call, copied into the arena, and, if the stream ended before there were so many, its status;
 * else it is `open`. Its outcome is TIMEOUT if less came and the stream did not end, GARBLED if it was cut off. */
void stream_read(struct stream *stream, size_t count, struct arena *arena, struct answer *answer);

/* Makes the whole call of a request that streams: sends all messages, says that no more follow, and reads to the end.
 * Returns the same as rpc_exchange. */
bool stream_exchange(struct channel *channel, const struct request *request, const struct header *extra,
                     struct arena *arena, struct answer *answer);
