#include "tests/unit.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_TESTS = 200 }; /* of one file */

static const struct unit_test *added[MOST_TESTS]; /* in the order of their lines */
static size_t count;

__attribute__((weak)) const struct unit_group unit_group;

/* Compilers do not promise in which order they call constructors. */
void unit_test_add(const struct unit_test *test)
{
    if (count == MOST_TESTS) {
        fprintf(stderr, "%s: a file has at most %d tests\n", test->test.name, MOST_TESTS);
        exit(1);
    }
    size_t place = count++;
    for (; place > 0 && added[place - 1]->line > test->line; place--)
        added[place] = added[place - 1];
    added[place] = test;
}

int main(void)
{
    if (count == 0) {
        fprintf(stderr, "there is no test\n");
        return 1;
    }
    struct CMUnitTest tests[count];
    for (size_t i = 0; i < count; i++)
        tests[i] = added[i]->test;
    return cmocka_run_group_tests(tests, unit_group.set_up, unit_group.tear_down);
}
