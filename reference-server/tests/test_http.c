/* Tests the HTTP transport over real sockets, with handlers that use all of its functions. test_hostile_http tests what
 * strange clients may send. */
#include "base/search.h"
#include "http_socket.h"

#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#define LARGE   ((size_t)8 * 1024 * 1024)
#define WORKERS 8
#define MEMORY  ((size_t)40 * 1024 * 1024)

static struct http_server *server;
static atomic_int caches;

static void *answer_later(void *argument)
{
    struct http_request *request = argument;
    buf_append_literal(&request->answer_buf, "later");
    http_answer(request, 200, "text/plain");
    return NULL;
}

static void handle(struct http_request *request)
{
    struct str body;
    if (!*request->cache) {
        *request->cache = malloc(1);
        atomic_fetch_add(&caches, 1);
    }
    if (str_is(request->path, "/later")) {
        pthread_t thread;
        pthread_create(&thread, NULL, answer_later, request);
        pthread_detach(thread);
    } else if (str_is(request->path, "/large")) {
        char *bytes = buf_reserve(&request->answer_buf, LARGE);
        memset(bytes, 'x', LARGE);
        request->answer_buf.size = LARGE;
        http_answer(request, 200, NULL);
    } else if (str_starts(request->path, STR("/parts"))) {
        bool goes_on = http_send_part(request, "text/plain", STR("one"));
        goes_on = goes_on && http_send_part(request, "text/plain", STR("three"));
        while (goes_on && str_is(request->path, "/parts/without/end"))
            goes_on = http_send_part(request, "text/plain", STR("and so on, and so on, and so on, and so on"));
        http_answer(request, 200, "text/plain");
    } else if (str_is(request->path, "/policy")) {
        request->answer_body = sched_getscheduler(0) == SCHED_BATCH ? STR("batch") : STR("other");
        http_answer(request, 200, NULL);
    } else if (str_is(request->path, "/aligned")) {
        request->aligned_from = (size_t)strtoull(http_header_value(request, "X-From").data, NULL, 10);
        struct status status = http_read_body(request, &body);
        bool is_aligned =
            request->aligned_from == 0 || ((uintptr_t)body.data + request->aligned_from) % HTTP_BODY_ALIGNMENT == 0;
        request->answer_body = !is_ok(status) ? status.message : is_aligned ? body : STR("not aligned");
        http_answer(request, 200, NULL);
    } else if (str_is(request->path, "/body")) {
        struct status status = http_read_body(request, &body);
        request->answer_body = is_ok(status) ? body : status.message;
        http_answer(request, is_ok(status) ? 200 : 400 + (int)status.code, NULL);
    } else if (str_starts(request->path, STR("/hold/"))) {
        size_t size = (size_t)strtoull(request->path.data + strlen("/hold/"), NULL, 10);
        bool is_held = arena_alloc(request->arena, size << 20) != NULL;
        request->delivery = str_is(request->query, "hang") ? HTTP_HANG : HTTP_SEND;
        request->answer_body = is_held ? STR("held") : STR("the transport says why not");
        http_answer(request, is_held ? 200 : 500, "text/plain");
    } else {
        request->delivery = str_is(request->path, "/hang")    ? HTTP_HANG
                            : str_is(request->path, "/close") ? HTTP_CLOSE
                                                              : HTTP_SEND;
        request->answer_body = request->path;
        http_answer(request, 200, NULL);
    }
}

static void free_cache(void *cache)
{
    free(cache);
    atomic_fetch_sub(&caches, 1);
}

/* Answers which service it is, and how often this worker has called it. */
static void tell(struct http_request *request)
{
    if (!*request->cache) {
        *request->cache = calloc(1, sizeof(int));
        atomic_fetch_add(&caches, 1);
    }
    int *count = *request->cache;
    buf_printf(&request->answer_buf, "%s %s %d", (const char *)request->context, request->path.data, ++*count);
    http_answer(request, 200, NULL);
}

static const char *refuse_in_own_words(struct http_request *request, int status, const char *)
{
    http_answer_header(request, STR("X-Service"), STR("other"));
    buf_printf(&request->answer_buf, "no: %d", status);
    return "text/other";
}

#define SERVICE(at, path, does, refuses)                                                                               \
    .listener = (at), .prefix = (path), .profile = "x", .handle = (does), .write_refusal = (refuses),                  \
    .free_cache = free_cache

