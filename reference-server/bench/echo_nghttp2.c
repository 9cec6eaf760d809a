/* A floor for gRPC: the simplest server that libnghttp2 allows. It has two epoll loops with a thread each; the first
 * accepts, and connections go to both in turn. It sends the bytes of a request back, whatever the method, and checks
 * nothing. The difference to the server's rate is the server's own cost.
 *
 *     echo-nghttp2 [ADDRESS:PORT]    prints "listening grpc=127.0.0.1:PORT" and serves until it is killed */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define LOOPS     2
#define READ_SIZE (128 * 1024)
#define HEADS     (64 * 1024) /* bytes of frames that are not data, in one write */
#define VECTORS   512
#define WINDOW    INT32_MAX

struct stream {
    struct stream *next; /* in the list of free ones; their memory is used again */
    char *bytes;
    size_t size, capacity, sent;
    int is_closed;
    size_t unwritten; /* parts in the vectors of the connection */
};

struct connection {
    int fd, epoll, is_blocked;
    nghttp2_session *session;
    struct iovec vectors[VECTORS];
    struct stream *owners[VECTORS]; /* NULL: bytes of `heads` */
    size_t first, count, used;
    char heads[HEADS];
};

static _Thread_local struct stream *free_streams;
static _Thread_local uint8_t input[READ_SIZE];
static int listening, epolls[LOOPS];
static nghttp2_session_callbacks *callbacks;
static nghttp2_option *option;

static void release(struct stream *stream)
{
    if (!stream->is_closed || stream->unwritten > 0)
        return;
    stream->next = free_streams;
    free_streams = stream;
}

static int begin(nghttp2_session *session, const nghttp2_frame *frame, void *)
{
    struct stream *stream = free_streams;
    if (stream)
        free_streams = stream->next;
    else
        stream = calloc(1, sizeof(*stream));
    stream->size = stream->sent = 0;
    stream->is_closed = 0;
    return nghttp2_session_set_stream_user_data(session, frame->hd.stream_id, stream);
}

static int data(nghttp2_session *session, uint8_t, int32_t id, const uint8_t *bytes, size_t size, void *)
{
    struct stream *stream = nghttp2_session_get_stream_user_data(session, id);
    if (stream->size + size > stream->capacity) {
        stream->capacity = (stream->size + size) * 2;
        stream->bytes = realloc(stream->bytes, stream->capacity);
    }
    memcpy(stream->bytes + stream->size, bytes, size);
    stream->size += size;
    return 0;
}

#define FIELD(name, value)                                                                                             \
    {                                                                                                                  \
        (uint8_t *)(uintptr_t)(name), (uint8_t *)(uintptr_t)(value), sizeof(name) - 1, sizeof(value) - 1,              \
            NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE                                               \
    }

static ssize_t next_frame(nghttp2_session *session, int32_t id, uint8_t *, size_t size, uint32_t *flags,
                          nghttp2_data_source *source, void *)
{
    static const nghttp2_nv trailers[] = {FIELD("grpc-status", "0")};
    struct stream *stream = source->ptr;
    *flags = NGHTTP2_DATA_FLAG_NO_COPY;
    if (size < stream->size - stream->sent)
        return (ssize_t)size;
    *flags |= NGHTTP2_DATA_FLAG_EOF | NGHTTP2_DATA_FLAG_NO_END_STREAM;
    nghttp2_submit_trailer(session, id, trailers, 1);
    return (ssize_t)(stream->size - stream->sent);
}

static int frame_came(nghttp2_session *session, const nghttp2_frame *frame, void *)
{
    static const nghttp2_nv headers[] = {FIELD(":status", "200"), FIELD("content-type", "application/grpc")};
    if ((frame->hd.type != NGHTTP2_DATA && frame->hd.type != NGHTTP2_HEADERS) ||
        !(frame->hd.flags & NGHTTP2_FLAG_END_STREAM))
        return 0;
    void *stream = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    nghttp2_data_provider provider = {.source.ptr = stream, .read_callback = next_frame};
    return nghttp2_submit_response(session, frame->hd.stream_id, headers, 2, &provider);
}

static int closed(nghttp2_session *session, int32_t id, uint32_t, void *)
{
    struct stream *stream = nghttp2_session_get_stream_user_data(session, id);
    stream->is_closed = 1;
    release(stream);
    return 0;
}

static void add(struct connection *connection, const void *bytes, size_t size, struct stream *owner)
{
    connection->vectors[connection->count] = (struct iovec){(void *)(uintptr_t)bytes, size};
    connection->owners[connection->count++] = owner;
    if (owner)
        owner->unwritten++;
}

static ssize_t send_bytes(nghttp2_session *, const uint8_t *bytes, size_t size, int, void *user)
{
    struct connection *connection = user;
    if (connection->count == VECTORS || connection->used + size > HEADS)
        return NGHTTP2_ERR_WOULDBLOCK;
    memcpy(connection->heads + connection->used, bytes, size);
    add(connection, connection->heads + connection->used, size, NULL);
    connection->used += size;
    return (ssize_t)size;
}

