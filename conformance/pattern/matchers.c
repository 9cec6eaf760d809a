/* The $matchers, whose arguments are patterns: part of the recursion of match.c. The table stands at the end. */
#include "pattern/matching.h"

#include "base/search.h"
#include "notation/codec.h"
#include "notation/events.h"
#include "pattern/phrasing.h"
#include "support/expression.h"
#include "json/number.h"

/* Reports how a long value differs from that of several patterns to which it comes nearest. What is reported after it
 * of the whole value does not count any more. */
static void differ_patterns(const struct matching *m, const struct value_place *at, const struct tree *patterns)
{
    struct best_attempt nearest = {0};
    for (const struct tree *one = patterns->first; one && is_too_long(m, at->value); one = one->next)
        try_nearest(m, at, one, &nearest);
    differ_nearest(m, at, &nearest);
}

/* The same of a long list none of whose elements is as one pattern has it. */
static void differ_elements(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    struct best_attempt nearest = {0};
    struct value_place here = {.parent = at, .value = at->value->first};
    for (; here.value && is_too_long(m, at->value); here.value = here.value->next, here.index++)
        try_nearest(m, &here, pattern, &nearest);
    differ_nearest(m, &here, &nearest);
}

static bool match_any(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    FOR_EACH_IN(choice, argument->first) {
        struct matching tried = trial(m);
        struct str names = {0};
        tried.names = &names;
        if (!match_at(&tried, at, choice))
            continue;
        add_name(m, choice->name);
        return true;
    }
    differ_patterns(m, at, argument);
    return differ(m, at, "%s is none of the named observations", tree_line(m, at->value));
}

static bool match_not(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    struct matching tried = trial(m);
    tried.names = NULL;
    if (!match_at(&tried, at, argument))
        return true;
    if (!at->value)
        return differ(m, at, "expected something here, got nothing");
    return differ(m, at, "expected anything but %s, got %s", pattern_line(m, argument), tree_line(m, at->value));
}

static bool match_absent(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    (void)argument;
    return !at->value || differ(m, at, "expected nothing here, got %s", tree_line(m, at->value));
}

static bool match_optional(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    return !at->value || match_at(m, at, argument);
}

static bool is_integer(struct str spelling)
{
    int64_t low;
    uint64_t high;
    return number_read_int64(spelling, &low) || number_read_uint64(spelling, &high);
}

static bool match_type(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    static const struct {
        const char *name;
        enum tree_type type;
        bool integer;
    } types[] = {{"string", TREE_STRING, false}, {"integer", TREE_NUMBER, true}, {"number", TREE_NUMBER, false},
                 {"boolean", TREE_BOOL, false},  {"array", TREE_ARRAY, false},   {"object", TREE_OBJECT, false},
                 {"null", TREE_NULL, false}};
    for (size_t i = 0; i < COUNT_OF(types) && at->value; i++)
        if (str_is(argument->text, types[i].name) && at->value->type == types[i].type &&
            (!types[i].integer || is_integer(at->value->text)))
            return true;
    return differ(m, at, "expected %s, got %s", phrase_of_type(argument->text), tree_line(m, at->value));
}

/* Returns a number below, equal to or above 0. Integers of 64 bits are compared exactly, others as doubles. */
static int compare_numbers(struct str a, struct str b)
{
    int64_t low_a, low_b;
    uint64_t high_a, high_b;
    double x, y;
    if (number_read_int64(a, &low_a) && number_read_int64(b, &low_b))
        return (low_a > low_b) - (low_a < low_b);
    if (number_read_uint64(a, &high_a) && number_read_uint64(b, &high_b))
        return (high_a > high_b) - (high_a < high_b);
    bool read_a = number_read_double(a, &x), read_b = number_read_double(b, &y);
    if (!read_a || !read_b) /* a number that overflows lies outside every range, on the side of its sign */
        return !read_a ? (a.data[0] == '-' ? -1 : 1) : (b.data[0] == '-' ? 1 : -1);
    return (x > y) - (x < y);
}

static bool is_between(const struct tree *low, struct str number, const struct tree *high)
{
    return (low->type == TREE_NULL || (low->type == TREE_NUMBER && compare_numbers(low->text, number) <= 0)) &&
           (high->type == TREE_NULL || (high->type == TREE_NUMBER && compare_numbers(number, high->text) <= 0));
}

static bool match_range(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    if (at->value && at->value->type == TREE_NUMBER && at->value->text.size &&
        is_between(argument->first, at->value->text, argument->last))
        return true;
    if (!m->why)
        return false;
    const struct tree *pattern = tree_object(m->arena, {"$range", tree_copy(m->arena, argument)});
    return differ(m, at, "expected %s, got %s", pattern_line(m, pattern), tree_line(m, at->value));
}

