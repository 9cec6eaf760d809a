/* What every unit test includes: cmocka, with the headers that it needs before it, and tests that register themselves.
 *
 *     TEST(shorter_sorts_first_on_a_tie)
 *     {
 *         assert_true(str_compare(STR("ab"), STR("abc")) < 0);
 *     }
 *
 * A program of unit tests is one file of these, and has no main function of its own: the one in unit.c runs them, in
 * the order in which they are in the file. No test can be written and then forgotten in a list. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

struct unit_test {
    struct CMUnitTest test;
    int line; /* of the file, where the test stands */
};

/* Called before main, by what TEST_WITH writes. The test must live as long as the program. */
void unit_test_add(const struct unit_test *test);

#define TEST(name) TEST_WITH(name, NULL, NULL)

/* A test with functions that run before and after it; each may be NULL. `state` is cmocka's, of the set-up. */
#define TEST_WITH(name, set_up, tear_down)                                                                             \
    static void test_##name(void **state);                                                                             \
    __attribute__((constructor)) static void register_test_##name(void)                                                \
    {                                                                                                                  \
        static const struct unit_test test = {{#name, test_##name, set_up, tear_down, NULL}, __LINE__};                \
        unit_test_add(&test);                                                                                          \
    }                                                                                                                  \
    static void test_##name(__attribute__((unused)) void **state)

/* Walks texts, or the rows of a table, in the order in which they stand. A test that fails in a walk tells which text,
 * or which `name` of a row, it had come to. A walk goes to its end: no break, no return.
 *
 *     EACH(text, "", "01", "1.")
 *         assert_false(reads(text));
 *     EACH_ROW(row, rows, row->text)
 *         assert_int_equal(value_of(row->text), row->value);
 */
#define EACH(text, ...)                                                                                                \
    for (const char *const *text##_at = (const char *const[]){__VA_ARGS__, NULL}, *text;                               \
         unit_walk((text = *text##_at) ? &text : NULL) && text; text##_at++)
#define EACH_ROW(row, rows, name)                                                                                      \
    for (__typeof__ (&(rows)[0])(row) = (rows);                                                                        \
         unit_walk((size_t)((row) - (rows)) < sizeof(rows) / sizeof((rows)[0]) ? &(name) : NULL); (row)++)

/* Notes where a walk is; NULL: at its end. Returns whether it goes on. */
bool unit_walk(const char *const *at);

/* What runs before and after all tests of the file; each may be NULL. A file that has such functions defines this with
 * them, otherwise unit.c does, with none. */
struct unit_group {
    CMFixtureFunction set_up, tear_down;
};
extern const struct unit_group unit_group;
