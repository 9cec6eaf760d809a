/* From fixtures to a plan: plays, neighbours, controls and filters. */
#include "plan/plan.h"
#include "plan/request.h"
#include "suite/faults.h"

#include "base/search.h"
#include "fixture.h"

/* Loads the suite with one file more; NULL: with none. */
static void load(const char *name, const char *text)
{
    fixture_begin(name, text, NULL, NULL);
    fixture_load();
}

static void load_case(const char *text)
{
    load("v2-rest/x/case.json", text);
}

static void make_case(const char *text)
{
    load_case(text);
    fixture_plan();
}

static void make_good(void)
{
    load(NULL, NULL);
    fixture_plan();
}

static int free_last(void **)
{
    fixture_free();
    return 0;
}

const struct unit_group unit_group = {NULL, free_last};

static const struct play *find(const char *id)
{
    for (size_t i = 0; i < fixture.plan.play_count; i++)
        if (str_is(fixture.plan.plays[i].id, id))
            return &fixture.plan.plays[i];
    return NULL;
}

static const struct play *get(const char *id)
{
    const struct play *play = find(id);
    if (!play)
        fail_msg("there is no play '%s'", id);
    return play;
}

static bool has(const struct play *play, const char *id)
{
    for (size_t i = 0; i < play->assertion_count; i++)
        if (str_is(play->assertions[i].id, id))
            return true;
    return false;
}

static void expect_tree(const struct tree *tree, const char *expected)
{
    assert_string_equal(text_of(tree), json(expected).data);
}

static void expect_act(const char *id, const char *expected)
{
    expect_tree(get(id)->act, expected);
}

/* The first observation of a play. */
static void expect_observed(const struct play *play, const char *expected)
{
    expect_tree(play->assertions[0].observation, expected);
}

/* Checks that planning fails, and that the message names the rule. */
static void expect_fault(const char *text, const char *rule)
{
    load_case(text);
    struct status status = plan_make(&fixture.suite, &fixture.target, &fixture.plan);
    assert_false(is_ok(status));
    assert_has(status.message, rule);
}

TEST(a_case_is_played_in_each_encoding_with_its_neighbours_behind_it)
{
    make_good();
    const struct play *base = get("v2/infer/sum@rest-nested");
    assert_true(base->is_base);
    assert_int_equal(base->group->play_count, 3);
    assert_ptr_equal(base->group->plays[0], base);
    assert_text(base->group->plays[1]->id, "v2/infer/sum/input-unknown@rest-nested");
    assert_text(base->group->plays[2]->id, "v2/infer/sum/one-element-short@rest-nested");
    assert_non_null(find("v2/infer/sum/input-unknown@rest-flat"));
    assert_null(find("v2/infer/sum@grpc-raw"));
    for (size_t i = 0; i < fixture.plan.play_count; i++)
        assert_int_equal(fixture.plan.plays[i].index, i);
}

TEST(bare_slugs_take_the_profile_and_refusals_bring_their_rows)
{
    make_good();
    const struct play *play = get("v2/infer/sum/one-element-short@rest-flat");
    assert_int_equal(play->assertion_count, 2);
    assert_true(has(play, "v2/infer/sum/one-element-short@rest-flat#v2-rest.data-count"));
    assert_false(play->assertions[0].of_refusal);
    assert_true(has(play, "v2/infer/sum/one-element-short@rest-flat#v2-rest.error-body"));
    assert_true(play->assertions[1].of_refusal);
    assert_ptr_equal(play->assertions[1].play, play);
    /* a refusal that is one choice of $any brings them too */
    play = get("v2/infer/sum/input-unknown@rest-flat");
    assert_int_equal(play->assertion_count, 2);
    assert_true(has(play, "v2/infer/sum/input-unknown@rest-flat#v2-rest.error-body"));
}

