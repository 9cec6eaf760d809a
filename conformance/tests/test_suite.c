/* Reading the files of the suite. */
#include "folder.h"

TEST(every_file_goes_to_its_part)
{
    struct suite suite;
    assert_ok(suite_load(GOOD_SUITE, &suite));
    assert_int_equal(suite.family_count, 3);
    assert_text(suite.families[0].path, "v2-rest/health/live");
    assert_non_null(suite_family(&suite, STR("v2/infer/sum")));
    assert_null(suite_family(&suite, STR("v2/infer/difference")));
    assert_int_equal(suite.ledger.count, 6);
    assert_int_equal(suite.deviation_count, 6);
    assert_text(suite.deviations[0].name, "rest-data-count-unchecked");
    assert_text(suite.deviations[0].breaks, "v2-rest.data-count");
    assert_non_null(tree_member(suite.states, "still-loading"));
    assert_non_null(suite_model(&suite, STR("simple")));
    assert_null(suite_model(&suite, STR("complex")));
    const struct profile *rest = registry_profile(&suite.registry, STR("v2-rest"));
    assert_int_equal(rest->row_count, 1);
    assert_text(rest->rows[0].key, "v2-rest.error-body");
    assert_ptr_equal(registry_encoding(&suite.registry, STR("rest-nested"))->profile, rest);
    suite_free(&suite);
}

/* Checks that loading fails with a sentence that names the file, and returns it. */
static struct str expect_unloadable(const char *name, const char *text, size_t size)
{
    struct folder folder = folder_new();
    struct suite suite;
    folder_write(&folder, name, text, size);
    struct status status = suite_load(folder.path, &suite);
    if (is_ok(status))
        fail_msg("%s was loaded: %s", name, text);
    assert_has(status.message, name);
    struct str sentence = arena_copy(&arena, status.message);
    suite_free(&suite);
    folder_free(&folder);
    return sentence;
}

/* Two profiles, and an encoding of the second, which inherits from the first. */
#define OF_HTTP "'endpoint': 'http', 'outcome': '/status', 'succeeded': {}, 'refused': {}, 'answered': {}}"
#define REGISTRY(second)                                                                                               \
    "{'endpoints': {'http': {'transport': 'http', 'called': 'REST', 'flag': '--target'}}, 'texts': {},"                \
    " 'profiles': {'a': {'protocol': 'p', " OF_HTTP ", 'b': " second "},"                                              \
    " 'encodings': {'e': {'profile': 'b', 'inherits': 'a'}}}"
#define OF_PROTOCOL(name) REGISTRY("{'protocol': '" name "', " OF_HTTP)

static void expect_loadable(const char *registry)
{
    struct folder folder = folder_new();
    struct suite suite;
    folder_write_json(&folder, "encodings.json", registry);
    assert_ok(suite_load(folder.path, &suite));
    suite_free(&suite);
    folder_free(&folder);
}

TEST(an_encoding_inherits_within_its_protocol)
{
    expect_loadable(OF_PROTOCOL("p"));
    expect_unloadable("encodings.json", json(OF_PROTOCOL("q")).data, strlen(OF_PROTOCOL("q")));
}

TEST(a_profile_extends_one_that_exists)
{
    expect_loadable(REGISTRY("{'extends': 'a'}"));
    assert_has(expect_unloadable("encodings.json", json(REGISTRY("{'extends': 'c'}")).data,
                                 strlen(REGISTRY("{'extends': 'c'}"))),
               "/profiles/b must `extend` a profile");
}

TEST(the_digest_is_of_all_paths_and_texts)
{
    struct suite suite;
    assert_ok(suite_load(GOOD_SUITE, &suite));
    struct str expected =
        shell_says("cd " GOOD_SUITE "; printf sha256:; for f in $(find . -name '*.json' | cut -c 3- | LC_ALL=C sort); "
                   "do printf '%%s\\0' $f; cat $f; printf '\\0'; done | sha256sum | cut -c -64 | tr -d '\\n'");
    assert_text(suite_digest(&suite, &suite.arena), expected.data);
    suite_free(&suite);
}

