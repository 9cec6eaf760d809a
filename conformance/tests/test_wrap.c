/* Breaking text into lines of 80 columns. */
#include "support/wrap.h"

#include "base/count.h"
#include "support/shell.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>

static struct buf out;

static int set_up(void **state)
{
    (void)state;
    buf_clear(&out);
    return 0;
}

static void is(const char *expected)
{
    buf_append_byte(&out, '\0');
    assert_string_equal(out.data, expected);
}

#define TEN "123456789 "

#define WRAP_TEST(name) TEST_WITH(name, set_up, NULL)

WRAP_TEST(lines_have_80_columns)
{
    append_wrapped(&out, STR(TEN TEN TEN TEN TEN TEN TEN "1234567890 more"), 4);
    is(TEN TEN TEN TEN TEN TEN TEN "1234567890\n    more");
}

WRAP_TEST(what_stands_in_the_last_line_counts)
{
    buf_append_literal(
        &out, "a line that is over, whatever it holds, and however much that is in columns, 90 of them\n  label     ");
    append_wrapped(&out, STR(TEN TEN TEN TEN TEN TEN "12345678 9"), 12);
    is("a line that is over, whatever it holds, and however much that is in columns, 90 of them\n"
       "  label     " TEN TEN TEN TEN TEN TEN "12345678\n            9");
}

WRAP_TEST(a_character_is_a_column_and_a_colour_is_none)
{
    buf_append_literal(&out, "\033[1;31m");
    append_wrapped(&out, STR(TEN TEN TEN TEN TEN TEN TEN "ΑΒΓΔΕΖΗΘΙΚ more"), 0);
    is("\033[1;31m" TEN TEN TEN TEN TEN TEN TEN "ΑΒΓΔΕΖΗΘΙΚ\nmore");
}

WRAP_TEST(json_is_broken_behind_commas)
{
    append_wrapped(&out, STR("{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":1,\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\":2,\"c\":3}"),
                   2);
    append_wrapped(&out, STR(",\"d\":4}"), 2);
    is("{\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa\":1,\"bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb\":2,\"c\":3},\n  \"d\":4}");
}

WRAP_TEST(a_long_word_has_a_line_of_its_own)
{
    append_wrapped(&out, STR("before " TEN), 2);
    append_wrapped(&out,
                   STR("x--------------------------------------------------------------------------------y after"), 2);
    is("before 123456789\n"
       "  x--------------------------------------------------------------------------------y\n  after");
}

WRAP_TEST(blanks_within_a_line_stay)
{
    append_wrapped(&out, STR(" one  two   three "), 2);
    is(" one  two   three");
}

/* Returns what the shell prints for the command. */
static const char *said_by_shell(struct str command)
{
    static char said[4000];
    char *text = malloc(command.size + 1);
    memcpy(text, command.data, command.size);
    text[command.size] = '\0';
    FILE *shell = popen(text, "r");
    free(text);
    assert_non_null(shell);
    said[fread(said, 1, sizeof said - 1, shell)] = '\0';
    assert_int_equal(pclose(shell), 0);
    return said;
}

WRAP_TEST(a_command_of_many_lines_is_the_same_command)
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
        buf_clear(&out);
        buf_printf(&out, "%*s", (int)shift, "");
        append_wrapped_command(&out, buf_str(&command), 4);
        char expected[4000];
        snprintf(expected, sizeof expected, "%s", said_by_shell(buf_str(&command)));
        assert_string_equal(said_by_shell(buf_str(&out)), expected);
        size_t lines = 1;
        for (size_t i = 0; i < out.size; i++)
            lines += out.data[i] == '\n';
        assert_true(lines > 10);
        buf_free(&command);
    }
}
