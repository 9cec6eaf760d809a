/* Requests to the model `simple`, which adds and subtracts, in a repository of which nobody may hold a model after a
 * test. */
#pragma once

#include "tests/kit.h"

static struct repository *repository;

static inline int close_kit(void **state)
{
    if (repository)
        kit_close(repository);
    return drop_arena(state);
}

/* After each test every request was refused or answered. All are freed. */
static inline int nobody_holds(void **state)
{
    (void)state;
    bool is_released = !repository || kit_is_released(repository);
    kit_free_all();
    return is_released ? 0 : -1;
}

#define RELEASING_TEST(name) TEST_WITH(name, NULL, nobody_holds)

static const int64_t row[2] = {1, 16};
static const int32_t counting[17] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const int32_t ones[16] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
static const int32_t *const sum = counting + 1; /* of the inputs of ask_simple */

/* Asks for the sum and the difference of rows of 16 numbers. */
static inline struct asked *ask_rows(const int64_t *shape, const int32_t *data, const int64_t *other_shape,
                                     const int32_t *other)
{
    struct asked *asked = kit_ask(repository, "simple");
    kit_input(asked, "INPUT0", DATATYPE_INT32, shape, 2, data, (size_t)shape[0] * 16);
    kit_input(asked, "INPUT1", DATATYPE_INT32, other_shape, 2, other, (size_t)other_shape[0] * 16);
    return asked;
}

/* Makes a right request. */
static inline struct asked *ask_simple(void)
{
    return ask_rows(row, counting, row, ones);
}
