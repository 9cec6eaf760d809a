/* Plans made by hand, run against a small server in this file. /yes is answered 200, /no 500; after /break every /yes
 * is 500 too. */
#include "judge/play_options.h"
#include "judge/run.h"

#include "own_server.h"
#include "registry.h"
#include "support/exit_code.h"

#include <stdatomic.h>

/* --- The server --- */

static atomic_bool broken;
static atomic_size_t requests;

static void converse(int connection)
{
    char request[4096];
    if (!own_read_head(connection, request, sizeof(request)))
        return;
    atomic_fetch_add(&requests, 1);
    if (strncmp(request, "GET /break", 10) == 0)
        atomic_store(&broken, true);
    bool good = strncmp(request, "GET /no", 7) != 0 && !atomic_load(&broken);
    char answer[200];
    int length = snprintf(answer, sizeof(answer), "HTTP/1.1 %s\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}",
                          good ? "200 OK" : "500 No");
    (void)!write(connection, answer, (size_t)length);
}

/* --- Plans --- */

#define GROUPS 40
#define PLAYS  (3 * GROUPS)

static struct suite suite;
static struct plan plan;
static struct plan_target target;
static struct run run;
static const struct demands documents = {.layers = {true, true, false}};
static struct requirement must = {.key = {"v2-rest.x", 9}, .prefix = {"v2-rest", 7}, .binds = {"server", 6}};
static struct family family = {.path = {"v2-rest/x", 9}};

static int set_up(void **)
{
    atomic_store(&broken, false);
    atomic_store(&requests, 0);
    memset(&run, 0, sizeof(run));
    memset(&suite, 0, sizeof(suite));
    suite.registry = *the_registry();
    target = (struct plan_target){0};
    plan = (struct plan){.plays = arena_alloc_zero(&arena, PLAYS, sizeof(struct play)),
                         .groups = arena_alloc_zero(&arena, GROUPS, sizeof(struct group))};
    return 0;
}

static int tear_down(void **)
{
    run_free(&run);
    return 0;
}

/* Adds a play that expects 200 or a refusal ("refused"), either in a group of its own or as a neighbour in the last
 * group. */
static struct play *add_play(const char *path, const char *expected, bool neighbour)
{
    size_t index = plan.play_count++;
    struct play *play = &plan.plays[index];
    if (!neighbour) {
        struct group *group = &plan.groups[plan.group_count++];
        *group = (struct group){.family = &family,
                                .encoding = encoding_named("http"),
                                .profile = profile_named("v2-rest"),
                                .plays = arena_alloc_zero(&arena, 8, sizeof(struct play *))};
    }
    struct group *group = &plan.groups[plan.group_count - 1];
    struct assertion *assertion = arena_new_of(&arena, struct assertion);
    *play = (struct play){.id = arena_printf(&arena, "v2-rest/x/%zu@http", index),
                          .group = group,
                          .is_base = !neighbour,
                          .act = parse(arena_printf(&arena, "{\"http\": \"GET %s\"}", path).data),
                          .base_act = neighbour ? group->plays[0]->act : NULL,
                          .assertions = assertion,
                          .assertion_count = 1,
                          .index = index};
    *assertion = (struct assertion){.id = arena_printf(&arena, "v2-rest/x/%zu@http#v2-rest.x", index),
                                    .requirement = &must,
                                    .observation = parse(expected),
                                    .play = play};
    group->plays[group->play_count++] = play;
    plan.assertion_count++;
    return play;
}

#define SERVED  "{\"status\": 200}"
#define REFUSED "\"refused\""

static void control(struct play *play, struct play *by)
{
    play->controls = arena_new_of(&arena, struct control);
    play->controls[0] = (struct control){.play = by};
    play->control_count = 1;
}

static struct run_options options_for(size_t jobs)
{
    static const struct called called = {"judge", {" --flags", 8}};
    struct run_options options = {
        .client = {.timeout = 5, .max_message = 65536}, .target = &target, .jobs = jobs, .called = &called};
    set_address(options.client.addresses, "http", str_of(own_address));
    return options;
}

