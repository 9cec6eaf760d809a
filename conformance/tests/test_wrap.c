/* Breaking text into lines of 80 columns. */
#include "support/wrap.h"

#include "base/search.h"
#include "shell.h"
#include "support/shell.h"

static struct buf out;

static void is(const char *expected)
{
    assert_text(arena_take(&arena, &out), expected);
}

#define TEN "123456789 "

TEST(lines_have_80_columns)
{
    append_wrapped(&out, STR(TEN TEN TEN TEN TEN TEN TEN "1234567890 more"), 4);
    is(TEN TEN TEN TEN TEN TEN TEN "1234567890\n    more");
}

TEST(what_stands_in_the_last_line_counts)
{
    buf_append_literal(
        &out, "a line that is over, whatever it holds, and however much that is in columns, 90 of them\n  label     ");
    append_wrapped(&out, STR(TEN TEN TEN TEN TEN TEN "12345678 9"), 12);
    is("a line that is over, whatever it holds, and however much that is in columns, 90 of them\n"
       "  label     " TEN TEN TEN TEN TEN TEN "12345678\n            9");
}

TEST(a_character_is_a_column_and_a_colour_is_none)
{
    buf_append_literal(&out, "\033[1;31m");
    append_wrapped(&out, STR(TEN TEN TEN TEN TEN TEN TEN "ΑΒΓΔΕΖΗΘΙΚ more"), 0);
    is("\033[1;31m" TEN TEN TEN TEN TEN TEN TEN "ΑΒΓΔΕΖΗΘΙΚ\nmore");
}

TEST(json_is_broken_behind_commas)
{
    append_wrapped(&out, STR("{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":1,\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\":2,\"c\":3}"),
                   2);
    append_wrapped(&out, STR(",\"d\":4}"), 2);
    is("{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":1,\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\":2,\"c\":3},\n  \"d\":4}");
}

TEST(a_long_word_has_a_line_of_its_own)
{
    append_wrapped(&out, STR("before " TEN), 2);
    append_wrapped(&out,
                   STR("x--------------------------------------------------------------------------------y after"), 2);
    is("before 123456789\n"
       "  x--------------------------------------------------------------------------------y\n  after");
}

TEST(blanks_within_a_line_stay)
{
    append_wrapped(&out, STR(" one  two   three "), 2);
    is(" one  two   three");
}

TEST(a_command_of_many_lines_is_the_same_command)
{
    static const char *const words[] = {"plain",
                                        "with blanks  in it",
                                        "it's quoted, 'twice' and a \\ at the end \\",
                                        "",
                                        "{\"a\": 1, \"b\": \"two; three\"}",
                                        "# no comment"};
    for (size_t shift = 0; shift < 80; shift += 7) {
        struct buf command = {0};
        buf_append_literal(&command, "printf '[%s]\\n'");
        for (size_t i = 0; i < 6 * COUNT_OF(words); i++) {
            buf_append_byte(&command, ' ');
            shell_quote(str_of(words[i % COUNT_OF(words)]), &command);
        }
        buf_append_literal(&command,
                           " | cat # the rest of the line is a comment that must not become a command of its own");
        buf_printf(&out, "%*s", (int)shift, "");
        append_wrapped_command(&out, buf_str(&command), 4);
        size_t lines = 1;
        for (size_t i = 0; i < out.size; i++)
            lines += out.data[i] == '\n';
        assert_true(lines > 10);
        struct str expected = shell_says("%s", arena_take(&arena, &command).data);
        assert_text(shell_says("%s", arena_take(&arena, &out).data), expected.data);
    }
}
