/* The report as JUnit XML. */
#include "report_text.h"

static void write_report(void)
{
    const struct summary summary = summarize(&sample.report, &arena);
    report_junit(&summary, &text);
}

REPORT_TEST(a_testsuite_is_a_profile)
{
    assert_xpath("count(//testsuite)", "2");
    assert_xpath("count(//testsuite[@name='v2-rest']/testcase)", "9");
    assert_xpath("count(//testsuite[@name='v2-grpc']/testcase)", "1");
    assert_xpath("string(//testsuite[@name='v2-rest']/@tests)", "9");
}

REPORT_TEST(a_profile_that_is_left_out_is_no_testsuite)
{
    sample.results[VERDICT_PASS_WEAK].verdict = VERDICT_DISABLED; /* the only one of its profile */
    sample.report.notes = STR("one\ntwo\n");
    write_again();
    assert_xpath("count(//testsuite)", "1");
    assert_xpath("string(//property[@name='discovery']/@value)", "one; two");
}

REPORT_TEST(fail_and_timeout_are_failures)
{
    assert_xpath("count(//failure)", "3"); /* fail, timeout, the failed replay */
    assert_xpath("count(//failure[@type='timeout'])", "1");
    assert_xpath("count(//failure[@type='must'])", "2");
    assert_xpath("contains(//failure[1]/@message, ']]><failure>')", "true");
    assert_xpath("contains(//failure[1], 'source: Predict Protocol (000)')", "true");
}

REPORT_TEST(an_error_of_the_suite_is_an_error)
{
    assert_xpath("count(//error)", "1");
}

REPORT_TEST(what_was_not_judged_is_skipped_with_its_reason)
{
    assert_xpath("count(//skipped)", "3"); /* blocked, not applicable, waived; the disabled one is left out */
    assert_xpath("count(//skipped[starts-with(@message, 'not-applicable: ')])", "1");
}

REPORT_TEST(warnings_pass_and_are_told)
{
    assert_xpath("count(//testcase[system-out and not(failure) and not(error) and not(skipped)])", "2");
}

REPORT_TEST(what_was_observed_is_told)
{
    sample.results[VERDICT_PASS].observed = STR("kept");
    write_again();
    assert_xpath("normalize-space(//testcase[contains(@name, '/pass@')]/system-out)", "observed: kept");
}
