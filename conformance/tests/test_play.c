/* Steps and watchers, played from the text of a fixture against a small server in this file:
 *   /count           answers {"n": how many such requests came before}
 *   /echo/ANYTHING   answers {"path": the path}
 *   /wait            answers as /echo does, once a /count has come
 *   /end             closes the connection without an answer
 *   /spoil           answers as /echo does, and spoils the next answer on the connection, which is 404
 *
 * It keeps connections open otherwise. */
#include "judge/watchers.h"

#include "fixture.h"
#include "own_server.h"

#include <stdatomic.h>
#include <time.h>

/* --- The server --- */

static atomic_int counted, connections;

/* Returns false if the connection must be closed. `spoilt`: whether the last request on the connection spoilt this
 * one. */
static bool answer(int connection, const char *request, bool *spoilt)
{
    char path[200] = "", body[300], text[600];
    if (sscanf(request, "%*s %199s", path) != 1 || strcmp(path, "/end") == 0)
        return false;
    while (strcmp(path, "/wait") == 0 && atomic_load(&counted) == 0)
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    if (strcmp(path, "/count") == 0)
        snprintf(body, sizeof(body), "{\"n\": %d}", atomic_fetch_add(&counted, 1));
    else
        snprintf(body, sizeof(body), "{\"path\": \"%s\"}", path);
    int size = snprintf(text, sizeof(text), "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n%s",
                        *spoilt ? "404 Not Found" : "200 OK", strlen(body), body);
    *spoilt = strcmp(path, "/spoil") == 0;
    return write(connection, text, (size_t)size) == size;
}

static void converse(int connection)
{
    char buffer[8192] = "";
    size_t size = 0;
    ssize_t got;
    bool open = true, spoilt = false;
    atomic_fetch_add(&connections, 1);
    while (open && (got = recv(connection, buffer + size, sizeof(buffer) - 1 - size, 0)) > 0) {
        size += (size_t)got;
        buffer[size] = '\0';
        char *end;
        while (open && (end = strstr(buffer, "\r\n\r\n")) != NULL) {
            open = answer(connection, buffer, &spoilt);
            size -= (size_t)(end + 4 - buffer);
            memmove(buffer, end + 4, size + 1);
        }
    }
}

/* --- Playing --- */

static size_t jobs = 4;

/* Plays only the cases v2-rest/t/one.json and, if it is given, v2-rest/t/two.json. */
static void play(const char *one, const char *two)
{
    atomic_store(&counted, 0);
    fixture_begin("v2-rest/t/one.json", one, two ? "v2-rest/t/two.json" : NULL, two);
    fixture_choose("v2-rest/t/*");
    struct run_options options = fixture_options("http", own_address);
    options.jobs = jobs;
    assert_ok(run_plan(&fixture.suite, &fixture.plan, &options, &fixture.run));
}

/* Returns the result of the only key of v2-rest/t/one. */
static const struct result *result_of_one(const char *encoding)
{
    return fixture_result(arena_printf(&arena, "v2-rest/t/one@%s#v2-rest.server-live", encoding).data);
}

/* Plays a case over HTTP. */
static void expect(enum verdict verdict, const char *text)
{
    play(text, NULL);
    assert_int_equal(result_of_one("http")->verdict, verdict);
}

/* A case with these steps. All texts have ' in place of ". */
#define CASE(steps) "{'says': 'a', 'steps': [" steps "]}"

/* The key that most steps expect. */
#define KEY "'expect': {'v2-rest.server-live': "

TEST(what_a_step_saves_is_used_by_a_later_one)
{
    expect(VERDICT_PASS, CASE("{'http': 'GET /count'},"
                              "{'http': 'GET /count', 'save': {'n': '/json/n'}},"
                              "{'http': 'GET /echo/${n}', " KEY "{'json': {'path': '/echo/1'}}}},"
                              "{'http': 'GET /count', " KEY "{'json': {'n': {'$not': '${n}'}}}}}"));
    expect(VERDICT_FAIL, CASE("{'http': 'GET /count', 'save': {'n': '/json/n'}},"
                              "{'http': 'GET /count', " KEY "{'json': {'n': '${n}'}}}}"));
}

TEST(what_an_answer_lacks_blocks_the_steps_that_ask_with_it)
{
    expect(VERDICT_BLOCKED, CASE("{'http': 'GET /count', 'save': {'n': '/json/no'}},"
                                 "{'http': 'GET /echo/${n}', " KEY "{'status': 200}}}"));
}

