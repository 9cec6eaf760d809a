#include "sample_run.h"

static struct sample sample;
static struct buf console;

static int set_up(void **state)
{
    (void)state;
    sample_make(&sample);
    return 0;
}

static int tear_down(void **state)
{
    buf_free(&console);
    return drop_arena(state);
}

static void print(void)
{
    buf_clear(&console);
    report_console(&sample.report, false, &console);
    buf_append_byte(&console, '\0'); /* for strstr */
}

static size_t times(const char *text)
{
    size_t count = 0, size = strlen(text);
    for (size_t i = 0; i + size <= console.size; i++)
        count += memcmp(console.data + i, text, size) == 0;
    return count;
}

/* Puts `count` failures of the same requirement into the run; the first `causes` of them fail in a way of their own. */
static void fail_alike(struct result *results, size_t count, size_t causes)
{
    for (size_t i = 0; i < count; i++) {
        results[i] = sample.results[VERDICT_FAIL];
        results[i].why = arena_printf(&arena, "cause %zu", i < causes ? i : causes - 1);
    }
    sample.run.results = results;
    sample.run.result_count = count;
}

static void test_one_cause_is_told_once(void **state)
{
    (void)state;
    struct result results[14];
    fail_alike(results, 14, 1);
    print();
    assert_int_equal(times("because   cause 0"), 1);
    assert_int_equal(times("and 13 more of this requirement, such as"), 1);
    assert_int_equal(times("FAIL "), 1);
}

/* "and more" does not tell a person what to look at. */
static void test_further_cases_are_named(void **state)
{
    (void)state;
    struct result results[14];
    const char *id = sample.results[VERDICT_FAIL].assertion->play->id.data;
    const char *line = arena_printf(&arena, "\n            %s\n", id).data;
    fail_alike(results, 4, 1);
    print();
    assert_int_equal(times("and 3 more of this requirement\n"), 1);
    assert_true(times(line) > 0);
    size_t three = times(id);
    fail_alike(results, 14, 1);
    print();
    assert_int_equal(times(id), three + 5);
}

static void test_further_causes_are_told_up_to_a_limit(void **state)
{
    (void)state;
    struct result results[14];
    fail_alike(results, 14, 5);
    print();
    assert_int_equal(times("because   cause"), 3);
    assert_int_equal(times("because   cause 2"), 1);
    assert_int_equal(times("and 11 more of this requirement"), 1);
}

static void test_requirements_that_failed_are_counted(void **state)
{
    (void)state;
    struct result results[14];
    struct assertion other = *sample.results[VERDICT_FAIL].assertion;
    other.requirement = &sample.rows[2];
    fail_alike(results, 14, 1);
    results[0].assertion = &other;
    print();
    const char *table = memmem(console.data, console.size, "\ntimes  level   what failed", 27);
    assert_non_null(table);
    const char *often = strstr(table, "   13  must    v2-rest.must-row\n               v2/infer/sample@rest-flat\n");
    const char *once = strstr(table, "    1  must    v2-rest.other-must\n               v2/infer/sample@rest-flat\n");
    assert_non_null(often);
    assert_non_null(once);
    assert_true(often < once);
}

