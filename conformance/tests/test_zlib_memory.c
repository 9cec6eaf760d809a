/* zlib without memory, both when it makes the bytes of a case and when it reads an answer. The judge must end: a body
 * that is sent empty, or an answer that is called broken, would lead to a wrong verdict. This program replaces the
 * functions that open zlib's streams. */
#include "client/inflate.h"
#include "notation/codec.h"
#include "support/exit_code.h"
#include "tests/scratch.h"

#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

int deflateInit2_(z_streamp, int, int, int, int, int, const char *, int)
{
    return Z_MEM_ERROR;
}

int inflateInit2_(z_streamp, int, const char *, int)
{
    return Z_MEM_ERROR;
}

static void make_a_gzip_body(void)
{
    struct buf bytes = {0};
    const struct tree *tree = parse("{\"$gzip\":\"abc\"}");
    codec_bytes(tree, tree, ".", &arena, &bytes);
    buf_free(&bytes);
}

static void read_a_compressed_message(void)
{
    struct answer answer = {0};
    inflate_message(STR("abc"), true, 1000, &arena, &answer);
}

static void assert_ends_without_memory(void (*act)(void))
{
    int end;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        act();
        _exit(EXIT_SUCCESS);
    }
    assert_int_equal(waitpid(child, &end, 0), child);
    assert_true(WIFEXITED(end));
    assert_int_equal(WEXITSTATUS(end), EXIT_SUITE);
}

TEST(a_body_that_cannot_be_compressed_ends_the_judge)
{
    assert_ends_without_memory(make_a_gzip_body);
}

TEST(a_message_that_cannot_be_inflated_ends_the_judge)
{
    assert_ends_without_memory(read_a_compressed_message);
}
