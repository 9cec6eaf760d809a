/* The gRPC transport, with calls of one message. */
#include "base/count.h"
#include "grpc/rpc.h"
#include "rpc_caller.h"
#include "tests/scratch.h"
#include <arpa/inet.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <unistd.h>

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
    rpc_trailing_metadata(call, "oip-test-illegal", STR("a\nb"));
    rpc_answer(call);
}

static void show_metadata(struct rpc_call *call)
{
    call->pieces = arena_new_of(call->arena, struct str);
    bool has_more = rpc_metadata(call, "te").data || rpc_metadata(call, "user-agent").data; /* each client sends them */
    call->pieces[0] =
        has_more ? STR("more than custom metadata") : arena_copy(call->arena, rpc_metadata(call, "x-test"));
    call->piece_count = 1;
    rpc_answer(call);
}

/* Answers with small and large pieces in turn. */
static void large(struct rpc_call *call)
{
    call->piece_count = 9;
    call->pieces = arena_alloc(call->arena, call->piece_count * sizeof(*call->pieces));
    for (size_t i = 0; i < call->piece_count; i++) {
        size_t size = i % 3 == 2 ? (size_t)3 * 1024 * 1024 : i;
        char *bytes = arena_alloc(call->arena, size);
        memset(bytes, 'a' + (int)i, size);
        call->pieces[i] = (struct str){bytes, size};
    }
    rpc_answer(call);
}

/* The byte behind the first '='. */
static size_t behind_the_mark(struct str start)
{
    const char *mark = memchr(start.data, '=', start.size);
    return mark ? (size_t)(mark - start.data) + 1 : 0;
}

/* Answers with how far that byte is from a multiple of 64. */
static void show_alignment(struct rpc_call *call)
{
    call->pieces = arena_new_of(call->arena, struct str);
    uintptr_t address = (uintptr_t)call->message.data + behind_the_mark(call->message);
    call->pieces[0] = arena_printf(call->arena, "%zu", (size_t)(address % 64));
    call->piece_count = 1;
    rpc_answer(call);
}

static const struct rpc_method methods[] = {
    {.name = "Echo", .handle = echo},     {.name = "Later", .handle = keep},
    {.name = "Refuse", .handle = refuse}, {.name = "Metadata", .handle = show_metadata},
    {.name = "Large", .handle = large},   {.name = "Aligned", .handle = show_alignment, .aligned = behind_the_mark},
};

/* Answers with its context, which is different for the two services. */
static void tell_context(struct rpc_call *call)
{
    call->pieces = arena_new_of(call->arena, struct str);
    call->pieces[0] = str_of(call->context);
    call->piece_count = 1;
    rpc_answer(call);
}

static const struct rpc_method telling[] = {{.name = "Tell", .handle = tell_context}};
static const struct rpc_service test_service = {"test", "test-grpc", methods, COUNT_OF(methods), NULL};
static const struct rpc_service first_service = {"oip.First", "first-grpc", telling, 1, NULL};
static const struct rpc_service other_service = {"oip.Other", "other-grpc", telling, 1, NULL};
static const struct rpc_mount mounts[] = {
    {&test_service, NULL}, {&first_service, (char[]){"first"}}, {&other_service, (char[]){"other"}}};

static struct rpc_server *server;
static struct rpc_options options;

static int start(void **state)
{
    make_arena(state);
    options = (struct rpc_options){
        .address = "127.0.0.1:0", .loops = 2, .max_message = LIMIT, .mounts = mounts, .mount_count = COUNT_OF(mounts)};
    return is_ok(rpc_start(&options, &arena, &server)) ? 0 : -1;
}

static int tear_down(void **state)
{
    if (server)
        rpc_stop(server);
    return drop_arena(state);
}

/* Returns bytes in which a misplaced slice would be noticed anywhere. */
static struct str pattern(size_t size)
{
    char *bytes = malloc(size + 1);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i * 7 + i / 251 + i / 65537);
    return (struct str){bytes, size};
}

static void echo_of(struct caller *caller, size_t size)
{
    struct str sent = pattern(size);
    struct reply reply = call_method(caller, "/test/Echo", sent);
    if (reply.code != STATUS_OK)
        print_error("echo of %zu bytes: %s\n", size, reply.details);
    assert_int_equal(reply.code, STATUS_OK);
    assert_int_equal(reply.size, size);
    assert_memory_equal(reply.bytes, sent.data, size);
    reply_free(&reply);
    free((void *)(uintptr_t)sent.data);
}

