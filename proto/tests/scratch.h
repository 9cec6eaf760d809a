/* proto/tests/ tests the folders of proto/ one by one. The tests of the two programs may include this header.
 *
 * It has what tests share beside unit.h: an arena, trees from a line of JSON, and what a text must say. */
#pragma once

#include "tests/unit.h"
#include "tree/tree.h"

#include <stdio.h>

/* Memory of all tests of a program. */
static struct arena arena = {.budget = ARENA_NO_BUDGET, .left = ARENA_NO_BUDGET};

/* Run before and after a test, or a group of tests, that wants its memory back. */
static inline int make_arena(void **)
{
    arena = arena_new(ARENA_NO_BUDGET);
    return 0;
}

static inline int drop_arena(void **)
{
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

/* Returns a tree as JSON, with a NUL after it. */
static inline const char *text_of(const struct tree *tree)
{
    struct buf text = {0};
    tree_write(tree, &text);
    return arena_take(&arena, &text).data;
}

/* The trees are equal by tree_equal; a failure shows both. */
static inline void assert_same_tree(const struct tree *tree, const struct tree *expected)
{
    assert_non_null(tree);
    if (!tree_equal(tree, expected))
        fail_msg("%s instead of\n%s", text_of(tree), text_of(expected));
}

static inline void assert_tree(const struct tree *tree, const char *expected)
{
    assert_same_tree(tree, parse(expected));
}

/* The text is that one; a failure shows both. */
static inline void assert_text(struct str text, const char *expected)
{
    if (!str_is(text, expected))
        fail_msg("%.*s instead of\n%s", STR_ARG(text), expected);
}

/* Returns the bytes of which the hexadecimal digits are given, perhaps with blanks between them. */
static inline struct str bytes_of(const char *hex)
{
    char *bytes = arena_alloc_zero(&arena, strlen(hex), 1);
    size_t digits = 0;
    for (; *hex; hex++)
        if (hex_digit(*hex) >= 0) {
            bytes[digits / 2] = (char)(bytes[digits / 2] << 4 | hex_digit(*hex));
            digits++;
        }
    return (struct str){bytes, digits / 2};
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

#define assert_ok(answer)                                                                                              \
    do {                                                                                                               \
        struct status checked_ = (answer);                                                                             \
        if (!is_ok(checked_))                                                                                          \
            fail_msg("%s: %.*s", status_code_name(checked_.code), STR_ARG(checked_.message));                          \
    } while (0)

/* Checks that something fails with that code, in a sentence that contains all the words that follow. */
#define assert_fails(answer, wanted_code, ...)                                                                         \
    do {                                                                                                               \
        struct status failed_ = (answer);                                                                              \
        assert_int_equal(failed_.code, wanted_code);                                                                   \
        assert_says(failed_, SAYS(__VA_ARGS__));                                                                       \
    } while (0)
