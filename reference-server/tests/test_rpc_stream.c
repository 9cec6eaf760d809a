/* The gRPC transport, with calls of many messages. */
#include "rpc_caller.h"
#include <pthread.h>
#include <stdatomic.h>

#define LIMIT ((size_t)2 * 1024 * 1024)

/* What the handlers have seen, over all calls. */
static struct {
    atomic_size_t messages, sent, writable, cancelled, drained, ended;
    _Atomic(struct rpc_call *) call; /* the last one that keeps still */
} seen;

/* Waits until a counter has a value; if the server is wrong, the test hangs here. */
static void await(const atomic_size_t *counter, size_t value)
{
    while (atomic_load(counter) < value)
        usleep(200);
}

static void count_cancel(struct rpc_call *call)
{
    atomic_fetch_add(&seen.cancelled, 1);
    rpc_answer(call);
}

static void finish_call(struct rpc_call *call)
{
    atomic_fetch_add(&seen.ended, 1);
    rpc_trailing_metadata(call, "oip-test", STR("the end"));
    rpc_answer(call);
}

static void do_nothing(struct rpc_call *)
{
}

/* --- Echo: each message comes back --- */

static void echo(struct rpc_call *call)
{
    atomic_fetch_add(&seen.messages, 1);
    if (rpc_send(call, &call->message, 1) != RPC_FULL)
        rpc_next(call);
}

static void unavailable(struct rpc_call *call)
{
    atomic_fetch_add(&seen.drained, 1);
    call->status = (struct status){STATUS_UNAVAILABLE, STR("the end is near"), NULL};
    rpc_answer(call);
}

static const struct rpc_stream echo_stream = {.message = echo,
                                              .half_closed = finish_call,
                                              .writable = rpc_next,
                                              .cancelled = count_cancel,
                                              .drained = unavailable};

/* --- Threads: each message comes back from another thread --- */

static void *echo_elsewhere(void *call)
{
    echo(call);
    return NULL;
}

static void hand_to_thread(struct rpc_call *call)
{
    pthread_t thread;
    pthread_create(&thread, NULL, echo_elsewhere, call);
    pthread_detach(thread);
}

static const struct rpc_stream thread_stream = {
    .message = hand_to_thread, .half_closed = finish_call, .writable = rpc_next, .cancelled = count_cancel};

/* --- Count: one request, and as many messages of 1000 bytes as it says --- */

struct counting {
    size_t left;
    bool is_over;
};

static void send_more(struct rpc_call *call)
{
    struct counting *counting = call->context;
    static const char zeros[1000];
    enum rpc_pace pace = RPC_GO_ON;
    while (counting->left > 0 && pace == RPC_GO_ON) {
        struct str pieces[] = {{zeros, 10}, {zeros, 0}, {zeros, 990}};
        pace = rpc_send(call, pieces, 3);
        counting->left--;
        atomic_fetch_add(&seen.sent, 1);
    }
    if (counting->left == 0 && !counting->is_over) {
        counting->is_over = true;
        finish_call(call);
    }
}

static void begin_count(struct rpc_call *call)
{
    call->context = arena_new_of(call->arena, struct counting);
    unsigned long long count = 0;
    str_to_uint64(call->message, &count);
    ((struct counting *)call->context)->left = count;
    send_more(call);
}

static void make_room(struct rpc_call *call)
{
    atomic_fetch_add(&seen.writable, 1);
    send_more(call);
}

static const struct rpc_stream count_stream = {.writable = make_room, .cancelled = count_cancel};

/* --- Still: takes one message and keeps it --- */

static void keep_still(struct rpc_call *call)
{
    atomic_fetch_add(&seen.messages, 1);
    atomic_store(&seen.call, call);
}

static void note_cancel(struct rpc_call *)
{
    atomic_fetch_add(&seen.cancelled, 1);
}

static const struct rpc_stream still_stream = {.message = keep_still, .cancelled = note_cancel};

/* --- Hold: what it holds for the first message is the share of its connection --- */

#define SHARE ((size_t)100 * 1024 * 1024)

static void hold_much(struct rpc_call *call)
{
    if (atomic_fetch_add(&seen.messages, 1) == 0)
        rpc_charge(call, SHARE);
    atomic_store(&seen.call, call);
    rpc_next(call);
}

static const struct rpc_stream hold_stream = {
    .message = hold_much, .half_closed = finish_call, .cancelled = count_cancel};

/* --- Lend: another thread, that of the test, holds the share for a moment for each message --- */

