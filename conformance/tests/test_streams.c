/* Steps of streams, played from the text of a fixture against a server of Python's grpcio (null_servers.py, "streams").
 */
#include "fixture.h"
#include "null_server.h"

static struct null_server server;

static int start_server(void **)
{
    null_server_start(&server, "dead", "streams");
    return 0;
}

static int stop_server(void **)
{
    fixture_free();
    null_server_stop(&server);
    return 0;
}

#define LEDGER                                                                                                         \
    "[{'key': 'v2-grpc.server-live', 'level': 'must', 'layer': 'answers', 'binds': 'server', 'status': 'tested', "     \
    "'says': 'a', "                                                                                                    \
    "'sources': [{'text': '000', 'kind': 'document'}]}]"

/* The case's only key. All texts have ' in place of ". */
#define KEY "'expect': {'v2-grpc.server-live': "

static void begin(const char *steps)
{
    const char *text = arena_printf(&arena, "{'says': 'a', 'steps': [%s]}", steps).data;
    fixture_begin("requirements/v2-grpc.json", LEDGER, "v2-grpc/t/one.json", text);
}

/* Plays the steps as a case, and returns the result of its only key. */
static const struct result *play(const char *steps)
{
    begin(steps);
    fixture_choose("v2-grpc/t/*");
    struct run_options options = fixture_options("grpc", server.grpc);
    options.client.timeout = 3;
    assert_ok(run_plan(&fixture.suite, &fixture.plan, &options, &fixture.run));
    return fixture_result("v2-grpc/t/one@grpc#v2-grpc.server-live");
}

static void check(const char *steps, enum verdict verdict)
{
    const struct result *result = play(steps);
    if (result->verdict != verdict)
        fail_msg("%s: %s, not %s (%.*s)", steps, verdict_name(result->verdict), verdict_name(verdict),
                 STR_ARG(result->why));
}

const struct unit_group unit_group = {start_server, stop_server};

TEST(all_messages_are_compared_in_order)
{
    check("{'grpc': 't.T/Echo', 'messages': ['a', {'$hex': '6262'}], " KEY "{'messages': ['a', 'bb']}}}", VERDICT_PASS);
    check("{'grpc': 't.T/Echo', 'messages': ['a', 'b'], " KEY "{'messages': ['b', 'a']}}}", VERDICT_FAIL);
    check("{'grpc': 't.T/Echo', 'messages': ['a', 'b'], " KEY "{'messages': ['a']}}}", VERDICT_FAIL);
    check("{'grpc': 't.T/Echo', 'messages': ['a', 'b'], " KEY "{'messages': {'$unordered': ['b', 'a']}}}}",
          VERDICT_PASS);
    check("{'grpc': 't.T/Echo', 'messages': ['a', 'b'], " KEY "{'messages': {'$each': {'$match': '^[ab]$'}}}}}",
          VERDICT_PASS);
    check("{'grpc': 't.T/Echo', 'messages': [], " KEY "{'code': 'OK', 'messages': []}}}", VERDICT_PASS);
}

TEST(an_error_behind_messages_fails_what_expects_success)
{
    check("{'grpc': 't.T/Breaks', 'messages': [], " KEY "{'messages': ['1', '2']}}}", VERDICT_FAIL);
    check("{'grpc': 't.T/Breaks', 'messages': [], " KEY "{'code': 'ABORTED', 'messages': ['1', '2']}}}", VERDICT_PASS);
    check("{'grpc': 't.T/Breaks', 'messages': [], " KEY "'refused'}}", VERDICT_PASS);
}

