/* The report on the console. */
#include "report_text.h"

static void write_report(void)
{
    const struct summary summary = summarize(&sample.report, &arena);
    report_console(&summary, false, &text);
    buf_append_byte(&text, '\0'); /* for strstr */
    text.size--;
}

REPORT_TEST(a_requirement_is_told_once_with_its_cases)
{
    struct result results[14];
    for (size_t i = 0; i < 14; i++) {
        results[i] = sample.results[VERDICT_FAIL];
        results[i].why = arena_printf(&arena, "cause %zu", i < 5 ? i : 4);
    }
    write_results(results, 14);
    assert_times(1, "FAIL v2-rest.must-row (must, answers, 14 cases): it says < & >\n");
    assert_times(1, "because   cause 0\n");
    assert_times(1, "because");
}

REPORT_TEST(all_tells_every_case_and_every_warning)
{
    struct result results[4];
    for (size_t i = 0; i < 4; i++)
        results[i] = sample.results[i < 3 ? VERDICT_FAIL : VERDICT_WARN];
    write_results(results, 4);
    assert_times(0, "\n            v2/infer/sample/fail@rest-flat#v2-rest.must-row\n");
    assert_times(0, "WARN v2-rest.should-row");
    assert_times(1, "warnings: 1 requirement that is not a MUST does not hold (--all prints it)\n");
    sample.report.all = true;
    write_again();
    assert_times(2, "\n            v2/infer/sample/fail@rest-flat#v2-rest.must-row\n");
    assert_times(1, "WARN v2-rest.should-row (should, answers, 1 case)");
    assert_times(0, "warnings: ");
}

/* A block that does not fit on a screen tells nothing. */
REPORT_TEST(a_block_has_at_most_thirty_lines)
{
    struct result result = sample.results[VERDICT_FAIL];
    struct buf many = {0};
    for (int i = 0; i < 600; i++)
        buf_append_literal(&many, "word ");
    struct str words = arena_take(&arena, &many);
    result.expected = result.received = result.why = result.sent = result.refused_by = result.command = words;
    result.replay_command = STR("oip-conformance replay ID");
    sample.rows[1].says = STR("it says so");
    write_results(&result, 1);
    const char *begin = strstr(text.data, "FAIL "), *end = strstr(begin, "oip-conformance replay ID");
    assert_non_null(end);
    size_t lines = 1;
    for (const char *at = begin; at < end; at++)
        lines += *at == '\n';
    assert_true(lines <= 30);
}

/* The last line tells what blocks most. How to see it again is in its block, unless it is none of the findings. */
REPORT_TEST(the_end_says_what_to_do_next)
{
    struct play plays[] = {sample.play, sample.play};
    struct assertion assertions[] = {sample.assertions[VERDICT_FAIL], sample.assertions[VERDICT_BLOCKED]};
    struct result results[] = {sample.results[VERDICT_FAIL], sample.results[VERDICT_BLOCKED]};
    for (size_t i = 0; i < 2; i++) {
        plays[i].index = i;
        assertions[i].play = &plays[i];
        results[i].assertion = &assertions[i];
    }
    sample.plan.plays = plays;
    sample.plan.play_count = 2;
    results[0].asked = STR("POST /v2/models/add/infer");
    results[0].outcome = STR("404");
    results[1].waits_for = &plays[0];
    write_results(results, 2);
    assert_times(1, "\nNext: POST /v2/models/add/infer answered 404 (v2-rest.must-row), and 1 assertion\n"
                    "  waits for it\n");
    assert_times(0, "\n  curl --data-binary '<&>\"' http://x\n");
    assert_times(1, "      1  POST /v2/models/add/infer answered 404 (v2-rest.must-row)\n");
    results[0].command = STR("curl y");
    results[0].verdict = VERDICT_WARN;
    write_again();
    assert_times(1, "\n  waits for it\n  curl y\n");
    results[0].outcome = STR("200");
    results[0].why = STR("/json/model_name: got nothing");
    write_again(); /* the status is not what is wrong */
    assert_times(1, "\nNext: POST /v2/models/add/infer: /json/model_name: got nothing\n");
    assert_times(0, "answered 200");
}

