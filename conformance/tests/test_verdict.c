/* From an observation to a verdict. */
#include "base/search.h"
#include "judge/exchange.h"
#include "judge/verdict.h"
#include "registry.h"
#include "tests/scratch.h"

static struct family family = {.path = {"v2/x", 4}};
static struct group group;
static struct play play;
static struct requirement requirement;

static int set_up(void **)
{
    group =
        (struct group){.family = &family, .encoding = encoding_named("rest-flat"), .profile = profile_named("v2-rest")};
    play = (struct play){.group = &group};
    requirement = (struct requirement){.key = STR("v2-rest.x"), .slug = STR("x"), .binds = STR("server")};
    return 0;
}

static bool strict;
static const char *base_answer;

/* Returns the verdict on a REST answer with this tree; the status is taken from it. "agrees" compares it with the
 * answer `standard`; NULL: nothing is to be compared. */
static struct result judge_agreement(enum level level, const char *observation, const char *standard,
                                     const char *answer_text)
{
    int64_t status = 0;
    struct result result;
    struct play first = {.group = &group, .id = STR("v2/x@rest-nested")};
    struct tree *tree = parse(answer_text);
    tree_to_int64(tree_member(tree, "status"), &status);
    struct answer answer = {.outcome = OUTCOME_ANSWERED, .status = (int)status};
    struct assertion assertion = {.requirement = &requirement,
                                  .observation = parse(observation),
                                  .standard = standard ? &first : NULL,
                                  .play = &play};
    struct observed observed = {.answer = &answer,
                                .tree = tree,
                                .base = base_answer ? parse(base_answer) : NULL,
                                .standard = standard ? parse(standard) : NULL,
                                .profile = group.profile,
                                .strict = strict};
    requirement.level = level;
    judge_assertion(&assertion, &observed, &arena, &result);
    return result;
}

static struct result judge(enum level level, const char *observation, const char *answer_text)
{
    return judge_agreement(level, observation, NULL, answer_text);
}

/* What is judged beside a tree of JSON. */
struct came {
    struct answer answer;
    struct str trouble;
    bool of_refusal;
};

static struct result judge_came(const struct came *came, const char *observation, const char *tree)
{
    struct result result;
    struct assertion assertion = {
        .requirement = &requirement, .observation = parse(observation), .of_refusal = came->of_refusal, .play = &play};
    struct observed observed = {.answer = &came->answer,
                                .tree = tree ? parse(tree) : NULL,
                                .trouble = came->trouble,
                                .profile = group.profile,
                                .strict = strict};
    judge_assertion(&assertion, &observed, &arena, &result);
    return result;
}

static struct result judge_silence(enum level level, enum outcome outcome)
{
    const struct came came = {.answer = {.outcome = outcome, .trouble = STR("nothing came")}};
    requirement.level = level;
    return judge_came(&came, "'refused'", NULL);
}

#define ANY_OF_TWO "{'$any':{'refused':'refused','served':{'id':'1'}}}"

#define VERDICT_TEST(name) TEST_WITH(name, set_up, NULL)

VERDICT_TEST(the_level_makes_the_verdict)
{
    const char *wrong = "{'status':200,'id':'2'}";
    assert_int_equal(judge(LEVEL_MUST, "{'id':'1'}", "{'status':200,'id':'1'}").verdict, VERDICT_PASS);
    assert_int_equal(judge(LEVEL_MUST, "{'id':'1'}", wrong).verdict, VERDICT_FAIL);
    assert_int_equal(judge(LEVEL_SHOULD, "{'id':'1'}", wrong).verdict, VERDICT_WARN);
    assert_int_equal(judge(LEVEL_OPEN, ANY_OF_TWO, wrong).verdict, VERDICT_WARN);
    assert_int_equal(judge(LEVEL_MAY, "{'id':'1'}", wrong).verdict, VERDICT_PASS);
    assert_text(judge(LEVEL_MAY, "{'id':'1'}", wrong).observed, "no");
    strict = true;
    assert_int_equal(judge(LEVEL_SHOULD, "{'id':'1'}", wrong).verdict, VERDICT_FAIL);
    assert_int_equal(judge(LEVEL_OPEN, ANY_OF_TWO, wrong).verdict, VERDICT_WARN);
    strict = false;
}