static void play_it(const struct run_options *options)
{
    run_free(&run);
    assert_ok(run_plan(&suite, &plan, options, &run));
}

static void play_with(size_t jobs)
{
    struct run_options options = options_for(jobs);
    play_it(&options);
}

/* The verdicts of all results in their order: "pass fail". */
static void assert_verdicts(const char *verdicts)
{
    struct str all = STR("");
    for (size_t i = 0; i < run.result_count; i++)
        all = arena_printf(&arena, "%.*s%s%s", STR_ARG(all), i ? " " : "", verdict_name(run.results[i].verdict));
    assert_text(all, verdicts);
}

/* --- What must hold --- */

#define RUN_TEST(name) TEST_WITH(name, set_up, tear_down)

RUN_TEST(results_stand_in_the_order_of_the_plan)
{
    for (int i = 0; i < GROUPS; i++)
        add_play(i % 2 ? "/no" : "/yes", SERVED, false);
    for (size_t jobs = 1; jobs <= 8; jobs *= 8) {
        play_with(jobs);
        assert_int_equal(run.result_count, GROUPS);
        assert_int_equal(run.exchanges, GROUPS);
        for (size_t i = 0; i < GROUPS; i++) {
            assert_int_equal(run.results[i].verdict, i % 2 ? VERDICT_FAIL : VERDICT_PASS);
            assert_ptr_equal(run.results[i].assertion, &plan.plays[i].assertions[0]);
        }
        assert_int_equal(run_exit_code(&run, 0, &documents), EXIT_NOT_CONFORMANT);
    }
}

RUN_TEST(a_control_is_played_first_and_once)
{
    struct play *first = add_play("/yes", SERVED, false), *second = add_play("/yes", SERVED, false);
    struct play *by = add_play("/yes", SERVED, false);
    control(first, by);
    control(second, by);
    play_with(1);
    assert_verdicts("pass pass pass");
    assert_int_equal(requests, 3);
    assert_int_equal(run_exit_code(&run, 3, &documents), EXIT_CONFORMANT);
    assert_int_equal(run_exit_code(&run, 4, &documents), EXIT_TOO_FEW);
}

RUN_TEST(of_controls_that_prove_the_same_one_suffices)
{
    struct play *play = add_play("/yes", SERVED, false), *absent = add_play("/yes", SERVED, false);
    struct play *fails = add_play("/no", SERVED, false), *passes = add_play("/yes", SERVED, false);
    struct control controls[] = {{.play = absent, .or_next = true}, {.play = fails, .or_next = true}, {.play = passes}};
    absent->not_applicable = STR("absent");
    play->controls = controls;
    play->control_count = 3;
    play_with(1);
    assert_verdicts("pass not-applicable fail pass");
    passes->act = fails->act;
    play_with(1);
    assert_verdicts("blocked not-applicable fail fail");
    assert_ptr_equal(run.results[0].waits_for, fails);
    assert_has(run.results[0].why, "its control v2-rest/x/2@http did not pass");
    assert_has(run.results[0].why, "2 others");
    fails->not_applicable = passes->not_applicable = absent->not_applicable;
    play_with(1);
    assert_verdicts("not-applicable not-applicable not-applicable not-applicable");
}

RUN_TEST(what_fails_its_control_is_blocked_unsent)
{
    struct play *first = add_play("/yes", SERVED, false), *then = add_play("/yes", SERVED, false);
    struct play *by = add_play("/no", SERVED, false);
    control(first, then);
    control(then, by);
    play_with(8);
    assert_verdicts("blocked blocked fail");
    assert_int_equal(requests, 1);
    assert_has(run.results[1].why, "its control v2-rest/x/2@http did not pass");
}