#define LENT_MESSAGES 8000

static void note_message(struct rpc_call *call)
{
    atomic_store(&seen.call, call);
    atomic_fetch_add(&seen.messages, 1);
}

static const struct rpc_stream lend_stream = {
    .message = note_message, .half_closed = finish_call, .cancelled = note_cancel};

/* --- Lose: has a message for which there is no memory, and answers at once --- */

static void lose(struct rpc_call *call)
{
    static const struct str too_large = {"", SIZE_MAX / 2};
    assert_int_equal(rpc_send(call, &too_large, 1), RPC_GONE);
    finish_call(call);
}

static const struct rpc_stream lose_stream = {.cancelled = count_cancel};

static const struct rpc_method methods[] = {
    {.name = "Echo", .handle = do_nothing, .stream = &echo_stream},
    {.name = "Threads", .handle = do_nothing, .stream = &thread_stream},
    {.name = "Count", .handle = begin_count, .stream = &count_stream},
    {.name = "Still", .handle = do_nothing, .stream = &still_stream},
    {.name = "Hold", .handle = do_nothing, .stream = &hold_stream},
    {.name = "Lend", .handle = do_nothing, .stream = &lend_stream},
    {.name = "Lose", .handle = lose, .stream = &lose_stream},
};
static const struct rpc_service service = {
    .name = "test", .profile = "test-grpc", .methods = methods, .method_count = COUNT_OF(methods)};
static const struct rpc_mount mounts[] = {{&service, NULL}};

static int start(void **state)
{
    memset(&seen, 0, sizeof(seen));
    return start_serving(state, mounts, COUNT_OF(mounts), LIMIT);
}

#define SERVER_TEST(name) TEST_WITH(name, start, stop_serving)

static void hears(struct talk *talk, struct str expected)
{
    assert_bytes(hear(talk), expected);
}

/* --- Tests --- */

static void echoes(struct caller *by, const char *method, const size_t *sizes, size_t count)
{
    struct talk talk = talk_begin(by, method);
    for (size_t i = 0; i < count; i++) {
        struct str sent = pattern(sizes[i]);
        assert_true(say(&talk, sent, 10));
        hears(&talk, sent);
    }
    half_close(&talk);
    assert_null(hear(&talk).data);
    assert_bytes(ends_with(&talk, STATUS_OK).trailer, STR("the end"));
}

static const size_t sizes[] = {0, 1, 0, 23, 1023, 1024, 16384, 16385, 100000, 300000, 5, LIMIT, 7};
#define SIZES COUNT_OF(sizes)

SERVER_TEST(each_message_comes_back)
{
    echoes(&caller, "/test/Echo", sizes, SIZES);
}

SERVER_TEST(any_thread_may_send_and_ask_for_the_next_message)
{
    echoes(&caller, "/test/Threads", sizes, SIZES);
    for (int i = 0; i < 20; i++)
        echoes(&caller, "/test/Threads", sizes, 3);
}

SERVER_TEST(each_message_may_be_compressed)
{
    static const grpc_compression_algorithm algorithms[] = {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE};
    for (size_t i = 0; i < 2; i++) {
        struct caller compressing = caller_new(rpc_port(server), algorithms[i]);
        echoes(&compressing, "/test/Echo", sizes, SIZES);
        caller_free(&compressing);
    }
}

SERVER_TEST(one_request_may_have_no_answer_one_or_many)
{
    static const struct {
        struct str request;
        size_t count;
    } rows[] = {{STR("0"), 0}, {STR("1"), 1}, {STR("3000"), 3000}};
    EACH_ROW(row, rows, row->request.data) {
        struct talk talk = talk_begin(&caller, "/test/Count");
        assert_true(say(&talk, row->request, 5));
        half_close(&talk);
        for (size_t k = 0; k < row->count; k++)
            assert_int_equal(hear(&talk).size, 1000);
        assert_null(hear(&talk).data);
        ends_with(&talk, STATUS_OK);
    }
    assert_true(atomic_load(&seen.writable) > 0); /* 3 MB do not fit into the queue */
}

SERVER_TEST(a_method_of_one_request_takes_no_other_number)
{
    for (int messages = 0; messages <= 2; messages += 2) {
        struct talk talk = talk_begin(&caller, "/test/Count");
        for (int i = 0; i < messages; i++)
            say(&talk, STR("1"), 5);
        half_close(&talk);
        ends_with(&talk, STATUS_UNIMPLEMENTED);
    }
}