const struct unit_group unit_group = {start, tear_down};

TEST(a_message_comes_back_byte_for_byte)
{
    static const size_t sizes[] = {0, 1, 23, 511, 512, 8191, 8192, 8193, 100000, 4000000, LIMIT};
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        echo_of(&caller, sizes[i]);
    caller_free(&caller);
}

TEST(a_large_message_is_aligned_where_its_method_wants)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    char *bytes = calloc(1, 1000000);
    for (size_t at = 0; at < 300; at += 11) {
        bytes[at] = '=';
        struct reply reply = call_method(&caller, "/test/Aligned", (struct str){bytes, 1000000});
        assert_int_equal(reply.code, STATUS_OK);
        assert_true(str_is((struct str){reply.bytes, reply.size}, "0"));
        reply_free(&reply);
        bytes[at] = '.';
    }
    free(bytes);
    caller_free(&caller);
}

TEST(pieces_are_sent_in_order)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    struct reply reply = call_method(&caller, "/test/Large", STR("x"));
    assert_int_equal(reply.code, STATUS_OK);
    size_t at = 0;
    for (size_t i = 0; i < 9; i++)
        for (size_t k = 0; k < (i % 3 == 2 ? (size_t)3 * 1024 * 1024 : i); k++)
            if (reply.bytes[at++] != 'a' + (char)i)
                fail_msg("byte %zu is not of piece %zu", at - 1, i);
    assert_int_equal(reply.size, at);
    reply_free(&reply);
    caller_free(&caller);
}

TEST(an_unknown_method_is_unimplemented_by_name)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    for (int i = 0; i < 50; i++) { /* more calls than are armed */
        struct reply reply = call_method(&caller, "/test/Nothing", STR("x"));
        assert_int_equal(reply.code, STATUS_UNIMPLEMENTED);
        assert_non_null(strstr(reply.details, "/test/Nothing"));
        reply_free(&reply);
    }
    caller_free(&caller);
}

TEST(each_service_has_its_own_context)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    static const char *const rows[][2] = {{"/oip.First/Tell", "first"}, {"/oip.Other/Tell", "other"}};
    for (size_t i = 0; i < 2; i++) {
        struct reply reply = call_method(&caller, rows[i][0], STR("x"));
        assert_int_equal(reply.code, STATUS_OK);
        assert_string_equal(reply.bytes, rows[i][1]);
        reply_free(&reply);
    }
    caller_free(&caller);
}

TEST(a_refusal_carries_its_sentence_and_trailers)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    struct reply reply = call_method(&caller, "/test/Refuse", STR("x"));
    assert_int_equal(reply.code, STATUS_FAILED_PRECONDITION);
    assert_string_equal(reply.details, "100 % of 'größe' is \"not\" ready");
    assert_string_equal(reply.trailer, "v2-grpc.some-key");
    assert_null(reply.bytes);
    reply_free(&reply);
    caller_free(&caller);
}

TEST(a_message_above_the_limit_is_resource_exhausted)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    struct str sent = pattern(LIMIT + 1);
    struct reply reply = call_method(&caller, "/test/Echo", sent);
    assert_int_equal(reply.code, STATUS_RESOURCE_EXHAUSTED);
    reply_free(&reply);
    free((void *)(uintptr_t)sent.data);
    echo_of(&caller, 10);
    caller_free(&caller);
}

TEST(a_compressed_message_is_inflated)
{
    static const grpc_compression_algorithm algorithms[] = {GRPC_COMPRESS_GZIP, GRPC_COMPRESS_DEFLATE};
    for (size_t i = 0; i < 2; i++) {
        struct caller caller = caller_new(rpc_port(server), algorithms[i]);
        echo_of(&caller, 100000);
        echo_of(&caller, 4000000);
        caller_free(&caller);
    }
}

TEST(a_message_that_inflates_above_the_limit_is_resource_exhausted)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_GZIP);
    char *zeros = calloc(1, LIMIT + 1);
    struct reply reply = call_method(&caller, "/test/Echo", (struct str){zeros, LIMIT + 1});
    assert_int_equal(reply.code, STATUS_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(reply.details, "8388608"));
    reply_free(&reply);
    reply = call_method(&caller, "/test/Echo", (struct str){zeros, LIMIT});
    assert_int_equal(reply.code, STATUS_OK);
    assert_int_equal(reply.size, LIMIT);
    reply_free(&reply);
    free(zeros);
    caller_free(&caller);
}

