/* Which requirement is named first, and what stands beside it. */
#include "sample_run.h"

#include "report/findings.h"
#include "report/waits.h"

#define PLAYS 4

/* Plays of the sample's group, each with room for the results that a test adds. */
static struct sample sample;
static struct play plays[PLAYS];
static struct group groups[PLAYS];
static struct play *bases[PLAYS];
static struct control controls[PLAYS];
static struct assertion assertions[8];
static struct result results[8];

static int set_up(void **)
{
    sample_make(&sample);
    for (size_t i = 0; i < PLAYS; i++) {
        plays[i] = sample.play;
        plays[i].index = i;
        plays[i].group = &groups[i];
        bases[i] = &plays[i];
        groups[i] = sample.group;
        groups[i].plays = &bases[i];
    }
    sample.suite.ledger.count = 5;
    sample.plan.plays = plays;
    sample.plan.play_count = PLAYS;
    sample.run.results = results;
    sample.run.result_count = 0;
    sample.rows[2].layer = LAYER_REFUSALS;
    return 0;
}

/* Adds a result of that play to the run. */
static struct result *add(size_t play, size_t row, enum verdict verdict)
{
    size_t i = sample.run.result_count++;
    assertions[i] = (struct assertion){
        .id = arena_printf(&arena, "play-%zu", play), .requirement = &sample.rows[row], .play = &plays[play]};
    results[i] = (struct result){.assertion = &assertions[i], .verdict = verdict, .why = STR("it differs")};
    return &results[i];
}

static void wait_for(size_t play, size_t other)
{
    controls[play] = (struct control){.play = &plays[other]};
    plays[play].controls = &controls[play];
    plays[play].control_count = 1;
}

static struct findings failures(void)
{
    return findings_of(&sample.report, FINDING_FAILURE, &arena);
}

/* The findings are of these rows, in this order: "1 2". */
static void assert_found(const char *rows)
{
    struct findings found = failures();
    struct str all = STR("");
    for (size_t i = 0; i < found.count; i++)
        all = arena_printf(&arena, "%.*s%s%td", STR_ARG(all), i ? " " : "", found.items[i].requirement - sample.rows);
    assert_text(all, rows);
}

#define FINDINGS_TEST(name) TEST_WITH(name, set_up, NULL)

/* A requirement that fails in two cases and holds in none explains more than one that fails in three and holds in nine.
 */
FINDINGS_TEST(what_holds_elsewhere_explains_less)
{
    for (size_t i = 0; i < 3; i++)
        add(i, 0, VERDICT_FAIL);
    for (size_t i = 0; i < 3; i++)
        add(3, 0, VERDICT_PASS);
    add(1, 1, VERDICT_FAIL);
    add(2, 1, VERDICT_FAIL);
    assert_found("1 0");
}

/* The rows: 1 is about answers, 2 about refusals, 4 about the transport. */
FINDINGS_TEST(answers_stand_before_refusals_before_the_transport)
{
    add(0, 4, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL);
    add(2, 1, VERDICT_FAIL);
    assert_found("1 2 4");
    assert_int_equal(failures().layer_count[LAYER_TRANSPORT], 1);
}

FINDINGS_TEST(what_has_the_fewest_prerequisites_stands_first)
{
    sample.rows[2].layer = LAYER_ANSWERS;
    wait_for(0, 2);
    wait_for(2, 3);
    add(0, 1, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL);
    struct findings found = failures();
    assert_found("2 1");
    assert_int_equal(found.items[0].prerequisites, 0);
    assert_int_equal(found.items[1].prerequisites, 2);
}

/* A requirement that fails in many cases is rather the cause than one that fails in one. */
FINDINGS_TEST(what_fails_in_the_most_cases_stands_before_others)
{
    sample.rows[2].layer = LAYER_ANSWERS;
    add(0, 1, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL);
    add(2, 2, VERDICT_FAIL);
    assert_found("2 1");
}

FINDINGS_TEST(the_witness_is_the_simplest_exchange)
{
    wait_for(0, 3);
    add(0, 1, VERDICT_FAIL);
    add(1, 1, VERDICT_FAIL)->command = STR("a long command that sends much");
    add(2, 1, VERDICT_FAIL)->command = STR("a short one");
    struct findings found = failures();
    assert_found("1");
    assert_ptr_equal(found.items[0].witness, &results[2]);
    assert_ptr_equal(found.items[0].results[0], &results[2]);
    assert_ptr_equal(found.items[0].results[1], &results[0]);
    assert_int_equal(found.items[0].count, 3);
}

/* Both rows are about answers. */
static int set_up_causes(void **state)
{
    set_up(state);
    sample.rows[2].layer = LAYER_ANSWERS;
    return 0;
}

#define CAUSES_TEST(name) TEST_WITH(name, set_up_causes, NULL)

/* Row 2 fails in more cases than row 1, but only because a member is wrong that row 1 owns. */
CAUSES_TEST(who_owns_what_differs_is_the_cause)
{
    sample.rows[1].owns = (struct keys){(struct str[]){STR("/id"), STR("GET * /outputs/*/shape*")}, 2};
    add(0, 1, VERDICT_FAIL);
    add(3, 1, VERDICT_PASS);
    for (size_t i = 1; i < 4; i++) {
        struct result *result = add(i, 2, VERDICT_FAIL);
        result->asked = STR("GET /a");
        result->why = STR("/outputs/0/shape/1 (OUTPUT0): expected 2, got 3");
    }
    assert_found("1");
    assert_int_equal(failures().items[0].also_count, 1);
    assert_int_equal(failures().follower_count, 1);
    results[4].asked = STR("POST /a");
    assert_found("1 2");
}