RUN_TEST(controls_in_a_circle_are_a_fault_of_the_suite)
{
    struct play *one = add_play("/yes", SERVED, false), *two = add_play("/yes", SERVED, false);
    add_play("/yes", SERVED, false);
    control(one, two);
    control(two, one);
    play_with(8);
    assert_verdicts("error error pass");
    assert_int_equal(run_exit_code(&run, 0, &documents), EXIT_SUITE);
}

RUN_TEST(a_neighbour_is_played_between_base_and_replay)
{
    add_play("/yes", SERVED, false);
    add_play("/no", REFUSED, true);
    add_play("/no", REFUSED, true);
    play_with(1);
    assert_verdicts("pass pass pass");
    assert_int_equal(requests, 5);
}

RUN_TEST(neighbours_of_a_base_that_fails_are_blocked)
{
    add_play("/no", SERVED, false);
    add_play("/no", REFUSED, true);
    play_with(1);
    assert_verdicts("fail blocked");
    assert_int_equal(requests, 1);
}

RUN_TEST(a_neighbour_may_wait_for_one_before_it)
{
    add_play("/yes", SERVED, false);
    struct play *any = add_play("/yes", REFUSED, true), *other = add_play("/yes", REFUSED, true);
    control(other, any);
    other->controls[0].assertion = &any->assertions[0];
    play_with(1);
    assert_verdicts("pass fail blocked");
    assert_has(run.results[2].why, "its control v2-rest/x/1@http");
}

RUN_TEST(a_server_that_is_harmed_fails_the_replay)
{
    add_play("/yes", SERVED, false);
    add_play("/break", REFUSED, true);
    play_with(1);
    assert_verdicts("pass pass fail");
    assert_true(run.results[2].replay);
    assert_text(run.results[2].assertion->id, "v2-rest/x/1/replay@http#v2-rest.x");
    assert_int_equal(run_exit_code(&run, 0, &documents), EXIT_NOT_CONFORMANT);
}

/* Gives a base one more assertion of that level. */
static void also_expects(struct play *play, struct requirement *row)
{
    struct assertion *both = arena_alloc_zero(&arena, 2, sizeof(*both));
    both[0] = both[1] = play->assertions[0];
    both[0].requirement = row;
    both[0].id = arena_printf(&arena, "%.*s#%.*s", STR_ARG(play->id), STR_ARG(row->key));
    play->assertions = both;
    play->assertion_count = 2;
    plan.assertion_count++;
}

RUN_TEST(one_harm_is_told_once_at_the_gravest_key)
{
    struct requirement should = must;
    should.level = LEVEL_SHOULD;
    should.key = STR("v2-rest.y");
    also_expects(add_play("/yes", SERVED, false), &should);
    add_play("/break", REFUSED, true);
    add_play("/no", REFUSED, true);
    play_with(1);
    assert_true(run.results[3].replay);
    assert_verdicts("pass pass pass fail pass");
    assert_text(run.results[3].assertion->requirement->key, "v2-rest.x");
    assert_text(run.results[3].command, "judge replay 'v2-rest/x/1/replay@http#v2-rest.x' --flags");
    assert_text(run.results[3].sent, "GET /break; GET /yes");
}

RUN_TEST(a_harm_that_only_a_should_shows_is_a_warning)
{
    struct requirement should = must;
    should.level = LEVEL_SHOULD;
    struct play *base = add_play("/yes", SERVED, false);
    base->assertions->requirement = &should;
    add_play("/break", REFUSED, true);
    play_with(1);
    assert_verdicts("pass pass warn");
    assert_int_equal(run_exit_code(&run, 0, &documents), EXIT_CONFORMANT);
}

RUN_TEST(what_is_left_out_is_played_only_as_a_control)
{
    struct play *wanted = add_play("/yes", SERVED, false);
    struct play *by = add_play("/yes", SERVED, false), *other = add_play("/yes", SERVED, false);
    control(wanted, by);
    by->disabled = other->disabled = STR("left out");
    play_with(8);
    assert_verdicts("pass disabled disabled");
    assert_int_equal(requests, 2);
}