VERDICT_TEST(a_refusal_that_is_accepted_needs_nothing_to_agree_with)
{
    const char *choice = "{'$any':{'agreeing':'agrees','refused':'refused'}}";
    const char *refusal = "{'status':400,'error':'too large'}";
    const char *one = "{'status':200,'outputs':[{'name':'y','datatype':'INT32','shape':[1],'data':[1]}]}";
    const char *two = "{'status':200,'outputs':[{'name':'y','datatype':'INT32','shape':[1],'data':[2]}]}";
    assert_int_equal(judge_agreement(LEVEL_MUST, choice, one, one).verdict, VERDICT_PASS);
    assert_int_equal(judge_agreement(LEVEL_MUST, choice, one, two).verdict, VERDICT_FAIL);
    assert_text(judge_agreement(LEVEL_MUST, choice, refusal, refusal).observed, "refused");
    assert_int_equal(judge_agreement(LEVEL_MUST, choice, refusal, one).verdict, VERDICT_BLOCKED);
    assert_int_equal(judge_agreement(LEVEL_MUST, "'agrees'", refusal, refusal).verdict, VERDICT_BLOCKED);
    assert_int_equal(judge_agreement(LEVEL_MAY, "'agrees'", refusal, refusal).verdict, VERDICT_BLOCKED);
    const char *half = "{'status':200,'outputs':[{'name':'y','datatype':'INT32','shape':[2],'data':[1]}]}";
    assert_int_equal(judge_agreement(LEVEL_MUST, choice, half, one).verdict, VERDICT_BLOCKED);
    assert_int_equal(judge_agreement(LEVEL_MUST, choice, one, half).verdict, VERDICT_FAIL);
    const char *faulty = "{'status':{'$range':1}}";
    assert_int_equal(judge_agreement(LEVEL_MUST, faulty, refusal, refusal).verdict, VERDICT_ERROR);
}

VERDICT_TEST(what_binds_the_client_fails_no_server)
{
    requirement.binds = STR("client");
    assert_int_equal(judge(LEVEL_MUST, "'refused'", "{'status':200}").verdict, VERDICT_WARN);
    assert_int_equal(judge_silence(LEVEL_MUST, OUTCOME_TIMEOUT).verdict, VERDICT_WARN);
}

VERDICT_TEST(a_pattern_implies_success_unless_it_names_a_status)
{
    struct result result = judge(LEVEL_MUST, "{'id':'1'}", "{'status':400,'id':'1'}");
    assert_int_equal(result.verdict, VERDICT_FAIL);
    assert_text(result.why, "/status: expected 200, got 400");
    result = judge(LEVEL_MUST, "{'id':'1'}", "{'status':400,'json':{'error':'no'}}");
    assert_text(result.why, "/status: expected 200, got 400: no");
    result = judge(LEVEL_MUST, "{'id':'1'}", "{'status':'no','json':{'error':'no'}}");
    assert_text(result.why, "/status: expected 200, got \"no\"");
    assert_int_equal(judge(LEVEL_MUST, "{'status':400,'id':'1'}", "{'status':400,'id':'1'}").verdict, VERDICT_PASS);
}