TEST(a_stream_goes_on_from_step_to_step)
{
    check("{'conn': 's', 'grpc': 't.T/Echo', 'messages': ['a'], 'read': 1, " KEY "{'messages': ['a']}}},"
          "{'conn': 't', 'grpc': 't.T/Echo', 'messages': []},"
          "{'conn': 's', 'messages': ['b', 'c']},"
          "{'conn': 't', 'messages': ['x'], 'half_close': true, " KEY "{'messages': ['x']}}},"
          "{'conn': 's', 'read': 1, " KEY "{'messages': ['b']}}},"
          "{'conn': 's', 'half_close': true, " KEY "{'messages': ['c'], 'code': 'OK'}}}",
          VERDICT_PASS);
    check("{'conn': 's', 'grpc': 't.T/Echo', 'messages': ['a'], 'read': 1, " KEY "{'messages': ['b']}}},"
          "{'conn': 's', 'half_close': true, " KEY "{'messages': []}}}",
          VERDICT_FAIL);
    check("{'conn': 's', 'grpc': 't.T/Echo', 'messages': []},"
          "{'conn': 's', 'messages': ['a'], 'times': 3},"
          "{'conn': 's', 'half_close': true, " KEY "{'messages': ['a', 'a', 'a']}}}",
          VERDICT_PASS);
}

TEST(what_a_stream_says_can_be_sent_again)
{
    check("{'conn': 's', 'grpc': 't.T/Echo', 'messages': ['a'], 'read': 1, 'save': {'said': '/messages/0'}},"
          "{'conn': 's', 'messages': ['${said}b'], 'half_close': true, " KEY "{'messages': ['ab']}}}",
          VERDICT_PASS);
}

TEST(a_stream_is_cancelled)
{
    check("{'conn': 's', 'grpc': 't.T/Hang', 'messages': [], 'read': 1, " KEY "{'messages': ['1']}}},"
          "{'conn': 's', 'cancel': true, " KEY "{'code': 'CANCELLED'}}}",
          VERDICT_PASS);
}

TEST(a_stream_that_goes_on_is_no_refusal)
{
    check("{'conn': 's', 'grpc': 't.T/Hang', 'messages': [], 'read': 1, " KEY "'refused'}}", VERDICT_FAIL);
    check("{'conn': 's', 'grpc': 't.T/Hang', 'messages': [], 'read': 1, " KEY "{'code': 'OK'}}}", VERDICT_FAIL);
}

TEST(a_stream_that_ends_early_shows_its_end)
{
    check("{'conn': 's', 'grpc': 't.T/Breaks', 'messages': [], 'read': 3, " KEY
          "{'code': 'ABORTED', 'messages': ['1', '2']}}}",
          VERDICT_PASS);
}

TEST(messages_are_shown_with_their_numbers)
{
    const struct result *result = play("{'grpc': 't.T/Echo', 'messages': ['a', 'b'], " KEY "{'messages': []}}}");
    assert_text(result->received, "OK, message 1: \"a\"; message 2: \"b\"");
    assert_text(result->command, "build/judge replay 'v2-grpc/t/one@grpc#v2-grpc.server-live' --flags");
    assert_text(result->sent, "Echo 1 bytes that are no such message 1 bytes that are no such message");
    result = play("{'conn': 's', 'grpc': 't.T/Hang', 'messages': [], 'read': 1, " KEY "{'messages': ['2']}}}");
    assert_text(result->received, "the stream goes on, message 1: \"1\"");
    result = play("{'grpc': 't.T/Hang', 'messages': [], " KEY "{'messages': ['1']}}}");
    assert_int_equal(result->verdict, VERDICT_TIMEOUT);
    assert_text(result->why, "the stream did not end within the timeout (messages that came: 1)");
    assert_text(result->received,
                "the stream did not end within the timeout (messages that came: 1), message 1: \"1\"");
}

