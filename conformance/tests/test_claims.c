/* What a target claims where one list alone is there, and what the user cannot claim. */
#include "probe/claims.h"
#include "registry.h"
#include "targets/target_flags.h"
#include "tests/scratch.h"

/* What is claimed by a target whose metadata lists this, asked over REST and gRPC, and what is noted. */
static void expect(const char *listed, const char *expected, const char *note)
{
    struct prober prober = {.registry = the_registry(), .arena = &arena};
    const struct discovery_options options = {0};
    prober.endpoints[OVER_HTTP->index].asked_for = prober.endpoints[OVER_GRPC->index].asked_for = true;
    assert_tree(claims_of(&prober, parse(listed), &options), expected);
    assert_text(buf_str(&prober.notes), note);
    buf_free(&prober.notes);
}

TEST(the_only_list_counts_for_both)
{
    expect("{'grpc':['x',7]}", "{'http':['x'],'grpc':['x']}",
           "over REST the target does not say which extensions it has: those that it claims over gRPC count\n");
    expect("{'http':['x']}", "{'http':['x'],'grpc':['x']}",
           "over gRPC the target does not say which extensions it has: those that it claims over REST count\n");
    expect("{}", "{'http':[],'grpc':[]}", "");
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
    EACH_ROW(row, wrong, row->value) {
        struct values values = {&row->value, 1};
        struct claim *claims;
        assert_text(claimed_read(the_registry(), &values, &arena, &claims), row->says);
    }
}
