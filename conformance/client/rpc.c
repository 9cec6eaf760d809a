/* Unary gRPC by the C core: one pluck queue for each client, and a channel that lives as long as its connection
 * (relay.h). An exchange that ends without an answer ends the connection.
 *
 * The timeout is the client's: grpc-timeout is sent only if the request asks for it. Compressed messages are inflated
 * here, up to the limit, because the core would inflate first and check the limit afterwards. A quota limits what the
 * core keeps of messages without an end.
 *
 * libcurl is no alternative: 7.88 loses answers that come before the whole request was sent. */
#include "base/count.h"
#include "client/call.h"
#include "client/fabrication.h"
#include "client/relay.h"
#include <grpc/byte_buffer.h>
#include <grpc/grpc_posix.h>
#include <grpc/grpc_security.h>
#include <grpc/support/alloc.h>
#include <grpc/support/log.h>
#include <grpc/support/time.h>
#include <pthread.h>
#include <stdlib.h>

#define QUOTA_BESIDE_MESSAGE                                                                                           \
    ((size_t)64                                                                                                        \
     << 20) /* bytes of messages that all clients together may be receiving, in addition to one of the largest size */

struct rpc_client {
    const struct client_options *options;
    struct str address;
    grpc_completion_queue *queue;
    struct relay *relay; /* NULL: there is neither a connection nor a channel */
    grpc_channel *channel;
};

/* --- The channel --- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static grpc_resource_quota *quota; /* shared by all clients */

static void no_log(gpr_log_func_args *arguments)
{
    (void)arguments;
}

static void start_core(void)
{
    gpr_set_log_function(no_log);
    quota = grpc_resource_quota_create("clients");
}

static char *unchanged(const char *text) /* the core's fields are not const, but it does not write to them */
{
    union {
        const char *from;
        char *to;
    } same = {text};
    return same.to;
}

static grpc_arg integer_arg(const char *key, int value)
{
    return (grpc_arg){.type = GRPC_ARG_INTEGER, .key = unchanged(key), .value.integer = value};
}

static grpc_arg string_arg(const char *key, const char *value)
{
    return (grpc_arg){.type = GRPC_ARG_STRING, .key = unchanged(key), .value.string = unchanged(value)};
}

static grpc_arg pointer_arg(const char *key, void *pointer, const grpc_arg_pointer_vtable *vtable)
{
    return (grpc_arg){.type = GRPC_ARG_POINTER, .key = unchanged(key), .value.pointer = {pointer, vtable}};
}

void rpc_channel_close(struct rpc_client *client)
{
    if (client->relay == NULL)
        return;
    grpc_channel_destroy(client->channel);
    relay_close(client->relay);
    client->relay = NULL;
}

/* Makes a new connection and channel. False: the answer says why there is none. */
static bool connect_anew(struct rpc_client *client, struct arena *arena, struct answer *answer)
{
    int core;
    rpc_channel_close(client);
    client->relay = relay_open(client->options, client->address, &core, arena, answer);
    if (client->relay == NULL)
        return false;
    const char *authority = arena_copy(arena, address_authority(client->address)).data;
    bool secure = address_is_secure(client->options, client->address);
    grpc_arg args[] = {
        string_arg(GRPC_ARG_DEFAULT_AUTHORITY, authority),
        string_arg(GRPC_ARG_HTTP2_SCHEME, secure ? "https" : "http"),
        integer_arg(GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, -1),
        integer_arg(GRPC_ARG_MAX_SEND_MESSAGE_LENGTH, -1),
        integer_arg(GRPC_ARG_ENABLE_PER_MESSAGE_DECOMPRESSION, 0),
        integer_arg(GRPC_ARG_MAX_METADATA_SIZE, 64 * 1024),
        pointer_arg(GRPC_ARG_RESOURCE_QUOTA, quota, grpc_resource_quota_arg_vtable()),
    };
    const grpc_channel_args channel_args = {COUNT_OF(args), args};
    grpc_channel_credentials *credentials = grpc_insecure_credentials_create();
    client->channel = grpc_channel_create_from_fd(authority, core, credentials, &channel_args);
    grpc_channel_credentials_release(credentials);
    return true;
}