SERVER_TEST(a_client_that_does_not_read_stops_the_handler)
{
    struct talk talk = talk_begin(&caller, "/test/Count");
    say(&talk, STR("1000000"), 5);
    half_close(&talk);
    size_t before, now = 0;
    do {
        before = now;
        usleep(200000);
        now = atomic_load(&seen.sent);
    } while (now != before || now == 0);
    assert_true(now < 8000); /* what the client's window, the queue and the sockets take */
    grpc_call_cancel(talk.call, NULL);
    await(&seen.cancelled, 1);
    await_no_call();
    ends_with(&talk, STATUS_CANCELLED);
    assert_int_equal(atomic_load(&seen.ended), 0);
}

SERVER_TEST(a_handler_that_takes_no_message_stops_the_client)
{
    struct talk talk = talk_begin(&caller, "/test/Still");
    struct str chunk = pattern(50000);
    size_t said = 0;
    while (said < 100 && say(&talk, chunk, 2))
        said++;
    assert_true(said > 2 && said < 20);
    assert_int_equal(atomic_load(&seen.messages), 1);
    grpc_call_cancel(talk.call, NULL);
    ends_with(&talk, STATUS_CANCELLED);
    await(&seen.cancelled, 1);
    rpc_answer(atomic_load(&seen.call));
}

SERVER_TEST(a_handler_that_holds_its_share_gets_no_more)
{
    struct talk talk = talk_begin(&caller, "/test/Hold");
    for (int i = 0; i < 3; i++)
        say(&talk, STR("x"), 5);
    await(&seen.messages, 1);
    usleep(200000);
    assert_int_equal(atomic_load(&seen.messages), 1);
    rpc_charge(atomic_load(&seen.call), 0);
    await(&seen.messages, 3);
    half_close(&talk);
    ends_with(&talk, STATUS_OK);
}

/* All messages have come before the first is taken, so nothing that comes can hide a wake-up that is lost. */
SERVER_TEST(a_share_that_is_given_back_at_any_moment_lets_the_next_message_come)
{
    struct talk talk = talk_begin(&caller, "/test/Lend");
    for (int i = 0; i < LENT_MESSAGES; i++)
        assert_true(say(&talk, STR("x"), 5));
    usleep(300000);
    for (size_t i = 1; i < LENT_MESSAGES; i++) {
        while (atomic_load(&seen.messages) < i)
            assert_int_equal(atomic_load(&seen.cancelled), 0); /* no sleep: it takes less time */
        struct rpc_call *call = atomic_load(&seen.call);
        rpc_charge(call, SHARE);
        rpc_next(call);
        for (volatile size_t spin = i % 1000 * 20; spin > 0; spin--)
            ;
        rpc_charge(call, 0);
    }
    await(&seen.messages, LENT_MESSAGES);
    rpc_next(atomic_load(&seen.call));
    half_close(&talk);
    ends_with(&talk, STATUS_OK);
}

/* The first message, and the first bytes of the second, in frames of HTTP/2. */
#define LEND_HEADERS                                                                                                   \
    "\0\0\x30\1\4\0\0\0\1\x83\x86\x44\x0a/test/Lend\x41\1x\0\x0c"                                                      \
    "content-type\x10"                                                                                                 \
    "application/grpc"
#define LEND_FIRST "\0\0\x0c\0\0\0\0\0\1\0\0\0\0\1x\0\0\0\0\2y"
#define LEND_REST  "\0\0\1\0\0\0\0\0\1z"

SERVER_TEST(a_message_that_the_server_leaves_lying_is_no_fault_of_the_client)
{
    struct rpc_server *other = impatient_server();
    int fd = raw_client(other, STR(PREFACE SETTINGS LEND_HEADERS LEND_FIRST));
    await(&seen.messages, 1);
    struct rpc_call *call = atomic_load(&seen.call);
    rpc_next(call);
    usleep(100000);
    rpc_charge(call, SHARE);
    usleep(100000);
    assert_int_equal(send(fd, LEND_REST, sizeof(LEND_REST) - 1, 0), sizeof(LEND_REST) - 1);
    usleep(900000); /* more than the patience of the server, and less than it waits for the answer to a PING */
    assert_int_equal(atomic_load(&seen.cancelled), 0);
    rpc_charge(call, 0);
    await(&seen.messages, 2);
    assert_bytes(call->message, STR("yz"));
    rpc_answer(call);
    close(fd);
    rpc_stop(other);
}

