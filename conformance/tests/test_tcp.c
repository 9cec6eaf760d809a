/* Tests of tcp connections with a server of one connection. It follows a script: it waits for a text, then answers
 * another one. */
#include "client/tcp.h"
#include "port.h"
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

struct line {
    const char *waits_for; /* NULL: the end of the connection */
    const char *says;
};

struct speaker {
    int listener, port;
    char address[40];
    const struct line *script;
    bool shuts; /* closes at the end of the script; else waits until the client does */
    char heard[4096];
    size_t heard_size;
    pthread_t thread;
};

static bool hear(struct speaker *speaker, int connection, const char *text)
{
    while (!text || !strstr(speaker->heard, text)) {
        ssize_t got =
            recv(connection, speaker->heard + speaker->heard_size, sizeof speaker->heard - 1 - speaker->heard_size, 0);
        if (got <= 0)
            return text == NULL;
        speaker->heard_size += (size_t)got;
    }
    return true;
}

static void *speak(void *argument)
{
    struct speaker *speaker = argument;
    int connection = accept(speaker->listener, NULL, NULL);
    for (const struct line *line = speaker->script; line->says; line++) {
        if (!hear(speaker, connection, line->waits_for))
            break;
        (void)!write(connection, line->says, strlen(line->says));
    }
    if (!speaker->shuts)
        hear(speaker, connection, NULL);
    close(connection);
    return NULL;
}

static struct speaker speaker;
static struct client_options to_speaker;
static struct tcp *tcp; /* the connection with the speaker */
static struct answer answer;

/* Starts the speaker, and connects with it. */
static void start(const struct line *script, bool shuts)
{
    speaker = (struct speaker){.script = script, .shuts = shuts};
    speaker.listener = port_bind(&speaker.port);
    assert_int_equal(listen(speaker.listener, 1), 0);
    pthread_create(&speaker.thread, NULL, speak, &speaker);
    snprintf(speaker.address, sizeof speaker.address, "http://127.0.0.1:%d", speaker.port);
    to_speaker = (struct client_options){.timeout = 5, .max_message = 1 << 20};
    tcp = tcp_open(&to_speaker, str_of(speaker.address));
}

static int silence(void **)
{
    tcp_close(tcp);
    pthread_join(speaker.thread, NULL);
    close(speaker.listener);
    return 0;
}

/* A test that starts a speaker, which is stopped after it. */
#define TCP_TEST(name) TEST_WITH(name, NULL, silence)

static const struct tcp_wanted plain = {0};

/* Reads the next answer. */
static void hear_answer(void)
{
    tcp_read(tcp, &plain, &arena, &answer);
}

static void ask(const char *text)
{
    tcp_write(tcp, str_of(text));
    hear_answer();
}

TCP_TEST(two_answers_in_one_packet_are_read_one_by_one)
{
    static const struct line script[] = {{"two",
                                          "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-A:  b \r\n\r\noneHTTP/1.1 404 Not "
                                          "Found\r\nContent-Length: 0\r\n\r\n"},
                                         {0}};
    start(script, false);
    tcp_write(tcp, STR("one "));
    ask("two");
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.status, 200);
    assert_text(answer.body, "one");
    assert_int_equal(answer.headers.count, 2);
    assert_text(answer.headers.entries[1].name, "X-A");
    assert_text(answer.headers.entries[1].value, "b");
    assert_false(answer.closed);
    hear_answer();
    assert_int_equal(answer.status, 404);
    assert_int_equal(answer.body.size, 0);
}

TCP_TEST(a_chunked_answer_with_trailers_is_put_together)
{
    static const struct line script[] = {{"GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"},
                                         {"GET", "4;x=y\r\n two\r\n0\r\nX-T: z\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n"},
                                         {0}};
    start(script, false);
    ask("GET");
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_text(answer.body, "one two");
    hear_answer();
    assert_int_equal(answer.status, 204);
}

TCP_TEST(interim_answers_are_read_over_unless_they_are_wanted)
{
    static const char interim[] = "HTTP/1.1 100 Continue\r\n\r\n";
    static const struct line script[] = {{"a", interim},
                                         {"b", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"},
                                         {"c", interim},
                                         {"c", "HTTP/1.1 201 Created\r\nContent-Length: 0\r\n\r\n"},
                                         {0}};
    start(script, false);
    tcp_write(tcp, STR("a"));
    tcp_read(tcp, &(struct tcp_wanted){.interim = true}, &arena, &answer);
    assert_int_equal(answer.status, 100);
    ask("b");
    assert_int_equal(answer.status, 200);
    ask("c");
    assert_int_equal(answer.status, 201);
}

TCP_TEST(the_answer_to_head_has_no_body_to_wait_for)
{
    static const struct line script[] = {{"HEAD /", "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"}, {0}};
    start(script, false);
    ask("HEAD / HTTP/1.1\r\n\r\n");
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.body.size, 0);
}

TEST(the_end_of_the_connection_is_told_where_it_stands)
{
    static const struct line whole[] = {{"x", "HTTP/1.0 200 OK\r\n\r\nuntil the end"}, {0}};
    static const struct line half[] = {{"x", "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfive "}, {0}};
    static const struct line nothing[] = {{"x", ""}, {0}};
    const struct tcp_wanted closed = {.closed = true}, end = {.closed = true, .end = true};

    start(whole, true);
    tcp_write(tcp, STR("x"));
    tcp_read(tcp, &end, &arena, &answer);
    assert_int_equal(answer.status, 200);
    assert_text(answer.body, "until the end");
    assert_true(answer.closed);
    silence(NULL);

    start(half, true);
    ask("x");
    assert_int_equal(answer.outcome, OUTCOME_CLOSED);
    silence(NULL);

    start(nothing, true);
    tcp_write(tcp, STR("x"));
    tcp_read(tcp, &closed, &arena, &answer);
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_int_equal(answer.status, 0);
    assert_true(answer.closed);
    hear_answer();
    assert_int_equal(answer.outcome, OUTCOME_CLOSED);
    silence(NULL);
}

