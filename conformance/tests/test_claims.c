/* What a target claims, by its own lists or by the user's words. */
#include "probe/claims.h"
#include "registry.h"
#include "targets/claimed.h"
#include "tests/scratch.h"

/* Returns what is claimed by a target whose metadata lists this, asked over REST and gRPC, with one --claim or none. */
static struct tree *claims(struct prober *prober, const char *listed, const char *given)
{
    const char *values[] = {given};
    struct values claimed = {values, given != NULL};
    struct claim *claims;
    struct tree *tree;
    assert_true(is_ok(tree_parse(str_of(listed), &arena, &tree)));
    assert_int_equal(claimed_read(the_registry(), &claimed, &arena, &claims).size, 0);
    *prober = (struct prober){.registry = the_registry(), .arena = &arena};
    prober->endpoints[OVER_HTTP->index].asked_for = prober->endpoints[OVER_GRPC->index].asked_for = true;
    const struct discovery_options options = {.claims = claims, .claim_count = claimed.count};
    return claims_of(prober, tree, &options);
}

static void expect(const char *listed, const char *given, const char *expected, const char *note)
{
    struct prober prober;
    struct buf text = {0};
    tree_write(claims(&prober, listed, given), &text);
    buf_append_byte(&text, '\0');
    assert_string_equal(text.data, expected);
    buf_append_byte(&prober.notes, '\0');
    assert_string_equal(prober.notes.data, note);
    buf_free(&text);
    buf_free(&prober.notes);
}

TEST(each_transport_claims_for_itself)
{
    expect("{\"http\":[\"statistics\"],\"grpc\":[]}", NULL, "{\"http\":[\"statistics\"],\"grpc\":[]}", "");
    expect("{\"http\":[],\"grpc\":[\"streaming\",7]}", NULL, "{\"http\":[],\"grpc\":[\"streaming\"]}", "");
}

TEST(the_only_list_counts_for_both)
{
    expect("{\"grpc\":[\"x\"]}", NULL, "{\"http\":[\"x\"],\"grpc\":[\"x\"]}",
           "over REST the target does not say which extensions it has: those that it claims over gRPC count\n");
    expect("{\"http\":[\"x\"]}", NULL, "{\"http\":[\"x\"],\"grpc\":[\"x\"]}",
           "over gRPC the target does not say which extensions it has: those that it claims over REST count\n");
    expect("{}", NULL, "{\"http\":[],\"grpc\":[]}", "");
}

TEST(the_user_claims_for_one_transport_or_both)
{
    expect("{}", "statistics", "{\"http\":[\"statistics\"],\"grpc\":[\"statistics\"]}", "");
    expect("{}", "rest:statistics", "{\"http\":[\"statistics\"],\"grpc\":[]}", "");
    expect("{\"grpc\":[]}", "gRPC:streaming", "{\"http\":[],\"grpc\":[\"streaming\"]}",
           "over REST the target does not say which extensions it has: those that it claims over gRPC count\n");
}

TEST(what_nothing_is_claimed_by_is_refused)
{
    static const struct {
        const char *value, *says;
    } wrong[] = {
        {"streamin", "--claim: there is no extension 'streamin'; did you mean streaming?"},
        {"", "--claim: there is no extension ''; see fixtures/encodings.json"},
        {"grpc:binary_tensor_data",
         "--claim: there is no extension 'binary_tensor_data' over gRPC; see fixtures/encodings.json"},
        {"soap:streaming", "--claim: nothing can be claimed over 'soap'; it is rest:NAME, grpc:NAME, or NAME for both"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct values values = {&(const char *){wrong[i].value}, 1};
        struct claim *claims;
        struct str says = claimed_read(the_registry(), &values, &arena, &claims);
        assert_string_equal(arena_copy(&arena, says).data, wrong[i].says);
    }
}

TEST(profiles_are_claimed_at_their_endpoint_or_beside_it)
{
    struct prober prober;
    const struct tree *both = claims(&prober, "{\"http\":[\"streaming\"],\"grpc\":[\"statistics\"]}", NULL);
    assert_true(claims_have(both, profile_named("statistics-grpc"), STR("statistics")));
    assert_false(claims_have(both, profile_named("statistics-rest"), STR("statistics")));
    assert_false(claims_have(both, profile_named("streaming-grpc"), STR("streaming")));
    assert_true(claims_have(both, profile_named("metrics-triton"), STR("statistics"))); /* beside v2-grpc */
    assert_false(claims_have(both, profile_named("graphpipe"), STR("statistics")));
    assert_false(claims_have(NULL, profile_named("statistics-grpc"), STR("statistics")));
}
