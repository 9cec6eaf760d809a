/* What discovery learns from servers that lack something. */
#include "null_server.h"
#include "probe/discovery.h"

/* Runs discovery on servers of those kinds, for a suite with these models. A kind that is NULL is not asked for. */
static struct discovery discover_models(struct suite_model *models, size_t model_count, const char *http_kind,
                                        const char *grpc_kind, double timeout)
{
    static const char *const map[] = {"simplest=no", "simple=theirs/1", "gate=gate"};
    struct suite suite = {.models = models,
                          .model_count = model_count,
                          .registry = *the_registry(),
                          .states = parse("{'breaks': {'models': ['kits', 'broken']}}")};
    const struct profile *profiles[2];
    size_t profile_count = 0;
    struct null_server server;
    struct discovery discovery;
    null_server_start(&server, http_kind ? http_kind : "dead", grpc_kind ? grpc_kind : "dead");
    server.options.timeout = timeout;
    if (http_kind)
        profiles[profile_count++] = profile_named("v2-rest");
    else
        set_address(server.options.addresses, "http", STR(""));
    if (grpc_kind)
        profiles[profile_count++] = profile_named("v2-grpc");
    else
        set_address(server.options.addresses, "grpc", STR(""));
    const struct discovery_options options = {.client = &server.options,
                                              .profiles = profiles,
                                              .profile_count = profile_count,
                                              .flags = {.map = {map, 3}, .seed = 1}};
    discover(&suite, &options, &arena, &discovery);
    null_server_stop(&server);
    assert_non_null(discovery.server);
    assert_non_null(discovery.models);
    assert_true(discovery.no_model.size > 0);
    return discovery;
}

/* The models of the suite are simple (kit), gate (builtin) and loads (of a state). */
static struct discovery discover_kinds(const char *http_kind, const char *grpc_kind, double timeout)
{
    static struct suite_model models[] = {{.repository = STR("broken"), .name = STR("loads")},
                                          {.repository = STR("builtin"), .name = STR("gate")},
                                          {.repository = STR("kit"), .name = STR("simple")}};
    return discover_models(models, 3, http_kind, grpc_kind, timeout);
}

static const struct tree *model(const struct discovery *discovery, const char *name)
{
    return tree_member(discovery->models, name);
}

static struct str absent(const struct discovery *discovery, const char *name)
{
    return tree_text(discovery->absent, name);
}

static void check_metadata(const struct discovery *discovery)
{
    assert_text(tree_text(discovery->server, "name"), "tiny");
    const struct tree *simple = model(discovery, "simple");
    assert_text(tree_text(simple, "name"), "theirs/1");
    assert_text(tree_text(tree_at(tree_member(simple, "inputs"), 0), "datatype"), "INT32");
    assert_null(model(discovery, "gate"));
    assert_null(model(discovery, "loads"));
    assert_text(discovery->no_model, "no_such_model");
}

TEST(rest_alone_is_enough)
{
    struct discovery discovery = discover_kinds("tiny", NULL, 10);
    check_metadata(&discovery);
    assert_true(discovery.answers[OVER_HTTP->index]);
    assert_false(discovery.answers[OVER_GRPC->index]);
    assert_false(discovery.versionless_refused);
    assert_text(absent(&discovery, "gate"), "GET /v2/models/gate gave 404");
    assert_int_equal(absent(&discovery, "loads").size, 0);
}

TEST(grpc_alone_is_enough)
{
    struct discovery discovery = discover_kinds(NULL, "tiny", 10);
    check_metadata(&discovery);
    assert_true(discovery.answers[OVER_GRPC->index]);
    assert_false(discovery.answers[OVER_HTTP->index]);
    assert_text(absent(&discovery, "gate"), "ModelMetadata of 'gate' gave NOT_FOUND");
}

TEST(a_dead_transport_beside_a_live_one_is_told)
{
    struct discovery discovery = discover_kinds("dead", "tiny", 10);
    check_metadata(&discovery);
    assert_false(discovery.answers[OVER_HTTP->index]);
    assert_true(discovery.answers[OVER_GRPC->index]);
    assert_has(discovery.notes, "GET /v2");
}

