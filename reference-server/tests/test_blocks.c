/* Blocks of memory for messages of gRPC. */
#include "grpc/blocks.h"
#include "tests/unit.h"

#include <string.h>

#define LARGEST (BLOCK_STEP * BLOCK_SIZES)

static struct blocks blocks;

static int open_blocks(void **)
{
    blocks_open(&blocks);
    return 0;
}

static int close_blocks(void **)
{
    blocks_close(&blocks);
    return 0;
}

static void *take(size_t size)
{
    return blocks.functions.malloc(size, &blocks);
}

static void give_back(void *memory)
{
    blocks.functions.free(memory, &blocks);
}

#define BLOCKS_TEST(name) TEST_WITH(name, open_blocks, close_blocks)

BLOCKS_TEST(a_block_of_any_size_is_writable_and_aligned)
{
    for (size_t size = 0; size < LARGEST + 100; size++) {
        char *memory = take(size);
        assert_non_null(memory);
        assert_int_equal((uintptr_t)memory % _Alignof(max_align_t), 0);
        memset(memory, 0xa5, size);
        give_back(memory);
    }
}

BLOCKS_TEST(what_grows_keeps_its_bytes)
{
    for (size_t size = 1; size < LARGEST + 100; size += 63) {
        for (size_t more = size; more < 3 * LARGEST; more += 129) {
            unsigned char *memory = take(size);
            memset(memory, 0xa5, size);
            memory = blocks.functions.realloc(memory, more, &blocks);
            assert_non_null(memory);
            for (size_t i = 0; i < size; i++)
                assert_int_equal(memory[i], 0xa5);
            memset(memory, 0x5a, more);
            give_back(memory);
        }
    }
    give_back(blocks.functions.realloc(NULL, 10, &blocks));
}

BLOCKS_TEST(cleared_memory_is_clear_though_it_was_used)
{
    unsigned char *memory = take(100);
    memset(memory, 0xa5, 100);
    give_back(memory);
    memory = blocks.functions.calloc(10, 10, &blocks);
    for (size_t i = 0; i < 100; i++)
        assert_int_equal(memory[i], 0);
    give_back(memory);
}

BLOCKS_TEST(what_does_not_exist_is_not_given)
{
    assert_null(take(SIZE_MAX));
    assert_null(blocks.functions.calloc(SIZE_MAX / 2, 3, &blocks));
    void *small = take(1), *large = take(LARGEST + 1);
    assert_null(blocks.functions.realloc(small, SIZE_MAX, &blocks));
    assert_null(blocks.functions.realloc(large, SIZE_MAX, &blocks));
    give_back(small);
    give_back(large);
    give_back(NULL);
}

BLOCKS_TEST(thousands_of_blocks_are_kept_only_in_part)
{
    void *taken[3000];
    for (size_t i = 0; i < 3000; i++)
        taken[i] = take(LARGEST);
    for (size_t i = 0; i < 3000; i++)
        give_back(taken[i]);
    assert_true(blocks.count[BLOCK_SIZES - 1] <= 1024);
}
