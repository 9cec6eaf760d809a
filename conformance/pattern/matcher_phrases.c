/* What each matcher says in a report, after the words with which it begins (matchers.c). An argument is right
 * (argument_fault). Part of the recursion of phrase.c. */
#include "pattern/phrasing.h"

#include "base/search.h"
#include "pattern/match.h"

const char *phrase_of_type(struct str name)
{
    static const struct {
        const char *name, *word;
    } types[] = {
        {"string", "a string"}, {"integer", "an integer"}, {"number", "a number"}, {"boolean", "true or false"},
        {"array", "a list"},    {"object", "an object"},   {"null", "null"}};
    return FIRST(i, COUNT_OF(types), str_is(name, types[i].name), types[i].word, NULL);
}

const char *phrase_of_form(struct str name)
{
    static const struct {
        const char *name, *words;
    } forms[] = {{"filled", "with as many elements as its shape says"},
                 {"flat-or-nested", "whose data is flat, or nested as its shape says"},
                 {"held", "whose datatype can hold its numbers"}};
    return FIRST(i, COUNT_OF(forms), str_is(name, forms[i].name), forms[i].words, NULL);
}

/* Whether it says only that there is a list, of which the pattern after it says more. */
static bool is_said_again(const struct tree *pattern)
{
    return str_is(tree_text(pattern, "$type"), "array") && tree_member(pattern->next, "$each");
}

/* Appends the patterns of a list or an object of them. */
void phrase_several(const struct phrase *p, const struct tree *patterns, const char *between)
{
    const struct tree *first = is_said_again(patterns->first) ? patterns->first->next : patterns->first;
    for (const struct tree *one = first; one && !phrase_is_full(p); one = one->next) {
        bool apart = patterns->count > 1 && !phrase_is_scalar(one) && !match_is_matcher(one);
        buf_printf(p->out, "%s%s", one != first ? between : "", apart ? "(" : "");
        phrase_answer(p, one);
        buf_append_str(p->out, apart ? STR(")") : STR(""));
    }
}

void phrase_any(const struct phrase *p, const struct tree *argument)
{
    for (const struct tree *choice = argument->first; choice && !phrase_is_full(p); choice = choice->next) {
        buf_printf(p->out, "%s%.*s (", choice != argument->first ? " or " : "", STR_ARG(choice->name));
        phrase_answer(p, choice);
        buf_append_byte(p->out, ')');
    }
}

void phrase_not(const struct phrase *p, const struct tree *argument)
{
    const struct tree *only = tree_member(argument, "$only");
    bool some = only && !only->count, present = tree_is_true(argument, "$absent");
    buf_append_str(p->out, some ? STR("at least one") : present ? STR("something") : STR("anything but "));
    if (!some && !present)
        phrase_answer(p, argument);
}

void phrase_type(const struct phrase *p, const struct tree *argument)
{
    buf_append_str(p->out, str_of(phrase_of_type(argument->text)));
}

void phrase_range(const struct phrase *p, const struct tree *argument)
{
    const struct tree *low = argument->first, *high = argument->last;
    bool from = low->type != TREE_NULL, to = high->type != TREE_NULL;
    if (from)
        buf_printf(p->out, to ? " from %.*s" : " of at least %.*s", STR_ARG(low->text));
    if (to)
        buf_printf(p->out, from ? " to %.*s" : " of at most %.*s", STR_ARG(high->text));
}

void phrase_expression(const struct phrase *p, const struct tree *argument)
{
    bool some = str_is(argument->text, "."), visible = str_is(argument->text, "[^ ]");
    if (some || visible)
        buf_printf(p->out, "is not %s", some ? "empty" : "blank");
    else
        buf_printf(p->out, "matches %.*s", STR_ARG(argument->text));
}

void phrase_form(const struct phrase *p, const struct tree *argument)
{
    buf_append_str(p->out, str_of(phrase_of_form(argument->text)));
}

void phrase_only(const struct phrase *p, const struct tree *argument)
{
    buf_append_str(p->out, argument->count ? STR("only ") : STR("none"));
    phrase_several(p, argument, ", ");
}

void phrase_ulps(const struct phrase *p, const struct tree *argument)
{
    phrase_value(p, argument->last);
    buf_printf(p->out, " within %.*s units in the last place", STR_ARG(argument->first->text));
}