/* That is the target's fault, and not the suite's, wherever the value stands. */
TEST(what_a_saved_value_lacks_blocks_the_steps_that_need_it)
{
    EACH(one, "{'http': 'GET /echo/${all:/no}', " KEY "{'status': 200}}}",
         "{'http': 'GET /echo', " KEY "{'json': {'path': '${all:/no/such}'}}}}",
         "{'http': 'GET /echo', 'together': 2, " KEY "{'json': {'path': '${all:/no}'}}}}") {
        expect(VERDICT_BLOCKED,
               arena_printf(&arena, CASE("{'http': 'GET /count', 'save': {'all': '/json'}},%s"), one).data);
    }
}

TEST(a_key_of_several_steps_has_the_gravest_verdict)
{
    expect(VERDICT_FAIL, CASE("{'http': 'GET /a', " KEY "{'status': 200}}},"
                              "{'http': 'GET /b', " KEY "{'status': 404}}},"
                              "{'http': 'GET /c', " KEY "{'status': 200}}}"));
}

#define REPLAYS_ONE(encoding) "build/judge replay 'v2-rest/t/one@" encoding "#v2-rest.server-live' --flags"

/* Checks the command of the only key of v2-rest/t/one, and that what was sent is told. */
static void check_replay(const char *text, const char *encoding, const char *command, const char *sent)
{
    play(text, NULL);
    const struct result *result = result_of_one(encoding);
    assert_text(result->command, command);
    assert_text(result->sent, sent);
    assert_int_equal(result->grpcurl.size, 0);
}

TEST(a_case_of_several_steps_is_replayed)
{
    check_replay(CASE("{'http': 'GET /a', " KEY "{'status': 200}}},"
                      "{'http': 'GET /b', " KEY "{'status': 404}}},"
                      "{'http': 'GET /c', " KEY "{'status': 200}}}"),
                 "http", REPLAYS_ONE("http"), "GET /b");
    check_replay(CASE("{'http': 'GET /echo/${i}', 'together': 8, " KEY "{'json': {'path': {'$not': '/echo/5'}}}}}"),
                 "http", REPLAYS_ONE("http"), "GET /echo/5");
}

TEST(one_request_is_sent_by_curl)
{
    play("{'says': 'a', 'http': 'GET /a', " KEY "{'status': 404}}}", NULL);
    const struct result *result = fixture_result("v2-rest/t/one@http#v2-rest.server-live");
    assert_true(str_starts(result->command, STR("curl -sSig ")));
    assert_int_equal(result->sent.size, 0);
}

/* Checks the command of a result of two cases that are played on one connection. */
static void check_behind(const char *one, const char *two, const char *id, const char *command)
{
    jobs = 1;
    play(one, two);
    assert_text(fixture_result(id)->command, command);
    jobs = 4;
}

TEST(a_request_that_another_one_spoils_is_replayed_behind_it)
{
    check_behind("{'says': 'a', 'http': 'GET /spoil', " KEY "{'status': 200}}}",
                 "{'says': 'a', 'http': 'GET /c', " KEY "{'status': 200}}}", "v2-rest/t/two@http#v2-rest.server-live",
                 "build/judge replay 'v2-rest/t/two@http#v2-rest.server-live' --after 'v2-rest/t/one@http' --flags");
    /* A base is sent before its neighbour anyway. */
    check_behind("{'says': 'a', 'http': 'GET /spoil', " KEY "{'status': 200}}, 'neighbours': {"
                 "'n': {'set': {'/http': 'GET /b'}, " KEY "{'status': 200}}}}}",
                 NULL, "v2-rest/t/one/n@http#v2-rest.server-live",
                 "build/judge replay 'v2-rest/t/one/n@http#v2-rest.server-live' --flags");
}

TEST(a_step_is_asked_again_within_its_time_and_no_longer)
{
    expect(VERDICT_PASS, CASE("{'http': 'GET /count', 'within': '60s', " KEY "{'json': {'n': 3}}}}"));
    assert_int_equal(atomic_load(&counted), 4);
    expect(VERDICT_FAIL, CASE("{'http': 'GET /count', 'within': '0.1s', " KEY "{'json': {'n': -1}}}}"));
}

