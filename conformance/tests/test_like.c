/* A case that is like another, in the words of its own protocol. */
#include "suite/like.h"

#include "tests/scratch.h"

static struct family families[2];
static struct suite suite;

/* Makes a suite of two cases, and expands it. */
static struct status expand(const char *written, const char *like)
{
    const char *const texts[] = {like, written}, *const paths[] = {"a/like", "b/written"};
    for (size_t i = 0; i < 2; i++) {
        struct tree *tree = parse(texts[i]);
        families[i] = (struct family){str_of(paths[i]), tree, !tree_member(tree, "like")};
    }
    suite = (struct suite){.arena = arena, .families = families, .family_count = 2};
    struct status status = like_expand(&suite);
    arena = suite.arena;
    return status;
}

TEST(values_texts_and_names_are_replaced)
{
    assert_ok(expand(
        "{\"says\":\"a\",\"tcp\":[\"GET /v2 \",\"/v2\"],\"expect\":{\"v2.live\":{\"n\":[1]}},\"seen\":[\"x\"],\"a\":2}",
        "{\"says\":\"b\",\"like\":\"b/written\",\"replace\":[[\"/v2\",\"/api\"],[\"v2.\",\"v1.\"],[{\"n\":[1]},7]],"
        "\"without\":[\"/seen\"]}"));
    assert_tree(families[0].tree, "{'says':'b','tcp':['GET /api ','/api'],'expect':{'v1.live':7},'a':2}");
}

TEST(what_cannot_be_made_names_its_file)
{
    static const char *const wrong[][2] = {
        {"{\"like\":\"a/like\"}", "names no case"},
        {"{\"like\":\"b/none\"}", "names no case"},
        {"{\"like\":7}", "names no case"},
        {"{\"like\":\"b/written\",\"replace\":[[\"a\"]]}", "list of pairs"},
        {"{\"like\":\"b/written\",\"replace\":{\"a\":[1,2]}}", "list of pairs"},
        {"{\"like\":\"b/written\",\"without\":[\"/none\"]}", "nothing stands at '/none'"},
        {"{\"like\":\"b/written\",\"without\":[\"\"]}", "nothing stands at ''"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        struct status status = expand("{\"says\":\"a\"}", wrong[i][0]);
        assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
        assert_true(str_starts(status.message, STR("a/like.json: ")));
        assert_has(status.message, wrong[i][1]);
    }
    assert_int_equal(expand("{\"like\":\"a/like\"}", "{\"like\":\"b/written\"}").code, STATUS_INVALID_ARGUMENT);
}
