/* A gRPC server and a client for tests. The client is made of the C core. It sends any bytes, and shows everything that
 * comes back: of a unary call, or of a talk, which is a call that the test leads message by message. */
#pragma once

#include "base/search.h"
#include "grpc/rpc.h"
#include "tests/scratch.h"
#include <arpa/inet.h>
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/compression.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <stdio.h>
#include <unistd.h>

struct caller {
    grpc_channel *channel;
    grpc_completion_queue *queue;
    double seconds;            /* the deadline of a call */
    struct str metadata_value; /* sent as "x-test" if not empty */
    struct arena arena;        /* holds what it has heard, until it is freed */
};

struct talk {
    struct caller *caller;
    grpc_call *call;
    grpc_op saying;
    grpc_metadata_array initial; /* asked for with the first message, or the status */
    bool has_heard;
};

struct reply {
    int code;
    const char *details; /* grpc-message */
    struct str message;  /* of a unary call; null data if none came */
    struct str trailer;  /* the value of "oip-test"; null data if none came */
};

static struct caller caller_new(int port, grpc_compression_algorithm compression)
{
    char address[32];
    snprintf(address, sizeof(address), "127.0.0.1:%d", port);
    grpc_init();
    grpc_arg args[] = {
        {.type = GRPC_ARG_INTEGER, .key = (char *)"grpc.enable_http_proxy", .value.integer = 0},
        {.type = GRPC_ARG_INTEGER, .key = (char *)"grpc.enable_retries", .value.integer = 0},
        {.type = GRPC_ARG_INTEGER, .key = (char *)"grpc.max_receive_message_length", .value.integer = -1},
        {.type = GRPC_ARG_INTEGER, .key = (char *)"grpc.use_local_subchannel_pool", .value.integer = 1},
        {.type = GRPC_ARG_INTEGER,
         .key = (char *)GRPC_COMPRESSION_CHANNEL_DEFAULT_ALGORITHM,
         .value.integer = (int)compression},
    };
    grpc_channel_args channel_args = {COUNT_OF(args), args};
    grpc_channel_credentials *plaintext = grpc_insecure_credentials_create();
    struct caller caller = {.channel = grpc_channel_create(address, plaintext, &channel_args),
                            .queue = grpc_completion_queue_create_for_pluck(NULL),
                            .seconds = 600, /* no test waits for it */
                            .arena = arena_new(ARENA_NO_BUDGET)};
    grpc_channel_credentials_release(plaintext);
    return caller;
}

static void caller_free(struct caller *caller)
{
    grpc_completion_queue_shutdown(caller->queue);
    grpc_completion_queue_destroy(caller->queue);
    grpc_channel_destroy(caller->channel);
    grpc_shutdown_blocking();
    arena_free(&caller->arena);
}

/* --- A talk --- */

static gpr_timespec in_seconds(double seconds)
{
    return gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC), gpr_time_from_millis((int64_t)(seconds * 1000), GPR_TIMESPAN));
}

static bool pluck(const struct caller *by, void *tag, double seconds)
{
    return grpc_completion_queue_pluck(by->queue, tag, in_seconds(seconds), NULL).type == GRPC_OP_COMPLETE;
}

static struct talk talk_begin(struct caller *by, const char *method)
{
    struct talk talk = {.caller = by};
    talk.call = grpc_channel_create_call(by->channel, NULL, GRPC_PROPAGATE_DEFAULTS, by->queue,
                                         grpc_slice_from_copied_string(method), NULL, in_seconds(by->seconds), NULL);
    grpc_metadata extra = {.key = grpc_slice_from_static_string("x-test"),
                           .value = grpc_slice_from_copied_buffer(by->metadata_value.data, by->metadata_value.size)};
    grpc_op op = {.op = GRPC_OP_SEND_INITIAL_METADATA};
    op.data.send_initial_metadata.count = by->metadata_value.size > 0;
    op.data.send_initial_metadata.metadata = &extra;
    grpc_call_start_batch(talk.call, &op, 1, &op, NULL);
    pluck(by, &op, 10);
    grpc_slice_unref(extra.value);
    return talk;
}

/* Returns false if the message could not be written within the time; nothing may be said any more then. */
static bool say(struct talk *talk, struct str message, double seconds)
{
    grpc_slice slice = grpc_slice_from_copied_buffer(message.data, message.size);
    grpc_byte_buffer *buffer = grpc_raw_byte_buffer_create(&slice, 1);
    grpc_slice_unref(slice);
    talk->saying = (grpc_op){.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = buffer};
    assert_int_equal(grpc_call_start_batch(talk->call, &talk->saying, 1, &talk->saying, NULL), GRPC_CALL_OK);
    bool is_said = pluck(talk->caller, &talk->saying, seconds);
    grpc_byte_buffer_destroy(buffer);
    return is_said;
}