/* What a row of the core owns is its matter in answers of an extension, too; not in those of another transport. What an
 * extension owns is not its matter in another one. */
CAUSES_TEST(a_row_owns_what_differs_in_extensions_of_its_profile)
{
    sample.rows[1].owns = sample.rows[2].owns = (struct keys){(struct str[]){STR("/outputs/*/datatype")}, 1};
    sample.rows[2].prefix = STR("statistics-rest");
    groups[1].profile = profile_named("statistics-rest");
    add(0, 1, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL)->why = STR("/outputs/0/datatype (OUTPUT0): expected \"INT32\", got \"INT64\"");
    assert_found("1");
    groups[1].profile = profile_named("statistics-grpc");
    assert_found("1 2");
    groups[0].profile = profile_named("sequence-rest");
    groups[1].profile = profile_named("statistics-rest");
    sample.rows[1].prefix = groups[0].profile->name;
    assert_found("1 2");
}

/* Row 1 owns what row 2 fails by, but it holds elsewhere, and row 2, which never holds, implies it. */
CAUSES_TEST(who_owns_what_differs_and_holds_elsewhere_is_not_the_cause_of_what_implies_it)
{
    sample.rows[1].owns = (struct keys){(struct str[]){STR("/id")}, 1};
    sample.rows[2].implies = (struct keys){&sample.rows[1].key, 1};
    add(0, 1, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL)->why = STR("/id: expected 1, got 2");
    assert_found("1");
    add(2, 1, VERDICT_PASS);
    add(3, 1, VERDICT_PASS);
    assert_found("2 1");
}

CAUSES_TEST(what_implies_another_is_the_cause_if_it_holds_as_seldom)
{
    sample.rows[1].implies = (struct keys){&sample.rows[2].key, 1};
    add(0, 1, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL);
    add(2, 2, VERDICT_FAIL);
    assert_found("1 2"); /* what came does not fit either */
    results[1].unserved = results[2].unserved = true;
    assert_found("1 2"); /* the cause is about answers that came: it lets no request go unserved */
    results[0].unserved = true;
    assert_found("1");
    add(3, 1, VERDICT_PASS);
    assert_found("2 1");
}

CAUSES_TEST(an_extension_is_no_cause_of_what_fails_without_it)
{
    struct profile extension = *groups[0].profile;
    extension.claim = STR("an_extension");
    sample.rows[1].implies = (struct keys){&sample.rows[2].key, 1};
    groups[1].profile = &extension;
    add(0, 2, VERDICT_FAIL);
    add(1, 1, VERDICT_FAIL);
    assert_found("2 1");
    groups[0].profile = &extension;
    assert_found("1 2");
}

CAUSES_TEST(of_two_that_imply_each_other_the_wider_is_the_cause)
{
    sample.rows[1].implies = (struct keys){&sample.rows[2].key, 1};
    sample.rows[2].implies = (struct keys){&sample.rows[1].key, 1};
    add(0, 1, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL);
    add(2, 2, VERDICT_FAIL);
    assert_found("2 1");
    for (size_t i = 0; i < 3; i++)
        add(3, 2, VERDICT_PASS);
    assert_found("1 2");
}

/* One refused request breaks all that is expected of its answer. */
FINDINGS_TEST(what_fails_with_another_alone_is_no_finding_of_its_own)
{
    add(0, 1, VERDICT_FAIL);
    add(0, 2, VERDICT_FAIL);
    assert_found("1");
    assert_ptr_equal(failures().items[0].also[0], &sample.rows[2]);
    add(1, 2, VERDICT_FAIL); /* without the other too */
    struct findings found = failures();
    assert_found("1 2");
    assert_int_equal(found.items[0].also_count, 1); /* they share the exchange of the witness */
    assert_ptr_equal(found.items[1].witness, &results[1]);
}

/* Whatever is asked of a model that is not there fails for the same cause. */
FINDINGS_TEST(models_that_are_not_listed_are_one_finding)
{
    const struct tree *unlisted = parse("{\"unlisted\": \"the target lists others\"}");
    add(0, 1, VERDICT_FAIL);
    add(1, 2, VERDICT_FAIL);
    assert_found("1 2");
    groups[0].probe = groups[1].probe = unlisted;
    assert_found("1");
    assert_ptr_equal(failures().items[0].also[0], &sample.rows[2]);
}

/* A watcher's failure belongs to the exchange at which it looked. */
FINDINGS_TEST(a_watcher_fails_in_the_exchange_it_looked_at)
{
    add(0, 1, VERDICT_FAIL);
    add(3, 2, VERDICT_FAIL)->exchange = &plays[0];
    assert_found("1");
    assert_ptr_equal(failures().items[0].also[0], &sample.rows[2]);
}

FINDINGS_TEST(blocked_results_wait_for_what_failed_at_the_root)
{
    add(0, 1, VERDICT_FAIL);
    add(1, 1, VERDICT_BLOCKED)->waits_for = &plays[0];
    add(2, 2, VERDICT_BLOCKED)->waits_for = &plays[1];
    add(3, 2, VERDICT_BLOCKED);
    struct waits waits = waits_of(&sample.report, &arena);
    assert_int_equal(waits.root_count, 1);
    assert_ptr_equal(waits.roots[0].result, &results[0]);
    assert_int_equal(waits.roots[0].waiting, 2);
    assert_ptr_equal(waits_root(&waits, &results[2]), &results[0]);
    assert_null(waits_root(&waits, &results[3]));
    assert_null(waits_root(&waits, &results[0]));
}