/* What is no JSON is for the reader's tests, and what is no row of the ledger for test_ledger.c. */
TEST(files_that_cannot_be_read_are_named)
{
    static const struct {
        const char *name, *text;
    } files[] = {
        {"v2-rest/health/bad.json", ""},
        {"v2-rest/health/bad.json", "[]"},
        {"requirements/v2-rest.json", "{}"},
        {"requirements/v2-rest.json", "[5]"},
        {"tables/bad.json", "5"},
        {"deviations/bad.json", "[]"},
        {"deviations/bad.json", "{\"x\": 5}"},
        {"encodings.json", "{}"},
        {"encodings.json", "[]"},
        {"encodings.json", "{\"rest-nested\": {\"like\": \"rest-nested\"}}"},
    };
    EACH_ROW(row, files, row->name)
        expect_unloadable(row->name, row->text, strlen(row->text));
    expect_unloadable("v2-rest/health/nul.json", "{\"says\":\0\"a\"}", 13);
}

TEST(a_file_that_is_no_json_is_named_with_line_and_column)
{
    static const char text[] = "{\n  \"says\": \"\xc3\xa4\xc3\xb6\", x\n}";
    struct str sentence = expect_unloadable("v2/infer/broken.json", text, sizeof(text) - 1);
    assert_true(str_starts(sentence, STR("v2/infer/broken.json: line 2, column 17: expected ")));
}

TEST(a_missing_folder_is_named)
{
    struct suite suite;
    struct status status = suite_load("/no/such/folder", &suite);
    assert_false(is_ok(status));
    assert_has(status.message, "/no/such/folder");
    suite_free(&suite);
}

/* These cases load but make no sense. The lint must say so, and nothing may crash. */
TEST(cases_without_sense_are_findings)
{
    EACH(text, "{}", "{'says': 1, 'http': [], 'expect': 5}", "{'says': 'a', 'http': 'GET /', 'expect': []}",
         "{'says': 'a', 'http': '', 'expect': {}}", "{'says': 'a', 'http': 'GET /', 'expect': {'': 5}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {'v2-rest.server-live': null}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {}, 'neighbours': []}",
         "{'says': 'a', 'http': 'GET /', 'expect': {}, 'neighbours': {'': {}}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {}, 'neighbours': {'x': 5}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {}, 'neighbours': {'x': {'set': {'': 1}, 'expect': "
         "{'v2-rest.server-live': {'status': 200}}}}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {}, 'neighbours': {'x': {'set': '${x}', 'expect': "
         "{'v2-rest.server-live': {'status': 200}}}}}",
         "{'says': 'a', 'http': 'GET /', 'for': {'x': 1}, 'expect': {}}",
         "{'says': 'a', 'http': 'GET /', 'control': [], 'expect': {}}",
         "{'says': 'a', 'http': 'GET /', 'control': '#', 'expect': {'v2-rest.server-live': {'status': 200}}}",
         "{'says': 'a', 'http': 'GET /', 'control': '', 'expect': {'v2-rest.server-live': {'status': 200}}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {'v2-rest.server-live': {'$any': 5}}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {'v2-rest.server-live': {'$any': {'a': {'$any': []}, 'b': []}}}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {'v2-rest.server-live': {'body': {'$match': '('}}}}",
         "{'says': 'a', 'http': 'GET /', 'expect': {'v2-rest.server-live': {'body': {'$range': [{}, []]}}}}",
         "{'says': 'a', 'infer': 'simple', 'inputs': [5, null, {'data': {}}], 'expect': {'output-values': {'outputs': "
         "5}}}",
         "{'says': 'a', 'infer': 'simple', 'inputs': [{'name': [], 'datatype': 7, 'shape': {}, 'data': [[[]]]}], "
         "'expect': {'data-count': 'refused'}}",
         "{'says': 'a', 'grpc': '/', 'message': {'a': 1}, 'expect': {'v2-rest.server-live': {'code': 5}}}",
         "{'says': 'a', 'http': 'GET /', 'body': {'$size': '/body'}, 'expect': {'v2-rest.server-live': {'status': "
         "200}}}") {
        struct folder folder = folder_new();
        struct str findings;
        folder_write_json(&folder, "v2-rest/health/bad.json", text);
        assert_true(folder_lint(&folder, &findings) > 0);
        assert_has(findings, "v2-rest/health/bad.json: ");
    }
}
