/* What a slow run tells while it goes on. */
#include "commands/progress.h"
#include "tests/scratch.h"

static void assert_line(size_t done, size_t planned, double elapsed, const char *expected)
{
    const struct progress progress = {.done = done, .planned = planned, .failed = 3};
    assert_string_equal(progress_line(&progress, elapsed, &arena).data, expected);
}

TEST(a_slow_run_tells_how_long_it_takes)
{
    assert_line(10, 40, 9, "10 of 40, 3 failed");
    assert_line(10, 40, 20, "10 of 40, 3 failed, about 60 s to go");
    assert_line(10, 70, 20, "10 of 70, 3 failed, about 2 min to go");
    assert_line(39, 40, 20, "39 of 40, 3 failed");
    assert_line(0, 40, 20, "0 of 40, 3 failed");
    assert_line(40, 40, 20, "40 of 40, 3 failed");
}

static void assert_hint(struct progress progress, const char *begins)
{
    struct str hint = progress_hint(&progress, &arena);
    if (begins ? !str_starts(hint, str_of(begins)) : hint.size > 0)
        fail_msg("expected: %s\n  got: %.*s", begins ? begins : "nothing", STR_ARG(hint));
}

TEST(a_hint_says_why_a_run_is_slow)
{
    assert_hint((struct progress){.jobs = 8, .inference_seconds = 0.1, .inferences = 10, .inferring = 7, .timeout = 10},
                "8 inferences side by side take 7.0 times as long as one alone");
    assert_hint((struct progress){.jobs = 8, .inference_seconds = 0.1, .inferences = 10, .inferring = 4, .timeout = 10},
                "an inference takes 0.4 s, 8 at a time: --jobs 32 ");
    assert_hint((struct progress){.jobs = 1, .inference_seconds = 0.1, .inferences = 10, .inferring = 7, .timeout = 10},
                "an inference takes 0.7 s, 1 at a time: --jobs 4 ");
    assert_hint(
        (struct progress){
            .jobs = 8, .inference_seconds = 1, .inferences = 10, .inferring = 11, .silent = 10, .timeout = 3},
        "10 exchanges got no answer within 3 s");
    assert_hint((struct progress){.jobs = 8, .inference_seconds = 0.001, .inferences = 10, .inferring = 0.1}, NULL);
    assert_hint((struct progress){.jobs = 8, .inference_seconds = 0.1, .inferences = 7, .inferring = 7}, NULL);
}
