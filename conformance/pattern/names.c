/* What is in patterns under a name: matchers and types. */
#include "pattern/phrase.h"

#include "base/count.h"
#include "base/search.h"
#include "notation/codec.h"
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

bool match_is_matcher(const struct tree *pattern)
{
    return pattern && pattern->type == TREE_OBJECT && pattern->count == 1 &&
           str_starts(pattern->first->name, STR("$")) && !str_is(pattern->first->name, "$json") && !codec_is(pattern);
}
