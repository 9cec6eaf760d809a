/* Inflating compressed messages, within a limit. */
#include "base/search.h"
#include "grpc/inflate.h"
#include "tests/scratch.h"
#include <zlib.h>

#define GZIP 31
#define ZLIB 15

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

static size_t seventh(struct str start)
{
    assert_int_equal(start.size, INFLATED_FIRST);
    return 7;
}

/* Inflates `compressed` in steps of about `step` bytes. */
static struct status inflate_in_steps(struct str compressed, size_t step, size_t limit, struct str *whole)
{
    bool is_done = false;
    struct status status = STATUS_IS_OK;
    struct inflation *inflation = inflation_new(compressed, limit, seventh);
    assert_non_null(inflation);
    for (size_t before = 0; is_ok(status) && !is_done; before = inflation_bytes(inflation).size) {
        status = inflation_go_on(inflation, step, &arena, &is_done);
        size_t come = inflation_bytes(inflation).size - before;
        assert_true(is_done || !is_ok(status) ? come <= step : come == step);
    }
    struct str bytes = inflation_bytes(inflation);
    if (is_ok(status) && bytes.size > INFLATED_FIRST)
        assert_int_equal((uintptr_t)(bytes.data + 7) % 64, 0);
    if (is_ok(status))
        *whole = arena_copy(&arena, bytes);
    inflation_free(inflation);
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

ARENA_TEST(gzip_and_zlib_come_back_whole_in_slices_of_any_size)
{
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

ARENA_TEST(one_byte_over_the_limit_is_refused)
{
    struct str whole, compressed = deflated(noise(50000), GZIP);
    assert_true(is_ok(inflate_in_steps(compressed, 1000, 50000, &whole)));
    assert_fails(inflate_in_steps(compressed, 1000, 49999, &whole), STATUS_RESOURCE_EXHAUSTED, "49999");
}

ARENA_TEST(a_bomb_ends_at_the_limit)
{
    struct str zeros = {arena_alloc_zero(&arena, 1, 64 << 20), 64 << 20}, compressed = deflated(zeros, GZIP);
    bool is_done;
    struct inflation *inflation = inflation_new(compressed, 1 << 20, NULL);
    assert_int_equal(inflation_go_on(inflation, SIZE_MAX, &arena, &is_done).code, STATUS_RESOURCE_EXHAUSTED);
    assert_int_equal(inflation_bytes(inflation).size, (1 << 20) + 1);
    inflation_free(inflation);
}

TEST(more_memory_must_be_sent_for)
{
    assert_int_equal(inflation_limit(1000, 256 << 20), 64 << 20);
    assert_int_equal(inflation_limit(1000, 1 << 20), 1 << 20);
    assert_int_equal(inflation_limit(8 << 20, 256 << 20), 128 << 20);
    assert_int_equal(inflation_limit(20 << 20, 256 << 20), 256 << 20);
    assert_int_equal(inflation_limit(SIZE_MAX, 256 << 20), 256 << 20);
}

ARENA_TEST(broken_streams_are_refused)
{
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
