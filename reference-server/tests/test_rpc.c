/* The gRPC transport, with calls of one message. */
#include "rpc_caller.h"
#include <pthread.h>
#include <stdatomic.h>

#define LIMIT ((size_t)8 * 1024 * 1024)

/* The call that /test/Later keeps until later. */
static struct {
    pthread_mutex_t lock;
    pthread_cond_t change;
    struct rpc_call *call;
} later = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL};

static void echo(struct rpc_call *call)
{
    call->pieces = &call->message;
    call->piece_count = 1;
    rpc_answer(call);
}

static void keep(struct rpc_call *call)
{
    pthread_mutex_lock(&later.lock);
    later.call = call;
    pthread_cond_signal(&later.change);
    pthread_mutex_unlock(&later.lock);
}

static struct rpc_call *kept(void)
{
    pthread_mutex_lock(&later.lock);
    while (!later.call)
        pthread_cond_wait(&later.change, &later.lock);
    struct rpc_call *call = later.call;
    later.call = NULL;
    pthread_mutex_unlock(&later.lock);
    return call;
}

static void refuse(struct rpc_call *call)
{
    call->status = status_error(call->arena, STATUS_FAILED_PRECONDITION, "100 %% of 'größe' is \"not\" ready");
    rpc_trailing_metadata(call, "oip-test", STR("v2-grpc.some-key"));
    rpc_answer(call);
}

/* Small and large pieces come in turn. */
static struct str piece(size_t i, struct arena *of)
{
    size_t size = i % 3 == 2 ? (size_t)3 * 1024 * 1024 : i;
    char *bytes = arena_alloc(of, size);
    memset(bytes, 'a' + (int)i, size);
    return (struct str){bytes, size};
}

static void large(struct rpc_call *call)
{
    call->piece_count = 9;
    call->pieces = arena_alloc(call->arena, call->piece_count * sizeof(*call->pieces));
    for (size_t i = 0; i < call->piece_count; i++)
        call->pieces[i] = piece(i, call->arena);
    rpc_answer(call);
}

/* The byte after the first '='. */
static size_t behind_the_mark(struct str start)
{
    const char *mark = memchr(start.data, '=', start.size);
    return mark ? (size_t)(mark - start.data) + 1 : 0;
}

/* Answers with how far that byte is from a multiple of 64. */
static void show_alignment(struct rpc_call *call)
{
    uintptr_t address = (uintptr_t)call->message.data + behind_the_mark(call->message);
    rpc_answer_bytes(call, arena_printf(call->arena, "%zu", (size_t)(address % 64)));
}

static const struct rpc_method methods[] = {
    {.name = "Echo", .handle = echo},
    {.name = "Later", .handle = keep},
    {.name = "Refuse", .handle = refuse},
    {.name = "Large", .handle = large},
    {.name = "Aligned", .handle = show_alignment, .aligned = behind_the_mark},
};

/* Answers with its context, which is different for the two services. */
static void tell_context(struct rpc_call *call)
{
    rpc_answer_bytes(call, str_of(call->context));
}

static const struct rpc_method telling[] = {{.name = "Tell", .handle = tell_context}};
static const struct rpc_service test_service = {"test", "test-grpc", methods, COUNT_OF(methods)};
static const struct rpc_service first_service = {"oip.First", "first-grpc", telling, 1};
static const struct rpc_service other_service = {"oip.Other", "other-grpc", telling, 1};
static const struct rpc_mount mounts[] = {
    {&test_service, NULL}, {&first_service, (char[]){"first"}}, {&other_service, (char[]){"other"}}};

static int start(void **state)
{
    return start_serving(state, mounts, COUNT_OF(mounts), LIMIT);
}

#define SERVER_TEST(name) TEST_WITH(name, start, stop_serving)

/* Makes a unary call. If `message` has null data, no message is sent. */
static struct reply call_method(struct caller *by, const char *method, struct str message, enum status_code code)
{
    struct talk talk = talk_begin(by, method);
    if (message.data)
        say(&talk, message, 100);
    half_close(&talk);
    struct str answer = hear(&talk);
    struct reply reply = ends_with(&talk, code);
    reply.message = answer;
    return reply;
}

static void echo_of(struct caller *by, size_t size)
{
    struct str sent = pattern(size);
    assert_bytes(call_method(by, "/test/Echo", sent, STATUS_OK).message, sent);
}

SERVER_TEST(a_message_comes_back_byte_for_byte)
{
    static const size_t sizes[] = {0, 1, 23, 511, 512, 8191, 8192, 8193, 100000, 4000000, LIMIT};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        echo_of(&caller, sizes[i]);
}

SERVER_TEST(a_large_message_is_aligned_where_its_method_wants)
{
    char *bytes = arena_alloc_zero(&arena, 1, 1000000);
    for (size_t at = 0; at < 300; at += 11) {
        bytes[at] = '=';
        struct reply reply = call_method(&caller, "/test/Aligned", (struct str){bytes, 1000000}, STATUS_OK);
        assert_bytes(reply.message, STR("0"));
        bytes[at] = '.';
    }
}