static const struct http_service handling = {SERVICE("http", "/", handle, write_refusal)};
static const struct http_service first = {SERVICE("second", "/v2", tell, write_refusal)};
static const struct http_service other = {SERVICE("second", "/api", tell, refuse_in_own_words)};
static const struct http_service inner = {SERVICE("second", "/v2/in", tell, write_refusal)};
static const struct http_service lenient = {SERVICE("second", "/lenient", tell, refuse_in_own_words),
                                            .needs_no_host = true, .status_of_a_refusal = 400};
static const struct http_mount mounts[] = {{&handling, NULL},
                                           {&first, (char[]){"first"}},
                                           {&other, (char[]){"other"}},
                                           {&inner, (char[]){"inner"}},
                                           {&lenient, (char[]){"lenient"}}};

static struct http_options options_for(const struct http_listener *listeners, size_t count)
{
    return (struct http_options){
        .listeners = listeners,
        .listener_count = count,
        .mounts = mounts,
        .mount_count = COUNT_OF(mounts),
        .threads = WORKERS,
        .waiting = 256,
        .max_message = 1000,
        .memory = MEMORY,
        .body_timeout = 0.4,
        .idle_timeout = 60, /* longer than any test waits */
    };
}

static int start(void **state)
{
    static const struct http_listener listeners[] = {{"http", "127.0.0.1:0"}, {"second", "127.0.0.1:0"}};
    make_arena(state);
    struct http_options options = options_for(listeners, 2);
    return is_ok(http_start(&options, &arena, &server)) ? 0 : -1;
}

static int tear_down(void **state)
{
    http_stop(server);
    drop_arena(state);
    return atomic_load(&caches) == 0 && http_in_flight() == 0 ? 0 : -1;
}

static void say(int fd, const char *text)
{
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), strlen(text));
}

/* Returns a new connection over which the text was sent. */
static int connect_and_say(const char *listener, const char *text)
{
    int fd = connect_to(http_port(server, listener));
    say(fd, text);
    return fd;
}

/* Returns all that comes until the server closes the connection. */
static const char *answer_of(int fd)
{
    struct buf all = receive_all(fd);
    buf_append_byte(&all, '\0');
    return arena_take(&arena, &all).data;
}

static const char *ask_with(const char *listener, const char *text)
{
    return answer_of(connect_and_say(listener, text));
}

static const char *ask_at(const char *listener, const char *path)
{
    return ask_with(listener,
                    arena_printf(&arena, "GET %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n", path).data);
}

static const char *ask(const char *path)
{
    return ask_at("http", path);
}

static const char *body_of(const char *answer)
{
    const char *end = strstr(answer, "\r\n\r\n");
    assert_non_null(end);
    return end + 4;
}

static bool begins(const char *answer, const char *head)
{
    return strncmp(answer, head, strlen(head)) == 0;
}

static void assert_answer(const char *answer, const char *head, const char *body)
{
    if (!begins(answer, head))
        fail_msg("%s\n--- does not begin with\n%s", answer, head);
    assert_non_null(strstr(answer, "\r\nDate: "));
    assert_string_equal(body_of(answer), body);
}

static void nap(void)
{
    usleep(1000);
}

const struct unit_group unit_group = {start, tear_down};

TEST(a_handler_may_answer_from_another_thread)
{
    for (int i = 0; i < 200; i++)
        assert_answer(ask("/later"), "HTTP/1.1 200 OK\r\n", "later");
}

static void *take_batch(void *granted)
{
    const struct sched_param none = {0};
    *(bool *)granted = sched_setscheduler(0, SCHED_BATCH, &none) == 0;
    return NULL;
}

TEST(workers_do_not_interrupt_one_another_where_that_is_granted)
{
    pthread_t thread;
    bool granted = false;
    assert_int_equal(pthread_create(&thread, NULL, take_batch, &granted), 0);
    pthread_join(thread, NULL);
    assert_answer(ask("/policy"), "HTTP/1.1 200 OK\r\n", granted ? "batch" : "other");
}

TEST(a_path_arrives_as_it_was_sent)
{
    assert_answer(ask("/a%2Fb/%00/../c?query"), "HTTP/1.1 200 OK\r\n", "/a%2Fb/%00/../c");
}

TEST(large_answers_arrive_whole)
{
    const char *body = body_of(ask("/large"));
    assert_int_equal(strspn(body, "x"), LARGE);
    assert_int_equal(strlen(body), LARGE);
}

