/* Arenas: memory that is freed as a whole, within a budget. */
#include "base/arena.h"
#include "base/buf.h"
#include "base/search.h"
#include "tests/scratch.h"

ARENA_TEST(memory_is_aligned)
{
    for (size_t size = 0; size < 200; size++) {
        char *memory = arena_alloc(&arena, size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 16, 0);
        memset(memory, 0xAB, size);
    }
    static const size_t large[] = {4096, 4097, 8191, 8192, 32768, 1 << 20};
    for (size_t i = 0; i < COUNT_OF(large); i++) {
        char *memory = arena_alloc(&arena, large[i]);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % 64, 0);
        memset(memory, 0xCD, large[i]);
    }
}

TEST(budget_is_a_limit_and_comes_back)
{
    struct arena small = arena_new(100);
    assert_non_null(arena_alloc(&small, 60));
    assert_null(arena_alloc(&small, 41));
    assert_non_null(arena_alloc(&small, 40));
    assert_null(arena_alloc(&small, 1));
    arena_reset(&small, 10);
    assert_null(arena_alloc(&small, 11));
    assert_non_null(arena_alloc(&small, 10));
    arena_free(&small);
    assert_non_null(arena_alloc(&small, 10));
    assert_null(arena_alloc(&small, 1));
    arena_free(&small);
}

ARENA_TEST(absurd_sizes_give_null)
{
    assert_null(arena_alloc(&arena, SIZE_MAX));
    assert_null(arena_alloc(&arena, SIZE_MAX - 64));
    assert_null(arena_alloc_zero(&arena, SIZE_MAX / 2, 3));
    assert_null(arena_alloc_zero(&arena, (size_t)1 << 32, (size_t)1 << 32));
    assert_null(arena_copy(&arena, (struct str){"", SIZE_MAX}).data);
    assert_non_null(arena_alloc(&arena, 16));
}

ARENA_TEST(reset_reuses_the_first_chunk)
{
    void *first = arena_alloc(&arena, 100);
    for (int i = 0; i < 100; i++)
        arena_alloc(&arena, 4000);
    arena_alloc(&arena, 1 << 20);
    for (int round = 0; round < 3; round++) {
        arena_reset(&arena, ARENA_NO_BUDGET);
        void *again = arena_alloc(&arena, 100);
        if (round > 0)
            assert_ptr_equal(again, first);
        first = again;
    }
}

static jmp_buf out;

static void jump_out(void)
{
    longjmp(out, 1);
}

TEST(exhaustion_calls_the_owner)
{
    static struct arena small;
    small = arena_new(8);
    small.exhausted = jump_out;
    if (setjmp(out) == 0) {
        arena_alloc(&small, 9);
        fail_msg("arena_alloc came back");
    }
    arena_free(&small);
}

ARENA_TEST(copies_end_with_a_nul)
{
    struct str copy = arena_copy(&arena, STR("a\0b"));
    assert_true(str_equal(copy, STR("a\0b")));
    assert_int_equal(copy.data[3], 0);
    assert_int_equal(arena_copy(&arena, (struct str){0}).data[0], 0);
    struct str text = arena_printf(&arena, "%s-%d", "model", 7);
    assert_true(str_is(text, "model-7"));
    assert_int_equal(text.data[text.size], 0);
}

ARENA_TEST(a_buf_that_failed_gives_nothing_and_is_freed)
{
    struct buf buf = {0};
    buf_append_literal(&buf, "the first half");
    assert_null(buf_reserve(&buf, SIZE_MAX));
    assert_true(buf.failed);
    assert_null(arena_take(&arena, &buf).data);
    assert_null(buf.data);
    assert_false(buf.failed);
}

ARENA_TEST(what_a_peer_sent_prints_as_one_line)
{
    assert_string_equal(str_printable(&arena, STR("caf\xC3\xA9 'x' \"y\"")), "caf\xC3\xA9 'x' \"y\"");
    assert_string_equal(str_printable(&arena, STR("a\nb\0c\x1b[31m\x7f\\")), "a\\x0ab\\x00c\\x1b[31m\\x7f\\x5c");
    assert_string_equal(str_printable(&arena, STR("\xff\xC3")), "\\xff\\xc3");
    assert_string_equal(str_printable(&arena, STR("\xC2\x9b")), "\\xc2\\x9b");
    assert_string_equal(str_printable(&arena, STR("\xE2\x80\xA8")), "\\xe2\\x80\\xa8");
    assert_string_equal(str_printable(&arena, (struct str){0}), "");
}

ARENA_TEST(long_text_is_cut_at_a_character)
{
    char text[200];
    memset(text, 'x', sizeof(text));
    const char *shown = str_printable(&arena, (struct str){text, 120});
    assert_int_equal(strlen(shown), 120);
    shown = str_printable(&arena, (struct str){text, 121});
    assert_int_equal(strlen(shown), 123);
    assert_string_equal(shown + 120, "...");
    static const char euro[] = {'\xE2', '\x82', '\xAC'};
    memcpy(text + 118, euro, sizeof(euro));
    shown = str_printable(&arena, (struct str){text, 200});
    assert_int_equal(strlen(shown), 121);
    assert_string_equal(shown + 117, "x...");
}

TEST(printable_has_an_answer_without_memory)
{
    struct arena small = arena_new(0);
    assert_non_null(str_printable(&small, STR("x")));
    arena_free(&small);
}