TEST(a_neighbour_differs_from_its_base_in_its_change_only)
{
    make_case("{'says': 's', 'http': 'POST /x', 'json': {'a': [1, 2.50]}, 'expect': {'v2-rest.server-live': {'status': "
              "200}}, 'neighbours': {'n': {'set': {'/json/a/0': '${host}'}, 'expect': {'v2-rest.server-live': "
              "'refused'}}, 'b': {'bytes': {'put': [{'$hex': '61'}]}, 'expect': {'v2-rest.server-live': 'refused'}}}}");
    expect_act("v2-rest/x/case@http", "{'http':'POST /x','json':{'a':[1,2.50]}}");
    const struct play *neighbour = get("v2-rest/x/case/n@http");
    expect_tree(neighbour->act, "{'http':'POST /x','json':{'a':['127.0.0.1:8000',2.50]}}");
    assert_ptr_equal(neighbour->base_act, get("v2-rest/x/case@http")->act);
    assert_null(neighbour->bytes_edit);
    const struct tree *put = tree_member(get("v2-rest/x/case/b@http")->bytes_edit, "put");
    assert_text(put->first->text, "a");
}

TEST(values_of_for_become_labels_in_the_order_of_their_names)
{
    make_case("{'says': 's', 'for': {'b': ['p', 'q']}, 'http': 'GET /${b}', 'expect': {'v2-rest.server-live': "
              "{'status': 200}}, 'neighbours': {'n': {'for': {'a': {'one': 1}, 'c': {'two': {'n': 2}}}, 'add': "
              "{'/json': ['${a}', '${c:/n}', '${b}${c}']}, 'expect': {'v2-rest.server-live': {'status': 400}}}}}");
    expect_act("v2-rest/x/case@q@http", "{'http':'GET /q'}");
    expect_act("v2-rest/x/case/n@one@p@two@http", "{'http':'GET /p','json':[1,2,'ptwo']}");
    assert_null(find("v2-rest/x/case/n@p@http"));
}

TEST(a_kit_model_goes_by_the_name_it_has_at_the_target)
{
    static const char *const map[] = {"sim=wrong", "simple=Adder"};
    load_case("{'says': 's', 'model': 'simple', 'http': 'GET /v2/models/${model}/ready', 'headers': {'A': "
              "'${model-in-other-case}'}, 'expect': {'v2-rest.server-live': {'json': {'name': '${model}'}}}}");
    fixture.target.flags.map = (struct values){map, 2};
    fixture_plan();
    const struct play *play = get("v2-rest/x/case@http");
    expect_tree(play->act, "{'http':'GET /v2/models/Adder/ready','headers':{'A':'aDDER'}}");
    assert_text(play->group->kit_model, "simple");
    assert_text(play->group->model, "Adder");
    assert_text(tree_member(tree_member(play->assertions[0].observation, "json"), "name")->text, "Adder");
    assert_text(tree_text(get("v2/infer/sum@rest-flat")->act, "infer"), "Adder");
}

TEST(a_change_that_does_not_fit_a_name_of_the_target_is_not_applicable)
{
    static const char *const map[] = {"simple=42"};
    load_case("{'says': 's', 'model': 'simple', 'http': 'GET /v2/models/${model}/ready', 'expect': "
              "{'v2-rest.server-live': {'status': 200}}, 'neighbours': {'n': {'set': {'/http': 'GET "
              "/v2/models/${model-in-other-case}/ready'}, 'expect': {'v2-rest.server-live': 'refused'}}}}");
    fixture.target.flags.map = (struct values){map, 1};
    fixture.target.nominal = false;
    fixture.target.discovery.models = parse("{'simple': {}}");
    fixture_plan();
    assert_text(get("v2-rest/x/case/n@http")->not_applicable,
                "the change does not fit this model: set '/http': that is already its value, so nothing would change");
}

/* What the target has in place of a version may not fit the types of an answer, which a run does not look at. */
TEST(a_right_answer_is_made_for_readers_and_not_for_targets)
{
    expect_fault("{'says': 's', 'http': 'GET /', 'expect': {'v2-rest.server-live': {'status': 200}}, "
                 "'answer': {'status': 200, 'body': {'$hex': 'no'}}}",
                 "codec");
    fixture.target.nominal = false;
    fixture_plan();
    assert_null(get("v2-rest/x/case@http")->answer);
}