REPORT_TEST(where_nothing_was_judged_the_reason_is_next)
{
    struct result results[3];
    for (size_t i = 0; i < 3; i++) {
        results[i] = result_of(i < 2 ? VERDICT_DISABLED : VERDICT_NOT_APPLICABLE, 1 + i);
        results[i].why = STR("model 'simple' is not hosted");
    }
    write_results(results, 3);
    assert_times(1, "\nNext: nothing that was chosen could be judged: model 'simple' is not hosted\n");
}

/* What was expected and what came stand above it. */
REPORT_TEST(a_status_alone_is_told_once)
{
    struct result result = sample.results[VERDICT_FAIL];
    EACH(told, "/status: expected 200, got 404",
         "it was not refused: /status: expected a number from 400 to 599, got 200") {
        result.why = str_of(told);
        write_results(&result, 1);
        assert_times(0, "because");
    }
    sample.report.all = true;
    write_again();
    assert_times(1, "because   it was not refused: /status: ");
    sample.report.all = false;
    result.why = STR("/json/error: expected a string, got nothing");
    write_again();
    assert_times(1, "because   /json/error: ");
    result.why = STR("the connection was closed without an answer");
    result.received = STR("step 2 of 2: the connection was closed without an answer");
    write_again();
    assert_times(0, "because");
}

/* Rows, findings and what failed with them are the same in number. */
REPORT_TEST(findings_and_rows_that_fail_agree)
{
    struct result results[] = {result_of(VERDICT_FAIL, 1), result_of(VERDICT_FAIL, 2)};
    write_results(results, 2);
    assert_times(1, "0 of 2 MUST requirements hold, 2 fail\n");
    assert_times(1, "not interoperable: 1 finding: 1 about answers, 0 about refusals; 1 more MUST\n"
                    "  requirement failed with them\n");
}

REPORT_TEST(nothing_is_left_only_where_all_was_tried)
{
    struct result results[] = {result_of(VERDICT_PASS, 1), result_of(VERDICT_PASS, 2)};
    write_results(results, 2);
    assert_times(1, "Next: nothing is left to do: every MUST requirement that was asked for was tried");
    results[1].verdict = VERDICT_DISABLED;
    write_again();
    assert_times(1, "Next: nothing is left to do in the part of the suite that was chosen: 1 of 2\n"
                    "  MUST requirements hold, 1 was not tried\n");
}

REPORT_TEST(failures_without_an_answer_have_a_cause_in_common)
{
    struct result results[3];
    for (size_t i = 0; i < 3; i++) {
        results[i] = sample.results[VERDICT_FAIL];
        results[i].unserved = true;
        results[i].outcome = STR("");
    }
    write_results(results, 3);
    assert_times(1, "\n3 assertions failed because no answer came. ");
    results[2].outcome = STR("500");
    write_again();
    assert_times(0, "because no answer came");
    results[2].outcome = STR("");
    sample.rows[1].layer = LAYER_TRANSPORT; /* frames of HTTP/2 have no answers */
    write_again();
    assert_times(0, "because no answer came");
}

/* What the models are sent is no oddity. */
REPORT_TEST(requests_of_probes_are_told_with_all)
{
    sample.report.notes = STR("an oddity\n");
    sample.report.requests = STR("model 'm' is probed with it\n");
    write_again();
    assert_times(1, "\nNoticed during discovery\n  an oddity\n");
    assert_times(0, "is probed with");
    sample.report.all = true;
    write_again();
    assert_times(1, "\n  an oddity\n  model 'm' is probed with it\n");
}