VERDICT_TEST(what_was_expected_is_told_in_words)
{
    const char *wrong = "{'status':500}";
    struct result result = judge(LEVEL_MUST, "{'id':{'$type':'string'}}", wrong);
    assert_text(result.expected, "status 200; id: a string");
    assert_true(str_equal(result.pattern, json("{'id':{'$type':'string'}}")));
    result = judge(LEVEL_OPEN, ANY_OF_TWO, wrong = "{'status':200}");
    assert_text(result.expected,
                "refused: a refusal (status: a number from 400 to 599); or served: status 200; id \"1\"");
    result = judge(LEVEL_MUST, "'refused'", wrong);
    assert_true(str_is(result.expected, "a refusal (status: a number from 400 to 599)") && !result.pattern.size);
    play.watches = true;
    result = judge(LEVEL_MUST, "{'id':'1'}", wrong);
    assert_text(result.expected, "id \"1\"");
}

/* Returns what is told of an answer with some headers, of which the observation looks at `seen`. */
static struct str received(const char *observation, const char *answer_text)
{
    struct header headers[] = {
        {STR("Content-Type"), STR("text/plain")}, {STR("Allow"), STR("GET")}, {STR("allow"), STR("PUT")}};
    const struct came came = {
        .answer = {.outcome = OUTCOME_ANSWERED, .status = 200, .headers = {headers, 3}, .body = STR("x")}};
    return judge_came(&came, observation, answer_text).received;
}

VERDICT_TEST(what_was_received_shows_what_is_judged)
{
    static const char *const told[][3] = {
        {"{'id':'1'}", "{'status':200}", "HTTP 200, text/plain: x"},
        {"{'headers':{'allow':{'$absent':true},'te':'a'}}", "{'status':200,'headers':{'allow':'GET'}}",
         "HTTP 200, text/plain (allow: GET; allow: PUT; no te): x"},
        {"{'$any':{'a':{'$in':[{'headers':{'content-type':'a'}},{'headers':{'$match':'a'}}]}}}", "{'status':200}",
         "HTTP 200, text/plain (Allow: GET; Allow: PUT): x"},
        {"{'message':{'a':1}}", "{'status':200,'message':{}}",
         "HTTP 200, text/plain (Allow: GET; Allow: PUT): message {}"},
        {"{'message':{'a':1}}", "{'status':200,'message':{'a':2}}", "HTTP 200, text/plain: message {\"a\":2}"},
        {"{'trailers':{'a':'1'}}", "{'status':200}", "HTTP 200, text/plain (no a): x"},
    };
    EACH_ROW(row, told, (*row)[0])
        assert_text(received((*row)[0], (*row)[1]), (*row)[2]);
}

VERDICT_TEST(names_are_observed)
{
    assert_text(judge(LEVEL_OPEN, ANY_OF_TWO, "{'status':400}").observed, "refused");
    assert_text(judge(LEVEL_OPEN, ANY_OF_TWO, "{'status':200,'id':'1'}").observed, "served");
    struct result result = judge(LEVEL_OPEN, "{'$any':{'a':'answered','b':{'status':200}}}", "{'status':200}");
    assert_text(result.observed, "a"); /* of two that hold, the first */
}

VERDICT_TEST(same_means_as_the_base)
{
    base_answer = "{'status':200,'model_name':'m'}";
    assert_int_equal(judge(LEVEL_MUST, "'same'", base_answer).verdict, VERDICT_PASS);
    assert_int_equal(judge(LEVEL_MUST, "'same'", "{'status':200,'model_name':'n'}").verdict, VERDICT_FAIL);
    base_answer = NULL;
    assert_int_equal(judge(LEVEL_MUST, "'same'", "{'status':200}").verdict, VERDICT_ERROR);
}

VERDICT_TEST(zeros_alone_are_a_weak_pass)
{
    static const struct {
        const char *datatype, *data;
        enum verdict verdict;
    } rows[] = {
        {"FP32", "[0,-0.0]", VERDICT_PASS_WEAK}, {"FP32", "[0,1]", VERDICT_PASS}, {"BYTES", "[]", VERDICT_PASS_WEAK}};
    EACH_ROW(row, rows, row->data) {
        struct str outputs =
            arena_printf(&arena, "'outputs':[{'name':'A','datatype':'%s','data':%s}]}", row->datatype, row->data);
        const char *expected = arena_printf(&arena, "{%s", outputs.data).data;
        const char *answer = arena_printf(&arena, "{'status':200,%s", outputs.data).data;
        assert_int_equal(judge(LEVEL_MUST, expected, answer).verdict, row->verdict);
    }
    assert_int_equal(judge(LEVEL_MUST, "{'id':''}", "{'status':200,'id':''}").verdict, VERDICT_PASS);
}