TEST(every_time_of_several_counts)
{
    expect(VERDICT_PASS, CASE("{'http': 'GET /count', 'times': 3, " KEY "{'json': {'n': {'$range': [0, 2]}}}}}"));
    expect(VERDICT_FAIL, CASE("{'http': 'GET /count', 'times': 3, " KEY "{'json': {'n': {'$range': [1, 2]}}}}}"));
    assert_int_equal(atomic_load(&counted), 3);
}

TEST(those_that_play_together_have_numbers_and_connections_of_their_own)
{
    int before = atomic_load(&connections);
    expect(VERDICT_PASS, CASE("{'http': 'GET /echo/${i}', 'together': 8, " KEY "{'json': {'path': '/echo/${i}'}}}}"));
    assert_int_equal(atomic_load(&connections) - before, 8);
    expect(VERDICT_FAIL,
           CASE("{'http': 'GET /echo/${i}', 'together': 8, " KEY "{'json': {'path': {'$not': '/echo/5'}}}}}"));
}

TEST(those_that_play_together_may_have_values)
{
    expect(VERDICT_PASS, CASE("{'http': 'GET /echo/${i:/ask}', 'together': [{'ask': 'a', 'get': {'path': '/echo/a'}}, "
                              "{'ask': 'b', 'get': {'path': '/echo/b'}}], " KEY "{'json': '${i:/get}'}}}"));
    expect(VERDICT_ERROR,
           CASE("{'http': 'GET /echo/${i:/ask}', 'together': [{'ask': 'a'}, {}], " KEY "{'status': 200}}}"));
}

TEST(finally_is_played_whatever_became_of_the_steps)
{
    expect(VERDICT_FAIL, "{'says': 'a', 'steps': [{'http': 'GET /a', " KEY "{'status': 404}}}],"
                         "'finally': [{'http': 'GET /count'}, {'http': 'GET /count'}]}");
    assert_int_equal(atomic_load(&counted), 2);
}

TEST(a_request_on_a_connection_of_its_own_is_not_waited_for)
{
    static const char waits[] = "{'conn': 'a', 'http': 'GET /wait'}, {'http': 'GET /count', " KEY "{'status': 200}}}, ";
    char text[600];
    snprintf(text, sizeof(text), CASE("%s%s"), waits, "{'conn': 'a', " KEY "{'json': {'path': '/wait'}}}}");
    expect(VERDICT_PASS, text);
    snprintf(text, sizeof(text), CASE("%s%s"), waits, "{'conn': 'a', " KEY "{'json': {'path': '/count'}}}}");
    expect(VERDICT_FAIL, text);
    snprintf(text, sizeof(text), CASE("%s%s"), waits, "{'http': 'GET /echo/b', " KEY "{'json': {'path': '/echo/b'}}}}");
    expect(VERDICT_PASS, text); /* an answer that nobody reads holds up nothing */
}

#define HTTP " HTTP/1.1\\r\\nHost: ${host}\\r\\n\\r\\n'"

TEST(bytes_go_over_named_connections)
{
    int before = atomic_load(&connections);
    const char *text = CASE("{'conn': 'a', 'tcp': [['GET /echo/a1" HTTP ", 'GET /echo/a2" HTTP "]]},"
                            "{'conn': 'b', 'tcp': ['GET /echo/b" HTTP "], " KEY "{'json': {'path': '/echo/b'}}}},"
                            "{'conn': 'a', " KEY "{'json': {'path': '/echo/a1'}}}},"
                            "{'conn': 'a', " KEY "{'json': {'path': '/echo/a2'}}}}");
    play(text, NULL);
    assert_int_equal(result_of_one("tcp")->verdict, VERDICT_PASS);
    assert_int_equal(atomic_load(&connections) - before, 2);
}

TEST(bytes_of_a_connection_are_replayed)
{
    const char *text = CASE("{'conn': 'a', 'tcp': ['GET /echo/a1" HTTP "]},"
                            "{'conn': 'b', 'tcp': ['GET /echo/b" HTTP "]},"
                            "{'conn': 'a', 'tcp': ['GET /echo/a2" HTTP "], " KEY "{'status': 404}}},"
                            "{'conn': 'a', 'tcp': ['GET /echo/a3" HTTP "], " KEY "{'status': 200}}}");
    check_replay(text, "tcp", REPLAYS_ONE("tcp"),
                 "GET /echo/a1 HTTP/1.1\\x0d\\x0aHost: 127.0.0.1:8000\\x0d\\x0a\\x0d\\x0a"
                 "GET /echo/a2 HTTP/1.1\\x0d\\x0aHost: 127.0.0.1:8000\\x0d\\x0a\\x0d\\x0a");
}

