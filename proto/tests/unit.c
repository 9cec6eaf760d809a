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

static const struct unit_test *running;
static const char *walked; /* by the running test; NULL: nothing */

bool unit_walk(const char *const *at)
{
    walked = at ? *at : NULL;
    return at;
}

static int begin(void **state)
{
    running = *state;
    *state = running->test.initial_state;
    walked = NULL;
    return running->test.setup_func ? running->test.setup_func(state) : 0;
}

static int end(void **state)
{
    if (walked)
        print_error("%s failed at '", running->test.name);
    for (const char *at = walked; at && *at; at++)
        print_error(*at >= ' ' && *at <= '~' ? "%c" : "\\x%02x", (unsigned char)*at);
    if (walked)
        print_error("'\n");
    return running->test.teardown_func ? running->test.teardown_func(state) : 0;
}

int main(void)
{
    if (count == 0) {
        fprintf(stderr, "there is no test\n");
        return 1;
    }
    struct CMUnitTest tests[count];
    for (size_t i = 0; i < count; i++)
        tests[i] =
            (struct CMUnitTest){added[i]->test.name, added[i]->test.test_func, begin, end, (void *)(uintptr_t)added[i]};
    return cmocka_run_group_tests(tests, unit_group.set_up, unit_group.tear_down);
}
