/* A gRPC call with any number of messages in both directions. The server can send only as much as is read (its window),
 * and of what it sends no more is kept than the limits allow, so that a stream without an end costs neither memory nor
 * more than the timeout. */
#pragma once

#include "client/channel.h"

/* Messages of one stream that are read. A stream with more is cut off. */
#define STREAM_MESSAGES_MAX 20000

struct stream;

/* Begins the call of a request over the channel (client_stream is for the users of a client). `channel` is NULL if
 * there is no address. Nothing is sent yet but the metadata of the options, the request and `extra` (may be NULL). It
 * never fails: stream_read says what went wrong. The channel must outlive the stream. */
struct stream *stream_open(struct channel *channel, const struct request *request, const struct header *extra);

/* Cancels the call if it has not ended, and frees the stream. */
void stream_close(struct stream *stream);

/* Sends messages and waits until the system has taken them, for at most the timeout; meanwhile it reads. */
void stream_send(struct stream *stream, const struct str *messages, size_t count);

/* Says that no message will follow. */
void stream_half_close(struct stream *stream);

/* Cancels the call. What came before can still be read, and then its status. */
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