/* Such as a version that is a name, where the protocol has numbers. */
TEST(a_request_that_what_the_target_has_does_not_fit_is_not_applicable)
{
    load("v2/infer/x.json",
         "{'says': 's', 'infer': 'simple', 'over': 'rest-flat', 'inputs': [{'name': 'INPUT0', 'datatype': 'INT32', "
         "'shape': [1], 'data': [{'$hex': '0'}]}], 'expect': {'output-values': {'outputs': []}}}");
    assert_false(is_ok(plan_make(&fixture.suite, &fixture.target, &fixture.plan)));
    fixture.target.nominal = false;
    fixture.target.discovery.models = parse("{'simple': {}}");
    fixture_plan();
    assert_has(get("v2/infer/x@rest-flat")->not_applicable, "hexadecimal");
}

TEST(what_the_target_lacks_is_not_applicable_with_the_evidence)
{
    load_case("{'says': 's', 'needs': {'state': 'still-loading'}, 'http': 'GET /', 'expect': {'v2-rest.server-live': "
              "{'status': 200}}, 'neighbours': {'n': {'set': {'/http': 'GET /x'}, 'expect': {'v2-rest.server-live': "
              "'refused'}}}}");
    fixture.target = (struct plan_target){.discovery.absent = parse("{'simple': 'GET /v2/models/simple gave 404'}"),
                                          .discovery.no_model = STR("none")};
    fixture.target.addresses[0] = (struct address){&fixture.suite.registry.endpoints[0], STR("http://h:1")};
    fixture_plan();
    assert_text(get("v2/infer/sum@rest-flat")->not_applicable,
                "model 'simple' is not hosted: GET /v2/models/simple gave 404");
    EACH(id, "v2/infer/sum/input-unknown@rest-flat", "v2-rest/x/case@http", "v2-rest/x/case/n@http")
        assert_true(get(id)->not_applicable.size > 0);
    assert_int_equal(get("v2-rest/health/live@http")->not_applicable.size, 0);

    static const char *const states[] = {"still-loading"};
    fixture.target.flags.states = (struct values){states, 1};
    fixture_plan();
    assert_int_equal(get("v2-rest/x/case@http")->not_applicable.size, 0);
    assert_text(get("v2-rest/x/case@http")->state, "still-loading");
    assert_text(get("v2-rest/x/case/n@http")->state, "still-loading");
}

TEST(what_is_not_offered_is_one_line_an_encoding)
{
    make_good();
    size_t all = fixture.plan.assertion_count;
    assert_int_equal(fixture.plan.not_offered_count, 0);

    fixture.target.addresses[0].at = STR("");
    fixture_plan();
    assert_true(fixture.plan.assertion_count < all);
    for (size_t i = 0; i < fixture.plan.play_count; i++)
        assert_int_equal(fixture.plan.plays[i].group->profile->endpoint->transport, TRANSPORT_GRPC);
    assert_int_equal(fixture.plan.not_offered_count, 3);
    static const char *const names[] = {"http", "rest-nested", "rest-flat"};
    for (size_t i = 0; i < 3; i++) {
        assert_text(fixture.plan.not_offered[i].encoding->name, names[i]);
        assert_text(fixture.plan.not_offered[i].profile->name, "v2-rest");
        assert_text(fixture.plan.not_offered[i].why, "REST was not asked for (--target http://HOST:PORT)");
    }
}

TEST(a_profile_that_the_target_does_not_speak_is_not_offered_unless_it_is_named)
{
    static const char *const named[] = {"v2-rest"};
    load(NULL, NULL);
    fixture.target.discovery.unspoken = parse("{'v2-rest': 'GET /v2 gave 404'}");
    fixture_plan();
    assert_int_equal(fixture.plan.not_offered_count, 3);
    assert_text(fixture.plan.not_offered[0].why, "the target does not speak it: GET /v2 gave 404");
    assert_null(find("v2-rest/health/live@http"));

    fixture.target.selected.profiles = (struct values){named, 1};
    fixture_plan();
    assert_non_null(find("v2-rest/health/live@http"));
}