SERVER_TEST(pieces_are_sent_in_order)
{
    struct str rest = call_method(&caller, "/test/Large", STR("x"), STATUS_OK).message;
    for (size_t i = 0; i < 9; i++) {
        struct str expected = piece(i, &arena);
        assert_true(rest.size >= expected.size);
        assert_bytes((struct str){rest.data, expected.size}, expected);
        rest = str_from(rest, expected.size);
    }
    assert_int_equal(rest.size, 0);
}

SERVER_TEST(each_service_has_its_own_context)
{
    assert_bytes(call_method(&caller, "/oip.First/Tell", STR("x"), STATUS_OK).message, STR("first"));
    assert_bytes(call_method(&caller, "/oip.Other/Tell", STR("x"), STATUS_OK).message, STR("other"));
}

SERVER_TEST(a_refusal_carries_its_sentence_and_trailers)
{
    struct reply reply = call_method(&caller, "/test/Refuse", STR("x"), STATUS_FAILED_PRECONDITION);
    assert_string_equal(reply.details, "100 % of 'größe' is \"not\" ready");
    assert_bytes(reply.trailer, STR("v2-grpc.some-key"));
    assert_null(reply.message.data);
}

/* Makes a call that its handler keeps. */
static struct rpc_call *begin_later(struct talk *talk, struct str message)
{
    *talk = talk_begin(&caller, "/test/Later");
    say(talk, message, 10);
    half_close(talk);
    return kept();
}

SERVER_TEST(an_answer_may_come_later_from_another_thread)
{
    for (int i = 0; i < 20; i++) {
        struct talk talk;
        struct str sent = pattern(20000);
        echo(begin_later(&talk, sent));
        assert_bytes(hear(&talk), sent);
        ends_with(&talk, STATUS_OK);
    }
}

/* Makes a call that its client gives up while the handler has it. */
static struct rpc_call *given_up(struct str message)
{
    struct talk talk;
    struct rpc_call *call = begin_later(&talk, message);
    grpc_call_cancel(talk.call, NULL);
    ends_with(&talk, STATUS_CANCELLED);
    return call;
}

static void stop_server(void)
{
    rpc_stop(server);
    server = NULL;
    assert_int_equal(rpc_in_flight(), 0);
}

SERVER_TEST(a_client_that_gives_up_is_noticed_and_its_late_answer_harms_nobody)
{
    struct rpc_call *call = given_up(STR("x"));
    await_no_call();
    rpc_answer(call);
    echo_of(&caller, 10);
}

/* The budget is 18 times the limit, and a message may take half of what is left. */
SERVER_TEST(a_call_that_was_given_up_holds_memory_until_its_handler_answers)
{
    struct rpc_call *calls[16];
    struct str largest = pattern(LIMIT);
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        calls[i] = given_up(largest);
    caller.seconds = 1;
    call_method(&caller, "/test/Echo", largest, STATUS_DEADLINE_EXCEEDED);
    caller.seconds = 60;
    for (size_t i = 0; i < COUNT_OF(calls); i++)
        rpc_answer(calls[i]);
    echo_of(&caller, LIMIT);
}

SERVER_TEST(a_call_that_was_given_up_may_still_answer_after_the_stop)
{
    struct rpc_call *call = given_up(STR("x"));
    stop_server();
    rpc_answer(call);
}

SERVER_TEST(the_stop_cancels_a_call_whose_client_still_waits)
{
    struct talk talk;
    struct rpc_call *call = begin_later(&talk, STR("x"));
    assert_int_equal(rpc_in_flight(), 1);
    stop_server();
    assert_int_not_equal(talk_end(&talk).code, STATUS_OK);
    rpc_answer(call);
}

SERVER_TEST(a_port_that_is_taken_is_refused)
{
    struct rpc_options second = options;
    second.address = arena_printf(&arena, "127.0.0.1:%d", rpc_port(server)).data;
    struct rpc_server *other = NULL;
    assert_fails(rpc_start(&second, &arena, &other), STATUS_UNAVAILABLE, second.address);
    assert_null(other);
    second.address = "nowhere";
    assert_false(is_ok(rpc_start(&second, &arena, &other)));
}

static void begin(struct rpc_call *call)
{
    struct str asked = rpc_metadata(call, "x-test");
    call->deviation = asked.size ? "on" : NULL;
    call->refused_by = asked.size ? (str_is(asked, "hang") ? "hang" : "reset") : NULL;
}

static void finish(struct rpc_call *call)
{
    if (call->deviation)
        call->delivery = strcmp(call->refused_by, "hang") == 0 ? RPC_HANG : RPC_RESET;
    rpc_trailing_metadata(call, "oip-test", str_of(call->service->profile));
}