VERDICT_TEST(silence_is_a_timeout_or_a_failure)
{
    assert_int_equal(judge_silence(LEVEL_MUST, OUTCOME_TIMEOUT).verdict, VERDICT_TIMEOUT);
    assert_int_equal(judge_silence(LEVEL_SHOULD, OUTCOME_TIMEOUT).verdict, VERDICT_TIMEOUT);
    assert_int_equal(judge_silence(LEVEL_OPEN, OUTCOME_TIMEOUT).verdict, VERDICT_TIMEOUT);
    assert_int_equal(judge_silence(LEVEL_OPEN, OUTCOME_CLOSED).verdict, VERDICT_FAIL);
    assert_int_equal(judge_silence(LEVEL_MAY, OUTCOME_CLOSED).verdict, VERDICT_WARN);
    assert_int_equal(judge_silence(LEVEL_MUST, OUTCOME_CLOSED).verdict, VERDICT_FAIL);
    assert_int_equal(judge_silence(LEVEL_MUST, OUTCOME_GARBLED).verdict, VERDICT_FAIL);
    assert_text(judge_silence(LEVEL_MUST, OUTCOME_UNREACHABLE).why, "nothing came");
}

VERDICT_TEST(what_is_no_grpc_answer_meets_only_what_looks_at_its_http)
{
    static const struct {
        const char *observation;
        enum verdict verdict;
    } rows[] = {{"{'http':{'status':415}}", VERDICT_PASS},
                {"{'http':{'status':200}}", VERDICT_FAIL},
                {"{'http':{}}", VERDICT_FAIL}, /* it implies success */
                {"'refused'", VERDICT_FAIL},
                {"{'code':{'$not':'OK'}}", VERDICT_FAIL},
                {"{'$any':{'refused':'refused','no call':{'http':{'status':415}}}}", VERDICT_PASS}};
    const struct came came = {.answer = {.outcome = OUTCOME_GARBLED,
                                         .trouble = STR("HTTP status 415 without a grpc-status"),
                                         .has_http = true}};
    group.encoding = encoding_named("grpc");
    group.profile = profile_named("v2-grpc");
    requirement.level = LEVEL_MUST;
    EACH_ROW(row, rows, row->observation)
        assert_int_equal(judge_came(&came, row->observation, "{'http':{'status':415}}").verdict, row->verdict);
}

VERDICT_TEST(rows_of_a_refusal_need_one)
{
    const struct came came = {.answer = {.outcome = OUTCOME_ANSWERED, .status = 200}, .of_refusal = true};
    const char *text = "{'json':{'error':{'$type':'string'}}}";
    requirement.level = LEVEL_MUST;
    assert_int_equal(judge_came(&came, text, "{'status':200}").verdict, VERDICT_BLOCKED);
    assert_int_equal(judge_came(&came, text, "{'status':400,'json':{'error':'x'}}").verdict, VERDICT_PASS);
    assert_int_equal(judge_came(&came, text, "{'status':400,'json':{}}").verdict, VERDICT_FAIL);
}

/* Returns the verdicts on what a case expects to be refused, whose row has that level, and on a MUST row of refusals:
 * "fail blocked". */