grpc_channel *rpc_channel(struct rpc_client *client, struct arena *arena, struct answer *answer)
{
    bool serves = client->relay != NULL && relay_serves(client->relay);
    return serves || connect_anew(client, arena, answer) ? client->channel : NULL;
}

const char *rpc_channel_fault(const struct rpc_client *client)
{
    return client->relay ? relay_fault(client->relay) : NULL;
}

const struct client_options *rpc_options(const struct rpc_client *client)
{
    return client->options;
}

struct rpc_client *rpc_client_create(const struct client_options *options, struct str address)
{
    struct rpc_client *client = calloc(1, sizeof *client);
    if (client == NULL)
        return NULL;
    grpc_init();
    pthread_once(&once, start_core);
    grpc_resource_quota_resize(quota, options->max_message + QUOTA_BESIDE_MESSAGE);
    client->options = options;
    client->address = address;
    client->queue = grpc_completion_queue_create_for_pluck(NULL);
    return client;
}

void rpc_client_destroy(struct rpc_client *client)
{
    if (client == NULL)
        return;
    rpc_channel_close(client);
    grpc_completion_queue_shutdown(client->queue);
    while (grpc_completion_queue_pluck(client->queue, NULL, gpr_inf_future(GPR_CLOCK_REALTIME), NULL).type !=
           GRPC_QUEUE_SHUTDOWN)
        ;
    grpc_completion_queue_destroy(client->queue);
    grpc_shutdown();
    free(client);
}

/* --- One call --- */

/* What a call needs and what it leaves behind. */
struct call {
    grpc_call *call;
    grpc_byte_buffer *sent, *received, *second; /* `second`: a second message, which a unary answer must not have */
    grpc_metadata_array initial, trailing;
    grpc_slice method, message, details;
    grpc_status_code code;
    bool cancel; /* the call is cancelled as soon as it is sent */
};

static void call_open(struct call *call, const struct rpc_client *client, const struct request *request)
{
    gpr_timespec deadline =
        request->deadline > 0 ? call_in_seconds(request->deadline) : gpr_inf_future(GPR_CLOCK_MONOTONIC);
    *call = (struct call){
        .method = call_slice(request->rpc), .message = call_slice(request->message), .cancel = request->cancel};
    call->details = grpc_empty_slice();
    call->sent = grpc_raw_byte_buffer_create(&call->message, 1);
    grpc_metadata_array_init(&call->initial);
    grpc_metadata_array_init(&call->trailing);
    call->call = grpc_channel_create_call(client->channel, NULL, GRPC_PROPAGATE_DEFAULTS, client->queue, call->method,
                                          NULL, deadline, NULL);
}

static void call_close(struct call *call)
{
    grpc_call_unref(call->call);
    grpc_byte_buffer *const buffers[] = {call->sent, call->received, call->second};
    for (size_t i = 0; i < 3; i++)
        if (buffers[i] != NULL)
            grpc_byte_buffer_destroy(buffers[i]);
    grpc_metadata_array_destroy(&call->initial);
    grpc_metadata_array_destroy(&call->trailing);
    grpc_slice_unref(call->details);
    grpc_slice_unref(call->message);
    grpc_slice_unref(call->method);
}

/* Starts the operations; their address is their tag. False: the core refuses the metadata. */
static bool start(const struct call *call, const grpc_op *ops, size_t count, void *tag)
{
    return grpc_call_start_batch(call->call, ops, count, tag, NULL) == GRPC_CALL_OK;
}

/* Waits for the operations of a tag. If the time ends first, the call is cancelled, and the rest is awaited without a
 * limit. Returns whether they ended in time. */
static bool wait_for(const struct rpc_client *client, struct call *call, void *tag, gpr_timespec end)
{
    if (grpc_completion_queue_pluck(client->queue, tag, end, NULL).type == GRPC_OP_COMPLETE)
        return true;
    grpc_call_cancel(call->call, NULL);
    grpc_completion_queue_pluck(client->queue, tag, gpr_inf_future(GPR_CLOCK_MONOTONIC), NULL);
    return false;
}

/* Starts the exchange: `sends` operations that send, and then those that receive. A call that is to be cancelled must
 * have been sent first: of one that it cancels earlier, the core 1.51 sends a RST_STREAM for a stream that never began,
 * and for this a server must end the connection (RFC 9113, 6.4). */
