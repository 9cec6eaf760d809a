/* How `lint --fix` lays out fixtures. */
#include "commands/commands.h"
#include "suite/layout.h"

#include "folder.h"

/* Returns the text of a file of that name in its layout, in the arena. */
static const char *laid_out(const char *path, struct str text)
{
    struct suite_file file = {.path = str_of(path), .text = text};
    struct tree *tree;
    struct buf out = {0};
    assert_ok(tree_parse(text, &arena, &tree));
    file.tree = tree;
    layout_write(&file, &out);
    return arena_take(&arena, &out).data;
}

static void expect_layout(const char *path, const char *text, const char *expected)
{
    assert_string_equal(laid_out(path, str_of(text)), expected);
    assert_string_equal(laid_out(path, str_of(expected)), expected);
}

TEST(what_fits_on_a_line_stays_on_it)
{
    expect_layout("tables/x.json", "[ ]", "[]\n");
    expect_layout("tables/x.json", "{\"a\":{\"b\" :[1 ,2.50,\"\\u00e9\\\"\"]},\n\n\"c\\u0041\":null}",
                  "{\n  \"a\": {\"b\": [1, 2.50, \"\\u00e9\\\"\"]},\n  \"c\\u0041\": null\n}\n");
    expect_layout("tables/x.json", "5", "5\n");
}

/* Makes a file of one member whose line has that many columns, its comma included. The one element of the list repeats
 * a character. */
static const char *one_line(size_t columns, const char *character)
{
    struct buf text = {0};
    buf_append_literal(&text, "{\n  \"a\": [\"");
    for (size_t i = strlen("  \"a\": [\"\"],"); i < columns; i++)
        buf_append_str(&text, str_of(character));
    buf_append_literal(&text, "\"],\n  \"b\": 1\n}\n");
    return arena_take(&arena, &text).data;
}

TEST(a_line_is_full_with_120_characters)
{
    EACH(character, "x", "\xc3\xa9", "\xf0\x9f\x99\x82") {
        const char *full = one_line(120, character), *over = one_line(121, character);
        assert_string_equal(laid_out("tables/x.json", str_of(full)), full);
        const char *broken = laid_out("tables/x.json", str_of(over));
        assert_memory_equal(broken, "{\n  \"a\": [\n    \"", 16);
    }
}

TEST(what_is_flat_shares_lines_and_the_rest_has_its_own)
{
    expect_layout(
        "requirements/x.json",
        "[{\"key\": \"v2-rest.all-inputs\", \"level\": \"must\", \"shape\": [1, 2], \"says\": \"a request that "
        "lacks an input of the model is an error\", \"sources\": [{\"text\": \"000\"}], \"a\": 1, \"b\": 2}]",
        "[\n  {\n    \"key\": \"v2-rest.all-inputs\", \"level\": \"must\", \"shape\": [1, 2],\n"
        "    \"says\": \"a request that lacks an input of the model is an error\",\n"
        "    \"sources\": [{\"text\": \"000\"}],\n    \"a\": 1, \"b\": 2\n  }\n]\n");
}

TEST(scalars_of_a_list_fill_its_lines_and_lists_are_a_column)
{
    struct buf text = {0}, expected = {0};
    buf_append_literal(&text, "{\"a\": [");
    buf_append_literal(&expected, "{\n  \"a\": [\n    ");
    for (int i = 0; i < 40; i++) {
        buf_printf(&text, "%s12345", i ? "," : "");
        buf_printf(&expected, "%s12345", i == 0 ? "" : i % 16 ? ", " : ",\n    ");
    }
    buf_append_literal(&text, "]}");
    buf_append_literal(&expected, "\n  ]\n}\n");
    expect_layout("v2/x.json", arena_take(&arena, &text).data, arena_take(&arena, &expected).data);
    const char *row = "[11111111111111111111, 22222222222222222222, 33333333333333333333]";
    struct str rows = arena_printf(&arena, "{\"a\": [%s, %s, 1, 2]}", row, row);
    struct str column = arena_printf(&arena, "{\n  \"a\": [\n    %s,\n    %s,\n    1, 2\n  ]\n}\n", row, row);
    expect_layout("v2/x.json", rows.data, column.data);
}