static const char *judge_refusal(enum level level, const struct exchange *exchange, bool is_strict)
{
    struct requirement rows[] = {requirement, {.key = STR("v2-rest.error-body"), .level = LEVEL_MUST}};
    struct assertion assertions[] = {
        {.requirement = &rows[0], .observation = tree_string(&arena, STR("refused")), .play = &play},
        {.requirement = &rows[1], .observation = parse("{'json':{}}"), .of_refusal = true, .play = &play}};
    struct result results[2];
    rows[0].level = level;
    play.assertions = assertions;
    play.assertion_count = 2;
    exchange_judge(&play, exchange, NULL, is_strict, &arena, results);
    return arena_printf(&arena, "%s %s", verdict_name(results[0].verdict), verdict_name(results[1].verdict)).data;
}

/* A crash fails the row of the case; only where that row cannot fail, the rows of the refusal fail. */
VERDICT_TEST(a_crash_fails_once)
{
    const struct exchange crash = {.answer = {.outcome = OUTCOME_CLOSED}};
    assert_string_equal(judge_refusal(LEVEL_MUST, &crash, false), "fail blocked");
    assert_string_equal(judge_refusal(LEVEL_SHOULD, &crash, false), "warn fail");
    assert_string_equal(judge_refusal(LEVEL_SHOULD, &crash, true), "fail blocked");
}

/* Whoever serves what a SHOULD asks to refuse has made no error that a MUST about errors would be about. */
VERDICT_TEST(a_served_request_blocks_its_refusal_only_if_a_must_is_broken)
{
    const struct exchange served = {.answer = {.outcome = OUTCOME_ANSWERED, .status = 200},
                                    .tree = parse("{'status':200}")};
    assert_string_equal(judge_refusal(LEVEL_MUST, &served, false), "fail blocked");
    assert_string_equal(judge_refusal(LEVEL_SHOULD, &served, false), "warn not-applicable");
}

VERDICT_TEST(an_answer_that_does_not_decode_is_no_success)
{
    const struct came came = {.answer = {.outcome = OUTCOME_ANSWERED, .status = 200}, .trouble = STR("no JSON")};
    requirement.level = LEVEL_MUST;
    struct result result = judge_came(&came, "{'status':200}", "{'status':200}");
    assert_int_equal(result.verdict, VERDICT_FAIL);
    assert_text(result.why, "no JSON");
    assert_int_equal(judge_came(&came, "'refused'", "{'status':500}").verdict, VERDICT_PASS);
}

VERDICT_TEST(what_does_not_decode_is_told_where_nothing_was_found)
{
    const struct came came = {.answer = {.outcome = OUTCOME_ANSWERED, .status = 200},
                              .trouble = STR("the body is not JSON: byte 2: half of a pair")};
    const char *tree = "{'status':200,'headers':{}}";
    requirement.level = LEVEL_MUST;
    assert_text(judge_came(&came, "{'id':'1'}", tree).why,
                "/id: expected \"1\", got nothing: the body is not JSON: byte 2: half of a pair");
    assert_text(judge_came(&came, "{'headers':{'a':'b'}}", tree).why, "/headers/a: expected \"b\", got nothing");
    play.watches = true; /* a watcher looks at what it names, and at nothing else */
    assert_int_equal(judge_came(&came, "{'status':200}", tree).verdict, VERDICT_PASS);
}

VERDICT_TEST(the_row_that_refused_is_read)
{
    struct header header = {STR("Oip-Refused-By"), STR("v2-rest.x")};
    const struct came came = {.answer = {.outcome = OUTCOME_ANSWERED, .status = 400, .headers = {&header, 1}}};
    assert_text(judge_came(&came, "'refused'", "{'status':400}").refused_by, "v2-rest.x");
}

VERDICT_TEST(only_a_must_or_what_strict_adds_fails_a_run)
{
    struct assertion assertion = {.requirement = &requirement};
    struct result result = {.assertion = &assertion, .verdict = VERDICT_TIMEOUT};
    requirement.level = LEVEL_SHOULD;
    assert_false(result_fails(&result, false));
    assert_true(result_fails(&result, true));
    requirement.level = LEVEL_MUST;
    assert_true(result_fails(&result, false));
    result.verdict = VERDICT_WARN;
    assert_false(result_fails(&result, true));
    result.verdict = VERDICT_BLOCKED;
    assert_false(result_fails(&result, true));
}

