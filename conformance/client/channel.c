#include "client/channel.h"

struct http2 *channel_connection(struct channel *channel, struct arena *arena, struct answer *answer)
{
    if (channel->connection != NULL) {
        http2_look(channel->connection);
        channel->is_used = true;
        if (http2_serves(channel->connection))
            return channel->connection;
    }
    channel_disconnect(channel);
    struct str url = address_url(channel->options, channel->address, arena);
    channel->connection = http2_connect(channel->options, url, arena, answer);
    return channel->connection;
}

void channel_disconnect(struct channel *channel)
{
    http2_close(channel->connection);
    channel->connection = NULL;
    channel->is_used = false;
}
