/* Checks observations and patterns as the file has them: a string with a ${variable} can become anything. */
#include "lint/linter.h"

#include "base/search.h"
#include "notation/codec.h"
#include "pattern/matchers.h"
#include "plan/word.h"

struct site {
    struct linter *linter;
    struct place place;
};

static void check_pattern(const struct site *site, const struct tree *pattern);

static bool has_variable(const struct tree *tree)
{
    return tree->type == TREE_STRING && tree->text.size && memmem(tree->text.data, tree->text.size, "${", 2);
}

static struct site below(const struct site *site, struct str name)
{
    return (struct site){site->linter, place_below(site->place, name)};
}

static void complain(const struct site *site, const char *what)
{
    fault_add(site->place, "pattern", "%s", what);
}

static void check_parts(const struct site *site, const struct tree *value)
{
    FOR_EACH_IN(part, value->first)
        check_pattern(&(struct site){site->linter, place_of_child(site->place, value, part)}, part);
}

/* $series is no matcher: planning puts its elements there. */
static void check_series(const struct site *site, const struct tree *value)
{
    const struct tree *element = tree_at(value, 1);
    if (value->type != TREE_ARRAY || value->count != 2)
        complain(site, "must be [count, element]");
    else
        check_pattern(site, element);
}

static void check_argument(const struct site *site, enum argument argument, const struct tree *value)
{
    bool is_pattern = argument == ARGUMENT_PATTERN || argument == ARGUMENT_CONTENT;
    bool has_patterns = argument == ARGUMENT_LIST || argument == ARGUMENT_CHOICES;
    bool has_numbers = argument == ARGUMENT_RANGE || argument == ARGUMENT_INTEGERS;
    const char *fault = argument_fault(argument, value);
    if (fault)
        complain(site, fault);
    int64_t integer;
    if (has_numbers && ANY_IN(part, value->first, part->type == TREE_STRING && !has_variable(part)))
        complain(site, "must have numbers, or variables that become numbers");
    if (argument == ARGUMENT_INTEGERS &&
        ANY_IN(part, value->first, part->type == TREE_NUMBER && !tree_to_int64(part, &integer)))
        complain(site, "must have integers of 64 bits");
    if (is_pattern)
        check_pattern(site, value);
    if (has_patterns)
        check_parts(site, value);
}

static void check_codec(const struct site *site, const struct tree *codec)
{
    struct buf bytes = {0};
    const struct suite *suite = site->linter->suite;
    struct status status = codec_bytes(codec, codec, suite->directory.data, site->linter->arena, &bytes);
    buf_free(&bytes);
    if (!is_ok(status))
        fault_add(site->place, "codec", "%.*s", STR_ARG(status.message));
}

static void check_special(const struct site *site, const struct tree *pattern, const struct tree *special)
{
    struct site inner = below(site, special->name);
    if (pattern->count > 1) {
        complain(&inner, "stands beside other members");
        return;
    }
    if (codec_is_message(special->name)) { /* its members are patterns */
        struct tree *known = NULL;
        if (special->type != TREE_OBJECT)
            complain(&inner, "must be an object, the members of the message");
        else if (!is_ok(codec_read_message(special->name, STR(""), site->linter->arena, &known)))
            complain(&inner, "is a message of no known schema");
        else
            check_pattern(&inner, special);
        return;
    }
    if (codec_is_name(special->name)) {
        check_codec(site, pattern);
        return;
    }
    const struct matcher *matcher = matcher_named(special->name);
    if (str_is(special->name, "$series"))
        check_series(&inner, special);
    else if (!matcher)
        complain(&inner, "is neither a matcher nor a codec");
    else if (!has_variable(special))
        check_argument(&inner, matcher->argument, special);
}

static void check_pattern(const struct site *site, const struct tree *pattern)
{
    FOR_EACH_IN(member, pattern->first)
        if (member->name.size > 1 && member->name.data[0] == '$' && member->name.data[1] != '{') {
            check_special(site, pattern, member);
            return;
        }
    check_parts(site, pattern);
}

/* --- Observations --- */

/* Checks the form only. Planning finds words that have no meaning (plan/observations.c). */
static void check_observation(const struct site *site, const struct tree *observation)
{
    const struct tree *any = tree_member(observation, "$any");
    if (observation->type == TREE_STRING)
        return;
    if (observation->type != TREE_OBJECT || observation->count == 0)
        fault_add(site->place, "observation", "must be a word or a pattern");
    else if (any && any->type == TREE_OBJECT && observation->count == 1 && any->count > 1) {
        struct site inner = below(site, STR("$any"));
        FOR_EACH_IN(choice, any->first) {
            struct site named = below(&inner, choice->name);
            check_observation(&named, choice);
        }
    } else
        check_pattern(site, observation);
}

/* Finds codes that a client library also makes itself, when no server answered. */
static void check_client_code(const struct site *site, const struct tree *observation)
{
    static const char *const codes[] = {"DEADLINE_EXCEEDED", "CANCELLED", "UNAVAILABLE"};
    struct str code = tree_text(observation, "code");
    for (size_t i = 0; i < COUNT_OF(codes); i++)
        if (str_is(code, codes[i]))
            fault_add(site->place, "client-code",
                      "client libraries make %s themselves: it proves nothing of the server", codes[i]);
}

void lint_expect(struct linter *linter, const struct tree *expect, struct place place)
{
    FOR_EACH_IN(member, expect->first) {
        struct site site = {linter, place_below(place, member->name)};
        check_observation(&site, member);
        check_client_code(&site, member);
    }
}

/* --- Named observations --- */

static bool any_is(const struct tree *observation, struct str name)
{
    const struct tree *any = tree_member(observation, "$any");
    if (observation->type == TREE_STRING)
        return str_equal(observation->text, name);
    return ANY_IN(choice, tree_first(any), any_is(choice, name));
}

/* Whether one of the observations, or a choice of one, is that word. */
static bool is_said(const struct tree *observations, struct str name)
{
    return ANY_IN(one, tree_first(observations), any_is(one, name));
}

static bool is_expected(const struct tree *list, struct str name)
{
    return ANY_IN(part, tree_first(list), is_said(tree_member(part, "expect"), name));
}

void lint_observations(struct linter *linter, const struct tree *tree, struct place place)
{
    const struct tree *observations = tree_member(tree, "observations");
    FOR_EACH_IN(one, tree_first(observations)) {
        struct place here = place_below(place_below(place, STR("observations")), one->name);
        if (word_named(one->name))
            fault_add(here, "observation-name", "'%.*s' has a meaning in every case", STR_ARG(one->name));
        if (!is_said(tree_member(tree, "expect"), one->name) && !is_said(observations, one->name) &&
            !is_expected(tree_member(tree, "steps"), one->name) &&
            !is_expected(tree_member(tree, "neighbours"), one->name))
            fault_add(here, "observation-used", "nothing expects '%s'", str_printable(linter->arena, one->name));
    }
    if (observations)
        lint_expect(linter, observations, place_below(place, STR("observations")));
}