TEST(a_call_without_a_message_is_refused)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    struct reply reply = call_method(&caller, "/test/Echo", (struct str){0});
    assert_int_not_equal(reply.code, STATUS_OK);
    assert_null(reply.bytes);
    reply_free(&reply);
    echo_of(&caller, 10);
    caller_free(&caller);
}

TEST(metadata_is_seen_and_too_much_of_it_refused)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    caller.metadata_value = STR("value");
    struct reply reply = call_method(&caller, "/test/Metadata", STR("x"));
    assert_int_equal(reply.code, STATUS_OK);
    assert_memory_equal(reply.bytes, "value", 5);
    reply_free(&reply);

    char *many = malloc(20000);
    memset(many, 'x', 20000);
    caller.metadata_value = (struct str){many, 20000};
    reply = call_method(&caller, "/test/Metadata", STR("x"));
    assert_int_equal(reply.code, STATUS_RESOURCE_EXHAUSTED);
    reply_free(&reply);
    free(many);

    caller_free(&caller);
    caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE); /* the core may have closed that connection */
    echo_of(&caller, 10);
    caller_free(&caller);
}

static void *answer_later(void *unused)
{
    (void)unused;
    struct rpc_call *call = kept();
    echo(call);
    return NULL;
}

TEST(an_answer_may_come_later_from_another_thread)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, answer_later, NULL);
        struct str sent = pattern(20000);
        struct reply reply = call_method(&caller, "/test/Later", sent);
        assert_int_equal(reply.code, STATUS_OK);
        assert_int_equal(reply.size, sent.size);
        assert_memory_equal(reply.bytes, sent.data, sent.size);
        reply_free(&reply);
        free((void *)(uintptr_t)sent.data);
        pthread_join(thread, NULL);
    }
    caller_free(&caller);
}

/* Cancels the call of the caller once the handler has it. Returns that call. */
static void *cancel_once_kept(void *argument)
{
    struct rpc_call *call = kept();
    caller_cancel(argument);
    return call;
}

/* Makes a call that its client gives up while the handler has it. Returns that call. */
static struct rpc_call *given_up(struct caller *caller)
{
    pthread_t thread;
    void *call;
    pthread_create(&thread, NULL, cancel_once_kept, caller);
    struct reply reply = call_method(caller, "/test/Later", STR("x"));
    assert_int_equal(reply.code, STATUS_CANCELLED);
    reply_free(&reply);
    pthread_join(thread, &call);
    return call;
}

TEST(a_client_that_gives_up_is_noticed_and_its_late_answer_harms_nobody)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    struct rpc_call *call = given_up(&caller);
    while (rpc_in_flight() > 0) /* if the server is wrong, the test hangs here */
        usleep(1000);
    rpc_answer(call);
    echo_of(&caller, 10);
    caller_free(&caller);
}

TEST(a_call_that_waits_at_the_stop_is_cancelled_and_may_still_answer)
{
    struct caller caller = caller_new(rpc_port(server), GRPC_COMPRESS_NONE);
    struct rpc_call *call = given_up(&caller);
    caller_free(&caller);
    rpc_stop(server);
    assert_int_equal(rpc_in_flight(), 0);
    rpc_answer(call);
    server = NULL;
    arena_free(&arena);
    assert_int_equal(start(state), 0);
}

static void *call_later(void *argument)
{
    struct caller caller = caller_new(*(int *)argument, GRPC_COMPRESS_NONE);
    struct reply reply = call_method(&caller, "/test/Later", STR("x"));
    assert_int_not_equal(reply.code, STATUS_OK);
    reply_free(&reply);
    caller_free(&caller);
    return NULL;
}

TEST(the_stop_cancels_a_call_whose_client_still_waits)
{
    int port = rpc_port(server);
    pthread_t thread;
    pthread_create(&thread, NULL, call_later, &port);
    struct rpc_call *call = kept();
    assert_int_equal(rpc_in_flight(), 1);
    rpc_stop(server);
    assert_int_equal(rpc_in_flight(), 0);
    pthread_join(thread, NULL);
    rpc_answer(call);
    server = NULL;
    arena_free(&arena);
    assert_int_equal(start(state), 0);
}

