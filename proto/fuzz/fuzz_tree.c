/* Gives any bytes to tree_parse. A second parser, which follows the grammar of RFC 8259 and shares no code with
 * reader.c, must agree on what is JSON. Valid JSON must come back the same after it was written, and each value from
 * its span. */
#include "tree/tree.h"
#include "json/number.h"
#include "json/reader.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define CHECK(what)                                                                                                    \
    do {                                                                                                               \
        if (!(what))                                                                                                   \
            abort();                                                                                                   \
    } while (0)

/* --- The second parser: each function takes what it names from the front of *s, or returns false --- */

static bool take(struct str *s, struct str token)
{
    if (!str_starts(*s, token))
        return false;
    *s = str_from(*s, token.size);
    return true;
}

static void take_blanks(struct str *s)
{
    while (take(s, STR(" ")) || take(s, STR("\t")) || take(s, STR("\n")) || take(s, STR("\r")))
        continue;
}

static bool take_one_of(struct str *s, const char *set)
{
    if (s->size == 0 || s->data[0] == '\0' || !strchr(set, s->data[0]))
        return false;
    *s = str_from(*s, 1);
    return true;
}

static bool take_digits(struct str *s)
{
    if (!take_one_of(s, "0123456789"))
        return false;
    while (take_one_of(s, "0123456789"))
        continue;
    return true;
}

static bool take_number(struct str *s)
{
    take(s, STR("-"));
    if (!take(s, STR("0")) && !take_digits(s))
        return false;
    if (take(s, STR(".")) && !take_digits(s))
        return false;
    if (take_one_of(s, "eE")) {
        take_one_of(s, "+-");
        return take_digits(s);
    }
    return true;
}

static bool take_unit(struct str *s, unsigned *unit)
{
    *unit = 0;
    for (int i = 0; i < 4; i++) {
        char digit[2] = {s->size ? s->data[0] : 'x', '\0'};
        if (!take_one_of(s, "0123456789abcdefABCDEF"))
            return false;
        *unit = *unit * 16 + (unsigned)strtoul(digit, NULL, 16);
    }
    return true;
}

static bool take_escape(struct str *s)
{
    unsigned high, low;
    if (take_one_of(s, "\"\\/bfnrt"))
        return true;
    if (!take(s, STR("u")) || !take_unit(s, &high))
        return false;
    if (high < 0xD800 || high > 0xDFFF)
        return true;
    return high < 0xDC00 && take(s, STR("\\u")) && take_unit(s, &low) && low >= 0xDC00 && low <= 0xDFFF;
}

static bool take_string(struct str *s)
{
    if (!take(s, STR("\"")))
        return false;
    while (s->size > 0) {
        if (take(s, STR("\"")))
            return true;
        if (take(s, STR("\\"))) {
            if (!take_escape(s))
                return false;
            continue;
        }
        if ((unsigned char)s->data[0] < 0x20)
            return false;
        *s = str_from(*s, 1);
    }
    return false;
}

static bool take_value(struct str *s, int depth);

static bool take_list(struct str *s, struct str end, bool named, int depth)
{
    take_blanks(s);
    if (take(s, end))
        return true;
    do {
        take_blanks(s);
        if (named) {
            if (!take_string(s))
                return false;
            take_blanks(s);
            if (!take(s, STR(":")))
                return false;
        }
        if (!take_value(s, depth))
            return false;
    } while (take(s, STR(",")));
    return take(s, end);
}

/* Takes a value and the blanks around it. */
static bool take_value(struct str *s, int depth)
{
    take_blanks(s);
    bool taken;
    if (take(s, STR("[")))
        taken = depth < JSON_DEPTH && take_list(s, STR("]"), false, depth + 1);
    else if (take(s, STR("{")))
        taken = depth < JSON_DEPTH && take_list(s, STR("}"), true, depth + 1);
    else if (str_starts(*s, STR("\"")))
        taken = take_string(s);
    else
        taken = take(s, STR("null")) || take(s, STR("true")) || take(s, STR("false")) || take_number(s);
    take_blanks(s);
    return taken;
}

static bool is_json(struct str text)
{
    return str_is_utf8(text) && take_value(&text, 0) && text.size == 0;
}

/* --- What must hold --- */

static struct tree *parse(struct str text, struct arena *arena)
{
    struct tree *tree;
    struct status status = tree_parse(text, arena, &tree);
    CHECK(is_ok(status));
    return tree;
}

static void check_round_trip(const struct tree *tree, void (*write)(const struct tree *, struct buf *),
                             struct arena *arena)
{
    struct buf first = {0}, second = {0};
    write(tree, &first);
    const struct tree *again = parse(buf_str(&first), arena);
    CHECK(tree_equal(tree, again) && tree_equal(again, tree));
    write(again, &second);
    CHECK(str_equal(buf_str(&first), buf_str(&second)));
    buf_free(&first);
    buf_free(&second);
}

static void check_number(struct str spelling)
{
    char text[NUMBER_TEXT_MAX];
    double wide;
    int64_t integer;
    uint64_t whole;
    CHECK(number_first(spelling) == spelling.size && number_equal(spelling, spelling));
    if (number_read_double(spelling, &wide)) {
        double back;
        struct str shortest = {text, number_write_double(wide, text)};
        CHECK(number_first(shortest) == shortest.size && number_read_double(shortest, &back));
        CHECK(memcmp(&back, &wide, sizeof(wide)) == 0);
    }
    if (number_read_int64(spelling, &integer) && integer != 0)
        CHECK(number_equal(spelling, (struct str){text, number_write_int64(integer, text)}));
    if (number_read_uint64(spelling, &whole) && whole != 0)
        CHECK(number_equal(spelling, (struct str){text, number_write_uint64(whole, text)}));
}

static void check_values(const struct tree *tree, struct arena *arena)
{
    if (tree->type == TREE_NUMBER)
        check_number(tree->text);
    if (tree->type == TREE_STRING)
        CHECK(str_is_utf8(tree->text));
    for (const struct tree *child = tree->first; child; child = child->next) {
        if (!child->first)
            CHECK(tree_equal(parse(child->span, arena), child));
        check_values(child, arena);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct arena arena = arena_new(ARENA_NO_BUDGET);
    struct str text = {(const char *)data, size};
    struct tree *tree;
    struct status status = tree_parse(text, &arena, &tree);
    CHECK(is_ok(status) == is_json(text));
    CHECK(is_ok(status) == (tree != NULL));
    if (tree) {
        check_round_trip(tree, tree_write, &arena);
        CHECK(tree_equal(tree, tree_copy(&arena, tree)));
        CHECK(tree_equal(parse(tree->span, &arena), tree));
        check_values(tree, &arena);
    } else {
        CHECK(status.code == STATUS_INVALID_ARGUMENT && str_starts(status.message, STR("byte ")));
    }
    arena_free(&arena);
    return 0;
}
