#include "deviations/pattern.h"

#include "base/search.h"
#include <regex.h>

static bool is_absent(const struct tree *, const struct tree *value, struct arena *)
{
    return !value;
}

static bool is_not(const struct tree *argument, const struct tree *value, struct arena *arena)
{
    return !pattern_is_met(argument, value, arena);
}

static bool is_in(const struct tree *argument, const struct tree *value, struct arena *arena)
{
    return ANY_IN(one, argument->first, pattern_is_met(one, value, arena));
}

static bool is_all(const struct tree *argument, const struct tree *value, struct arena *arena)
{
    return ALL_IN(one, argument->first, pattern_is_met(one, value, arena));
}

/* A list has an element that meets the pattern, a text holds the text. */
static bool contains(const struct tree *argument, const struct tree *value, struct arena *arena)
{
    if (value && value->type == TREE_STRING && argument->type == TREE_STRING)
        return argument->text.size == 0 || (value->text.size > 0 && memmem(value->text.data, value->text.size,
                                                                           argument->text.data, argument->text.size));
    return ANY_IN(one, value && value->type == TREE_ARRAY ? value->first : NULL, pattern_is_met(argument, one, arena));
}

static bool compile(const struct tree *argument, struct arena *arena, regex_t *expression)
{
    struct str text = arena_copy(arena, argument->text);
    return text.data && regcomp(expression, text.data, REG_EXTENDED | REG_NOSUB) == 0;
}

static bool matches(const struct tree *argument, const struct tree *value, struct arena *arena)
{
    regex_t expression;
    if (!value || (value->type != TREE_STRING && value->type != TREE_NUMBER))
        return false;
    regmatch_t whole = {0, (regoff_t)value->text.size}; /* there may be NUL in it */
    if (!compile(argument, arena, &expression))
        return false;
    bool is_found = regexec(&expression, value->text.size ? value->text.data : "", 0, &whole, REG_STARTEND) == 0;
    regfree(&expression);
    return is_found;
}

static bool is_of_type(const struct tree *argument, const struct tree *value, struct arena *)
{
    return value && str_is(argument->text, tree_type_name(value->type));
}

static const struct matcher {
    const char *name;
    bool (*is_met)(const struct tree *argument, const struct tree *value, struct arena *arena);
    enum { ANY, PATTERN, PATTERNS, TEXT, EXPRESSION } takes;
} matchers[] = {
    {"$absent", is_absent, ANY}, {"$not", is_not, PATTERN},        {"$in", is_in, PATTERNS},
    {"$all", is_all, PATTERNS},  {"$contains", contains, PATTERN}, {"$match", matches, EXPRESSION},
    {"$type", is_of_type, TEXT},
};

static bool is_matcher(const struct tree *pattern)
{
    return pattern->type == TREE_OBJECT && pattern->first && str_starts(pattern->first->name, STR("$"));
}

static const struct matcher *matcher_of(const struct tree *pattern)
{
    return FIND(matchers, i, COUNT_OF(matchers), str_is(pattern->first->name, matchers[i].name));
}

static bool takes(const struct matcher *matcher, const struct tree *argument, struct arena *arena)
{
    regex_t expression;
    if (matcher->takes == PATTERNS)
        return argument->type == TREE_ARRAY;
    if (matcher->takes < TEXT)
        return true;
    if (argument->type != TREE_STRING || matcher->takes == TEXT)
        return argument->type == TREE_STRING;
    if (!compile(argument, arena, &expression))
        return false;
    regfree(&expression);
    return true;
}

struct status pattern_check(const struct tree *pattern, struct arena *arena)
{
    if (is_matcher(pattern)) {
        const struct matcher *matcher = matcher_of(pattern);
        if (!matcher || pattern->count != 1 || !takes(matcher, pattern->first, arena))
            return status_invalid(arena, "%s is no matcher of deviations, or its value is wrong",
                                  str_printable(arena, pattern->first->name));
    }
    for (const struct tree *part = pattern->first; part; part = part->next)
        TRY(pattern_check(part, arena));
    return STATUS_IS_OK;
}

bool pattern_is_met(const struct tree *pattern, const struct tree *value, struct arena *arena)
{
    if (is_matcher(pattern))
        return matcher_of(pattern)->is_met(pattern->first, value, arena);
    if (!value || value->type != pattern->type)
        return false;
    if (pattern->type != TREE_OBJECT && pattern->type != TREE_ARRAY)
        return tree_equal(pattern, value);
    if (pattern->type == TREE_ARRAY && pattern->count != value->count)
        return false;
    const struct tree *element = value->first;
    for (const struct tree *part = pattern->first; part; part = part->next) {
        const struct tree *found = pattern->type == TREE_OBJECT ? tree_member_str(value, part->name) : element;
        if (!pattern_is_met(part, found, arena))
            return false;
        element = element ? element->next : NULL;
    }
    return true;
}