/* Reads the integers of the list, and the value, which are compared as the matcher says. */
static bool read_sum(const struct tree *argument, const struct tree *value, int64_t *sum, int64_t *number)
{
    int64_t term;
    bool reads = value && value->type == TREE_NUMBER && number_read_int64(value->text, number);
    *sum = 0;
    for (const struct tree *part = argument->first; part && reads; part = part->next)
        reads = part->type == TREE_NUMBER && number_read_int64(part->text, &term) &&
                !__builtin_add_overflow(*sum, term, sum);
    return reads;
}

/* $sum and $least: an integer that is the sum of others, or no less. */
static bool match_sum(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    int64_t sum, number;
    bool least = str_is(argument->name, "$least");
    return (read_sum(argument, at->value, &sum, &number) && (least ? sum <= number : sum == number)) ||
           differ(m, at, "expected %sthe sum of %s, got %s", least ? "at least " : "", tree_line(m, argument),
                  tree_line(m, at->value));
}

static bool match_expression(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    return (at->value && at->value->type == TREE_STRING && expression_meets(argument->text, at->value->text)) ||
           differ(m, at, "expected a string that matches %s, got %s", tree_line(m, argument), tree_line(m, at->value));
}

/* $each and $members: all elements of a list, or all members of an object. */
static bool match_each(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    bool members = str_is(argument->name, "$members");
    if (!at->value || at->value->type != (members ? TREE_OBJECT : TREE_ARRAY))
        return differ(m, at, "expected %s, got %s", members ? "an object" : "a list", tree_line(m, at->value));
    struct matching inner = *m;
    inner.by_name = inner.only = false;
    struct value_place here = {.parent = at, .value = at->value->first};
    for (; here.value; here.value = here.value->next, here.index++) {
        here.name = members ? here.value->name : (struct str){0};
        if (!match_at(&inner, &here, argument))
            return false;
    }
    return true;
}

static bool has_element(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    struct value_place here = *at;
    struct matching tried = trial(m);
    struct str names = {0};
    tried.names = &names;
    tried.by_name = tried.only = false;
    for (here.value = at->value->first; here.value; here.value = here.value->next)
        if (match_at(&tried, &here, pattern)) {
            if (names.size)
                add_name(m, names);
            return true;
        }
    return false;
}

static bool has_bytes(const struct matching *m, const struct value_place *at, const struct tree *part, struct str text)
{
    struct str bytes;
    return bytes_of(m, at, part, &bytes) &&
           (!bytes.size || (text.size && memmem(text.data, text.size, bytes.data, bytes.size)));
}

static bool match_contains(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    bool is_list = at->value && at->value->type == TREE_ARRAY, is_text = at->value && at->value->type == TREE_STRING;
    if (is_list && has_element(m, at, argument))
        return true;
    if (is_text && (argument->type == TREE_STRING || codec_is(argument)) && has_bytes(m, at, argument, at->value->text))
        return true;
    if (is_list)
        differ_elements(m, at, argument);
    return differ(m, at, "expected %s that has %s, got %s", is_text ? "a string" : "a list", pattern_line(m, argument),
                  tree_line(m, at->value));
}

static bool match_in(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    struct matching tried = trial(m);
    tried.names = NULL;
    FOR_EACH_IN(pattern, argument->first)
        if (match_at(&tried, at, pattern))
            return true;
    differ_patterns(m, at, argument);
    return differ(m, at, "expected one of %s, got %s", pattern_line(m, argument), tree_line(m, at->value));
}

static bool match_all(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    return ALL_IN(pattern, argument->first, match_at(m, at, pattern));
}

static bool match_only(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    struct matching inner = *m;
    inner.only = true;
    return match_at(&inner, at, argument);
}

static bool match_close(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    struct matching inner = *m;
    inner.likeness = LIKENESS_CLOSE;
    return match_at(&inner, at, argument);
}

/* Pairs each expected element with a received one of its own (augmenting paths, as in a bipartite matching). */
struct pairing {
    const struct matching *m;
    const struct value_place *at;
    const struct tree **expected, **received;
    size_t *owner; /* of each received element: index of its expected one + 1; 0: free */
    bool *tried;
    size_t count;
};

static bool pair_up(struct pairing *pairing, size_t i)
{
    for (size_t k = 0; k < pairing->count; k++) {
        if (pairing->tried[k])
            continue;
        struct matching tried = trial(pairing->m);
        struct value_place there = *pairing->at;
        tried.names = NULL;
        there.value = pairing->received[k];
        if (!match_at(&tried, &there, pairing->expected[i]))
            continue;
        pairing->tried[k] = true;
        if (pairing->owner[k] == 0 || pair_up(pairing, pairing->owner[k] - 1)) {
            pairing->owner[k] = i + 1;
            return true;
        }
    }
    return false;
}