/* The rest of the answer never comes; so nothing may come after it either. */
TEST(an_answer_that_breaks_off_is_the_last_of_its_connection)
{
    static const char second[] = "GET /second HTTP/1.1\r\nHost: x\r\n\r\n";
    int fd = connect_and_say("http", "GET /large HTTP/1.1\r\nHost: x\r\n\r\n");
    while (http_in_flight() == 0)
        nap();
    while (http_in_flight() > 0) /* the server gives up, because the client does not read */
        nap();
    send(fd, second, sizeof(second) - 1, MSG_NOSIGNAL);
    const char *answer = answer_of(fd);
    assert_true(strlen(answer) < LARGE);
    assert_null(strstr(answer, "/second"));
}

TEST(an_answer_may_be_sent_in_parts)
{
    int fd = connect_and_say("http", "GET /parts HTTP/1.1\r\nHost: x\r\n\r\n");
    say(fd, "GET /parts HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); /* the connection goes on */
    const char *answer = strstr(answer_of(fd) + 1, "HTTP/1.1");
    assert_non_null(answer);
    assert_non_null(strstr(answer, "\r\nTransfer-Encoding: chunked\r\n"));
    assert_null(strstr(answer, "Content-Length"));
    assert_answer(answer, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n", "3\r\none\r\n5\r\nthree\r\n0\r\n\r\n");
    /* This client knows no chunks. */
    answer = ask_with("http", "GET /parts HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
    assert_null(strstr(answer, "chunked"));
    assert_answer(answer, "HTTP/1.1 200 OK\r\n", "onethree");
}

TEST(parts_end_when_their_client_leaves)
{
    char bytes[100];
    int fd = connect_and_say("http", "GET /parts/without/end HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(recv(fd, bytes, sizeof(bytes), 0) > 0);
    close(fd);
    while (http_in_flight() > 0) /* if the server is wrong, the test hangs here */
        nap();
}

/* Returns a connection that has had an answer, and that the server keeps for the next request. */
static int connect_and_ask_once(void)
{
    char bytes[1000];
    int fd = connect_and_say("http", "GET /first HTTP/1.1\r\nHost: x\r\n\r\n");
    assert_true(recv(fd, bytes, sizeof(bytes), 0) > 0);
    return fd;
}

TEST(idle_connections_give_way_when_all_workers_are_taken)
{
    int idle[2 * WORKERS];
    for (int i = 0; i < 2 * WORKERS; i++) /* the second half of them begins only when the first has given way */
        idle[i] = connect_and_ask_once();
    assert_answer(ask("/after"), "HTTP/1.1 200 OK\r\n", "/after");
    for (int i = 0; i < 2 * WORKERS; i++)
        close(idle[i]);
}

#define FEW 4

static atomic_bool drips_on;

/* Sends a byte on each connection a few times a second, and takes one of its answer. */
static void *drip(void *argument)
{
    const int *connections = argument;
    while (atomic_load(&drips_on)) {
        for (size_t i = 0; i < FEW; i++) {
            char byte;
            send(connections[i], "x", 1, MSG_NOSIGNAL);
            recv(connections[i], &byte, 1, MSG_DONTWAIT);
        }
        usleep(200000);
    }
    return NULL;
}

/* A head and a body that come, and two answers that are taken, byte by byte hold all workers. Requests behind them are
 * never answered, so the crowd stays. */
TEST(who_drips_gives_way_when_all_workers_are_taken)
{
    static const struct http_listener listeners[] = {{"http", "127.0.0.1:0"}};
    static const char *const requests[FEW] = {
        "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n",
        "GET /x HTTP/1.1\r\nHost: x\r\nX: ", "GET /large HTTP/1.1\r\nHost: x\r\n\r\n",
        "GET /parts/without/end HTTP/1.1\r\nHost: x\r\n\r\n"};
    struct http_options options = options_for(listeners, 1);
    struct http_server *small;
    options.threads = FEW;
    options.body_timeout = 120; /* longer than the patience of this test */
    assert_true(is_ok(http_start(&options, &arena, &small)));
    int connections[FEW], behind[FEW];
    const char *kept = NULL;
    for (size_t i = 0; i < FEW; i++) {
        connections[i] = connect_to(http_port(small, "http"));
        say(connections[i], requests[i]);
    }
    for (size_t i = 0; i < FEW; i++) {
        behind[i] = connect_to(http_port(small, "http"));
        say(behind[i], "GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    }
    pthread_t dripping;
    atomic_store(&drips_on, true);
    pthread_create(&dripping, NULL, drip, connections);
    for (size_t i = 0; i < FEW; i++) {
        struct pollfd ended = {.fd = connections[i], .events = POLLRDHUP};
        if (poll(&ended, 1, 20000) != 1)
            kept = requests[i];
    }
    atomic_store(&drips_on, false);
    pthread_join(dripping, NULL);
    for (size_t i = 0; i < FEW; i++) {
        close(connections[i]);
        close(behind[i]);
    }
    http_stop(small);
    if (kept)
        fail_msg("%s... is not ended", kept);
}

TEST(a_request_that_takes_long_is_not_idle)
{
    int busy[WORKERS - 1];
    char byte;
    for (int i = 0; i < WORKERS - 1; i++)
        busy[i] = connect_and_say("http", "GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");

    while (http_in_flight() < WORKERS - 1)
        nap();
    int idle = connect_and_ask_once();
    assert_int_equal(recv(idle, &byte, 1, 0), 0); /* it was ended, so all were looked at, and the others were older */
    usleep(400000);                               /* in which a hang would notice */
    assert_int_equal(http_in_flight(), WORKERS - 1);
    for (int i = 0; i < WORKERS - 1; i++)
        close(busy[i]);
    close(idle);
}

TEST(close_ends_the_connection_without_an_answer)
{
    assert_string_equal(ask("/close"), "");
}

TEST(hang_lasts_until_the_client_leaves)
{
    char byte;
    int fd = connect_and_say("http", "GET /hang HTTP/1.1\r\nHost: x\r\n\r\n");
    while (http_in_flight() == 0)
        nap();
    assert_int_equal(recv(fd, &byte, 1, MSG_DONTWAIT), -1);
    close(fd);
    while (http_in_flight() > 0) /* if the server is wrong, the test hangs here */
        nap();
}

/* Sends a request that holds memory until its client leaves. Returns the connection. */
static int hold(void)
{
    return connect_and_say("http", "GET /hold/18?hang HTTP/1.1\r\nHost: x\r\n\r\n");
}

TEST(requests_share_their_memory)
{
    assert_answer(ask("/hold/19"), "HTTP/1.1 200 OK\r\n", "held");
    assert_answer(ask("/hold/21"), "HTTP/1.1 413 Content Too Large\r\nContent-Type: text/plain\r\n",
                  "this request needs more than half of the memory that this server has for all requests (41943040 "
                  "bytes)");
    const char *answer;
    int holder = hold();
    while (begins(answer = ask("/hold/14"), "HTTP/1.1 200")) {
        close(holder); /* the other one is not there yet, or was refused because of this one */
        holder = hold();
    }
    assert_answer(answer, "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 1\r\nContent-Type: text/plain\r\n",
                  "other requests hold the memory that this server has for all of them (41943040 bytes): try again");
    assert_answer(ask("/hold/10"), "HTTP/1.1 200 OK\r\n", "held");
    assert_answer(ask("/hold/0"), "HTTP/1.1 200 OK\r\n", "held");
    close(holder);
    while (begins(answer = ask("/hold/14"), "HTTP/1.1 503"))
        nap(); /* the server has not seen yet that its client left */
    assert_answer(answer, "HTTP/1.1 200 OK\r\n", "held");
}

TEST(a_body_that_drips_is_given_up)
{
    int fd = connect_and_say("http", "POST /body HTTP/1.1\r\nHost: x\r\nContent-Length: 900\r\n\r\n");
    for (int i = 0; i < 900 && send(fd, "x", 1, MSG_NOSIGNAL) == 1; i++)
        usleep(20000);
    const char *answer = answer_of(fd);
    assert_true(begins(answer, "HTTP/1.1 404")); /* the code of DEADLINE_EXCEEDED, 4, added to 400 */
    assert_non_null(strstr(answer, "the body did not arrive in time"));
}

TEST(a_body_that_never_comes_is_given_up)
{
    assert_true(begins(ask_with("http", "POST /body HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel"),
                       "HTTP/1.1 404"));
}

TEST(a_body_lies_aligned_from_where_the_handler_wants)
{
    static const size_t rows[] = {0, 1, 63, 64, 65, 200, SIZE_MAX};
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        struct str text = arena_printf(&arena,
                                       "POST /aligned HTTP/1.1\r\nHost: x\r\nConnection: close\r\nX-From: %zu\r\n"
                                       "Content-Length: 90\r\n\r\n%090d",
                                       rows[i], 7);
        assert_string_equal(body_of(ask_with("http", text.data)), body_of(text.data));
    }
}

TEST(a_request_goes_to_the_service_of_its_listener_and_path)
{
    static const char *const rows[][2] = {
        {"/v2", "first"},    {"/v2/", "first"},     {"/v2/a", "first"}, {"/v2?q", "first"},  {"/v2/inn", "first"},
        {"/v2/in", "inner"}, {"/v2/in/a", "inner"}, {"/api", "other"},  {"/api/a", "other"}, {"/apis", "first"},
        {"/v", "first"},     {"/v2a", "first"},     {"/", "first"},     {"/x/api", "first"}, {"/V2/in", "first"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *body = body_of(ask_at("second", rows[i][0]));
        if (!begins(body, rows[i][1]))
            fail_msg("%s went to %s", rows[i][0], body);
    }
    assert_answer(ask("/v2") /* of another listener */, "HTTP/1.1 200 OK\r\n", "/v2");
}

TEST(a_worker_keeps_something_for_each_service)
{
    int fd = connect_to(http_port(server, "second")); /* one connection holds one worker */
    int counts[2] = {0};
    for (int i = 0; i < 4; i++) {
        char answer[1024], *body;
        say(fd, i % 2 ? "GET /api HTTP/1.1\r\nHost: x\r\n\r\n" : "GET /v2 HTTP/1.1\r\nHost: x\r\n\r\n");
        size_t size = 0;
        ssize_t n;
        do {
            n = recv(fd, answer + size, sizeof(answer) - 1 - size, 0);
            assert_true(n > 0);
            answer[size += (size_t)n] = '\0';
        } while (!(body = strstr(answer, "\r\n\r\n")) || !strchr(body + 4, ' ') ||
                 !strchr(strchr(body + 4, ' ') + 1, ' '));
        int count = (int)strtol(strrchr(body, ' ') + 1, NULL, 10);
        if (i >= 2)
            assert_int_equal(count, counts[i % 2] + 1);
        counts[i % 2] = count;
    }
    close(fd);
}

TEST(a_fault_is_refused_in_the_words_of_its_service)
{
    const char *answer = ask_with("second", "GET /api/x HTTP/1.1\r\n\r\n");
    assert_non_null(strstr(answer, "\r\nContent-Type: text/other\r\n"));
    assert_non_null(strstr(answer, "\r\nX-Service: other\r\n"));
    assert_answer(answer, "HTTP/1.1 400 Bad Request\r\n", "no: 400");
    assert_answer(ask_with("second", "GET /v2 HTTP/1.1\r\n\r\n"), "HTTP/1.1 400 Bad Request\r\n",
                  "the request has no Host header");
    answer = ask_with("second", "nonsense\r\n\r\n"); /* it has no path, so the first service of the listener answers */
    assert_true(begins(answer, "HTTP/1.1 400"));
    assert_non_null(strstr(answer, "\r\nContent-Type: text/plain\r\n"));
}

TEST(a_service_may_need_no_host_and_know_one_status_of_refusals)
{
    assert_true(begins(ask_with("second", "GET /lenient HTTP/1.1\r\nConnection: close\r\n\r\n"), "HTTP/1.1 200 OK"));
    assert_answer(ask_with("second", "GET /lenient HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"),
                  "HTTP/1.1 400 Bad Request\r\n", "no: 400");
    assert_answer(ask_with("second", "GET /lenient HTTP/1.1\r\nExpect: a miracle\r\n\r\n"),
                  "HTTP/1.1 400 Bad Request\r\n", "no: 400");
    assert_answer(ask_with("second", "GET /api HTTP/1.1\r\nHost: a\r\nExpect: a miracle\r\n\r\n"),
                  "HTTP/1.1 417 Expectation Failed\r\n", "no: 417");
}

TEST(a_port_that_is_taken_is_named)
{
    char address[32];
    struct http_server *another;
    snprintf(address, sizeof(address), "127.0.0.1:%d", http_port(server, "second"));
    for (size_t count = 1; count <= 2; count++) {
        const struct http_listener listeners[] = {{"http", address}, {"second", "127.0.0.1:0"}};
        struct http_options options = options_for(listeners, count);
        assert_fails(http_start(&options, &arena, &another), STATUS_UNAVAILABLE, address);
    }
}

TEST(two_listeners_on_one_port_are_refused)
{
    static const struct http_listener listeners[] = {{"http", "127.0.0.1:8000"}, {"second", "127.0.0.2:8000"}};
    struct http_server *another;
    struct http_options options = options_for(listeners, 2);
    assert_fails(http_start(&options, &arena, &another), STATUS_INVALID_ARGUMENT,
                 "http and second cannot share port 8000");
}
