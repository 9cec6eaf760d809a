/* proto/tests/ tests the folders of proto/ one by one. The tests of the two programs may include this header.
 *
 * It has what tests share beside unit.h: an arena, trees from a line of JSON, and what a text must say. */
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

/* Returns JSON that is written with ' in place of ". */
static inline struct str json(const char *text)
{
    size_t size = strlen(text);
    char *bytes = arena_alloc(&arena, size + 1);
    for (size_t i = 0; i <= size; i++)
        bytes[i] = text[i] == '\'' ? '"' : text[i];
    return (struct str){bytes, size};
}

static inline struct tree *parse(const char *text)
{
    struct tree *tree = NULL;
    struct status status = tree_parse(json(text), &arena, &tree);
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

static inline void assert_has(struct str text, const char *part)
{
    if (!memmem(text.data, text.size, part, strlen(part)))
        fail_msg("'%.*s' does not say '%s'", STR_ARG(text), part);
}

/* Checks that the message of a failed status contains all these words. */
static inline void assert_says(struct status status, const char *const *words)
{
    for (; *words; words++)
        assert_has(status.message, *words);
}

#define SAYS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* Checks that something fails with that code, in a sentence that contains all the words that follow. */
#define assert_fails(answer, wanted_code, ...)                                                                         \
    do {                                                                                                               \
        struct status failed_ = (answer);                                                                              \
        assert_int_equal(failed_.code, wanted_code);                                                                   \
        assert_says(failed_, SAYS(__VA_ARGS__));                                                                       \
    } while (0)
