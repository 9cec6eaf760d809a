#include "commands/compare/difference.h"

#include "base/search.h"

#include <math.h>
#include <stdlib.h>

#define FLOATS_AGREE 1e-5 /* by this part of the larger one */
#define VALUE_SHOWN  60   /* bytes of a value */

/* Returns "200", "'ready'" or "a list": a value in a few words. */
static struct str value_of(const struct comparing *comparing, const struct tree *tree)
{
    struct arena *arena = comparing->arena;
    static const char *const kinds[] = {[TREE_NULL] = "null", [TREE_ARRAY] = "a list", [TREE_OBJECT] = "an object"};
    if (!tree)
        return STR("nothing");
    if (tree->type == TREE_BOOL)
        return tree->boolean ? STR("true") : STR("false");
    if (tree->type != TREE_NUMBER && tree->type != TREE_STRING)
        return str_of(kinds[tree->type]);
    struct str text = secrets_hide(comparing->secrets, tree->text, arena); /* before a part of one is cut off */
    bool is_long = text.size > VALUE_SHOWN;
    text.size = is_long ? VALUE_SHOWN : text.size;
    const char *quote = tree->type == TREE_STRING ? "'" : "";
    return arena_printf(arena, "%s%s%s%s", quote, str_printable(arena, text), is_long ? "..." : "", quote);
}

static void differ(const struct comparing *comparing, struct str place, const struct tree *first,
                   const struct tree *second)
{
    comparing->found(comparing->context, place, value_of(comparing, first), value_of(comparing, second));
}

static bool has_headers(struct str place)
{
    struct str last = str_behind_last(place, '/');
    return str_is(last, "headers") || str_is(last, "trailers");
}

/* Headers that come and go with the time, the connection or the product, or follow from the body. */
static bool is_idle_header(struct str name)
{
    static const char *const idle[] = {
        "connection", "content-length",    "date", "etag",        "expires", "keep-alive", "last-modified",
        "server",     "transfer-encoding", "via",  "x-request-id"};
    return ANY(i, COUNT_OF(idle), str_is(name, idle[i]));
}

/* Headers of which the value matters, too. */
static bool is_compared_header(struct str name)
{
    static const char *const telling[] = {"allow", "content-encoding", "content-type", "location", "www-authenticate"};
    return ANY(i, COUNT_OF(telling), str_is(name, telling[i]));
}

static bool are_close(const struct tree *first, const struct tree *second)
{
    double a = strtod(first->text.data, NULL), b = strtod(second->text.data, NULL);
    bool are_whole = floor(a) == a && floor(b) == b;
    return !are_whole && fabs(a - b) <= FLOATS_AGREE * fmax(fabs(a), fabs(b));
}

static void compare_values(struct comparing *comparing, struct str place, const struct tree *first,
                           const struct tree *second);

/* Whether the member is left out: a header that says nothing, or what the protocol has read from the body. */
static bool is_left_out(const struct comparing *comparing, struct str place, struct str name)
{
    bool is_of_body = str_is(place, "/json") || str_is(place, "/message");
    if (has_headers(place))
        return is_idle_header(name);
    if (place.size == 0 && str_is(name, "body"))
        return tree_member(comparing->read[0], "json") && tree_member(comparing->read[1], "json");
    return is_of_body && tree_member_str(comparing->read[0], name) && tree_member_str(comparing->read[1], name);
}

static void compare_member(struct comparing *comparing, struct str place, struct str name, const struct tree *first,
                           const struct tree *second)
{
    struct arena *arena = comparing->arena;
    const char *shown = str_is_digits(name) ? "@" : str_printable(arena, secrets_hide(comparing->secrets, name, arena));
    struct str at = arena_printf(arena, "%.*s/%s", STR_ARG(place), shown);
    if (!first || !second)
        differ(comparing, at, first, second);
    else if (!has_headers(place) || is_compared_header(name))
        compare_values(comparing, at, first, second);
}

static void compare_members(struct comparing *comparing, struct str place, const struct tree *first,
                            const struct tree *second)
{
    FOR_EACH_IN(member, first->first)
        if (!is_left_out(comparing, place, member->name))
            compare_member(comparing, place, member->name, member, tree_member_str(second, member->name));
    FOR_EACH_IN(member, second->first)
        if (!is_left_out(comparing, place, member->name) && !tree_member_str(first, member->name))
            compare_member(comparing, place, member->name, NULL, member);
}

static void compare_elements(struct comparing *comparing, struct str place, const struct tree *first,
                             const struct tree *second)
{
    struct arena *arena = comparing->arena;
    struct str at = arena_printf(arena, "%.*s/@", STR_ARG(place));
    const struct tree *other = second->first;
    if (first->count != second->count)
        comparing->found(comparing->context, place, arena_printf(arena, "%zu elements", first->count),
                         arena_printf(arena, "%zu", second->count));
    for (const struct tree *one = first->first; one && other; one = one->next, other = other->next)
        compare_values(comparing, at, one, other);
}

static void compare_values(struct comparing *comparing, struct str place, const struct tree *first,
                           const struct tree *second)
{
    if (first == second || tree_equal(first, second))
        return;
    if (first->type == TREE_OBJECT && second->type == TREE_OBJECT)
        compare_members(comparing, place, first, second);
    else if (first->type == TREE_ARRAY && second->type == TREE_ARRAY)
        compare_elements(comparing, place, first, second);
    else if (first->type != TREE_NUMBER || second->type != TREE_NUMBER || !are_close(first, second))
        differ(comparing, place, first, second);
}

/* What an answer is as a whole. Where that differs, so does all below it, which is not told. */
static bool compare_kinds(struct comparing *comparing, const struct tree *first, const struct tree *second)
{
    static const char *const kinds[] = {"no answer", "large answer", "status", "code"};
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        const struct tree *one = tree_member(first, kinds[i]), *other = tree_member(second, kinds[i]);
        if ((!one && !other) || (one && other && tree_equal(one, other)))
            continue;
        differ(comparing, arena_printf(comparing->arena, "/%s", kinds[i]), one, other);
        return false;
    }
    return true;
}

void differences_find(struct comparing *comparing, const struct tree *first, const struct tree *second)
{
    comparing->read[0] = first;
    comparing->read[1] = second;
    if (first != second && compare_kinds(comparing, first, second))
        compare_values(comparing, STR(""), first, second);
}