SERVER_TEST(begin_and_finish_see_every_call_and_decide_its_fate)
{
    struct rpc_options hooked = options;
    hooked.begin = begin;
    hooked.finish = finish;
    struct rpc_server *other = started(hooked);
    struct caller to_other = caller_new(rpc_port(other), GRPC_COMPRESS_NONE);
    static const struct {
        const char *path;
        enum status_code code;
        struct str profile;
    } rows[] = {
        {"/test/Echo", STATUS_OK, {"test-grpc", 9}},
        {"/test/Refuse", STATUS_FAILED_PRECONDITION, {"test-grpc", 9}},
        {"/test/Nothing", STATUS_UNIMPLEMENTED, {"test-grpc", 9}},
        {"/oip.Other/Nothing", STATUS_UNIMPLEMENTED, {"other-grpc", 10}},
        {"/oip.Othe/Nothing", STATUS_UNIMPLEMENTED, {"test-grpc", 9}},
        {"/oip.Other.X/Nothing", STATUS_UNIMPLEMENTED, {"test-grpc", 9}},
        {"/Nothing", STATUS_UNIMPLEMENTED, {"test-grpc", 9}},
    };
    EACH_ROW(row, rows, row->path) {
        assert_bytes(call_method(&to_other, row->path, STR("x"), row->code).trailer, row->profile);
        to_other.metadata_value = STR("reset");
        call_method(&to_other, row->path, STR("x"), STATUS_CANCELLED);
        to_other.metadata_value = STR("hang");
        to_other.seconds = 0.2;
        call_method(&to_other, row->path, STR("x"), STATUS_DEADLINE_EXCEEDED);
        to_other.seconds = 60;
        to_other.metadata_value = (struct str){0};
    }
    caller_free(&to_other);
    rpc_stop(other);
}

/* --- Clients that send frames of their own --- */

#define FIELDS                                                                                                         \
    "\x83\x86\x44\x0b/test/Later\x41\1x\0\x0c"                                                                         \
    "content-type\x10"                                                                                                 \
    "application/grpc"
#define TIMEOUT                                                                                                        \
    "\0\x0cgrpc-timeout\x03"                                                                                           \
    "50m"

static bool receive(int fd, void *bytes, size_t size)
{
    return recv(fd, bytes, size, MSG_WAITALL) == (ssize_t)size;
}

/* Reads frames until one of a kind comes, and returns its flags, or -1 if the connection ends before. */
static int flags_of_next(int fd, uint8_t kind)
{
    uint8_t head[9], body[16384];
    while (receive(fd, head, sizeof(head))) {
        size_t size = (size_t)head[1] << 8 | head[2];
        if (size > 0 && !receive(fd, body, size))
            return -1;
        if (head[3] == kind)
            return head[4];
    }
    return -1;
}

SERVER_TEST(who_says_nothing_is_cut)
{
    struct rpc_server *other = impatient_server();
    static const struct str silent[] = {{"", 0}, {PREFACE, 24}};
    for (size_t i = 0; i < 2; i++) {
        int fd = raw_client(other, silent[i]);
        assert_int_equal(flags_of_next(fd, 255), -1); /* if the server is wrong, the test hangs here */
        close(fd);
    }
    rpc_stop(other);
}

SERVER_TEST(a_call_whose_message_never_comes_is_reset_and_an_idle_client_told_goodbye)
{
    struct rpc_server *other = impatient_server();
    int fd = raw_client(other, STR(PREFACE SETTINGS "\0\0\x31\1\4\0\0\0\1" FIELDS));
    assert_int_equal(flags_of_next(fd, 3), 0);
    assert_int_equal(flags_of_next(fd, 7), 0);
    assert_int_equal(flags_of_next(fd, 255), -1);
    close(fd);
    rpc_stop(other);
}

SERVER_TEST(a_deadline_passes_while_the_handler_has_the_call)
{
    int fd =
        raw_client(server, STR(PREFACE SETTINGS "\0\0\x43\1\4\0\0\0\1" FIELDS TIMEOUT "\0\0\5\0\1\0\0\0\1\0\0\0\0\0"));
    struct rpc_call *call = kept();
    assert_int_equal(flags_of_next(fd, 1), 5); /* trailers alone: DEADLINE_EXCEEDED */
    assert_false(rpc_is_awaited(call));
    assert_int_equal(rpc_in_flight(), 0);
    rpc_answer(call);
    close(fd);
}

static atomic_bool asks_on;

/* Asks the system about all files, as the HTTP transport does to find its sockets. */
static void *ask_about_files(void *)
{
    struct sockaddr_storage peer;
    while (atomic_load(&asks_on)) {
        for (int fd = 3; fd < 64; fd++) {
            socklen_t size = sizeof(peer);
            getpeername(fd, (struct sockaddr *)&peer, &size);
        }
    }
    return NULL;
}

/* A file that another thread asks about is not gone when it is closed, and its events may still come. */
SERVER_TEST(connections_end_while_others_ask_about_their_files)
{
    pthread_t askers[2];
    atomic_store(&asks_on, true);
    for (size_t i = 0; i < 2; i++)
        pthread_create(&askers[i], NULL, ask_about_files, NULL);
    for (size_t i = 0; i < 5000; i++) {
        int fd = raw_client(server, STR("this is no HTTP/2 at all"));
        close(fd);
    }
    atomic_store(&asks_on, false);
    for (size_t i = 0; i < 2; i++)
        pthread_join(askers[i], NULL);
}