VERDICT_TEST(what_is_kept_has_no_secret)
{
    struct str text = STR("a top-secret text");
    struct result result = {.observed = text, .expected = text, .received = text, .why = text, .sent = text};
    result.command = result.grpcurl = result.transcript = result.refused_by = result.pattern = text;
    struct secrets *secrets = secrets_new(&arena);
    secrets_add(secrets, STR("top-secret"));
    struct result kept = result_keep(&arena, secrets, &result), as_it_is = result_keep(&arena, NULL, &result);
    struct str *const texts[] = {&kept.observed, &kept.expected, &kept.received,   &kept.why,        &kept.sent,
                                 &kept.command,  &kept.grpcurl,  &kept.transcript, &kept.refused_by, &kept.pattern};
    for (size_t i = 0; i < COUNT_OF(texts); i++)
        assert_text(*texts[i], "a *** text");
    assert_true(str_equal(as_it_is.why, text) && as_it_is.why.data != text.data);
}

VERDICT_TEST(what_builds_on_a_play_needs_what_its_control_names_else_what_it_is_about)
{
    struct requirement must = {.level = LEVEL_MUST}, should = {.level = LEVEL_SHOULD};
    struct requirement of_transport = {.level = LEVEL_MUST, .layer = LAYER_TRANSPORT};
    struct assertion assertions[] = {{.requirement = &of_transport},
                                     {.requirement = &must, .of_refusal = true},
                                     {.requirement = &must},
                                     {.requirement = &must},
                                     {.requirement = &should}};
    struct play other = {.group = &group};
    struct play base = {.group = &group, .assertions = assertions, .assertion_count = COUNT_OF(assertions)};
    struct control controls[] = {{.play = &other}, {.play = &base, .assertion = &assertions[3]}};
    base.controls = controls;
    base.control_count = 1;
    for (size_t i = 0; i < COUNT_OF(assertions); i++)
        assert_int_equal(plan_builds_on(&base, &assertions[i]), i == 2);
    base.control_count = 2;
    for (size_t i = 0; i < COUNT_OF(assertions); i++)
        assert_int_equal(plan_builds_on(&base, &assertions[i]), i == 3);
    base.assertion_count = 1;
    base.control_count = 1;
    assert_true(plan_builds_on(&base, &assertions[0]));
}

/* Whether an inference with one failed key is accepted, if that is its answer, and its control names that key or not.
 */
static bool accepts(const char *answer, bool names_its_key)
{
    struct requirement must = {.level = LEVEL_MUST};
    struct assertion assertion = {.requirement = &must};
    struct play base = {
        .group = &group, .assertions = &assertion, .assertion_count = 1, .act = parse("{'infer': 'simple'}")};
    struct control control = {.play = &base, .assertion = &assertion};
    struct exchange exchange = {.answer = {.outcome = OUTCOME_ANSWERED}, .tree = parse(answer)};
    struct result result = {.assertion = &assertion, .verdict = VERDICT_FAIL};
    base.controls = &control;
    base.control_count = names_its_key;
    return play_accepted(&base, &exchange, &result);
}

VERDICT_TEST(an_inference_with_outputs_is_accepted_whatever_else_is_wrong_with_it)
{
    assert_true(accepts("{'status': 200, 'outputs': [{'name': 'a'}]}", false));
    assert_false(accepts("{'status': 200, 'outputs': [{'name': 'a'}]}", true));
    assert_false(accepts("{'status': 200, 'outputs': []}", false));
    assert_false(accepts("{'status': 200}", false));
    assert_false(accepts("{'status': 400, 'outputs': [{'name': 'a'}]}", false));
}