RUN_TEST(what_cannot_run_says_why)
{
    add_play("/yes", SERVED, false)->not_applicable = STR("no such model");
    add_play("/no", REFUSED, true);
    add_play("/yes", SERVED, false)->state = STR("elsewhere");
    play_with(8);
    assert_verdicts("not-applicable not-applicable not-applicable");
    assert_text(run.results[1].why, "no such model");
    assert_has(run.results[2].why, "--state elsewhere=http://HOST:PORT");
    assert_int_equal(requests, 0);
}

RUN_TEST(a_dead_target_is_left_alone_after_twice_the_jobs)
{
    for (int i = 0; i < GROUPS; i++)
        add_play("/yes", SERVED, false);
    struct run_options options = options_for(2);
    set_address(options.client.addresses, "http", STR("http://127.0.0.1:1"));
    play_it(&options);
    assert_in_range(run.exchanges, 4, 5);
    assert_true(run.unresponsive.size && run.unreachable);
    assert_int_equal(run.results[GROUPS - 1].verdict, VERDICT_BLOCKED);
    assert_int_equal(run_exit_code(&run, 0, &documents), EXIT_UNREACHABLE);
}

RUN_TEST(an_interrupted_run_reports_the_rest_as_blocked)
{
    static const struct {
        int by;
        enum exit_code code;
        const char *why;
    } rows[] = {{1, EXIT_INTERRUPTED, "the run was interrupted"},
                {INTERRUPTED_BY_TIME, EXIT_TIME_LIMIT, "the time limit of the run was reached"}};
    add_play("/yes", SERVED, false);
    add_play("/no", REFUSED, true);
    EACH_ROW(row, rows, row->why) {
        volatile int interrupted = row->by;
        struct run_options options = options_for(2);
        options.interrupted = &interrupted;
        play_it(&options);
        assert_verdicts("blocked blocked");
        assert_int_equal(requests, 0);
        assert_int_equal(run_exit_code(&run, 0, &documents), row->code);
        assert_text(run.results[0].why, row->why);
    }
}

RUN_TEST(groups_that_want_to_be_alone_are_played_too)
{
    for (int i = 0; i < GROUPS; i++)
        add_play("/yes", SERVED, false)->group->alone = i % 3 == 0;
    control(&plan.plays[1], &plan.plays[3]);
    play_with(8);
    for (size_t i = 0; i < GROUPS; i++)
        assert_int_equal(run.results[i].verdict, VERDICT_PASS);
}

static size_t told_as[GROUPS]; /* by the index of the play: how many results were told before */

static void note_told(size_t done, size_t, const struct result *result, void *)
{
    told_as[result->assertion->play->index] = done;
}

RUN_TEST(what_changes_models_is_played_last)
{
    struct run_options options = options_for(8);
    options.progress = note_told;
    for (int i = 0; i < GROUPS; i++) {
        struct group *group = add_play("/yes", SERVED, false)->group;
        group->alone = i % 3 == 0;
        group->mutates = i % 6 == 0;
    }
    play_it(&options);
    size_t last = 0;
    for (size_t i = 0; i < GROUPS; i++)
        if (i % 6 != 0 && told_as[i] > last)
            last = told_as[i];
    for (size_t i = 0; i < GROUPS; i += 6)
        assert_true(told_as[i] > last);
}

static void count_told(size_t done, size_t planned, const struct result *result, void *context)
{
    size_t *told = context;
    assert_int_equal(done, ++*told);
    assert_int_equal(planned, 3);
    assert_int_equal(result->verdict, VERDICT_PASS);
}

RUN_TEST(every_planned_assertion_is_told_once)
{
    size_t told = 0;
    struct run_options options = options_for(8);
    options.progress = count_told;
    options.context = &told;
    add_play("/yes", SERVED, false);
    add_play("/no", REFUSED, true);
    add_play("/yes", SERVED, false);
    play_it(&options);
    assert_int_equal(told, 3);
}

const struct unit_group unit_group = {start_server, stop_server};