SERVER_TEST(an_answer_without_one_of_its_messages_is_a_failure)
{
    struct talk talk = talk_begin(&caller, "/test/Lose");
    assert_true(say(&talk, STR("x"), 5));
    half_close(&talk);
    ends_with(&talk, STATUS_RESOURCE_EXHAUSTED);
}

SERVER_TEST(a_message_above_the_limit_ends_the_call_and_no_other)
{
    struct talk other = talk_begin(&caller, "/test/Echo"), talk = talk_begin(&caller, "/test/Echo");
    assert_true(say(&talk, STR("first"), 5));
    hears(&talk, STR("first"));
    say(&talk, pattern(LIMIT + 1), 1);
    assert_non_null(strstr(ends_with(&talk, STATUS_RESOURCE_EXHAUSTED).details, "2097153"));
    await(&seen.cancelled, 1);
    assert_true(say(&other, STR("still here"), 5));
    hears(&other, STR("still here"));
    half_close(&other);
    ends_with(&other, STATUS_OK);
}

SERVER_TEST(a_message_that_cannot_be_inflated_takes_nothing_of_the_memory_of_the_handler)
{
    struct caller compressing = caller_new(rpc_port(server), GRPC_COMPRESS_GZIP);
    struct talk talk = talk_begin(&compressing, "/test/Lend");
    assert_true(say(&talk, STR("first"), 5));
    await(&seen.messages, 1);
    struct rpc_call *call = atomic_load(&seen.call);
    size_t left = call->arena->left;
    rpc_next(call);
    say(&talk, (struct str){arena_alloc_zero(&arena, LIMIT, 2), 2 * LIMIT}, 5);
    ends_with(&talk, STATUS_RESOURCE_EXHAUSTED);
    await(&seen.cancelled, 1);
    assert_int_equal(call->arena->left, left);
    rpc_answer(call);
    caller_free(&compressing);
}

SERVER_TEST(the_drain_tells_calls_that_wait_and_those_that_come)
{
    struct talk talk = talk_begin(&caller, "/test/Echo");
    say(&talk, STR("first"), 5);
    hears(&talk, STR("first"));
    rpc_drain(server);
    ends_with(&talk, STATUS_UNAVAILABLE);
    struct talk late = talk_begin(&caller, "/test/Echo");
    ends_with(&late, STATUS_UNAVAILABLE);
    assert_int_equal(atomic_load(&seen.drained), 2);
    assert_int_equal(atomic_load(&seen.cancelled), 0);
}

SERVER_TEST(the_stop_cancels_calls_and_their_handlers_may_still_answer)
{
    struct talk talk = talk_begin(&caller, "/test/Still");
    say(&talk, STR("x"), 5);
    await(&seen.messages, 1);
    rpc_stop(server);
    server = NULL;
    assert_int_equal(atomic_load(&seen.cancelled), 1);
    assert_int_equal(rpc_in_flight(), 0);
    struct rpc_call *call = atomic_load(&seen.call);
    assert_int_equal(rpc_send(call, &STR("too late"), 1), RPC_GONE);
    rpc_next(call);
    rpc_answer(call);
    assert_int_not_equal(talk_end(&talk).code, STATUS_OK);
}

/* --- The hooks --- */

static void mark(struct rpc_call *call)
{
    call->deviation = rpc_metadata(call, "x-test").size > 0 ? "on" : NULL;
}

static void alter(struct rpc_call *, struct arena *scratch, struct str *message)
{
    if (str_is(*message, "lose me"))
        *message = (struct str){0};
    else
        *message = arena_printf(scratch, "altered %.*s", STR_ARG(*message));
}

static void hooked_finish(struct rpc_call *call)
{
    if (call->deviation)
        call->status = (struct status){STATUS_ABORTED, STR("altered"), NULL};
}

SERVER_TEST(each_message_and_the_status_may_be_altered)
{
    struct rpc_options hooked = options;
    hooked.begin = mark;
    hooked.alter = alter;
    hooked.finish = hooked_finish;
    struct rpc_server *other = started(hooked);
    struct caller marked = caller_new(rpc_port(other), GRPC_COMPRESS_NONE);
    echoes(&marked, "/test/Echo", sizes, 3);
    marked.metadata_value = STR("on");
    struct talk talk = talk_begin(&marked, "/test/Echo");
    EACH(text, "one", "lose me", "three")
        say(&talk, str_of(text), 5);
    hears(&talk, STR("altered one"));
    hears(&talk, STR("altered three"));
    half_close(&talk);
    ends_with(&talk, STATUS_ABORTED);
    caller_free(&marked);
    rpc_stop(other);
}
