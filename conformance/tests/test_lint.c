/* Each rule of the lint has a folder conformance/tests/lint/RULE. It is laid over a copy of the suite lint/good, which
 * has no faults. The lint must then find that rule broken, and no other. */
#include "suite/schema.h"
#include "support/files.h"

#include "folder.h"

static size_t times(struct str text, const char *part)
{
    size_t count = 0;
    for (const char *at = text.data; (at = strstr(at, part)); at++)
        count++;
    return count;
}

TEST(each_rule_rejects_its_own_bad_fixture)
{
    for (size_t i = 0; i < lint_rule_count; i++) {
        struct folder folder = folder_new();
        struct str findings;
        folder_lay(&folder, arena_printf(&arena, "conformance/tests/lint/%s", lint_rules[i].name).data);
        size_t count = folder_lint(&folder, &findings);
        size_t named = times(findings, arena_printf(&arena, ": [%s] ", lint_rules[i].name).data);
        if (named == 0 || named != count)
            fail_msg("%s: %zu of %zu findings are of that rule:\n%s", lint_rules[i].name, named, count, findings.data);
    }
}

/* A ledger row without a member it needs has no case that can be looked up: nothing is said of that. */
TEST(a_broken_form_is_all_that_is_told)
{
    static const char row[] = "[{'key': 'v2-rest.server-live', 'level': 'must', 'layer': 'answers', 'says': 'x'}]";
    struct folder folder = folder_new();
    struct str findings;
    folder_write_json(&folder, "requirements/v2-rest.json", row);
    size_t count = folder_lint(&folder, &findings);
    assert_true(count > 0);
    assert_int_equal(times(findings, "/0 (v2-rest.server-live): [member-required] "), count);
    assert_has(findings, "\nFix these forms first");
}

TEST(the_readme_lists_the_rules_in_their_order)
{
    struct str readme;
    assert_ok(disk_read("fixtures/README.md", FILE_SIZE_MAX, &arena, &readme));
    const char *at = strstr(readme.data, "## What lint refuses\n\n");
    assert_non_null(at);
    at = strchr(at, '*');
    for (size_t i = 0; i < lint_rule_count; i++) {
        char line[256];
        size_t size = (size_t)snprintf(line, sizeof line, "* `%s`: %s\n", lint_rules[i].name, lint_rules[i].says);
        if (strncmp(at, line, size) != 0)
            fail_msg("the README should say: %s", line);
        at += size;
    }
    assert_memory_equal(at, "\nFor each rule", 14);
}

TEST(the_schema_is_json_and_knows_every_act)
{
    struct buf schema = {0};
    schema_write(&schema);
    const struct tree *defs = tree_member(parse(arena_take(&arena, &schema).data), "$defs");
    const struct tree *properties = tree_member(tree_member(defs, "case"), "properties");
    EACH(text, "infer", "http", "grpc")
        assert_non_null(tree_member(properties, text));
}