/* Rules of HTTP are often broken by a library, what the profile demands by the server itself. */
static void test_what_the_profiles_demand_comes_first(void **state)
{
    (void)state;
    struct result results[3] = {sample.results[VERDICT_FAIL], sample.results[VERDICT_FAIL],
                                sample.results[VERDICT_FAIL]};
    struct requirement below = sample_row("http.must-row", LEVEL_MUST);
    struct assertion first = *results[0].assertion, second = first;
    first.requirement = second.requirement = &below;
    first.id = STR("v2/infer/sample/first@rest-flat#http.must-row");
    results[0].assertion = &first;
    results[1].assertion = &second;
    sample.run.results = results;
    sample.run.result_count = 3;
    print();
    const char *of_profile = strstr(console.data, "FAIL v2/infer/sample/fail@rest-flat#v2-rest.must-row");
    const char *of_http = strstr(console.data, "FAIL v2/infer/sample/first@rest-flat#http.must-row");
    assert_non_null(of_profile);
    assert_non_null(of_http);
    assert_true(of_profile < of_http);
    const char *row = strstr(console.data, "    1  must    v2-rest.must-row"),
               *table = strstr(console.data, "\ntimes ");
    assert_true(table && row && row > table && row < strstr(table, "    2  must    http.must-row"));
    assert_int_equal(times("\n2 of 3 failures are about what the profiles build on, "), 1);
    assert_int_equal(times("--skip 'http.*'"), 1);
    sample.run.result_count = 1;
    results[0] = results[2];
    print();
    assert_int_equal(times("--skip"), 0);
}

static void test_models_that_the_target_lacks_are_one_reason(void **state)
{
    (void)state;
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
    sample.run.results = results;
    sample.run.result_count = 4;
    print();
    assert_int_equal(times("\nNot applicable\n      3  models of the kit are not hosted: simple scalar\n"
                           "      1  a reason of its own\n"),
                     1);
}

static void test_a_document_that_is_cited_has_title_and_address_once(void **state)
{
    (void)state;
    struct result results[14];
    for (size_t i = 0; i < 4; i++)
        sample.rows[i].sources = parse("[{\"text\": \"000\", \"section\": \"One\"}]");
    sample.suite.documents = parse("{\"000\": {\"title\": \"Predict\", \"address\": \"https://x/y\"},"
                                   "\"004\": {\"title\": \"Other\", \"address\": \"https://z\"}}");
    fail_alike(results, 14, 5);
    print();
    assert_int_equal(times("Predict, https://x/y"), 1);
    assert_int_equal(times("https://z"), 0);
}

static void test_a_row_that_was_not_tried_says_why(void **state)
{
    (void)state;
    struct result result = sample.results[VERDICT_NOT_APPLICABLE];
    struct assertion other = *result.assertion;
    struct play play = sample.play;
    struct group group = sample.group;
    struct suite_model models[] = {{STR("builtin"), STR("failing")}, {STR("kit"), STR("simple")}};
    other.requirement = &sample.rows[2];
    other.play = &play;
    play.group = &group;
    play.not_applicable = STR("model 'simple' is not hosted");
    result.assertion = &other;
    result.why = STR("the state is missing (--state X=URL)");
    struct result results[] = {sample.results[VERDICT_PASS], result};
    sample.run.results = results;
    sample.run.result_count = 2;
    sample.suite.models = models;
    sample.suite.model_count = 2;
    print();
    assert_int_equal(
        times("1 of 2 MUST rows were not tried\n  the state is missing (--state X=URL)\n      v2-rest.other-must\n"),
        1);
    group.kit_model = STR("simple");
    sample.target.found = parse("{\"models\": {\"scalar\": {}}}");
    print();
    assert_int_equal(times("model 'simple' (fixtures, kit) is not hosted"), 1);
    assert_int_equal(times("--map simple=NAME\n      v2-rest.other-must\n"), 1);
}

static void test_the_word_that_concludes_is_explained(void **state)
{
    (void)state;
    struct result passed[] = {sample.results[VERDICT_PASS], sample.results[VERDICT_PASS]};
    struct assertion other = *passed[1].assertion;
    sample.run.results = passed;
    sample.report.exit_code = 0;
    other.requirement = &sample.rows[2];
    passed[1].assertion = &other;
    for (size_t count = 1; count <= 2; count++) {
        sample.run.result_count = count;
        print();
        assert_int_equal(times("(conformant: no MUST failed; it would be certified if"), count == 1);
        assert_int_equal(times("(certified: no MUST failed, and every MUST row"), count == 2);
    }
}

