#include "commands/progress.h"

#include "base/search.h"
#include "support/seconds.h"

#define SLOW           10.0 /* seconds after which a run is slow, and between two lines */
#define SLOW_INFERENCE 0.2  /* seconds of an inference in a run that more jobs would make faster */
#define SEEN           8    /* inferences that must have been seen before anything is said of them */
#define IN_LINE        0.6  /* of the number of jobs: inferences so much slower than one alone wait for one another */
#define COUNTS_FROM    0.01 /* seconds that an inference alone must take if others are to be compared with it */
#define SILENT_MANY    10   /* silent exchanges to which a slow run is put down */

size_t progress_planned(const struct plan *plan)
{
    size_t count = 0;
    FOR_EACH(play, plan->plays, plan->play_count)
        count += play->not_applicable.size || play->disabled.size ? 0 : play->assertion_count;
    return count;
}

struct str progress_line(const struct progress *progress, double elapsed, struct arena *arena)
{
    size_t left = progress->planned > progress->done ? progress->planned - progress->done : 0;
    double seconds = progress->done && elapsed > SLOW ? elapsed * (double)left / (double)progress->done : 0;
    struct str line =
        arena_printf(arena, "%zu of %zu, %zu failed", progress->done, progress->planned, progress->failed);
    if (seconds < 1)
        return line;
    bool minutes = seconds >= 90;
    return arena_printf(arena, "%.*s, about %.0f %s to go", STR_ARG(line), minutes ? seconds / 60 : seconds,
                        minutes ? "min" : "s");
}

struct str progress_hint(const struct progress *progress, struct arena *arena)
{
    double one = progress->inferences >= SEEN ? progress->inferring / (double)progress->inferences : 0;
    double times = progress->inference_seconds >= COUNTS_FROM ? one / progress->inference_seconds : 0;
    if (progress->jobs > 1 && times > IN_LINE * (double)progress->jobs)
        return arena_printf(arena,
                            "%zu inferences side by side take %.1f times as long as one alone: the target seems to "
                            "serve one at a time; --jobs 1 sends them so, --timeout S lets them wait longer",
                            progress->jobs, times);
    if (progress->silent >= SILENT_MANY)
        return arena_printf(arena,
                            "%zu exchanges got no answer within %g s: --timeout S waits less, --skip GLOB leaves "
                            "cases out",
                            progress->silent, progress->timeout);
    if (one > SLOW_INFERENCE)
        return arena_printf(arena,
                            "an inference takes %.1f s, %zu at a time: --jobs %zu asks more at once if the target "
                            "serves more, --model and --filter ask less",
                            one, progress->jobs, progress->jobs * 4);
    return STR("");
}

static void count(struct progress *progress, const struct result *result)
{
    const struct play *play = result->assertion->play;
    bool is_first = result->assertion == play->assertions; /* one of several of the same exchange */
    progress->done += !play->not_applicable.size && !play->disabled.size;
    progress->failed += result->verdict == VERDICT_FAIL || result->verdict == VERDICT_TIMEOUT;
    progress->silent += is_first && result->seconds >= progress->timeout;
    if (is_first && play->is_base && result->seconds > 0 && tree_member(play->act, "infer")) {
        progress->inferences++;
        progress->inferring += result->seconds;
    }
}

void progress_show(size_t done, size_t planned, const struct result *result, void *context)
{
    struct progress *progress = context;
    struct arena arena = memory_arena();
    double now = seconds_now(), elapsed = now - progress->begun;
    bool is_last = done == planned, due = elapsed > SLOW && now - progress->told > SLOW;
    count(progress, result);
    struct str line = progress_line(progress, elapsed, &arena);
    struct str hint = due && progress->told == 0 ? progress_hint(progress, &arena) : STR("");
    if (hint.size)
        fprintf(stderr, "%s%.*s\n", progress->live ? "\r" : "", STR_ARG(hint));
    if (progress->live && is_last)
        fprintf(stderr, "\r%*s\r", 70, "");
    else if (progress->live && done % 16 == 0)
        fprintf(stderr, "\r%.*s ", STR_ARG(line));
    else if (!progress->live && due && !is_last)
        fprintf(stderr, "%.*s\n", STR_ARG(line));
    if (due)
        progress->told = now;
    arena_free(&arena);
}