TEST(neighbours_and_deviations_are_sorted_and_nothing_else_is)
{
    expect_layout(
        "v2-rest/x.json",
        "{\"says\": 1, \"observations\": {\"z\": {}, \"a\": {}}, \"neighbours\": {\"b\": {\"z\": 1, \"a\": 2}, "
        "\"a-b\": {}, \"a\": {}, \"\\u0061.\": {}}, \"expect\": {\"z\": 1, \"a\": 2}}",
        "{\n  \"says\": 1,\n  \"observations\": {\n    \"z\": {},\n    \"a\": {}\n  },\n"
        "  \"neighbours\": {\n    \"a\": {},\n    \"a-b\": {},\n    \"\\u0061.\": {},\n"
        "    \"b\": {\"z\": 1, \"a\": 2}\n  },\n  \"expect\": {\"z\": 1, \"a\": 2}\n}\n");
    expect_layout("deviations/x.json", "{\"b\": {\"neighbours\": {\"b\": 1, \"a\": 2}}, \"a\": 2, \"b\": 3}",
                  "{\n  \"a\": 2,\n  \"b\": {\"neighbours\": {\"b\": 1, \"a\": 2}},\n  \"b\": 3\n}\n");
    expect_layout("tables/x.json", "{\"b\": 1, \"a\": 2}", "{\n  \"b\": 1,\n  \"a\": 2\n}\n");
}

/* Returns the text with `blanks` between all its tokens, in the arena. */
static struct str with_blanks(struct str text, const char *blanks)
{
    struct buf out = {0};
    bool quoted = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        bool blank = !quoted && strchr(" \n\t\r", c), mark = !quoted && strchr("{}[],:", c);
        if (!blank)
            buf_printf(&out, "%s%c%s", mark ? blanks : "", c, mark ? blanks : "");
        if (quoted && c == '\\')
            buf_append_byte(&out, text.data[++i]);
        quoted ^= c == '"';
    }
    return arena_take(&arena, &out);
}

/* A file that was written in any other way gets the layout that it has in the folder, and keeps its meaning. */
static void check_files(const char *directory)
{
    struct suite suite;
    assert_ok(suite_load(directory, &suite));
    assert_true(suite.file_count > 5);
    for (size_t i = 0; i < suite.file_count; i++) {
        const struct suite_file *file = &suite.files[i];
        static const char *const blanks[] = {"", " \n\t\r\n   "};
        const char *path = arena_copy(&arena, file->path).data;
        for (size_t k = 0; k < 2; k++) {
            const char *again = laid_out(path, with_blanks(file->text, blanks[k]));
            assert_text(file->text, again);
            assert_true(str_equal(with_blanks(str_of(again), ""), with_blanks(file->text, "")));
            struct tree *tree;
            assert_true(is_ok(tree_parse(str_of(again), &arena, &tree)) && tree_equal(tree, file->tree));
        }
        arena_reset(&arena, ARENA_NO_BUDGET);
    }
    suite_free(&suite);
}

TEST(every_fixture_is_laid_out_alike_however_it_was_written)
{
    check_files("fixtures");
    check_files(GOOD_SUITE);
}

TEST(lint_fix_writes_what_lint_then_accepts)
{
    struct folder folder = folder_new();
    folder_lay(&folder, "conformance/tests/lint/format");
    struct options options = {.fixtures = folder.path};
    assert_int_equal(command_lint(&options), 1);
    options.fix = true;
    assert_int_equal(command_lint(&options), 0);
    options.fix = false;
    assert_int_equal(command_lint(&options), 0);
    folder_free(&folder);
}

static size_t findings_of(const char *name, const char *text)
{
    struct folder folder = folder_new();
    struct str findings;
    folder_write(&folder, name, text, strlen(text));
    size_t count = folder_lint(&folder, &findings);
    if (count)
        assert_has(findings, "[format]");
    return count;
}

TEST(lint_sees_every_byte_that_is_laid_out_otherwise)
{
    char many[121] = {0};
    memset(many, 'x', sizeof many - 1);
    assert_int_equal(findings_of("tables/x.json", "{\n  \"a\": 1\n}\n"), 0);
    EACH(wrong, "{\n  \"a\": 1\n}", "{\n  \"a\": 1\n}\n\n", "{\n  \"a\": 1 \n}\n", "{\n  \"a\":  1\n}\n")
        assert_int_equal(findings_of("tables/x.json", wrong), 1);
    assert_int_equal(findings_of("models/kit/simple/x.json", "{\"a\": 1}\n"), 1);
    assert_int_equal(findings_of("tables/x.json", arena_printf(&arena, "{\n  \"a\": \"%s\"\n}\n", many).data), 1);
}
