/* The handlers of streams, with a transport and a model of the test: what other
 * threads do while a handler works. */
#include "predict_v2/grpc_decode.h"
#include "tests/scratch.h"
#include "trtis_v1/grpc.h"

#include <unistd.h>

static struct options options;
static struct shared shared = {.options = &options};
static struct rpc_call call;
static struct {
    size_t next, answers, runs; /* calls of rpc_next, rpc_answer and infer */
    struct infer_request *running;
    struct v1_infer *asked;
    pthread_t loop;
} seen;

static int begin(void **state)
{
    make_arena(state);
    memset(&seen, 0, sizeof(seen));
    call = (struct rpc_call){.arena = &arena, .context = &shared};
    return 0;
}

/* --- Instead of the transport --- */

static void *tell_writable(void *unused)
{
    v1_grpc_stream_calls.writable(&call);
    return unused;
}

/* The queue is full with each message, and the loop has sent it at once. */
enum rpc_pace rpc_send(struct rpc_call *, const struct str *, size_t)
{
    pthread_create(&seen.loop, NULL, tell_writable, NULL);
    usleep(20000);
    return RPC_FULL;
}

void rpc_next(struct rpc_call *)
{
    seen.next++;
}

void rpc_answer(struct rpc_call *)
{
    seen.answers++;
}

void rpc_charge(struct rpc_call *, size_t)
{
}

void rpc_release_message(struct rpc_call *)
{
}

struct str rpc_metadata(const struct rpc_call *, const char *)
{
    return STR("true"); /* triton_grpc_error */
}

/* --- V2 --- */

/* While the second message is read, the first request fails. */
struct status grpc_decode_request(const struct rpc_call *, struct infer_request *, struct data_form *)
{
    if (seen.running) {
        seen.running->status = (struct status){STATUS_INTERNAL, STR("it fails"), NULL};
        seen.running->done(seen.running);
    }
    return STATUS_IS_OK;
}

bool predict_v2_is_decoupled(struct repository *, struct str, struct str, struct arena *)
{
    return false;
}

struct status grpc_encode_response(enum grpc_output, bool, const struct infer_request *, const struct infer_response *,
                                   struct str **, size_t *)
{
    return STATUS_IS_OK;
}

void infer(struct infer_request *request)
{
    seen.runs++;
    seen.running = request;
}

void infer_cancel(struct infer_request *)
{
}

void infer_resume(struct infer_request *)
{
}

TEST_WITH(a_message_that_is_read_while_the_call_is_answered_is_dropped, begin, drop_arena)
{
    grpc_model_stream_infer(&call);
    grpc_infer_stream.message(&call);
    assert_int_equal(seen.runs, 1);
    assert_int_equal(seen.next, 1);
    grpc_infer_stream.message(&call);
    assert_int_equal(seen.answers, 1);
    assert_int_equal(seen.runs, 1);
    assert_int_equal(seen.next, 1);
}

/* --- V1 --- */

struct v1_infer v1_grpc_asked(struct rpc_call *of, struct arena *own, void (*answer)(struct v1_infer *asked))
{
    return (struct v1_infer){.request = {.arena = own, .context = of}, .answer = answer};
}

struct status v1_grpc_read_infer(const struct rpc_call *, struct v1_infer *asked, struct wire_parts *)
{
    seen.asked = asked;
    return STATUS_IS_OK;
}

void v1_grpc_run(struct v1_infer *, const struct wire_parts *)
{
}

struct str *v1_grpc_pieces(const struct v1_infer *, size_t *count)
{
    static struct str piece = STR("an answer");
    *count = 1;
    return &piece;
}

TEST_WITH(a_queue_that_has_room_before_the_handler_knows_it_full_stops_nothing, begin, drop_arena)
{
    v1_grpc_stream(&call);
    v1_grpc_stream_calls.message(&call);
    seen.asked->answer(seen.asked);
    pthread_join(seen.loop, NULL);
    assert_int_equal(seen.next, 1);
    v1_grpc_stream_calls.half_closed(&call);
    assert_int_equal(seen.answers, 1);
}