TEST(a_control_that_is_not_offered_is_found_and_not_applicable)
{
    static const char row[] = "[{'key': 'v2-grpc.server-live', 'level': 'must', 'layer': 'answers', 'sources': []}]";
    static const char text[] = "{'says': 's', 'control': 'v2-rest/health/live', 'grpc': 'ServerLive', 'expect': "
                               "{'v2-grpc.server-live': {'code': 'OK'}}}";
    fixture_begin("requirements/v2-grpc.json", row, "v2-grpc/x/case.json", text);
    fixture_load();
    fixture.target.addresses[0].at = STR("");
    fixture_plan();
    const struct play *play = get("v2-grpc/x/case@grpc");
    assert_int_equal(play->control_count, 1);
    assert_true(play->controls[0].play->not_applicable.size > 0);
}

TEST(controls_are_found_without_their_encoding)
{
    make_case("{'says': 's', 'control': ['v2-rest/metadata/server#v2-rest.server-metadata', 'v2/infer/sum', "
              "'#v2-rest.server-live', 'v2/infer/sum/one-element-short@rest-nested'], 'http': 'GET /', 'expect': "
              "{'v2-rest.server-live': {'status': 200}, 'v2-rest.output-values': {'body': ''}}}");
    const struct play *play = get("v2-rest/x/case@http");
    assert_int_equal(play->control_count, 4);
    assert_text(play->controls[0].play->id, "v2-rest/metadata/server@http");
    assert_text(play->controls[0].assertion->id, "v2-rest/metadata/server@http#v2-rest.server-metadata");
    assert_text(play->controls[1].play->id, "v2/infer/sum@rest-flat");
    assert_null(play->controls[1].assertion);
    assert_ptr_equal(play->controls[2].play, play);
    assert_ptr_equal(play->controls[2].assertion, &play->assertions[0]);
    assert_text(play->controls[3].play->id, "v2/infer/sum/one-element-short@rest-nested");
}

TEST(a_word_stands_for_all_that_proves_the_same)
{
    load_case("{'says': 's', 'control': ['seen', '#v2-rest.server-live'], 'http': 'GET /', 'expect': "
              "{'v2-rest.server-live': {'status': 200}}}");
    struct registry *registry = &fixture.suite.registry;
    registry->profiles[registry_profile(registry, STR("v2-rest"))->index].proofs =
        parse("{'seen': ['v2-rest/metadata/server#v2-rest.server-metadata', 'v2/infer/sum']}");
    fixture_plan();
    const struct play *play = get("v2-rest/x/case@http");
    static const char *const ids[] = {"v2-rest/metadata/server@http", "v2/infer/sum@rest-flat",
                                      "v2/infer/sum@rest-nested", "v2-rest/x/case@http"};
    assert_int_equal(play->control_count, 4);
    for (size_t i = 0; i < 4; i++) {
        assert_text(play->controls[i].play->id, ids[i]);
        assert_int_equal(play->controls[i].or_next, i < 2);
    }
    assert_non_null(play->controls[0].assertion);
    assert_int_equal(control_choices(play->controls), 3);
    assert_int_equal(plan_prerequisites(play), 1);
}

TEST(all_but_the_proofs_wait_for_what_shows_that_they_are_served)
{
    load(NULL, NULL);
    struct registry *registry = &fixture.suite.registry;
    registry->profiles[registry_profile(registry, STR("v2-rest"))->index].proofs =
        parse("{'served': ['v2/infer/sum']}");
    fixture_plan();
    const struct play *live = get("v2-rest/health/live@http");
    assert_int_equal(live->control_count, 3); /* after its own */
    assert_text(live->controls[1].play->id, "v2/infer/sum@rest-flat");
    assert_int_equal(control_choices(&live->controls[1]), 2);
    assert_int_equal(get("v2/infer/sum@rest-flat")->control_count, 0);
}

