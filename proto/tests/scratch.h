/* proto/tests/ tests the folders of proto/ one by one. The tests of the two programs may include this header.
 *
 * It has what tests share beside unit.h: an arena, and trees from a line of JSON. */
#pragma once

#include "tests/unit.h"
#include "tree/tree.h"

static struct arena arena;

/* Run before and after a test, or a group of tests. */
static inline int make_arena(void **state)
{
    (void)state;
    arena = arena_new(ARENA_NO_BUDGET);
    return 0;
}

static inline int drop_arena(void **state)
{
    (void)state;
    arena_free(&arena);
    return 0;
}

/* A test with an arena of its own. */
#define ARENA_TEST(name) TEST_WITH(name, make_arena, drop_arena)

static inline struct tree *parse(const char *text)
{
    struct tree *tree = NULL;
    struct status status = tree_parse(str_of(text), &arena, &tree);
    if (!is_ok(status))
        fail_msg("%s: %.*s", text, STR_ARG(status.message));
    return tree;
}

/* The trees are equal by tree_equal; a failure shows both. */
static inline void assert_tree(const struct tree *tree, const char *expected)
{
    struct buf text = {0};
    assert_non_null(tree);
    tree_write(tree, &text);
    if (!tree_equal(tree, parse(expected)))
        fail_msg("%.*s instead of\n%s", STR_ARG(buf_str(&text)), expected);
    buf_free(&text);
}