REPORT_TEST(models_that_the_target_lacks_are_one_reason)
{
    struct result results[4];
    struct assertion assertions[4];
    struct play plays[4];
    struct group groups[4];
    static const char *const models[] = {"simple", "scalar", "simple", ""};
    for (size_t i = 0; i < 4; i++) {
        groups[i] = sample.group;
        groups[i].kit_model = str_of(models[i]);
        plays[i] = sample.play;
        plays[i].group = &groups[i];
        plays[i].not_applicable = STR("a reason of its own");
        assertions[i] = *sample.results[VERDICT_NOT_APPLICABLE].assertion;
        assertions[i].play = &plays[i];
        results[i] = sample.results[VERDICT_NOT_APPLICABLE];
        results[i].assertion = &assertions[i];
        results[i].why = STR("a reason of its own");
    }
    sample.report.all = true;
    sample.target.discovery.models = parse("{'another': {}}");
    write_results(results, 4);
    assert_times(1, "\nNot applicable\n      3  models of the kit are not hosted: simple scalar\n"
                    "      1  a reason of its own\n");
}

REPORT_TEST(a_row_that_was_not_tried_says_why)
{
    struct result result = sample.results[VERDICT_NOT_APPLICABLE];
    struct assertion other = *result.assertion;
    struct play play = sample.play;
    struct group group = sample.group;
    struct suite_model models[] = {{.repository = STR("builtin"), .name = STR("failing")},
                                   {.repository = STR("kit"), .name = STR("simple")}};
    other.requirement = &sample.rows[2];
    other.play = &play;
    play.group = &group;
    play.not_applicable = STR("model 'simple' is not hosted");
    result.assertion = &other;
    result.why = STR("the state is missing (--state X=URL)");
    struct result results[] = {sample.results[VERDICT_PASS], result};
    sample.suite.models = models;
    sample.suite.model_count = 2;
    write_results(results, 2);
    assert_times(1, "1 of 2 MUST requirements was not tried\n      1  the state is missing (--state X=URL)\n");
    group.kit_model = STR("simple");
    sample.target.discovery.models = parse("{\"scalar\": {}}");
    write_again();
    assert_times(1, "\n      1  models of the kit are not hosted (host them, or name models that do the\n"
                    "         same: --map KIT=NAME): simple\n");
    sample.report.all = true;
    write_again();
    assert_times(1, "model 'simple' (fixtures, kit) is not hosted");
    assert_times(1, "Next: 1 MUST requirement was not tried: models of the kit are not hosted\n");
    assert_times(1, "--map simple=NAME\n         v2-rest.other-must\n");
    sample.target.discovery.models = NULL;
    sample.target.discovery.absent = parse("{'simple': 'GET /v2/models/simple gave 501'}");
    write_again();
    assert_times(1, "      1  no model is known; host the kit, or name models that do the same (--map\n"
                    "         KIT=NAME): GET /v2/models/simple gave 501\n");
    results[1].verdict = VERDICT_BLOCKED;
    results[1].why = STR("the target no longer responds");
    write_again();
    assert_times(1, "      1  the target no longer responds\n         v2-rest.other-must\n");
}

REPORT_TEST(the_word_that_concludes_is_explained)
{
    struct result passed[] = {result_of(VERDICT_PASS, 1), result_of(VERDICT_PASS, 2)};
    sample.report.exit_code = 0;
    for (size_t count = 1; count <= 2; count++) {
        write_results(passed, count);
        assert_times(count == 1, "(conformant: no MUST of the documents failed; the server would");
        assert_times(count == 2, "(certified: no MUST of the documents failed, and every MUST requirement");
    }
}

REPORT_TEST(a_run_without_models_of_the_kit_checked_no_values)
{
    write_again();
    assert_times(1, "No inference was tried: no model of the target is known. Name yours with --model\n");
    assert_times(0, "Values were not checked");
    sample.target.discovery.probes = parse("{'theirs': {}}");
    sample.play.act = parse("{\"infer\": {}}");
    write_again();
    assert_times(0, "No inference was tried");
    assert_times(1, "Values were not checked");
    sample.group.kit_model = STR("simple");
    write_again();
    assert_times(0, "Values were not checked");
}