TEST(a_form_of_two_extensions_is_offered_where_both_are_claimed)
{
    make_good();
    struct registry *registry = &fixture.suite.registry;
    struct profile extension = {
        .name = STR("x"), .claim = STR("x_claim"), .endpoint = registry_endpoint(registry, STR("http"))};
    struct encoding *flat = &registry->encodings[registry_encoding(registry, STR("rest-flat"))->index];
    flat->also = &extension;
    fixture.target.nominal = false;
    static const char *const claims[] = {"{'http': []}", "{'http': ['x_claim']}"};
    for (size_t i = 0; i < COUNT_OF(claims); i++) {
        fixture.target.discovery.claims = parse(claims[i]);
        struct str why = encoding_not_offered(&fixture.target, flat, flat->profile, &fixture.suite.arena);
        assert_int_equal(why.size > 0, i == 0);
    }
}

/* Others have a folder in conformance/tests/lint. */
TEST(faults_of_the_suite_are_named_by_rule)
{
    static const struct {
        const char *text, *rule;
    } faults[] = {
        {"{'says': 's', 'http': 'GET /', 'control': 'v2-rest/x/case', 'expect': {'v2-rest.server-live': {}}}",
         "[control-acyclic]"},
        {"{'says': 's', 'http': 'GET /', 'control': 'v2-rest/x/case/n', 'expect': {'v2-rest.server-live': {}}, "
         "'neighbours': {'n': {'set': {'/http': 'GET /x'}, 'expect': {'v2-rest.server-live': 'refused'}}}}",
         "[control-acyclic]"},
        {"{'says': 's', 'http': 'GET /', 'control': '#v2-rest.data-count', 'expect': {'v2-rest.server-live': {}}}",
         "[control-known]"},
        {"{'says': 's', 'http': 'GET /${model}', 'expect': {'v2-rest.server-live': {}}}", "[variables]"},
        {"{'says': 's', 'http': 'GET /', 'expect': {'v2-rest.server-live': 'echoes'}}", "[observation]"},
        {"{'says': 's', 'http': 'GET /', 'expect': {'v2-rest.server-live': 'same'}}", "[observation]"},
        {"{'says': 's', 'http': 'GET /', 'observations': {'a': {'$any': {'x': 'b', 'y': 'refused'}}, 'b': {'status': "
         "200}}, 'expect': {'v2-rest.server-live': 'a'}}",
         "none that stands before"},
    };
    EACH_ROW(row, faults, row->text)
        expect_fault(row->text, row->rule);
}

static const char echoes[] =
    "{'says': 's', 'model': 'simple', 'http': 'GET /', 'observations': {'echoes': {'json': {'name': '${model}', 'n': "
    "'${x}'}},'open': {'$any': {'taken': 'echoes', 'refused': 'refused'}}},'for': {'x': [1, 2]}, 'expect': "
    "{'v2-rest.server-live': 'echoes'}, 'neighbours': {'choice': {'set': {'/http': 'GET /x'}, 'expect': "
    "{'v2-rest.server-live': {'$any': {'a': 'echoes', 'b': 'same'}}}},'nested': {'set': {'/http': 'GET /y'}, 'expect': "
    "{'v2-rest.server-live': 'open'}}}}";

TEST(named_observations_are_their_patterns_in_the_plan)
{
    make_case(echoes);
    expect_observed(get("v2-rest/x/case@1@http"), "{'json':{'name':'simple','n':1}}");
    expect_observed(get("v2-rest/x/case/choice@2@http"), "{'$any':{'a':{'json':{'name':'simple','n':2}},'b':'same'}}");
    expect_observed(get("v2-rest/x/case/nested@2@http"),
                    "{'$any':{'taken':{'json':{'name':'simple','n':2}},'refused':'refused'}}");
}

TEST(steps_may_name_observations_and_what_they_hold_is_known_late)
{
    make_case("{'says': 's', 'observations': {'second': {'json': {'id': '${i}'}}}, 'steps': [{'http': 'GET /${i}', "
              "'together': 3, 'expect': {'v2-rest.server-live': 'second'}}]}");
    const struct play *play = get("v2-rest/x/case@http");
    assert_true(play->steps[0].late);
    expect_observed(play->steps[0].play, "{'json':{'id':'${i}'}}");
}

