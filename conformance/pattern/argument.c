/* What the argument of a matcher must be: `lint` says it of a file, and matching of a pattern whose variables have
 * their values. */
#include "base/search.h"
#include "pattern/matchers.h"
#include "pattern/phrase.h"
#include "support/expression.h"

static bool is_list(const struct tree *value)
{
    return value->type == TREE_ARRAY;
}

static bool is_content(const struct tree *value)
{
    return value->type != TREE_STRING || value->text.size > 0;
}

static bool is_choices(const struct tree *value)
{
    return value->type == TREE_OBJECT && value->count >= 2;
}

static bool is_true(const struct tree *value)
{
    return value->type == TREE_BOOL && value->boolean;
}

static bool is_type(const struct tree *value)
{
    return value->type == TREE_STRING && phrase_of_type(value->text);
}

/* Here and below a string is a ${variable}, or what a server sent where a step saved a number. No number of a server is
 * a fault of the suite, either: `lint` looks at those that the file has. */
static bool is_range(const struct tree *value)
{
    return is_list(value) && value->count == 2 &&
           ALL_IN(bound, value->first,
                  bound->type == TREE_NUMBER || bound->type == TREE_NULL || bound->type == TREE_STRING);
}

static bool is_integers(const struct tree *value)
{
    return is_list(value) && value->count > 0 &&
           ALL_IN(part, value->first, part->type == TREE_NUMBER || part->type == TREE_STRING);
}

static bool is_pattern_of_text(const struct tree *value)
{
    return value->type == TREE_STRING && is_expression(value->text);
}

static bool is_distance(const struct tree *value)
{
    int64_t distance;
    return is_list(value) && value->count == 2 && tree_to_int64(value->first, &distance) && distance >= 0;
}

static bool is_form(const struct tree *value)
{
    return value->type == TREE_STRING && phrase_of_form(value->text);
}

const char *argument_fault(enum argument argument, const struct tree *value)
{
    static const struct {
        bool (*is)(const struct tree *value);
        const char *fault;
    } rules[] = {
        [ARGUMENT_PATTERN] = {NULL, NULL},
        [ARGUMENT_CONTENT] = {is_content, "must not be empty: every string has it"},
        [ARGUMENT_CHOICES] = {is_choices, "must be an object of at least two named patterns"},
        [ARGUMENT_LIST] = {is_list, "must be a list of patterns"},
        [ARGUMENT_TRUE] = {is_true, "must be true"},
        [ARGUMENT_TYPE] = {is_type, "must be string, integer, number, boolean, array, object or null"},
        [ARGUMENT_RANGE] = {is_range, "must be [from, to], each a number or null"},
        [ARGUMENT_INTEGERS] = {is_integers, "must be a list of integers"},
        [ARGUMENT_EXPRESSION] = {is_pattern_of_text, "must be an extended regular expression"},
        [ARGUMENT_DISTANCE] = {is_distance, "must be [distance, value]"},
        [ARGUMENT_FORM] = {is_form, "must be filled, flat-or-nested or held"},
    };
    return rules[argument].is && !rules[argument].is(value) ? rules[argument].fault : NULL;
}
