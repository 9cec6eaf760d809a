/* `replay`: plays one case as a run plays it, shows what is sent and what comes, and tells whether it holds. Reports
 * name it where no other command could show what was judged. `walk` does the same for a person who learns. */
#include "commands/commands.h"

#include "base/search.h"
#include "judge/describe.h"
#include "judge/exchange.h"
#include "judge/transcript.h"
#include "support/printable.h"
#include "support/task.h"
#include "support/wrap.h"
#include "targets/interruption.h"
#include "targets/replay_id.h"
#include "targets/target.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

#define INDENT    16   /* columns before what walk says */
#define TEXT_MOST 2000 /* bytes of a text that are printed */
#define LOOK_MS   200  /* how often a signal is looked for while Enter is waited for */

/* What is replayed, and what became of it. */
struct replay {
    struct target *target;
    struct replay_id wanted;
    struct scene scene;
    size_t judged, failed;
    bool is_suite_fault;
    struct str why_not; /* why nothing was judged; or empty */
};

/* --- The stage: everything else in the plan is left out --- */

/* Leaves out the controls of the play, except those that are keys of its own exchange. */
static void drop_controls(struct play *play)
{
    size_t kept = 0;
    for (size_t i = 0; i < play->control_count; i++)
        if (play->controls[i].play == play)
            play->controls[kept++] = play->controls[i];
    play->control_count = kept;
}

/* Leaves out all plays but the one, and the watchers of the key that was named. Returns whether there are any. */
static bool leave_out(struct plan *plan, const struct replay *replay)
{
    bool watched = false;
    for (size_t i = 0; i < plan->play_count; i++) {
        struct play *play = &plan->plays[i];
        bool watches = play->watches && replay->wanted.key.size && expects_key(play, replay->wanted.key);
        drop_controls(play);
        watched |= watches && !play->not_applicable.size;
        if (play != replay->scene.play && !watches)
            play->disabled = STR("left out by replay");
    }
    return watched;
}

static int set_scene(struct replay *replay, struct str *why)
{
    struct target *target = replay->target;
    struct arena *arena = &target->arena;
    const struct values *after = &target->options->after;
    const struct play **before = arena_alloc_zero(arena, after->count, sizeof(struct play *));
    replay->wanted = replay_id_read(target->options->operands.items[0], arena);
    const struct play *play = replay_id_playable(&target->plan, replay->wanted.id, arena, why);
    for (size_t i = 0; i < after->count && !why->size; i++)
        before[i] = replay_id_playable(&target->plan, replay_id_read(after->items[i], arena).id, arena, why);
    if (!play || why->size)
        return EXIT_USAGE;
    replay->scene = (struct scene){
        .play = play, .before = before, .before_count = after->count, .base_again = replay->wanted.base_again};
    bool watched = leave_out(&target->plan, replay);
    if (replay->wanted.key.size && !replay->wanted.base_again && !watched && !expects_key(play, replay->wanted.key))
        *why = key_not_expected(play, replay->wanted.key, arena);
    return why->size ? EXIT_USAGE : EXIT_CONFORMANT;
}

/* --- Step by step, for a person who learns --- */

struct walk {
    const struct target *target;
    size_t exchanges; /* that were shown */
};

static pthread_mutex_t one_at_a_time =
    PTHREAD_MUTEX_INITIALIZER; /* requests that are sent together come from threads */

static void append_member(struct buf *out, const char *label, struct str text)
{
    buf_printf(out, "%-*s", INDENT, label);
    append_wrapped_printable(out, text, TEXT_MOST, INDENT);
    buf_append_byte(out, '\n');
}

