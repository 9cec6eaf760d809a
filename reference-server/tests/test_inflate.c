#include "base/count.h"
#include "grpc/inflate.h"
#include "tests/scratch.h"
#include <stdlib.h>
#include <zlib.h>

#define GZIP 31
#define ZLIB 15

static int start(void **state)
{
    make_arena(state);
    return 0;
}

static int stop(void **state)
{
    return drop_arena(state);
}

static struct str deflated(struct str plain, int wrapping)
{
    z_stream stream = {0};
    deflateInit2(&stream, 6, Z_DEFLATED, wrapping, 8, Z_DEFAULT_STRATEGY);
    size_t room = deflateBound(&stream, plain.size) + 32;
    char *out = arena_alloc(&arena, room);
    stream.next_in = (Bytef *)(uintptr_t)plain.data;
    stream.avail_in = (uInt)plain.size;
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)room;
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    struct str result = {out, stream.total_out};
    deflateEnd(&stream);
    return result;
}

/* Inflates `compressed`, which comes in slices of `step` bytes. */
static struct status inflate_in_steps(struct str compressed, size_t step, size_t limit, struct str *whole)
{
    size_t count = 0;
    struct str *slices = arena_alloc(&arena, (compressed.size / step + 2) * sizeof(*slices));
    slices[count++] = (struct str){"", 0};
    for (size_t at = 0; at < compressed.size; at += step) {
        struct str left = str_from(compressed, at);
        slices[count++] = (struct str){left.data, left.size < step ? left.size : step};
    }
    const struct str *pieces;
    size_t piece_count, size;
    struct status status = inflate_slices(slices, count, limit, &arena, &pieces, &piece_count, &size);
    if (is_ok(status)) {
        char *to = arena_alloc(&arena, size);
        *whole = (struct str){to, size};
        for (size_t i = 0; i < piece_count; i++)
            to = mempcpy(to, pieces[i].data, pieces[i].size);
        assert_int_equal(to - whole->data, size);
    }
    return status;
}

static struct str noise(size_t size)
{
    char *bytes = arena_alloc(&arena, size);
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)((state = state * 1664525 + 1013904223) >> 24);
    return (struct str){bytes, size};
}

static void test_gzip_and_zlib_come_back_whole_in_slices_of_any_size(void **state)
{
    (void)state;
    static const size_t sizes[] = {0, 1, 16 * 1024, 16 * 1024 + 1, 3000000};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        for (int wrapping = ZLIB; wrapping <= GZIP; wrapping += GZIP - ZLIB) {
            struct str plain = noise(sizes[i]), whole;
            struct str compressed = deflated(plain, wrapping);
            for (size_t step = 1 + sizes[i] / 100; step < 10000000; step *= 97) {
                assert_true(is_ok(inflate_in_steps(compressed, step, sizes[i], &whole)));
                assert_int_equal(whole.size, plain.size);
                assert_memory_equal(whole.data, plain.data, plain.size);
            }
        }
    }
}

static void test_one_byte_over_the_limit_is_refused(void **state)
{
    (void)state;
    struct str whole, compressed = deflated(noise(50000), GZIP);
    assert_true(is_ok(inflate_in_steps(compressed, 1000, 50000, &whole)));
    struct status status = inflate_in_steps(compressed, 1000, 49999, &whole);
    assert_int_equal(status.code, STATUS_RESOURCE_EXHAUSTED);
    assert_non_null(strstr(status.message.data, "49999"));
}

static void test_a_bomb_takes_no_more_memory_than_the_limit(void **state)
{
    (void)state;
    struct str zeros = {arena_alloc_zero(&arena, 1, 64 << 20), 64 << 20}, whole;
    struct str compressed = deflated(zeros, GZIP);
    size_t limit = 1 << 20;
    size_t before = arena.left;
    assert_int_equal(inflate_in_steps(compressed, 4096, limit, &whole).code, STATUS_RESOURCE_EXHAUSTED);
    assert_true(before - arena.left < 2 * limit);
}

static void test_an_exhausted_arena_is_told(void **state)
{
    (void)state;
    struct str whole, compressed = deflated(noise(50000), GZIP);
    arena.left = 30000;
    assert_int_equal(inflate_in_steps(compressed, 1000, 50000, &whole).code, STATUS_RESOURCE_EXHAUSTED);
    arena.left = ARENA_NO_BUDGET;
}

static void test_broken_streams_are_refused(void **state)
{
    (void)state;
    struct str whole, compressed = deflated(noise(5000), GZIP);
    char *copy = arena_alloc(&arena, compressed.size + 1);
    for (size_t cut = 0; cut < compressed.size; cut += 61)
        assert_int_equal(inflate_in_steps((struct str){compressed.data, cut}, 100, 9999, &whole).code, STATUS_INTERNAL);
    memcpy(copy, compressed.data, compressed.size);
    copy[compressed.size] = 'x';
    assert_int_equal(inflate_in_steps((struct str){copy, compressed.size + 1}, 100, 9999, &whole).code,
                     STATUS_INTERNAL);
    copy[compressed.size - 6] ^= 1; /* changes the checksum */
    assert_int_equal(inflate_in_steps((struct str){copy, compressed.size}, 100, 9999, &whole).code, STATUS_INTERNAL);
    assert_int_equal(inflate_in_steps(STR("no gzip at all"), 100, 9999, &whole).code, STATUS_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_gzip_and_zlib_come_back_whole_in_slices_of_any_size, start, stop),
        cmocka_unit_test_setup_teardown(test_one_byte_over_the_limit_is_refused, start, stop),
        cmocka_unit_test_setup_teardown(test_a_bomb_takes_no_more_memory_than_the_limit, start, stop),
        cmocka_unit_test_setup_teardown(test_an_exhausted_arena_is_told, start, stop),
        cmocka_unit_test_setup_teardown(test_broken_streams_are_refused, start, stop),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
