/* The summary in Markdown. */
#include "report_text.h"

static void write_report(void)
{
    const struct summary summary = summarize(&sample.report, &arena);
    report_markdown(&summary, &text);
}

REPORT_TEST(the_verdict_stands_above)
{
    assert_true(str_starts(buf_str(&text), STR("## \xe2\x9c\x95 Not interoperable: http\\://127\\.0\\.0\\.1\\:1\n\n"
                                               "A correct request is not answered as a document demands\\.")));
    assert_times(1, "\n**Next:** v2\\-rest\\.must\\-row\\: it says &lt; &amp; &gt;\n");
    assert_times(1, "2023-11-14 22:13:20 UTC, oip-conformance ");
    assert_times(1, "seed 42, exit code 1: a MUST failed\n");
}

REPORT_TEST(profiles_are_a_table)
{
    assert_times(1, "| profile | stands | MUST met | MUST failed | MUST not tried | SHOULD met | SHOULD warned | "
                    "SHOULD not tried | open recorded |\n|:--|:--|--:|--:|--:|--:|--:|--:|--:|\n"
                    "| v2\\-rest | not interoperable | 0 | 1 | 1 | 0 | 1 | 0 | 0 |\n"
                    "| **all profiles** | **not interoperable** | 0 | 1 | 1 | 0 | 1 | 0 | 0 |\n");
}

REPORT_TEST(a_requirement_that_failed_has_its_first_case_and_a_command)
{
    assert_times(1, "### Findings (1)\n");
    assert_times(1, "**v2\\-rest\\.must\\-row** (must, answers, 4 cases): it says &lt; &amp; &gt;\\\n");
    assert_times(1, "```sh\ncurl --data-binary '<&>\"' http://x\n```\n");
}

/* No text of a target is markup, ends a line, or hides. */
REPORT_TEST(what_a_server_says_is_text)
{
    assert_times(3, "\\]\\]&gt;&lt;failure&gt;&amp;&quot;'\\\\x1b\\[31m\\\\x00\\\\x01"); /* name, version, why */
    assert_times(0, "<failure>");
    assert_harmless();
    sample.results[VERDICT_FAIL].why = STR("| `a` <b> *c* [d](e) @f");
    write_results(&sample.results[VERDICT_FAIL], 1);
    assert_times(1, "\\| \\`a\\` &lt;b&gt; \\*c\\* \\[d\\]\\(e\\) \\@f\n");
}

REPORT_TEST(a_command_cannot_end_its_block)
{
    sample.results[VERDICT_FAIL].command = STR("printf '````\n# a heading'");
    write_results(&sample.results[VERDICT_FAIL], 1);
    assert_times(1, "\n`````sh\nprintf '````\\x0a# a heading'\n`````\n");
}

REPORT_TEST(its_size_is_bounded)
{
    size_t count = 5000;
    struct result *results = arena_alloc_zero(&arena, count, sizeof *results);
    struct assertion *assertions = arena_alloc_zero(&arena, count, sizeof *assertions);
    struct requirement *rows = arena_alloc_zero(&arena, count, sizeof *rows);
    struct play *plays = arena_alloc_zero(&arena, count, sizeof *plays);
    for (size_t i = 0; i < count; i++) {
        rows[i] = sample.rows[1];
        plays[i] = sample.play;
        plays[i].index = i;
        assertions[i] = *sample.results[VERDICT_FAIL].assertion;
        assertions[i].requirement = &rows[i];
        assertions[i].play = &plays[i];
        results[i] = sample.results[VERDICT_FAIL];
        results[i].assertion = &assertions[i];
    }
    sample.suite.ledger = (struct ledger){.rows = rows, .count = count};
    sample.plan.plays = plays;
    sample.plan.play_count = count;
    write_results(results, count);
    assert_in_range(text.size, 200000, 600000);
    assert_times(1, " more requirements\n");
}