static void test_a_run_without_models_of_the_kit_checked_no_values(void **state)
{
    (void)state;
    print();
    assert_int_equal(times("No inference was tried: no model of the target is known. Name yours by --model\n"), 1);
    assert_int_equal(times("Values were not checked"), 0);
    sample.target.found = parse("{\"probes\": {\"theirs\": {}}}");
    sample.play.act = parse("{\"infer\": {}}");
    print();
    assert_int_equal(times("No inference was tried"), 0);
    assert_int_equal(times("Values were not checked"), 1);
    sample.group.kit_model = STR("simple");
    print();
    assert_int_equal(times("Values were not checked"), 0);
}

/* Only words that cannot be broken may be wider than a screen. */
static void test_lines_fit_on_a_screen(void **state)
{
    (void)state;
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
    print();
    assert_true(times("which goes on and on") > 20);
    for (const char *line = console.data, *end; (end = strchr(line, '\n')); line = end + 1)
        if (end - line > 80)
            fail_msg("%.*s", (int)(end - line), line);
}

static void test_what_is_not_offered_is_told_by_reason(void **state)
{
    (void)state;
    const struct profile *rest = profile_named("v2-rest"), *grpc = profile_named("v2-grpc");
    struct not_offered missing[] = {{encoding_named("http"), rest, STR("not asked for")},
                                    {encoding_named("grpc"), grpc, STR("not claimed")},
                                    {encoding_named("rest-flat"), rest, STR("not asked for")},
                                    {encoding_named("grpc-raw"), grpc, STR("not asked for")}};
    sample.plan.not_offered = missing;
    sample.plan.not_offered_count = 4;
    print();
    assert_int_equal(times("  not asked for\n      v2-rest (http, rest-flat) v2-grpc (grpc-raw)\n"
                           "  not claimed\n      v2-grpc (grpc)\n"),
                     1);
}

/* A name that has no room beside all the columns has a line of its own. */
static void test_the_table_fits_on_a_screen(void **state)
{
    (void)state;
    print();
    assert_int_equal(times("\nprofile pass weak warn fail timeout error blocked n/a disabled waived total\n"
                           "v2-grpc    0    1    0    0       0     0       0   0        0      0     1\n"
                           "v2-rest    1    0    1    2       1     1       1   1        1      1    10\n"
                           "all        1    1    1    2       1     1       1   1        1      1    11\n"),
                     1);
    for (size_t i = 0; i < 4; i++)
        sample.rows[i].prefix = STR("a-very-long-configuration-grpc");
    print();
    assert_int_equal(times("\na-very-long-configuration-grpc\n            1    1    1    2"), 1);
}

static void test_a_failure_has_what_was_sent_and_how_it_is_sent_again(void **state)
{
    (void)state;
    struct result result = sample.results[VERDICT_FAIL];
    result.sent = STR("ModelInfer {\"model_name\":\"simple\"}");
    result.command = STR("curl x");
    result.grpcurl = STR("grpcurl y");
    sample.run.results = &result;
    sample.run.result_count = 1;
    print();
    assert_int_equal(times("\n  sent      ModelInfer {\"model_name\":\"simple\"}\n  expected  "), 1);
    assert_int_equal(times("\n  reproduce curl x\n  or        grpcurl y\n"), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_cause_is_told_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_further_cases_are_named, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_further_causes_are_told_up_to_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_requirements_that_failed_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_the_profiles_demand_comes_first, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_models_that_the_target_lacks_are_one_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_document_that_is_cited_has_title_and_address_once, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_row_that_was_not_tried_says_why, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_lines_fit_on_a_screen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_what_is_not_offered_is_told_by_reason, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_table_fits_on_a_screen, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_failure_has_what_was_sent_and_how_it_is_sent_again, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_the_word_that_concludes_is_explained, set_up, tear_down),
        cmocka_unit_test_setup_teardown(test_a_run_without_models_of_the_kit_checked_no_values, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