/* Only words that cannot be broken may be wider than a screen. */
REPORT_TEST(lines_fit_on_a_screen)
{
    struct str words =
        STR("a sentence of many words, which goes on and on, and says what was expected of the server; then "
            "what came of it, and at last why the one does not fit the other, as if it could be helped");
    struct not_offered missing[] = {
        {.profile = sample.group.profile, .encoding = sample.group.encoding, .why = words},
        {.profile = profile_named("v2-grpc"), .encoding = encoding_named("grpc"), .why = words}};
    for (size_t i = 0; i <= VERDICT_COUNT; i++) {
        struct result *result = &sample.results[i];
        result->expected = result->received = result->why = result->refused_by = result->sent = words;
        result->command = result->grpcurl = STR("curl -sS -H 'one: two three four' -H 'five: six seven' --data-binary "
                                                "'a body with blanks' 'http://127.0.0.1:8000/v2/models/simple/infer'");
    }
    for (size_t i = 0; i < 4; i++)
        sample.rows[i].says = sample.rows[i].cites = words;
    sample.play.says = sample.report.reason = sample.report.notes = words;
    sample.plan.not_offered = missing;
    sample.plan.not_offered_count = 2;
    sample.report.all = true;
    write_again();
    assert_true(times("which goes on and on") >= 20);
    for (const char *line = text.data, *end; (end = strchr(line, '\n')); line = end + 1)
        if (end - line > 80)
            fail_msg("%.*s", (int)(end - line), line);
}

REPORT_TEST(what_is_not_offered_is_told_by_reason)
{
    const struct profile *rest = profile_named("v2-rest"), *grpc = profile_named("v2-grpc");
    struct not_offered missing[] = {{encoding_named("http"), rest, STR("not asked for")},
                                    {encoding_named("grpc"), grpc, STR("not claimed")},
                                    {encoding_named("rest-flat"), rest, STR("not asked for")},
                                    {encoding_named("grpc-raw"), grpc, STR("not asked for")}};
    sample.plan.not_offered = missing;
    sample.plan.not_offered_count = 4;
    sample.report.all = true;
    write_again();
    assert_times(1, "  not asked for\n      v2-rest (http, rest-flat) v2-grpc (grpc-raw)\n"
                    "  not claimed\n      v2-grpc (grpc)\n");
}

/* A name that has no room beside all the columns has a line of its own. */
REPORT_TEST(the_table_fits_on_a_screen)
{
    write_again();
    assert_times(0, "\nprofile: \n         pass weak warn fail timeout error blocked n/a disabled waived total\n");
    assert_times(1, "v2-rest: not interoperable\n            1    0    1    1       1     1       1   1        1      "
                    "1     9\n");
    assert_times(1, "all: not interoperable\n            1    1    1    1       1     1       1   1        1      1    "
                    "10\n");
    struct result passed = sample.results[VERDICT_PASS];
    write_results(&passed, 1);
    assert_times(1, "\nprofile            pass fail total\nv2-rest conformant    1    0     1\n");
}

REPORT_TEST(a_failure_has_what_was_sent_and_how_it_is_sent_again)
{
    struct result result = sample.results[VERDICT_FAIL];
    result.sent = STR("ModelInfer {\"model_name\":\"simple\"}");
    result.command = STR("curl x");
    result.grpcurl = STR("grpcurl y");
    sample.report.all = true;
    write_results(&result, 1);
    assert_times(1, "\n  sent      ModelInfer {\"model_name\":\"simple\"}\n  expected  ");
    assert_times(1, "\n  reproduce curl x\n  or        grpcurl y\n");
}

REPORT_TEST(it_is_safe_whatever_a_server_says)
{
    assert_harmless();
    assert_times(1, "reproduce curl");
    assert_times(1, "exit code 1: a MUST failed");
}