static bool match_unordered(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    if (!at->value || at->value->type != TREE_ARRAY)
        return differ(m, at, "expected a list, got %s", tree_line(m, at->value));
    if (argument->count != at->value->count)
        return differ(m, at, "expected a list of %zu, got %zu: %s", argument->count, at->value->count,
                      tree_line(m, at->value));
    struct matching inner = *m;
    inner.by_name = inner.only = false;
    size_t count = argument->count, i = 0;
    struct pairing pairing = {.m = &inner,
                              .at = at,
                              .expected = arena_alloc_zero(m->arena, count, sizeof(struct tree *)),
                              .received = arena_alloc_zero(m->arena, count, sizeof(struct tree *)),
                              .owner = arena_alloc_zero(m->arena, count, sizeof(*pairing.owner)),
                              .tried = arena_alloc_zero(m->arena, count, sizeof(*pairing.tried)),
                              .count = count};
    for (const struct tree *e = argument->first, *r = at->value->first; e; e = e->next, r = r->next, i++) {
        pairing.expected[i] = e;
        pairing.received[i] = r;
    }
    for (i = 0; i < count; i++) {
        memset(pairing.tried, 0, count * sizeof(*pairing.tried));
        if (pair_up(&pairing, i))
            continue;
        differ_elements(m, at, pairing.expected[i]);
        return differ(m, at, "expected %s somewhere in the list, got %s", pattern_line(m, pairing.expected[i]),
                      tree_line(m, at->value));
    }
    return true;
}

/* $json against a string, which is parsed first. */
static bool match_json(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    if (!at->value || at->value->type != TREE_STRING)
        return match_at(m, at, argument);
    struct value_place parsed = *at;
    struct tree *json;
    struct status status = tree_parse(at->value->text, m->arena, &json);
    if (!is_ok(status))
        return differ(m, at, "expected JSON, got %s: %.*s", tree_line(m, at->value), STR_ARG(status.message));
    parsed.value = json;
    return match_at(m, &parsed, argument);
}

/* $sse against a string: its server-sent events, as a list. */
static bool match_events(const struct matching *m, const struct value_place *at, const struct tree *argument)
{
    struct value_place parsed = *at;
    struct tree *events;
    if (!at->value || at->value->type != TREE_STRING)
        return differ(m, at, "expected a string with events, got %s", tree_line(m, at->value));
    struct status status = events_parse(at->value->text, m->arena, &events);
    if (!is_ok(status))
        return differ(m, at, "%.*s", STR_ARG(status.message));
    parsed.value = events;
    return match_at(m, &parsed, argument);
}

const struct matcher matchers[] = {
    {"$any", ARGUMENT_CHOICES, match_any, "", phrase_any, NULL},
    {"$not", ARGUMENT_PATTERN, match_not, "", phrase_not, NULL},
    {"$absent", ARGUMENT_TRUE, match_absent, "nothing", NULL, NULL},
    {"$optional", ARGUMENT_PATTERN, match_optional, "nothing, or ", phrase_answer, NULL},
    {"$type", ARGUMENT_TYPE, match_type, "", phrase_type, NULL},
    {"$range", ARGUMENT_RANGE, match_range, "a number", phrase_range, NULL},
    {"$match", ARGUMENT_EXPRESSION, match_expression, "a string that ", phrase_expression, NULL},
    {"$each", ARGUMENT_PATTERN, match_each, "a list, each element of it ", phrase_value, NULL},
    {"$members", ARGUMENT_PATTERN, match_each, "an object, each member of it ", phrase_value, NULL},
    {"$tensor", ARGUMENT_FORM, match_tensor, "a tensor ", phrase_form, NULL},
    {"$contains", ARGUMENT_CONTENT, match_contains, "a list or string that has ", phrase_value, NULL},
    {"$in", ARGUMENT_LIST, match_in, "one of ", NULL, ", "},
    {"$all", ARGUMENT_LIST, match_all, "", NULL, ", and "},
    {"$only", ARGUMENT_LIST, match_only, "", phrase_only, NULL},
    {"$unordered", ARGUMENT_LIST, match_unordered, "in any order ", phrase_list, NULL},
    {"$ulps", ARGUMENT_DISTANCE, match_ulps, "", phrase_ulps, NULL},
    {"$sum", ARGUMENT_INTEGERS, match_sum, "the sum of ", NULL, " and "},
    {"$least", ARGUMENT_INTEGERS, match_sum, "at least the sum of ", NULL, " and "},
    /* a codec where it is bytes; `lint` takes it for one everywhere */
    {"$json", ARGUMENT_PATTERN, match_json, "JSON: ", phrase_value, NULL},
    {"$sse", ARGUMENT_PATTERN, match_events, "server-sent events: ", phrase_value, NULL},
    {"$close", ARGUMENT_PATTERN, match_close, "close to ", phrase_value, NULL},
    {0},
};

const struct matcher *matcher_named(struct str name)
{
    for (const struct matcher *matcher = matchers; matcher->name; matcher++)
        if (str_is(name, matcher->name))
            return matcher;
    return NULL;
}
