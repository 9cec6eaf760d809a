/* Each rule of the lint has a folder conformance/tests/lint/RULE. It is laid over a copy of the suite lint/good, which
 * has no faults. The lint must then find that rule broken, and no other. */
#include "lint/lint.h"
#include "suite/schema.h"

#include <stdio.h>
#include <stdlib.h>

#include "folder.h"

/* Lints good/ with the folder of the rule (may be NULL) laid over it. */
static size_t lint_over(const char *rule, struct buf *findings)
{
    struct folder folder = folder_new();
    struct suite suite;
    char over[128];
    snprintf(over, sizeof over, "conformance/tests/lint/%s", rule ? rule : "good");
    folder_lay(&folder, over);
    struct status status = suite_load(folder.path, &suite);
    if (!is_ok(status))
        fail_msg("%s: %.*s", rule ? rule : "good", STR_ARG(status.message));
    size_t count = lint_suite(&suite, findings);
    suite_free(&suite);
    folder_free(&folder);
    return count;
}

TEST(a_faultless_suite_has_no_findings)
{
    struct buf findings = {0};
    if (lint_over(NULL, &findings))
        fail_msg("%.*s", (int)findings.size, findings.data);
    buf_free(&findings);
}

TEST(each_rule_rejects_its_own_bad_fixture)
{
    for (size_t i = 0; i < lint_rule_count; i++) {
        struct buf findings = {0};
        char tag[64];
        size_t named = 0, count = lint_over(lint_rules[i].name, &findings);
        snprintf(tag, sizeof tag, ": [%s] ", lint_rules[i].name);
        buf_append_byte(&findings, '\0');
        for (const char *at = findings.data; (at = strstr(at, tag)); at++)
            named++;
        if (named == 0 || named != count)
            fail_msg("%s: %zu of %zu findings are of that rule:\n%s", lint_rules[i].name, named, count, findings.data);
        buf_free(&findings);
    }
}

/* A ledger row without a member it needs has no case that can be looked up: nothing is said of that. */
TEST(a_broken_form_is_all_that_is_told)
{
    static const char row[] =
        "[{\"key\": \"v2-rest.server-live\", \"level\": \"must\", \"layer\": \"answers\", \"says\": \"x\"}]";
    struct folder folder = folder_new();
    struct suite suite;
    struct buf findings = {0};
    folder_write(&folder, "requirements/v2-rest.json", row, sizeof(row) - 1);
    assert_true(is_ok(suite_load(folder.path, &suite)));
    size_t count = lint_suite(&suite, &findings), of_form = 0;
    buf_append_byte(&findings, '\0');
    for (const char *at = findings.data; (at = strstr(at, "/0 (v2-rest.server-live): [member-required] ")); at++)
        of_form++;
    assert_true(count > 0);
    assert_int_equal(of_form, count);
    assert_non_null(strstr(findings.data, "\nFix these forms first"));
    buf_free(&findings);
    suite_free(&suite);
    folder_free(&folder);
}

TEST(the_readme_lists_the_rules_in_their_order)
{
    static char readme[64 * 1024];
    FILE *file = fopen("fixtures/README.md", "rb");
    assert_non_null(file);
    readme[fread(readme, 1, sizeof readme - 1, file)] = '\0';
    fclose(file);
    const char *at = strstr(readme, "## What lint refuses\n\n");
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
    buf_append_byte(&schema, '\0');
    const struct tree *properties =
        tree_member(tree_member(tree_member(parse(schema.data), "$defs"), "case"), "properties");
    EACH(text, "infer", "http", "grpc")
        assert_non_null(tree_member(properties, text));
    buf_free(&schema);
}