static void half_close(const struct talk *talk)
{
    grpc_op op = {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT};
    grpc_call_start_batch(talk->call, &op, 1, &op, NULL);
    pluck(talk->caller, &op, 10);
}

static struct str heard(const struct talk *talk, grpc_slice slice)
{
    struct str bytes = {(const char *)GRPC_SLICE_START_PTR(slice), GRPC_SLICE_LENGTH(slice)};
    return arena_copy(&talk->caller->arena, bytes);
}

/* Returns null data if no message comes any more. */
static struct str hear(struct talk *talk)
{
    grpc_byte_buffer *buffer = NULL;
    grpc_op ops[2] = {
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &buffer},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &talk->initial}};
    grpc_call_start_batch(talk->call, ops, talk->has_heard ? 1 : 2, ops, NULL);
    talk->has_heard = true;
    pluck(talk->caller, ops, 100);
    if (!buffer)
        return (struct str){0};
    grpc_byte_buffer_reader reader;
    grpc_byte_buffer_reader_init(&reader, buffer);
    grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
    struct str message = heard(talk, all);
    grpc_slice_unref(all);
    grpc_byte_buffer_reader_destroy(&reader);
    grpc_byte_buffer_destroy(buffer);
    return message;
}

/* Waits for the status and ends the call. */
static struct reply talk_end(struct talk *talk)
{
    grpc_metadata_array trailing;
    grpc_metadata_array_init(&trailing);
    grpc_status_code code = GRPC_STATUS_UNKNOWN;
    grpc_slice details;
    grpc_op ops[2] = {
        {.op = GRPC_OP_RECV_STATUS_ON_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &talk->initial}};
    ops[0].data.recv_status_on_client.trailing_metadata = &trailing;
    ops[0].data.recv_status_on_client.status = &code;
    ops[0].data.recv_status_on_client.status_details = &details;
    grpc_call_start_batch(talk->call, ops, talk->has_heard ? 1 : 2, ops, NULL);
    assert_true(pluck(talk->caller, ops, 100));
    struct reply reply = {.code = (int)code, .details = heard(talk, details).data};
    for (size_t i = 0; i < trailing.count; i++)
        if (grpc_slice_str_cmp(trailing.metadata[i].key, "oip-test") == 0)
            reply.trailer = heard(talk, trailing.metadata[i].value);
    grpc_slice_unref(details);
    grpc_metadata_array_destroy(&trailing);
    grpc_metadata_array_destroy(&talk->initial);
    grpc_call_unref(talk->call);
    return reply;
}

static struct reply ends_with(struct talk *talk, enum status_code code)
{
    struct reply reply = talk_end(talk);
    if (reply.code != (int)code)
        fail_msg("it ends with %d: %s", reply.code, reply.details);
    return reply;
}

/* --- A server of the test, with a client --- */

static struct rpc_server *server;
static struct rpc_options options;
static struct caller caller;

/* The set-up of a test calls this. */
static int start_serving(void **state, const struct rpc_mount *mounts, size_t count, size_t max_message)
{
    make_arena(state);
    options = (struct rpc_options){
        .address = "127.0.0.1:0", .loops = 2, .max_message = max_message, .mounts = mounts, .mount_count = count};
    bool is_started = is_ok(rpc_start(&options, &arena, &server));
    caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    return is_started ? 0 : -1;
}

/* The server may have been stopped before. */
static int stop_serving(void **state)
{
    caller_free(&caller);
    if (server)
        rpc_stop(server);
    return drop_arena(state);
}

/* Starts one more server, with options of its own. */
static struct rpc_server *started(struct rpc_options others)
{
    struct rpc_server *other = NULL;
    assert_true(is_ok(rpc_start(&others, &arena, &other)));
    return other;
}

static void await_no_call(void)
{
    while (rpc_in_flight() > 0) /* if the server is wrong, the test hangs here */
        usleep(200);
}

/* Returns bytes in which a misplaced slice would be noticed anywhere. */
static struct str pattern(size_t size)
{
    char *bytes = arena_alloc(&arena, size);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7 + i / 251 + i / 65537 + size);
    return (struct str){bytes, size};
}

static void assert_bytes(struct str bytes, struct str expected)
{
    assert_non_null(bytes.data);
    assert_int_equal(bytes.size, expected.size);
    assert_memory_equal(bytes.data, expected.data, expected.size);
}

/* --- Clients that send frames of their own --- */

#define PREFACE  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define SETTINGS "\0\0\0\4\0\0\0\0\0"
/* Connects to a server and sends bytes. */
static int raw_client(const struct rpc_server *to, struct str bytes)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons((uint16_t)rpc_port(to)), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(send(fd, bytes.data, bytes.size, 0), bytes.size);
    return fd;
}

static struct rpc_server *impatient_server(void)
{
    struct rpc_options hasty = options;
    hasty.patience = 0.5; /* enough for a client to speak on a busy machine */
    return started(hasty);
}
