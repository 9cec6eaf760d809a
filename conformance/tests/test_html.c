/* The report as HTML. */
#include "report_text.h"

#include "base/search.h"

static void write_report(void)
{
    const struct summary summary = summarize(&sample.report, &arena);
    report_html(&summary, &text);
}

/* What a server says stays text, and no byte of it can hide or turn another one. */
REPORT_TEST(what_a_server_says_is_text)
{
    assert_xpath("count(//failure)", "0");
    assert_xpath("contains(//*[@id='fail-v2-rest.must-row']//dd, ']]><failure>&\\\"')", "true");
    assert_xpath("contains(//*[@id='fail-v2-rest.must-row']//dd, '\\\\x1b[31m\\\\x00\\\\x01')", "true");
    assert_harmless();
}

REPORT_TEST(it_needs_no_other_file)
{
    assert_times(0, "url(");
    assert_times(0, "@import");
}

REPORT_TEST(the_verdict_stands_above)
{
    assert_xpath("normalize-space(//h1)", "\xe2\x9c\x95Not interoperable");
    assert_xpath("normalize-space(//header/p[2])",
                 "A correct request is not answered as a document demands. 1 finding: 1 about answers, 0 about "
                 "refusals. 0 of 2 MUST requirements hold, 1 fails, 1 was not tried.");
    assert_xpath("normalize-space(//header/p[@class='next'])", "Next: v2-rest.must-row: it says < & >");
    assert_xpath("string(//header//dt[.='When']/following-sibling::dd)", "2023-11-14 22:13:20 UTC");
    assert_xpath("string(//header//dt[.='Seed']/following-sibling::dd)", "42");
    assert_xpath("string(//header//dd[1])", "http://127.0.0.1:1");
    assert_xpath("string(//header//dt[.='Exit code']/following-sibling::dd)", "1: a MUST failed");
}

REPORT_TEST(every_failure_is_there)
{
    static const enum verdict verdicts[] = {VERDICT_FAIL, VERDICT_TIMEOUT, VERDICT_ERROR};
    for (size_t i = 0; i < COUNT_OF(verdicts); i++) {
        struct str id = sample.results[verdicts[i]].assertion->id;
        assert_xpath(arena_printf(&arena, "count(//section[@id='failures']//code[.='%.*s']) > 0", STR_ARG(id)).data,
                     "true");
    }
    EACH(path, "string(//section[@id='failures']/h2/span)",
         "count(//section[@id='failures']//details[@class='finding'])", "count(//section[@id='warnings']//article)",
         "count(//section[@id='waived']//article)", "count(//section[@id='open']//td/span)")
        assert_xpath(path, "1");
    assert_xpath("count(//section[@id='failures']/details[@open])", "1");
    assert_xpath("count(//section[@id='warnings']/details[@open])", "0");
    assert_xpath("string(//section[@id='untried']//li/code)", "v2-rest.other-must");
}

REPORT_TEST(one_cause_is_shown_once)
{
    struct result results[20];
    for (size_t i = 0; i < 20; i++) {
        results[i] = sample.results[VERDICT_FAIL];
        results[i].why = arena_printf(&arena, "cause %zu", i < 5 ? i : 0);
    }
    write_results(results, 20);
    assert_xpath("count(//article)", "3");
    assert_xpath("count(//details[@class='more']//li)", "17");
    assert_xpath("string(//details[@class='more']/summary)", "17 more cases of this requirement");
}

REPORT_TEST(a_failure_can_be_repeated)
{
    sample.results[VERDICT_FAIL].transcript = STR("\nv2/infer/sample\n> POST /<v2>\n< HTTP 200\n");
    sample.results[VERDICT_FAIL].pattern = STR("{\"id\":\"<7>\"}");
    write_results(&sample.results[VERDICT_FAIL], 1);
    assert_xpath("count(//details[@class='transcript'])", "2");
    assert_xpath("string(//details[summary='The pattern of the case']/pre)", "{\"id\":\"<7>\"}");
    assert_times(1, "<pre>v2/infer/sample\n&gt; POST /&lt;v2&gt;\n&lt; HTTP 200\n</pre>");
}

/* Whoever sees one finding must see too that nearly nothing else could be judged. */
REPORT_TEST(a_run_that_is_blocked_says_so)
{
    struct result results[4];
    results[0] = sample.results[VERDICT_FAIL];
    for (size_t i = 1; i < 4; i++)
        results[i] = sample.results[VERDICT_BLOCKED];
    write_results(results, 4);
    const char *says = "contains(//header/p[@class='meaning'], 'Nearly everything was blocked: 3 assertions wait for "
                       "others, 1 was judged.')";
    assert_xpath(says, "true");
    results[1] = results[2] = results[3] = results[0];
    write_again();
    assert_xpath("contains(//header/p[@class='meaning'], 'blocked')", "false");
}

REPORT_TEST(a_source_is_a_link_to_its_section)
{
    sample.rows[1].sources = parse("[{'text': '000', 'section': 'Tensor Data, InferTensor'},{'text': 'RFC 9110', "
                                   "'section': '15.5.1'}, {'text': 'convention'}]");
    sample.suite.documents = parse("{'000': {'title': 'Predict', 'address': 'https://x/y'},'RFC 9110': {'title': "
                                   "'HTTP', 'address': 'https://r/9110'},'convention': {'title': 'Shared'}}");
    write_again();
    const char *source = "//*[@id='fail-v2-rest.must-row']/p[@class='source']";
    assert_xpath(arena_printf(&arena, "string(%s/a[1]/@href)", source).data, "https://x/y#tensor-data");
    assert_xpath(arena_printf(&arena, "string(%s/a[2]/@href)", source).data, "https://r/9110#section-15.5.1");
    assert_xpath(arena_printf(&arena, "count(%s/a)", source).data, "2");
}

REPORT_TEST(the_ledger_has_every_row_that_was_asked)
{
    static const char *const standings[][2] = {
        {"must-row", "failed"}, {"other-must", "not tried"}, {"should-row", "warned"}};
    assert_xpath("count(//section[@id='ledger']//tbody/tr)", "3"); /* gRPC was not asked */
    for (size_t i = 0; i < COUNT_OF(standings); i++) {
        const char *cell =
            arena_printf(&arena, "string(//*[@id='row-v2-rest.%s']//span[contains(@class, 'standing')]/text())",
                         standings[i][0])
                .data;
        assert_xpath(cell, standings[i][1]);
    }
    assert_xpath("contains(//section[@id='ledger']/p, 'not asked (1) are left out')", "true");
}

/* A server can make each of many thousand assertions fail in a way of its own. */
REPORT_TEST(its_size_is_bounded)
{
    size_t count = 120000;
    struct result *results = arena_alloc_zero(&arena, count, sizeof *results);
    char bytes[4000];
    memset(bytes, '\x01', sizeof bytes);
    for (size_t i = 0; i < count; i++) {
        results[i] = sample.results[VERDICT_FAIL];
        results[i].why = results[i].received = results[i].expected = (struct str){bytes, sizeof bytes - i % 1000};
    }
    write_results(results, count);
    assert_in_range(text.size, 1000000, 16000000);
    assert_xpath("contains(//section[@id='failures'], 'the page would be too long')", "true");
}
