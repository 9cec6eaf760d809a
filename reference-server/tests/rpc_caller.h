/* A gRPC client for tests, on the C core. It makes one unary call at a time, sends any bytes, and shows everything that
 * comes back. */
#pragma once

#include "base/count.h"
#include "base/str.h"
#include <grpc/byte_buffer.h>
#include <grpc/byte_buffer_reader.h>
#include <grpc/compression.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

struct caller {
    grpc_channel *channel;
    grpc_completion_queue *queue;
    double seconds;            /* the deadline of a call */
    struct str metadata_value; /* sent as "x-test" if not empty */
    _Atomic(grpc_call *) call; /* the one that runs */
};

struct reply {
    int code;
    char *details; /* grpc-message */
    char *bytes;   /* the message; NULL if none came */
    size_t size;
    char *trailer; /* value of "oip-test", or NULL */
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
                            .seconds = 60};
    grpc_channel_credentials_release(plaintext);
    return caller;
}

static void caller_free(struct caller *caller)
{
    grpc_completion_queue_shutdown(caller->queue);
    grpc_completion_queue_destroy(caller->queue);
    grpc_channel_destroy(caller->channel);
    grpc_shutdown_blocking();
}

static void reply_free(struct reply *reply)
{
    free(reply->details);
    free(reply->bytes);
    free(reply->trailer);
    *reply = (struct reply){0};
}

static char *copied(grpc_slice slice)
{
    size_t size = GRPC_SLICE_LENGTH(slice);
    char *text = malloc(size + 1);
    memcpy(text, GRPC_SLICE_START_PTR(slice), size);
    text[size] = '\0';
    return text;
}

/* Gives up the call that runs, from another thread than the one that waits for its end. */
static inline void caller_cancel(struct caller *caller)
{
    grpc_call_cancel(atomic_load(&caller->call), NULL);
}

/* Makes a call and waits for its end. If `message` has null data, no message is sent. */
static inline struct reply call_method(struct caller *caller, const char *method, struct str message)
{
    gpr_timespec deadline = gpr_time_add(gpr_now(GPR_CLOCK_MONOTONIC),
                                         gpr_time_from_millis((int64_t)(caller->seconds * 1000), GPR_TIMESPAN));
    grpc_call *call = grpc_channel_create_call(caller->channel, NULL, GRPC_PROPAGATE_DEFAULTS, caller->queue,
                                               grpc_slice_from_copied_string(method), NULL, deadline, NULL);
    atomic_store(&caller->call, call);
    grpc_slice sent = grpc_slice_from_copied_buffer(message.data, message.size);
    grpc_byte_buffer *request = grpc_raw_byte_buffer_create(&sent, 1), *response = NULL;
    grpc_slice_unref(sent);
    grpc_metadata_array initial, trailing;
    grpc_metadata_array_init(&initial);
    grpc_metadata_array_init(&trailing);
    grpc_metadata extra = {.key = grpc_slice_from_static_string("x-test"),
                           .value =
                               grpc_slice_from_copied_buffer(caller->metadata_value.data, caller->metadata_value.size)};
    grpc_status_code code;
    grpc_slice details;

    grpc_op ops[6] = {{.op = GRPC_OP_SEND_INITIAL_METADATA}};
    size_t count = 1;
    if (caller->metadata_value.size) {
        ops[0].data.send_initial_metadata.count = 1;
        ops[0].data.send_initial_metadata.metadata = &extra;
    }
    if (message.data) {
        ops[count].op = GRPC_OP_SEND_MESSAGE;
        ops[count++].data.send_message.send_message = request;
    }
    ops[count++].op = GRPC_OP_SEND_CLOSE_FROM_CLIENT;
    ops[count].op = GRPC_OP_RECV_INITIAL_METADATA;
    ops[count++].data.recv_initial_metadata.recv_initial_metadata = &initial;
    ops[count].op = GRPC_OP_RECV_MESSAGE;
    ops[count++].data.recv_message.recv_message = &response;
    ops[count].op = GRPC_OP_RECV_STATUS_ON_CLIENT;
    ops[count].data.recv_status_on_client.trailing_metadata = &trailing;
    ops[count].data.recv_status_on_client.status = &code;
    ops[count++].data.recv_status_on_client.status_details = &details;
    grpc_call_start_batch(call, ops, count, call, NULL);
    grpc_completion_queue_pluck(caller->queue, call, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);

    struct reply reply = {.code = (int)code, .details = copied(details)};
    grpc_slice_unref(details);
    if (response) {
        grpc_byte_buffer_reader reader;
        grpc_byte_buffer_reader_init(&reader, response);
        grpc_slice all = grpc_byte_buffer_reader_readall(&reader);
        reply.size = GRPC_SLICE_LENGTH(all);
        reply.bytes = copied(all);
        grpc_slice_unref(all);
        grpc_byte_buffer_reader_destroy(&reader);
        grpc_byte_buffer_destroy(response);
    }
    for (size_t i = 0; i < trailing.count; i++)
        if (!reply.trailer && grpc_slice_str_cmp(trailing.metadata[i].key, "oip-test") == 0)
            reply.trailer = copied(trailing.metadata[i].value);
    grpc_slice_unref(extra.value);
    grpc_metadata_array_destroy(&initial);
    grpc_metadata_array_destroy(&trailing);
    grpc_byte_buffer_destroy(request);
    grpc_call_unref(call);
    return reply;
}