static int send_data(nghttp2_session *session, nghttp2_frame *, const uint8_t *head, size_t size,
                     nghttp2_data_source *source, void *user)
{
    struct connection *connection = user;
    struct stream *stream = source->ptr;
    if (connection->count + 2 > VECTORS || send_bytes(session, head, 9, 0, user) < 0)
        return NGHTTP2_ERR_WOULDBLOCK;
    add(connection, stream->bytes + stream->sent, size, stream);
    stream->sent += size;
    return 0;
}

static void end(struct connection *connection)
{
    close(connection->fd); /* the streams of a client that leaves are lost: the floor is killed soon */
    nghttp2_session_del(connection->session);
    free(connection);
}

/* Returns 0 when all is written, 1 if the socket takes no more, -1 if it is broken. */
static int write_vectors(struct connection *connection)
{
    while (connection->first < connection->count) {
        ssize_t sent = writev(connection->fd, connection->vectors + connection->first,
                              (int)(connection->count - connection->first));
        if (sent < 0)
            return errno == EAGAIN ? 1 : -1;
        while (sent > 0) {
            struct iovec *vector = &connection->vectors[connection->first];
            size_t size = (size_t)sent < vector->iov_len ? (size_t)sent : vector->iov_len;
            vector->iov_base = (char *)vector->iov_base + size;
            vector->iov_len -= size;
            sent -= (ssize_t)size;
            if (vector->iov_len > 0)
                break;
            struct stream *owner = connection->owners[connection->first++];
            if (owner) {
                owner->unwritten--;
                release(owner);
            }
        }
    }
    connection->first = connection->count = connection->used = 0;
    return 0;
}

static int flush(struct connection *connection)
{
    int result;
    do {
        if (connection->count == 0 && nghttp2_session_send(connection->session) != 0)
            return -1;
        size_t count = connection->count;
        result = write_vectors(connection);
        if (result == 0 && count == 0)
            break;
    } while (result == 0);
    if (result >= 0 && result != connection->is_blocked) {
        struct epoll_event event = {.events = result ? EPOLLIN | EPOLLOUT : EPOLLIN, .data.ptr = connection};
        epoll_ctl(connection->epoll, EPOLL_CTL_MOD, connection->fd, &event);
        connection->is_blocked = result;
    }
    return result;
}

static void serve(struct connection *connection, uint32_t events)
{
    if (events & EPOLLIN) {
        ssize_t size = recv(connection->fd, input, READ_SIZE, 0);
        if (size <= 0 || nghttp2_session_mem_recv(connection->session, input, (size_t)size) < 0) {
            end(connection);
            return;
        }
    }
    if (flush(connection) < 0)
        end(connection);
}

static void accept_one(void)
{
    static unsigned turn;
    static const nghttp2_settings_entry settings[] = {{NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, 1024},
                                                      {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW}};
    int fd = accept4(listening, NULL, NULL, SOCK_NONBLOCK);
    if (fd < 0)
        return;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    struct connection *connection = calloc(1, sizeof(*connection));
    connection->fd = fd;
    connection->epoll = epolls[turn++ % LOOPS];
    nghttp2_session_server_new2(&connection->session, callbacks, connection, option);
    nghttp2_submit_settings(connection->session, 0, settings, 2);
    nghttp2_session_set_local_window_size(connection->session, 0, 0, WINDOW);
    struct epoll_event event = {.events = EPOLLIN | EPOLLOUT, .data.ptr = connection};
    connection->is_blocked = 1;
    epoll_ctl(connection->epoll, EPOLL_CTL_ADD, fd, &event);
}

static void *run(void *argument)
{
    int epoll = *(int *)argument;
    struct epoll_event events[64];
    for (;;) {
        int count = epoll_wait(epoll, events, 64, -1);
        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr)
                serve(events[i].data.ptr, events[i].events);
            else
                accept_one();
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    signal(SIGPIPE, SIG_IGN);
    const char *text = argc > 1 ? argv[1] : "127.0.0.1:0", *colon = strrchr(text, ':');
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)strtol(colon ? colon + 1 : "0", NULL, 10)),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    listening = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    setsockopt(listening, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int));
    if (bind(listening, (struct sockaddr *)&address, size) != 0 || listen(listening, 1024) != 0) {
        fprintf(stderr, "echo-nghttp2: cannot listen on %s\n", text);
        return 1;
    }
    getsockname(listening, (struct sockaddr *)&address, &size);
    nghttp2_session_callbacks_new(&callbacks);
    nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks, begin);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, data);
    nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks, frame_came);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, closed);
    nghttp2_session_callbacks_set_send_callback(callbacks, send_bytes);
    nghttp2_session_callbacks_set_send_data_callback(callbacks, send_data);
    nghttp2_option_new(&option);
    nghttp2_option_set_no_closed_streams(option, 1);
    pthread_t threads[LOOPS];
    for (int i = 0; i < LOOPS; i++)
        epolls[i] = epoll_create1(0);
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = NULL};
    epoll_ctl(epolls[0], EPOLL_CTL_ADD, listening, &event);
    printf("listening grpc=127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);
    for (int i = 0; i < LOOPS; i++)
        pthread_create(&threads[i], NULL, run, &epolls[i]);
    for (int i = 0; i < LOOPS; i++)
        pthread_join(threads[i], NULL);
}
