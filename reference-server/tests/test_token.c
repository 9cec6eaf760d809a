/* The token that a client must show. */
#include "base/search.h"
#include "services/token.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <unistd.h>

/* Writes a file and reads the token that stands there. */
static struct status read_from(const char *text, size_t size, struct str *token)
{
    char path[] = "/tmp/test_token_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, size) == (ssize_t)size);
    close(fd);
    struct status status = token_read(path, &arena, token);
    unlink(path);
    return status;
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(a_token_is_all_that_stands_in_its_file)
{
    struct str token;
    assert_true(is_ok(read_from("  abc-._~+/9==\r\n", 16, &token)));
    assert_string_equal(token.data, "abc-._~+/9==");
    char longest[TOKEN_MAX + 2];
    memset(longest, 'x', sizeof(longest));
    longest[TOKEN_MAX] = '\n';
    assert_true(is_ok(read_from(longest, TOKEN_MAX + 1, &token)));
    assert_int_equal(token.size, TOKEN_MAX);
    longest[TOKEN_MAX] = 'x';
    assert_false(is_ok(read_from(longest, TOKEN_MAX + 1, &token)));
    static const struct str wrong[] = {STR(""),         STR("\n"),   STR("two words"),
                                       STR("one\ntwo"), STR("a\0b"), STR("\"a\"")};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(read_from(wrong[i].data, wrong[i].size, &token).code, STATUS_INVALID_ARGUMENT);
    assert_fails(token_read("/nowhere/at/all", &arena, &token), STATUS_INVALID_ARGUMENT, "/nowhere/at/all");
    assert_int_equal(token_read("/tmp", &arena, &token).code, STATUS_INVALID_ARGUMENT);
}

TEST(a_client_shows_the_token_or_not)
{
    struct str token = STR("sesame");
    EACH(text, "Bearer sesame", "bearer sesame", "BEARER   sesame ")
        assert_true(token_is_shown(token, str_of(text)));
    EACH(text, "", "Bearer", "Bearer ", "sesame", "Bearer sesam", "Bearer sesame1", "Bearer Sesame",
         "Bearer sesame sesame", "Basic sesame", "Bearersesame", "Bearer\tsesame")
        assert_false(token_is_shown(token, str_of(text)));
    assert_false(token_is_shown(token, (struct str){0}));
}