static void append_verdict(const struct walk *walk, const struct result *result, struct arena *arena, struct buf *out)
{
    const struct requirement *row = result->assertion->requirement;
    struct str expected = describe_expected(result->assertion, result->assertion->play->group->profile, arena);
    append_member(
        out, verdict_name(result->verdict),
        arena_printf(arena, "%.*s (%s): %.*s", STR_ARG(row->key), level_name(row->level), STR_ARG(row->says)));
    append_member(out, "  expected", expected);
    if (result->why.size)
        append_member(out, "  because", secrets_hide(walk->target->client.secrets, result->why, arena));
}

/* Waits until a line was typed, or the input ends, or a signal came. */
static void wait_for_enter(void)
{
    struct pollfd in = {.fd = STDIN_FILENO, .events = POLLIN};
    char typed[256];
    if (!isatty(STDIN_FILENO))
        return;
    printf("Press Enter to go on. ");
    fflush(stdout);
    while (!interruption_came())
        if (poll(&in, 1, LOOK_MS) > 0) {
            ssize_t size = read(STDIN_FILENO, typed, sizeof typed);
            if (size <= 0 || memchr(typed, '\n', (size_t)size))
                return;
        }
}

/* Shows one exchange: what was sent and what came, as it reads and as bytes, and each expectation with its verdict and
 * what its requirement says. On a terminal it then waits for Enter. */
static void walk_exchange(void *context, const struct play *play, const struct exchange *exchange,
                          const struct result *results)
{
    struct walk *walk = context;
    struct arena arena = memory_arena();
    struct buf text = {0};
    pthread_mutex_lock(&one_at_a_time);
    buf_printf(&text, "\n%zu. ", ++walk->exchanges);
    append_printable(&text, secrets_hide(walk->target->client.secrets, play->id, &arena), TEXT_MOST);
    buf_append_byte(&text, '\n');
    append_member(&text, "", play->says);
    transcript_teach(&walk->target->client, play, exchange, &arena, &text);
    buf_append_byte(&text, '\n');
    for (size_t i = 0; results && i < play->assertion_count; i++)
        append_verdict(walk, &results[i], &arena, &text);
    fwrite(text.data, 1, text.size, stdout);
    wait_for_enter();
    pthread_mutex_unlock(&one_at_a_time);
    buf_free(&text);
    arena_free(&arena);
}

/* --- What is told --- */

static void show_exchange(void *context, const struct play *play, const struct exchange *exchange,
                          const struct result *)
{
    transcript_print(&((const struct walk *)context)->target->client, play, exchange, stdout);
}

/* Prints a verdict, and what it is about. On a terminal the lines are broken; in a file they can be searched for. */
static void print_verdict(const char *name, struct str id, struct str why)
{
    struct buf lines = {0};
    for (const char *c = name; *c; c++)
        buf_append_byte(&lines, *c >= 'a' && *c <= 'z' ? (char)(*c - 'a' + 'A') : *c);
    buf_append_byte(&lines, ' ');
    append_printable(&lines, id, TEXT_MOST);
    buf_append_str(&lines, why.size ? STR("\n  because   ") : STR(""));
    if (isatty(STDOUT_FILENO))
        append_wrapped_printable(&lines, why, TEXT_MOST, 12);
    else
        append_printable(&lines, why, TEXT_MOST);
    printf("%.*s\n", STR_ARG(buf_str(&lines)));
    buf_free(&lines);
}

/* Whether the result is one that was asked for. */
static bool is_asked(const struct replay *replay, const struct result *result)
{
    const struct play *play = result->assertion->play;
    struct str key = result->assertion->requirement->key;
    if (replay->wanted.base_again)
        return result->replay;
    return !result->replay && (play == replay->scene.play || play->watches) && result->verdict != VERDICT_DISABLED &&
           (!replay->wanted.key.size || str_equal(key, replay->wanted.key));
}

/* Whether the result makes the replay fail. A key that was named fails whatever its level. */
static bool fails(const struct replay *replay, const struct result *result)
{
    bool unmet = verdict_is_judged(result->verdict) && !verdict_passes(result->verdict);
    return replay->wanted.key.size || result->replay ? unmet : result_fails(result, replay->target->options->strict);
}

