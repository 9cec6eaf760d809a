/* Large blocks of memory that are used again. */
#include "base/large.h"
#include "tests/unit.h"

#include <string.h>

#define MEGABYTE ((size_t)1024 * 1024)

/* The address sanitizer keeps nothing (large.c). */
#ifdef __SANITIZE_ADDRESS__
#define IS_KEPT 0
#else
#define IS_KEPT 1
#endif

static void *take(size_t asked, size_t *size)
{
    *size = asked;
    void *block = large_take(size);
    assert_non_null(block);
    assert_int_equal((uintptr_t)block % LARGE_ALIGN, 0);
    assert_true(*size >= asked);
    memset(block, 0xa5, *size);
    return block;
}

TEST(a_block_is_used_again)
{
    size_t size, again;
    void *block = take(4 * MEGABYTE, &size);
    large_give_back(block, size);
    void *next = take(3 * MEGABYTE, &again);
    if (IS_KEPT)
        assert_ptr_equal(next, block);
    large_give_back(next, again);
}

TEST(no_block_is_used_for_less_than_its_half)
{
    size_t size, again;
    void *block = take(8 * MEGABYTE, &size);
    large_give_back(block, size);
    void *next = take(LARGE_AT_LEAST, &again);
    assert_true(again <= 2 * LARGE_AT_LEAST);
    large_give_back(next, again);
}

TEST(two_never_have_the_same_block)
{
    unsigned char *blocks[100];
    size_t sizes[100];
    for (size_t round = 0; round < 3; round++) {
        for (size_t i = 0; i < 100; i++) {
            blocks[i] = take(LARGE_AT_LEAST + i * 4096, &sizes[i]);
            memset(blocks[i], (int)i, sizes[i]);
        }
        for (size_t i = 0; i < 100; i++) {
            for (size_t k = 0; k < sizes[i]; k += 997)
                assert_int_equal(blocks[i][k], i);
            large_give_back(blocks[i], sizes[i]);
        }
    }
}

TEST(what_is_larger_than_all_that_is_kept_goes_at_once)
{
    size_t size = LARGE_KEPT + MEGABYTE, kept;
    void *block = take(MEGABYTE, &kept);
    large_give_back(block, kept);
    void *huge = large_take(&size);
    assert_non_null(huge);
    large_give_back(huge, size);
    void *next = take(MEGABYTE, &kept);
    if (IS_KEPT)
        assert_ptr_equal(next, block);
    large_give_back(next, kept);
}