#define FIRST_ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none"

/* Reads three answers of a server that ends the connection after so many bytes of the second one. Only where nothing
 * of an answer came does the end of the connection stand for it. */
static void read_up_to(const char *second, size_t cut)
{
    char says[256];
    const struct line script[] = {{"three", says}, {0}};
    const struct tcp_wanted end = {.closed = true, .end = true};
    snprintf(says, sizeof says, FIRST_ANSWER "%.*s", (int)cut, second);
    start(script, true);
    ask("one two three");
    assert_int_equal(answer.outcome, OUTCOME_ANSWERED);
    assert_text(answer.body, "one");
    for (size_t i = 0; i < 2; i++) {
        bool breaks_off = i == 0 && cut > 0;
        tcp_read(tcp, &end, &arena, &answer);
        assert_int_equal(answer.outcome, breaks_off ? OUTCOME_CLOSED : OUTCOME_ANSWERED);
        assert_int_equal(answer.closed, !breaks_off);
        assert_true(str_is(answer.trouble, breaks_off ? "the connection was closed before the whole answer came"
                                                      : "the connection was closed without an answer"));
    }
    silence(NULL);
}

TEST(an_answer_behind_another_may_break_off_at_any_byte)
{
    EACH(text, "HTTP/1.1 200 OK\r\nX-A:  b \r\nContent-Length: 3\r\n\r\ntwo",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
         "3;x=y\r\ntwo\r\n0\r\nX-T: z\r\n\r\n")
        for (size_t cut = 0; cut < strlen(text); cut++)
            read_up_to(text, cut);
}

TEST(a_half_closed_connection_is_still_answered)
{
    static const struct line script[] = {{NULL, "HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"}, {0}};
    start(script, true);
    tcp_write(tcp, STR("GET /ha"));
    tcp_half_close(tcp);
    hear_answer();
    assert_int_equal(answer.status, 400);
    silence(NULL);
    assert_string_equal(speaker.heard, "GET /ha");
}

TCP_TEST(what_is_no_http_is_garbled)
{
    static const struct line script[] = {{"x", "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\nabc"},
                                         {0}};
    start(script, true);
    ask("x");
    assert_int_equal(answer.outcome, OUTCOME_GARBLED);
    assert_true(answer.trouble.size > 0);
    assert_text(answer.came, script[0].says);
}

TCP_TEST(a_server_that_says_nothing_times_out)
{
    static const struct line script[] = {{"never", ""}, {0}};
    start(script, false);
    to_speaker.timeout = 0.1;
    ask("x");
    assert_int_equal(answer.outcome, OUTCOME_TIMEOUT);
}

TEST(no_server_is_told_by_the_read)
{
    static const struct line script[] = {{0}};
    start(script, true);
    silence(NULL);
    tcp = tcp_open(&to_speaker, str_of(speaker.address));
    tcp_write(tcp, STR("x"));
    tcp_half_close(tcp);
    hear_answer();
    assert_int_equal(answer.outcome, OUTCOME_UNREACHABLE);
    tcp_close(tcp);
}

TEST(headers_go_behind_every_request_line)
{
    const char *const lines[] = {"K: V"};
    struct client_options options = {.headers = {lines, 1}};
    const struct header extra = {STR("X"), STR("y")};
    assert_true(str_is(
        tcp_with_headers(STR("GET / HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.0\r\n\r\n"), &options, &extra, &arena),
        "GET / HTTP/1.1\r\nK: V\r\nX: y\r\nHost: h\r\n\r\nGET /b HTTP/1.0\r\nK: V\r\nX: y\r\n\r\n"));
    assert_text(tcp_with_headers(STR("GET / HTTP/1."), &options, &extra, &arena), "GET / HTTP/1.");
    assert_text(tcp_with_headers(STR("a HTTP/1.1 b HTTP/1.1\r\n"), &options, NULL, &arena),
                "a HTTP/1.1 b HTTP/1.1\r\nK: V\r\n");
    options.headers.count = 0;
    assert_text(tcp_with_headers(STR("GET / HTTP/1.1\r\n"), &options, NULL, &arena), "GET / HTTP/1.1\r\n");
}

TEST(what_is_shown_keeps_what_the_options_headers_say_to_itself)
{
    const char *const lines[] = {"Authorization: secret", "K: it's"};
    const struct client_options options = {.headers = {lines, 2}};
    struct str bytes = tcp_with_headers(STR("GET / HTTP/1.1\r\nX: K: it's\r\n\r\n"), &options, NULL, &arena);
    assert_text(tcp_shown(&options, bytes, &arena),
                "GET / HTTP/1.1\r\nAuthorization: ***\r\nK: ***\r\nX: K: it's\r\n\r\n");
}

TEST(what_is_shown_keeps_secrets_to_itself_wherever_they_stand)
{
    struct secrets *secrets = secrets_new(&arena);
    const struct client_options options = {.secrets = secrets};
    secrets_add(secrets, STR("it's%secret"));
    assert_text(tcp_shown(&options, STR("X: it's%secret\r\n"), &arena), "X: ***\r\n");
}