TEST(a_case_of_bytes_is_one_step)
{
    play("{'says': 'a', 'tcp': ['GET /echo/x" HTTP "], " KEY "{'json': {'path': '/echo/x'}}}, 'neighbours': {"
         "'other': {'set': {'/tcp/0': 'GET /echo/y" HTTP "}, " KEY "{'json': {'path': '/echo/y'}}}},"
         "'ends': {'set': {'/tcp/0': 'GET /end" HTTP "}, " KEY "{'closed': true}}},"
         "'closes': {'add': {'/half_close': true}, " KEY "{'status': 200, 'closed': true}}}}}",
         NULL);
    EACH(name, "", "/other", "/ends", "/closes") {
        struct str id = arena_printf(&arena, "v2-rest/t/one%s@tcp#v2-rest.server-live", name);
        assert_int_equal(fixture_result(id.data)->verdict, VERDICT_PASS);
    }
    assert_int_equal(fixture.run.result_count, fixture.plan.assertion_count); /* no replay failed */
}

TEST(a_neighbour_changes_a_step_and_is_judged_by_the_last)
{
    play("{'says': 'a', 'steps': [{'http': 'GET /echo/1', " KEY "{'json': {'path': '/echo/1'}}}},"
         "{'http': 'GET /echo/2', " KEY "{'status': 200}}}], 'neighbours': {"
         "'n': {'set': {'/steps/0/http': 'GET /echo/3'}, " KEY "{'json': {'path': '/echo/2'}}}}}}",
         NULL);
    assert_int_equal(fixture_result("v2-rest/t/one@http#v2-rest.server-live")->verdict, VERDICT_PASS);
    assert_int_equal(fixture_result("v2-rest/t/one/n@http#v2-rest.server-live")->verdict, VERDICT_PASS);
}

#define WATCHER(line, pattern)                                                                                         \
    "{'says': 'w', 'on': {'http': {'$match': '" line "'}, 'answer': {'status': 200}},"                                 \
    " 'expect': {'v2-rest.server-metadata': " pattern "}}"

static enum verdict watch(const char *watcher)
{
    play(CASE("{'http': 'GET /count', 'times': 3, " KEY "{'status': 200}}}"), watcher);
    const struct result *result = fixture_result("v2-rest/t/two@http#v2-rest.server-metadata");
    if (result->verdict == VERDICT_FAIL) {
        assert_text(result->command, "build/judge replay 'v2-rest/t/one@http#v2-rest.server-metadata' --flags");
        assert_has(result->why, "v2-rest/t/one@http");
    }
    return result->verdict;
}

TEST(a_watcher_holds_every_answer_that_it_looks_at_against_its_rule)
{
    assert_int_equal(watch(WATCHER("^GET /count$", "{'json': {'n': {'$range': [0, 2]}}}")), VERDICT_PASS);
    assert_int_equal(watch(WATCHER("^GET /count$", "{'json': {'n': {'$range': [0, 1]}}}")), VERDICT_FAIL);
}

TEST(a_watcher_that_saw_nothing_was_not_run)
{
    assert_int_equal(watch(WATCHER("^GET /other", "{'json': {'n': 0}}")), VERDICT_NOT_APPLICABLE);
}

TEST(what_steps_are_answered_is_seen_as_their_plays)
{
    const struct play *seen[4];
    play(CASE("{'http': 'GET /echo/1'}, {'http': 'GET /echo/2', " KEY "{'status': 200}}}"),
         WATCHER("^GET /echo/", "{'status': 200}"));
    const struct play *steps = fixture_result("v2-rest/t/one@http#v2-rest.server-live")->assertion->play;
    const struct play *watcher = fixture_result("v2-rest/t/two@http#v2-rest.server-metadata")->assertion->play;
    assert_int_equal(watchers_seen(fixture.run.watchers, watcher, seen, 4), 1);
    assert_ptr_equal(seen[0], steps);
}

static int tear_down(void **state)
{
    fixture_free();
    return stop_server(state);
}

const struct unit_group unit_group = {start_server, tear_down};
