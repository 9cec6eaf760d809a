/* A floor for gRPC: the simplest server that the C core allows. It has two completion queues with a thread each, one
 * registered method, and one batch for each call. It sends the slices of the request back. The difference to the
 * server's rate is the server's own cost.
 *
 *     echo-core [ADDRESS:PORT]       prints "listening grpc=127.0.0.1:PORT" and serves until it is killed */
#include "base/count.h"

#include <grpc/byte_buffer.h>
#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define QUEUES 2
#define ARMED  64
#define METHOD "/inference.GRPCInferenceService/ModelInfer"

struct queue;

struct call {
    struct queue *queue;
    grpc_call *handle;
    gpr_timespec deadline;
    grpc_metadata_array metadata;
    grpc_byte_buffer *message;
    int is_answered, cancelled;
};

struct queue {
    grpc_server *server;
    void *method;
    grpc_completion_queue *core;
};

static void arm(struct call *call)
{
    call->is_answered = 0;
    call->message = NULL;
    grpc_metadata_array_init(&call->metadata);
    grpc_server_request_registered_call(call->queue->server, call->queue->method, &call->handle, &call->deadline,
                                        &call->metadata, &call->message, call->queue->core, call->queue->core, call);
}

static void answer(struct call *call)
{
    grpc_op ops[4] = {{.op = GRPC_OP_SEND_INITIAL_METADATA},
                      {.op = GRPC_OP_SEND_STATUS_FROM_SERVER},
                      {.op = GRPC_OP_RECV_CLOSE_ON_SERVER},
                      {.op = GRPC_OP_SEND_MESSAGE}};
    ops[2].data.recv_close_on_server.cancelled = &call->cancelled;
    ops[3].data.send_message.send_message = call->message;
    call->is_answered = 1;
    grpc_call_start_batch(call->handle, ops, call->message ? 4 : 3, call, NULL);
}

static void *serve(void *argument)
{
    struct queue *queue = argument;
    for (;;) {
        grpc_event event = grpc_completion_queue_next(queue->core, gpr_inf_future(GPR_CLOCK_REALTIME), NULL);
        struct call *call = event.tag;
        if (!call->is_answered) {
            answer(call);
            continue;
        }
        grpc_byte_buffer_destroy(call->message);
        grpc_metadata_array_destroy(&call->metadata);
        grpc_call_unref(call->handle);
        arm(call);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const char *address = argc > 1 ? argv[1] : "127.0.0.1:0";
    grpc_init();
    grpc_arg args[] = {
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_ALLOW_REUSEPORT, .value.integer = 0},
        {.type = GRPC_ARG_INTEGER, .key = (char *)GRPC_ARG_MAX_RECEIVE_MESSAGE_LENGTH, .value.integer = -1},
    };
    grpc_channel_args channel_args = {COUNT_OF(args), args};
    grpc_server *server = grpc_server_create(&channel_args, NULL);
    void *method = grpc_server_register_method(server, METHOD, NULL, GRPC_SRM_PAYLOAD_READ_INITIAL_BYTE_BUFFER, 0);
    struct queue queues[QUEUES];
    for (size_t i = 0; i < QUEUES; i++) {
        queues[i] = (struct queue){server, method, grpc_completion_queue_create_for_next(NULL)};
        grpc_server_register_completion_queue(server, queues[i].core, NULL);
    }
    grpc_server_credentials *plaintext = grpc_insecure_server_credentials_create();
    int port = grpc_server_add_http2_port(server, address, plaintext);
    if (port <= 0) {
        fprintf(stderr, "echo-core: cannot listen on %s\n", address);
        return 1;
    }
    grpc_server_start(server);
    printf("listening grpc=%.*s:%d\n", (int)strcspn(address, ":"), address, port);
    fflush(stdout);
    for (size_t i = 0; i < QUEUES; i++) {
        for (size_t k = 0; k < ARMED; k++) {
            struct call *call = calloc(1, sizeof(*call));
            call->queue = &queues[i];
            arm(call);
        }
    }
    pthread_t threads[QUEUES];
    for (size_t i = 0; i < QUEUES; i++)
        pthread_create(&threads[i], NULL, serve, &queues[i]);
    for (size_t i = 0; i < QUEUES; i++)
        pthread_join(threads[i], NULL);
}