TEST(a_case_saves_no_more_values_than_there_is_room_for)
{
    for (int count = SAVED_MAX; count <= SAVED_MAX + 1; count++) {
        struct buf text = {0};
        buf_printf(&text, "{'says': 's', 'steps': [{'http': 'GET /', 'save': {");
        for (int i = 0; i < count; i++)
            buf_printf(&text, "%s'name-%d': '/status'", i ? ", " : "", i);
        buf_printf(&text, "}, 'expect': {'v2-rest.server-live': {'status': 200}}}]}");
        const char *saves = arena_take(&arena, &text).data;
        if (count > SAVED_MAX) {
            expect_fault(saves, "may save 32 values");
        } else {
            make_case(saves);
            assert_int_equal(get("v2-rest/x/case@http")->steps[0].save->count, SAVED_MAX);
        }
    }
}

static void expect_body(const char *id, const char *expected)
{
    struct arena scratch = arena_new((size_t)1 << 20);
    struct request request;
    assert_ok(play_request(get(id), &fixture.target, &scratch, &request));
    for (size_t i = 0; i < request.body.size; i++)
        if (request.body.data[i] != (expected[i] == '\'' ? '"' : expected[i]))
            fail_msg("%s sends %.*s", id, STR_ARG(request.body));
    assert_int_equal(request.body.size, strlen(expected));
    arena_free(&scratch);
}

TEST(an_edit_puts_bytes_where_it_finds_others)
{
    make_case("{'says': 's', 'http': 'POST /', 'json': {'a': [1, 2.50], 'b': 'x'}, 'expect': {'v2-rest.server-live': "
              "{}}, 'neighbours': {'text': {'bytes': {'find': '2.50', 'put': '0x2'}, 'expect': {'v2-rest.server-live': "
              "'refused'}},'hex': {'bytes': {'find': [{'$hex': '22'}, 'x'], 'put': ''}, 'expect': "
              "{'v2-rest.server-live': 'refused'}},'twice': {'bytes': {'at': 'end', 'put': {'$copy': '/json'}}, "
              "'expect': {'v2-rest.server-live': 'refused'}}}}");
    expect_body("v2-rest/x/case@http", "{'a':[1,2.50],'b':'x'}");
    expect_body("v2-rest/x/case/text@http", "{'a':[1,0x2],'b':'x'}");
    expect_body("v2-rest/x/case/hex@http", "{'a':[1,2.50],'b':'}");
    expect_body("v2-rest/x/case/twice@http", "{'a':[1,2.50],'b':'x'}{'a':[1,2.50],'b':'x'}");
}

TEST(what_an_edit_finds_stands_in_the_bytes_once)
{
    static const char *const finds[] = {"7", "1", "\\'a\\':[1,2]}x", ""};
    for (size_t i = 0; i < COUNT_OF(finds); i++) {
        char text[512];
        snprintf(
            text, sizeof text,
            "{'says': 's', 'http': 'POST /', 'json': {'a': [1, 21]}, 'expect': {'v2-rest.server-live': {}}, "
            "'neighbours': {'n': {'bytes': {'find': '%s', 'put': 'x'}, 'expect': {'v2-rest.server-live': 'refused'}}}}",
            finds[i]);
        expect_fault(text, i == 1 ? "more than once" : "nowhere");
    }
}

/* Plans the suite with one of these, each of which may be NULL; returns how many plays are left. */
static size_t count_left(const char *filter, const char *profile, const char *skip)
{
    load(NULL, NULL);
    fixture.target.selected.filters = (struct values){&filter, filter != NULL};
    fixture.target.selected.profiles = (struct values){&profile, profile != NULL};
    fixture.target.selected.skips = (struct values){&skip, skip != NULL};
    fixture_plan();
    size_t left = 0;
    for (size_t i = 0; i < fixture.plan.play_count; i++)
        left += !fixture.plan.plays[i].disabled.size;
    return left;
}

