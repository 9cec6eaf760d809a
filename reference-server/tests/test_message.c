#include "grpc/message.h"
#include "tests/scratch.h"
#include <stdlib.h>

#define LIMIT ((size_t)8 * 1024 * 1024)

static struct piece_cache cache;

static int start(void **state)
{
    make_arena(state);
    return 0;
}

static int stop(void **state)
{
    piece_cache_free(&cache);
    return drop_arena(state);
}

/* Returns a message of `size` bytes behind its head. */
static char *framed(size_t size)
{
    char *bytes = malloc(MESSAGE_HEAD + size);
    const char head[MESSAGE_HEAD] = {0, (char)(size >> 24), (char)(size >> 16), (char)(size >> 8), (char)size};
    memcpy(bytes, head, sizeof(head));
    for (size_t i = 0; i < size; i++)
        bytes[MESSAGE_HEAD + i] = (char)(i * 7 + i / 251 + i / 65537);
    return bytes;
}

static void take_in_steps(size_t size, size_t step)
{
    struct message message = {0};
    char *bytes = framed(size);
    for (size_t at = 0; at < MESSAGE_HEAD + size; at += step) {
        size_t part = MESSAGE_HEAD + size - at < step ? MESSAGE_HEAD + size - at : step;
        assert_false(message_is_whole(&message));
        assert_true(is_ok(message_take(&message, (struct str){bytes + at, part}, LIMIT, &arena, &cache)));
    }
    assert_true(message_is_whole(&message));
    size_t at = MESSAGE_HEAD;
    for (size_t i = 0; i < message.count; i++) {
        assert_memory_equal(message.pieces[i].data, bytes + at, message.pieces[i].size);
        at += message.pieces[i].size;
    }
    assert_int_equal(at, MESSAGE_HEAD + size);
    message_free(&message, &cache);
    free(bytes);
}

static void test_a_message_is_whole_in_steps_of_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {0,
                                   1,
                                   100,
                                   MESSAGE_IN_ARENA,
                                   MESSAGE_IN_ARENA + 1,
                                   PIECE_FIRST,
                                   PIECE_FIRST + 1,
                                   PIECE_FIRST + PIECE_SIZE,
                                   4000000,
                                   LIMIT};
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        for (size_t step = 1 + sizes[i] / 1000; step < 20000000; step *= 37)
            take_in_steps(sizes[i], step);
}

/* Expects a refusal of bytes that come at once. */
static void refused(const char *bytes, size_t size, enum status_code code)
{
    struct message message = {0};
    assert_int_equal(message_take(&message, (struct str){bytes, size}, LIMIT, &arena, &cache).code, code);
    message_free(&message, &cache);
}

static void test_what_is_no_message_is_refused(void **state)
{
    (void)state;
    refused("\0\0\x80\0\1", 5, STATUS_RESOURCE_EXHAUSTED); /* a byte above the limit */
    refused("\0\xff\xff\xff\xff", 5, STATUS_RESOURCE_EXHAUSTED);
    refused("\2\0\0\0\0", 5, STATUS_INTERNAL);
    refused("\0\0\0\0\1ab", 7, STATUS_UNIMPLEMENTED);
    refused("\0\0\0\0\0\0", 6, STATUS_UNIMPLEMENTED);
}

static void test_a_claim_takes_no_memory(void **state)
{
    (void)state;
    struct message message = {0};
    size_t before = arena.left;
    assert_true(is_ok(message_take(&message, (struct str){"\0\0\x80\0\0", 5}, LIMIT, &arena, &cache)));
    assert_int_equal(message.count, 0);
    assert_true(before - arena.left < 1024);
    message_free(&message, &cache);
}

static void test_pieces_are_used_again(void **state)
{
    (void)state;
    piece_cache_free(&cache);
    take_in_steps(LIMIT, 100000);
    assert_int_equal(cache.count, (LIMIT - PIECE_FIRST + PIECE_SIZE - 1) / PIECE_SIZE);
    void *kept = cache.pieces[0];
    take_in_steps(LIMIT, 100000);
    assert_int_equal(cache.count, (LIMIT - PIECE_FIRST + PIECE_SIZE - 1) / PIECE_SIZE);
    bool is_there = false;
    for (size_t i = 0; i < cache.count; i++)
        is_there |= cache.pieces[i] == kept;
    assert_true(is_there);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_message_is_whole_in_steps_of_any_size),
        cmocka_unit_test(test_what_is_no_message_is_refused),
        cmocka_unit_test(test_a_claim_takes_no_memory),
        cmocka_unit_test(test_pieces_are_used_again),
    };
    return cmocka_run_group_tests(tests, start, stop);
}
