/* Buffers that grow. */
#include "base/buf.h"
#include "tests/unit.h"

TEST(pieces_follow_each_other)
{
    struct buf buf = {0};
    buf_append_literal(&buf, "one");
    buf_append_byte(&buf, ' ');
    buf_append_str(&buf, STR("t\0wo"));
    buf_append_str(&buf, (struct str){0});
    buf_printf(&buf, " %d%s", 3, "!");
    assert_true(str_equal(buf_str(&buf), STR("one t\0wo 3!")));
    assert_false(buf.failed);
    buf_free(&buf);
    assert_null(buf.data);
    assert_int_equal(buf.size, 0);
}

TEST(clear_keeps_the_memory)
{
    struct buf buf = {0};
    buf_append_literal(&buf, "something");
    const char *data = buf.data;
    size_t capacity = buf.capacity;
    buf_clear(&buf);
    assert_int_equal(buf.size, 0);
    assert_ptr_equal(buf.data, data);
    assert_int_equal(buf.capacity, capacity);
    buf_free(&buf);
}

TEST(reserve_gives_room_behind_the_bytes)
{
    struct buf buf = {0};
    buf_append_literal(&buf, "ab");
    char *room = buf_reserve(&buf, 1000);
    assert_non_null(room);
    assert_ptr_equal(room, buf.data + 2);
    memset(room, 'x', 1000);
    assert_int_equal(buf.size, 2);
    buf_free(&buf);
    assert_non_null(buf_reserve(&buf, 0));
    buf_free(&buf);
}

TEST(a_size_that_cannot_be_had_fails_and_keeps_what_was_there)
{
    struct buf buf = {0};
    buf_append_literal(&buf, "ab");
    assert_null(buf_reserve(&buf, SIZE_MAX));
    assert_true(buf.failed);
    assert_true(str_is(buf_str(&buf), "ab"));
    buf_append_literal(&buf, "cd");
    assert_true(buf.failed);
    assert_int_equal(buf.size, 4);
    assert_memory_equal(buf.data, "abcd", 4);
    buf_clear(&buf);
    assert_false(buf.failed);
    assert_null(buf_reserve(&buf, SIZE_MAX / 2 + 1));
    buf_free(&buf);
}