static void print_result(struct replay *replay, const struct result *result)
{
    replay->judged += verdict_is_judged(result->verdict);
    replay->failed += fails(replay, result);
    replay->is_suite_fault |= result->verdict == VERDICT_ERROR;
    if (!verdict_is_judged(result->verdict))
        replay->why_not = result->why;
    print_verdict(verdict_name(result->verdict), result->assertion->id, result->why);
}

/* Returns the first result of the play, if none of its results was judged; else NULL. */
static const struct result *unjudged(const struct run *run, const struct play *play)
{
    const struct result *first = NULL;
    FOR_EACH(result, run->results, run->result_count) {
        if (result->assertion->play != play)
            continue;
        if (verdict_is_judged(result->verdict))
            return NULL;
        first = first ? first : result;
    }
    return first;
}

/* Tells that the base was answered as before, or why that is not known: the neighbour was not judged. */
static void report_unharmed(struct replay *replay, const struct run *run)
{
    const struct result *result = unjudged(run, replay->scene.play);
    if (result) {
        print_result(replay, result);
        return;
    }
    replay->judged++;
    print_verdict(verdict_name(VERDICT_PASS), str_of(replay->target->options->operands.items[0]), STR(""));
}

static void report_all(struct replay *replay, const struct run *run)
{
    size_t told = 0;
    printf("\n");
    for (size_t i = 0; i < run->result_count; i++)
        if (is_asked(replay, &run->results[i])) {
            print_result(replay, &run->results[i]);
            told++;
        }
    if (replay->wanted.base_again && !told)
        report_unharmed(replay, run);
}

/* --- The exit code --- */

static int decide_exit(const struct replay *replay, const struct run *run, struct str *why)
{
    struct target *target = replay->target;
    *why = replay->why_not.size ? replay->why_not : STR("nothing was judged");
    if (run->interrupted) {
        *why = target_interruption(target->options, run->interrupted, &target->arena);
        return run->interrupted == INTERRUPTED_BY_TIME ? EXIT_TIME_LIMIT : EXIT_INTERRUPTED;
    }
    if (replay->is_suite_fault || run->unrestored.size) {
        *why = run->unrestored.size ? run->unrestored : replay->why_not;
        return EXIT_SUITE;
    }
    if (replay->failed) {
        *why = STR("what was judged does not hold");
        return EXIT_NOT_CONFORMANT;
    }
    if (!replay->judged)
        return run->unreachable ? EXIT_UNREACHABLE : EXIT_USAGE;
    *why = STR("what was judged holds");
    return EXIT_CONFORMANT;
}

static int play_and_report(struct replay *replay)
{
    struct target *target = replay->target;
    struct run_options options = target_run_options(target);
    struct run run;
    struct str why;
    options.jobs = 1;
    options.scene = &replay->scene;
    struct walk walk = {.target = target};
    options.on_exchange = strcmp(target->options->command, "walk") == 0 ? walk_exchange : show_exchange;
    options.context = &walk;
    struct status status = run_plan(&target->suite, &target->plan, &options, &run);
    interruption_stop_clock();
    int code = EXIT_SUITE;
    if (is_ok(status)) {
        report_all(replay, &run);
        code = decide_exit(replay, &run, &why);
    } else {
        why = status.message;
    }
    struct buf line = {0};
    append_printable(&line, why, TEXT_MOST);
    printf("exit code %d: %.*s\n", code, STR_ARG(buf_str(&line)));
    buf_free(&line);
    interruption_let_go();
    if (run.left)
        task_exit(code);
    run_free(&run);
    return code;
}

static int replay(struct target *target, struct str *why)
{
    struct replay replay = {.target = target};
    int code = set_scene(&replay, why);
    return code == EXIT_CONFORMANT ? play_and_report(&replay) : code;
}

int command_replay(const struct options *options)
{
    return target_run(options, replay);
}