TEST(filters_meet_ids_with_and_without_their_parts)
{
    assert_int_equal(count_left(NULL, NULL, NULL), 8);
    assert_int_equal(count_left("v2/infer/sum", NULL, NULL), 6);
    assert_int_equal(count_left("v2/infer/sum@rest-flat", NULL, NULL), 1);
    EACH(text, "v2/infer/sum/input-unknown", "*#v2-rest.data-count", "v2-rest.data-count", "*@http*")
        assert_int_equal(count_left(text, NULL, NULL), 2);
    assert_int_equal(count_left("nothing", NULL, NULL), 0);
    assert_int_equal(count_left(NULL, "v2-rest", NULL), 8);
    assert_int_equal(count_left(NULL, "v2-grpc", NULL), 0);
}

TEST(skips_leave_out_cases_and_single_assertions)
{
    assert_int_equal(count_left(NULL, NULL, "nothing"), 8);
    assert_int_equal(count_left(NULL, NULL, "v2/infer/sum"), 2);
    assert_int_equal(count_left(NULL, NULL, "v2/infer/sum/input-unknown"), 6);
    assert_int_equal(count_left(NULL, NULL, "v2-rest.error-body"), 8); /* its plays have another key too */
    const struct play *refused = get("v2/infer/sum/one-element-short@rest-flat");
    assert_int_equal(refused->assertions[0].disabled.size, 0);
    assert_true(refused->assertions[1].disabled.size > 0);
}

static const char any_model[] =
    "{'says': 'any model', 'infer': '*', 'over': ['rest-nested', 'rest-flat'], 'expect': {'output-values': 'agrees'}, "
    "'neighbours': {'other-case': {'set': {'/infer': '${model-in-other-case}'}, 'expect': {'data-count': "
    "'refused'}},'short': {'remove': '/inputs/0/data/0', 'expect': {'data-count': 'refused'}}}}";

static void probed(const char *probes)
{
    fixture.target.nominal = false;
    fixture.target.discovery.probes = parse(probes);
}

TEST(a_case_of_any_model_is_played_with_each_that_was_learned)
{
    load("v2/infer/any.json", any_model);
    probed("{'a/b': {'name': 'a/b', 'alike': true, 'request': {'inputs': [{'name': 'x', 'datatype': "
           "'INT32', 'shape': [1], 'data': [1]}]}},'12': {'name': '12', 'request': {'inputs': []}},'shy': {'name': "
           "'shy', 'refused': 'it said no', 'request': {'inputs': []}}}");
    fixture_plan();
    const struct play *play = get("v2/infer/any@a%2Fb@rest-flat");
    assert_text(tree_text(play->act, "infer"), "a/b");
    assert_int_equal(tree_member(play->act, "inputs")->count, 1);
    assert_false(play->not_applicable.size);
    assert_text(tree_text(get("v2/infer/any/other-case@a%2Fb@rest-flat")->act, "infer"), "A/B");
    assert_int_equal(get("v2/infer/any/short@a%2Fb@rest-flat")->not_applicable.size, 0);
    /* A neighbour that does not fit a model is not played with it: no letters, no inputs. */
    assert_true(get("v2/infer/any/other-case@12@rest-flat")->not_applicable.size);
    assert_true(get("v2/infer/any/short@12@rest-flat")->not_applicable.size);
    struct str why = get("v2/infer/any@shy@rest-flat")->not_applicable;
    assert_has(why, "it said no");
}

TEST(without_a_model_to_probe_the_cases_are_not_applicable)
{
    load("v2/infer/any.json", any_model);
    probed("{}");
    fixture_plan();
    assert_true(get("v2/infer/any@*@rest-flat")->not_applicable.size);
    assert_true(get("v2/infer/any/short@*@rest-flat")->not_applicable.size);
}

TEST(encodings_agree_with_the_first_that_can_be_played)
{
    load("v2/infer/any.json", any_model);
    fixture_plan();
    const struct play *first = get("v2/infer/any@*@rest-nested");
    const struct play *second = get("v2/infer/any@*@rest-flat");
    assert_int_equal(first->assertion_count, 0);
    assert_int_equal(second->assertion_count, 1);
    assert_ptr_equal(second->assertions[0].standard, first);
}
