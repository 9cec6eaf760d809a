/* Each rule of the lint has a folder conformance/tests/lint/RULE. It is laid over a copy of the suite lint/good, which
 * has no faults. The lint must then find that rule broken, and no other. */
#include "pattern/matchers.h"
#include "suite/grammar.h"
#include "support/files.h"

#include <glob.h>
#include <stdio.h>

#include "folder.h"

static size_t times(struct str text, const char *part)
{
    size_t count = 0;
    for (const char *at = text.data; (at = strstr(at, part)); at++)
        count++;
    return count;
}

/* Checks that the fixture of a rule has findings, and that all are of that rule. */
static void assert_rejected(const char *rule)
{
    struct folder folder = folder_new();
    struct str findings;
    folder_lay(&folder, arena_printf(&arena, "conformance/tests/lint/%s", rule).data);
    size_t count = folder_lint(&folder, &findings);
    size_t named = times(findings, arena_printf(&arena, ": [%s] ", rule).data);
    if (named == 0 || named != count)
        fail_msg("%s: %zu of %zu findings are of that rule:\n%s", rule, named, count, findings.data);
}

/* Returns how many folders hold the fixtures of rules: all but good/. */
static size_t count_fixtures(void)
{
    glob_t folders;
    assert_int_equal(glob("conformance/tests/lint/*", GLOB_ONLYDIR, NULL, &folders), 0);
    size_t count = folders.gl_pathc - 1;
    globfree(&folders);
    return count;
}

TEST(each_rule_that_the_readme_lists_rejects_its_own_bad_fixture)
{
    struct str readme;
    assert_ok(disk_read("fixtures/README.md", FILE_SIZE_MAX, &arena, &readme));
    const char *at = strstr(readme.data, "## What lint refuses\n\n");
    assert_non_null(at);
    size_t rules = 0;
    char rule[64];
    for (at = strchr(at, '*'); sscanf(at, "* `%63[a-z-]`: ", rule) == 1; at = strchr(at, '\n') + 1, rules++)
        assert_rejected(rule);
    assert_memory_equal(at, "\nFor each rule", 14);
    assert_int_equal(rules, count_fixtures());
}

TEST(the_readme_has_each_matcher)
{
    struct str readme;
    assert_ok(disk_read("fixtures/README.md", FILE_SIZE_MAX, &arena, &readme));
    for (const struct matcher *matcher = matchers; matcher->name; matcher++)
        if (times(readme, arena_printf(&arena, "`{\"%s\": ", matcher->name).data) == 0)
            fail_msg("%s: is not in the table of fixtures/README.md", matcher->name);
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

TEST(a_fault_says_in_which_element_of_a_list_it_is)
{
    static const char problems[] =
        "[{'item': 1, 'link': 'https://example.com/a', 'why': 'x'}, {'item': 2, 'link': 'no link', 'why': 'x'}]";
    struct folder folder = folder_new();
    struct str findings;
    folder_write_json(&folder, "interop.json", problems);
    folder_lint(&folder, &findings);
    assert_has(findings, "interop.json: /1: [link] 'no link'");
}

TEST(the_schema_is_json_and_knows_every_act)
{
    const struct tree *properties =
        tree_member(tree_member(tree_member(parse(grammar_schema().data), "$defs"), "case"), "properties");
    EACH(text, "infer", "http", "grpc")
        assert_non_null(tree_member(properties, text));
}
