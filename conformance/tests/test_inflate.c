/* Messages that are compressed: what gzip allows besides one member, what breaks off, and what becomes too long. */
#include "client/inflate.h"
#include "notation/codec.h"
#include "tests/scratch.h"

/* Appends the text as one member of gzip. */
static void append_member(struct buf *out, const char *text)
{
    const struct tree *codec = parse(arena_printf(&arena, "{'$gzip':'%s'}", text).data);
    assert_ok(codec_bytes(codec, codec, ".", &arena, out));
}

static struct answer inflated(struct str bytes, size_t limit, struct str *text)
{
    struct answer answer = {.outcome = OUTCOME_ANSWERED};
    *text = inflate_message(bytes, true, limit, &arena, &answer);
    return answer;
}

TEST(members_are_one_text)
{
    struct buf bytes = {0};
    struct str text;
    EACH(part, "one ", "", "text")
        append_member(&bytes, part);
    assert_int_equal(inflated(buf_str(&bytes), 100, &text).outcome, OUTCOME_ANSWERED);
    assert_true(str_equal(text, STR("one text")));
    buf_free(&bytes);
}

TEST(a_member_that_breaks_off_is_garbled)
{
    struct buf bytes = {0};
    struct str text;
    append_member(&bytes, "one");
    size_t first = bytes.size;
    append_member(&bytes, "another");
    for (size_t size = first + 3; size < bytes.size; size++)
        assert_int_equal(inflated((struct str){bytes.data, size}, 100, &text).outcome, OUTCOME_GARBLED);
    buf_free(&bytes);
}

TEST(the_limit_is_of_all_members)
{
    struct buf bytes = {0};
    struct str text;
    append_member(&bytes, "12345");
    append_member(&bytes, "6789");
    assert_false(inflated(buf_str(&bytes), 9, &text).truncated);
    assert_true(inflated(buf_str(&bytes), 8, &text).truncated);
    assert_true(text.size <= 8);
    buf_free(&bytes);
}