TEST(a_port_that_is_taken_is_refused)
{
    char address[32];
    snprintf(address, sizeof(address), "127.0.0.1:%d", rpc_port(server));
    struct rpc_options second = options;
    second.address = address;
    struct rpc_server *other = NULL;
    struct status status = rpc_start(&second, &arena, &other);
    assert_int_equal(status.code, STATUS_UNAVAILABLE);
    assert_non_null(strstr(status.message.data, address));
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
        call->fate = strcmp(call->refused_by, "hang") == 0 ? RPC_HANG : RPC_RESET;
    rpc_trailing_metadata(call, "oip-test", str_of(call->service->profile));
}

TEST(begin_and_finish_see_every_call_and_decide_its_fate)
{
    struct rpc_options hooked = options;
    hooked.begin = begin;
    hooked.finish = finish;
    struct rpc_server *other = NULL;
    assert_true(is_ok(rpc_start(&hooked, &arena, &other)));
    struct caller caller = caller_new(rpc_port(other), GRPC_COMPRESS_NONE);
    static const char *const paths[] = {"/test/Echo", "/test/Refuse", "/test/Nothing"};
    for (size_t i = 0; i < 3; i++) {
        struct reply reply = call_method(&caller, paths[i], STR("x"));
        assert_non_null(reply.trailer);
        reply_free(&reply);
        caller.metadata_value = STR("reset");
        reply = call_method(&caller, paths[i], STR("x"));
        assert_int_equal(reply.code, STATUS_CANCELLED);
        reply_free(&reply);
        caller.metadata_value = STR("hang");
        caller.seconds = 0.2;
        reply = call_method(&caller, paths[i], STR("x"));
        assert_int_equal(reply.code, STATUS_DEADLINE_EXCEEDED);
        reply_free(&reply);
        caller.seconds = 60;
        caller.metadata_value = (struct str){0};
    }
    static const char *const unknown[][2] = {{"/oip.Other/Nothing", "other-grpc"},
                                             {"/oip.Othe/Nothing", "test-grpc"},
                                             {"/oip.Other.X/Nothing", "test-grpc"},
                                             {"/Nothing", "test-grpc"}};
    for (size_t i = 0; i < COUNT_OF(unknown); i++) {
        struct reply reply = call_method(&caller, unknown[i][0], STR("x"));
        assert_int_equal(reply.code, STATUS_UNIMPLEMENTED);
        assert_string_equal(reply.trailer, unknown[i][1]);
        reply_free(&reply);
    }
    caller_free(&caller);
    rpc_stop(other);
}

/* --- Clients that send frames of their own --- */

#define PREFACE  "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
#define SETTINGS "\0\0\0\4\0\0\0\0\0"
#define FIELDS                                                                                                         \
    "\x83\x86\x44\x0b/test/Later\x41\1x\0\x0c"                                                                         \
    "content-type\x10"                                                                                                 \
    "application/grpc"
#define TIMEOUT                                                                                                        \
    "\0\x0cgrpc-timeout\x03"                                                                                           \
    "50m"

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

static struct rpc_server *impatient_server(void)
{
    struct rpc_options hasty = options;
    hasty.patience = 0.5; /* enough for a client to speak on a busy machine */
    struct rpc_server *other = NULL;
    assert_true(is_ok(rpc_start(&hasty, &arena, &other)));
    return other;
}

TEST(who_says_nothing_is_cut)
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

TEST(a_call_whose_message_never_comes_is_reset_and_an_idle_client_told_goodbye)
{
    struct rpc_server *other = impatient_server();
    int fd = raw_client(other, STR(PREFACE SETTINGS "\0\0\x31\1\4\0\0\0\1" FIELDS));
    assert_int_equal(flags_of_next(fd, 3), 0);
    assert_int_equal(flags_of_next(fd, 7), 0);
    assert_int_equal(flags_of_next(fd, 255), -1);
    close(fd);
    rpc_stop(other);
}

TEST(a_deadline_passes_while_the_handler_has_the_call)
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
static void *ask_about_files(void *unused)
{
    struct sockaddr_storage peer;
    (void)unused;
    while (atomic_load(&asks_on)) {
        for (int fd = 3; fd < 64; fd++) {
            socklen_t size = sizeof(peer);
            getpeername(fd, (struct sockaddr *)&peer, &size);
        }
    }
    return NULL;
}

/* A file that another thread asks about is not gone when it is closed, and its events may still come. */
TEST(connections_end_while_others_ask_about_their_files)
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