/* Of a case with several steps the report says which of them failed, and what had come until then. */
TEST(the_step_that_failed_is_named)
{
    const struct result *result =
        play("{'conn': 's', 'grpc': 't.T/Hang', 'messages': [], 'read': 1, " KEY "{'messages': ['1']}}},"
             "{'conn': 's', 'messages': ['a'], 'read': 1, " KEY "{'messages': ['2']}}}");
    assert_int_equal(result->verdict, VERDICT_TIMEOUT);
    assert_text(result->received, "step 2 of 2, Hang: not as many messages came as are awaited within the timeout "
                                  "(messages that came since the last step: 0)");
    result = play("{'grpc': 't.T/Echo', 'messages': ['a'], " KEY "{'messages': ['b']}}},"
                  "{'grpc': 't.T/Echo', 'messages': ['a'], " KEY "{'messages': ['a']}}}");
    assert_text(result->received, "step 1 of 2, Echo: OK, message 1: \"a\"");
}

/* Whether the lint says this of the steps. */
static bool lint_says(const char *steps, const char *sentence)
{
    struct str findings;
    begin(steps);
    folder_lint(&fixture.folder, &findings);
    *fixture.folder.path = '\0';
    return strstr(findings.data, sentence) != NULL;
}

#define BEGIN "{'conn': 's', 'grpc': 't.T/Echo', 'messages': ['a']},"
#define END   "{'conn': 's', 'half_close': true, " KEY "{'messages': ['a']}}}"

TEST(the_lint_knows_streams)
{
    static const struct {
        const char *steps, *sentence;
    } rows[] = {
        {"{'conn': 'x', 'messages': ['a']}," BEGIN END, "[conn] no step before writes to this connection"},
        {BEGIN BEGIN END, "[conn] the connection was used by a step before"},
        {BEGIN "{'conn': 's'}," END, "[conn] the step does nothing"},
        {"{'conn': 's', 'grpc': 't.T/Echo', 'messages': ['a'], 'times': 2}," END, "[conn] a stream begins once"},
        {"{'conn': 's', 'grpc': 't.T/Echo', 'body': 'a'},{'conn': 's', 'read': 1, " KEY "'answered'}}",
         "[conn] messages, cancel and read belong to a stream"},
        {"{'grpc': 't.T/Echo', 'body': 'a', 'read': 1, " KEY "'answered'}}", "[conn] only of a stream"},
        {BEGIN "{'conn': 's', 'read': 0, " KEY "{'messages': []}}}", "[steps] read must be a number from 1 to 1000"},
        {BEGIN "{'conn': 's', 'read': 1, 'within': '1s', " KEY "{'messages': ['a']}}}", "[within] "},
    };
    EACH_ROW(row, rows, row->steps)
        if (!lint_says(row->steps, row->sentence))
            fail_msg("%s: the lint does not say %s", row->steps, row->sentence);
    assert_false(lint_says(BEGIN "{'conn': 's', 'messages': ['b'], 'read': 1, 'times': 2}," END, "[conn]"));
    assert_false(lint_says(BEGIN "{'conn': 's', 'cancel': true}", "[conn]"));
}

TEST(null_servers_are_told_from_streams)
{
    static const struct {
        const char *expected, *met_by;
    } rows[] = {
        {"{'messages': []}", "ends every call with OK and without a message"},
        {"{'messages': {'$each': {'a': 1}}}", "ends every call with OK and without a message"},
        {"{'messages': ['', '']}", "answers OK and an empty message to everything"},
        {"'refused'", "answers INTERNAL to everything"},
    };
    EACH_ROW(row, rows, row->expected) {
        struct str steps =
            arena_printf(&arena, "{'grpc': 't.T/Echo', 'messages': ['a', 'b'], " KEY "%s}}", row->expected);
        if (!lint_says(steps.data, row->met_by))
            fail_msg("%s: the lint does not say that it is met by a server that %s", steps, row->met_by);
    }
    assert_false(
        lint_says("{'grpc': 't.T/Echo', 'messages': ['a', 'b'], " KEY "{'messages': ['a', 'b']}}}", "[null-server]"));
    assert_true(lint_says(BEGIN "{'conn': 's', 'read': 1, " KEY "{'messages': ['']}}}", "[null-server]"));
}