static bool begin(const struct rpc_client *client, struct call *call, const grpc_op *ops, size_t count, size_t sends,
                  gpr_timespec end)
{
    if (!call->cancel)
        return start(call, ops, count, (void *)(uintptr_t)ops);
    if (!start(call, ops, sends, &call->cancel))
        return false;
    wait_for(client, call, &call->cancel, end);
    return start(call, ops + sends, count - sends, (void *)(uintptr_t)ops);
}

/* Runs the whole call. False: it could not be sent. */
static bool play(struct rpc_client *client, struct call *call, grpc_metadata *metadata, size_t count, bool *in_time)
{
    grpc_op exchange[] = {
        {.op = GRPC_OP_SEND_INITIAL_METADATA, .data.send_initial_metadata = {count, metadata, {0, 0}}},
        {.op = GRPC_OP_SEND_MESSAGE, .data.send_message.send_message = call->sent},
        {.op = GRPC_OP_SEND_CLOSE_FROM_CLIENT},
        {.op = GRPC_OP_RECV_INITIAL_METADATA, .data.recv_initial_metadata.recv_initial_metadata = &call->initial},
        {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->received},
    };
    grpc_op second = {.op = GRPC_OP_RECV_MESSAGE, .data.recv_message.recv_message = &call->second};
    grpc_op status = {.op = GRPC_OP_RECV_STATUS_ON_CLIENT,
                      .data.recv_status_on_client = {&call->trailing, &call->code, &call->details, NULL}};
    gpr_timespec end = call_in_seconds(client->options->timeout);
    if (!begin(client, call, exchange, COUNT_OF(exchange), 3, end))
        return false;
    start(call, &status, 1, &status);
    if (call->cancel)
        grpc_call_cancel(call->call, NULL);
    *in_time = wait_for(client, call, exchange, end);
    if (call->received != NULL &&
        start(call, &second, 1, &second)) { /* the core gives the status only after all messages were received */
        *in_time = wait_for(client, call, &second, end) && *in_time;
        if (call->second != NULL)
            grpc_call_cancel(call->call, NULL);
    }
    *in_time = wait_for(client, call, &status, end) && *in_time;
    return true;
}

static void read_answer(const struct call *call, size_t limit, struct arena *arena, struct answer *answer)
{
    call_read_status(&call->initial, &call->trailing, call->code, call->details, arena, answer);
    if (call->second != NULL) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = STR("more than one message answers a unary call");
        return;
    }
    fabrication_find(answer, arena);
    if (call->received != NULL)
        call_read_message(call->received, limit, arena, answer);
}

static void make_call(struct rpc_client *client, const struct request *request, struct call_metadata *metadata,
                      struct arena *arena, struct answer *answer)
{
    struct call call;
    bool in_time = false;
    *answer = (struct answer){0};
    struct str illegal = call_metadata_illegal(metadata);
    call_open(&call, client, request);
    if (illegal.data != NULL || !play(client, &call, metadata->entries, metadata->count, &in_time)) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = arena_printf(arena, "gRPC cannot send the metadata '%s'", str_printable(arena, illegal));
    } else if (!in_time) {
        answer->outcome = OUTCOME_TIMEOUT;
        answer->trouble = STR("no whole answer within the timeout");
    } else {
        read_answer(&call, answer_max(client->options, request), arena, answer);
    }
    const char *fault = rpc_channel_fault(client);
    if (answer->outcome != OUTCOME_ANSWERED && fault != NULL) {
        answer->outcome = OUTCOME_GARBLED;
        answer->trouble = str_of(fault);
    }
    call_close(&call);
}

void rpc_exchange(struct rpc_client *client, const struct request *request, const struct header *extra,
                  struct arena *arena, struct answer *answer)
{
    struct call_metadata metadata = call_metadata_make(client->options, request, extra, arena);
    for (int attempt = 0; attempt < 2 && rpc_channel(client, arena, answer) != NULL; attempt++) {
        make_call(client, request, &metadata, arena, answer);
        if (!fabrication_is_unseen(answer))
            break;
    }
    if (answer->outcome != OUTCOME_ANSWERED)
        rpc_channel_close(client);
    call_metadata_free(&metadata);
}