/* Discovery has a second question for such a target. What it tells is the answer to the first one. */
TEST(the_first_question_says_what_the_target_does_not_speak)
{
    const struct profile *profiles[] = {profile_named("trtis-v1-http"), profile_named("graphpipe")};
    const struct suite suite = {.registry = *the_registry()};
    struct null_server server;
    struct discovery discovery;
    null_server_start(&server, "tiny", "tiny");
    set_address(server.options.addresses, "graphpipe", str_of(server.http));
    const struct discovery_options options = {
        .client = &server.options, .profiles = profiles, .profile_count = 2, .flags = {.seed = 1}};
    discover(&suite, &options, &arena, &discovery);
    null_server_stop(&server);
    assert_text(tree_text(discovery.unspoken, "trtis-v1-http"), "GET /api/status gave 404");
    assert_has(discovery.notes, "a MetadataRequest at / gave 404");
}

TEST(refusal_of_versionless_inference_or_metadata_is_found)
{
    EACH(kind, "tiny-versions", "tiny-all-versions") {
        struct discovery discovery = discover_kinds(kind, NULL, 10);
        check_metadata(&discovery);
        assert_true(discovery.versionless_refused);
    }
}

TEST(a_ready_model_without_metadata_is_hosted)
{
    struct discovery discovery = discover_kinds("tiny-ready", NULL, 10);
    assert_non_null(model(&discovery, "simple"));
    assert_null(model(&discovery, "gate"));
    assert_has(discovery.notes, "has no metadata");
}

TEST(a_server_that_answers_nonsense_is_reached)
{
    static const char *const kinds[][2] = {{"500", "internal"}, {"empty", "unimplemented"}, {"ok", "ok"}};
    for (size_t i = 0; i < 3; i++) {
        struct discovery discovery = discover_kinds(kinds[i][0], kinds[i][1], 10);
        assert_true(discovery.answers[OVER_HTTP->index]);
        assert_true(discovery.answers[OVER_GRPC->index]);
        assert_int_equal(discovery.knows_all, i == 2); /* this kind answers {} for every model, which shows none */
        assert_null(model(&discovery, "simple"));
    }
}

TEST(a_server_that_does_not_answer_is_not_reached)
{
    static const char *const kinds[][2] = {
        {"dead", "dead"}, {"close", "close"}, {"hang", "hang"}, {"garbage", "http404"}};
    for (size_t i = 0; i < 4; i++) {
        struct discovery discovery = discover_kinds(kinds[i][0], kinds[i][1], 0.3);
        assert_false(discovery.answers[OVER_HTTP->index]);
        assert_false(discovery.answers[OVER_GRPC->index]);
        assert_true(absent(&discovery, "simple").size > 0);
        assert_true(discovery.notes.size > 0);
    }
}

/* The metadata of a slow model never comes, by either of two questions, but that it is not ready is answered. */
TEST(slow_models_do_not_hide_the_others)
{
    static struct suite_model models[] = {{.repository = STR("kit"), .name = STR("slow_1")},
                                          {.repository = STR("kit"), .name = STR("slow_2")},
                                          {.repository = STR("kit"), .name = STR("simple")}};
    struct discovery discovery = discover_models(models, 3, "slow", NULL, 2);
    check_metadata(&discovery);
    assert_null(model(&discovery, "slow_1"));
    assert_null(model(&discovery, "slow_2"));
    assert_non_null(strstr(absent(&discovery, "slow_2").data, "timeout"));
}

/* Nothing is answered about a mute model: three questions in a row are enough. */
TEST(three_unanswered_questions_in_a_row_are_the_last)
{
    static struct suite_model models[] = {{.repository = STR("kit"), .name = STR("mute")},
                                          {.repository = STR("kit"), .name = STR("simple")}};
    struct discovery discovery = discover_models(models, 2, "slow", NULL, 2);
    assert_true(discovery.answers[OVER_HTTP->index]);
    assert_null(model(&discovery, "simple"));
    assert_text(absent(&discovery, "simple"), "the target gave no answer");
}
