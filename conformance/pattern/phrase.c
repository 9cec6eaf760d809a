/* Each matcher has a phrase of its own, by the table in the middle; everything else is a value, which is written as
 * JSON, a codec, which says what its bytes are, or an object or list of patterns. A phrase of several parts is in
 * brackets where another one goes on after it. */
#include "pattern/phrase.h"

#include "base/search.h"
#include "notation/codec.h"
#include "pattern/match.h"
#include "support/printable.h"

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

struct phrase {
    struct buf *out;
    size_t most; /* bytes from which on nothing more is needed */
};

static void phrase(const struct phrase *p, const struct tree *pattern);
static void answer(const struct phrase *p, const struct tree *pattern);

static bool is_full(const struct phrase *p)
{
    return p->out->size > p->most;
}

static void json(const struct phrase *p, const struct tree *tree)
{
    if (!is_full(p))
        tree_write_start(tree, p->out, p->most);
}

/* --- Values --- */

bool phrase_is_plain(const struct tree *tree)
{
    return !ANY_IN(child, tree->first, (child->name.size && child->name.data[0] == '$') || !phrase_is_plain(child));
}

static bool is_scalar(const struct tree *tree)
{
    return tree->type != TREE_OBJECT && tree->type != TREE_ARRAY;
}

/* Whether the object is a tensor whose members are all known, so that its name, datatype and shape say enough. */
static bool is_tensor(const struct tree *object)
{
    static const char *const members[] = {"name", "datatype", "shape", "data"};
    size_t known = 0;
    for (size_t i = 0; i < COUNT_OF(members); i++) {
        const struct tree *member = tree_member(object, members[i]);
        known += member && (phrase_is_plain(member) || str_is(member->name, "data")) && !match_is_matcher(member);
    }
    return known == object->count && known > 1 && tree_text(object, "name").size;
}

/* Returns the distance of elements that may all be equally far from the expected ones ($ulps); NULL if they are not. */
static const struct tree *distance_of(const struct tree *list)
{
    const struct tree *distance = NULL;
    FOR_EACH_IN(element, list->first) {
        const struct tree *ulps = tree_member(element, "$ulps");
        if (!ulps || ulps->count != 2 || (distance && !tree_equal(distance, ulps->first)))
            return NULL;
        distance = ulps->first;
    }
    return distance;
}

static void list(const struct phrase *p, const struct tree *elements)
{
    const struct tree *distance = distance_of(elements);
    bool is_of_objects = elements->first && elements->first->type == TREE_OBJECT;
    if (!is_of_objects && phrase_is_plain(elements)) {
        json(p, elements);
        return;
    }
    buf_append_byte(p->out, '[');
    for (const struct tree *element = elements->first; element && !is_full(p); element = element->next) {
        bool apart = tree_member(element, "$in") || tree_member(element, "$all") || tree_member(element, "$any");
        buf_printf(p->out, "%s%s", element != elements->first ? ", " : "", apart ? "(" : "");
        phrase(p, distance ? element->first->last : element);
        buf_append_str(p->out, apart ? STR(")") : STR(""));
    }
    buf_append_byte(p->out, ']');
    if (distance)
        buf_printf(p->out, " within %.*s units in the last place", STR_ARG(distance->text));
}

static void tensor(const struct phrase *p, const struct tree *object)
{
    FOR_EACH_IN(member, object->first) {
        buf_append_str(p->out, member != object->first ? STR(" ") : STR(""));
        if (str_is(member->name, "datatype"))
            buf_append_str(p->out, member->text);
        else
            phrase(p, member);
    }
}

/* Appends a member after its name. What is one of several, and has several parts itself, is in brackets. */
static void member(const struct phrase *p, struct str name, const struct tree *value, bool alone)
{
    const struct tree *optional = tree_member(value, "$optional");
    bool is_path = value->type == TREE_OBJECT && value->count == 1 && !match_is_matcher(value) && !codec_is(value);
    if (tree_is_true(value, "$absent")) {
        buf_printf(p->out, "no `%.*s`", STR_ARG(name));
        return;
    }
    if (is_path && name.size < p->most) {
        struct buf path = {0};
        buf_printf(&path, "%.*s/%.*s", STR_ARG(name), STR_ARG(value->first->name));
        member(p, buf_str(&path), value->first, alone);
        buf_free(&path);
        return;
    }
    if (tree_is_true(tree_member(value, "$not"), "$absent")) { /* it is there, whatever it is */
        buf_printf(p->out, "`%.*s`", STR_ARG(name));
        return;
    }
    value = optional ? optional : value;
    bool bare = is_scalar(value) || (value->type == TREE_ARRAY && phrase_is_plain(value));
    buf_printf(p->out, "`%.*s`%s%s", STR_ARG(name), optional ? " if there is one" : "",
               bare    ? " "
               : alone ? ", "
                       : " (");
    phrase(p, value);
    buf_append_str(p->out, bare || alone ? STR("") : STR(")"));
}

static void object(const struct phrase *p, const struct tree *members)
{
    if (!members->count || is_tensor(members)) {
        tensor(p, members);
        buf_append_str(p->out, members->count ? STR("") : STR("an object"));
        return;
    }
    buf_append_literal(p->out, "an object with ");
    for (const struct tree *one = members->first; one && !is_full(p); one = one->next) {
        buf_append_str(p->out, one == members->first ? STR("") : one->next ? STR(", ") : STR(" and "));
        member(p, one->name, one, members->count == 1);
    }
}

/* --- Matchers --- */

/* Whether it says only that there is a list, of which the pattern after it says more. */
static bool is_said_again(const struct tree *pattern)
{
    return str_is(tree_text(pattern, "$type"), "array") && tree_member(pattern->next, "$each");
}

/* Appends the patterns of a list or an object of them. */
static void several(const struct phrase *p, const struct tree *patterns, const char *between)
{
    const struct tree *first = is_said_again(patterns->first) ? patterns->first->next : patterns->first;
    for (const struct tree *one = first; one && !is_full(p); one = one->next) {
        bool apart = patterns->count > 1 && !is_scalar(one) && !match_is_matcher(one);
        buf_printf(p->out, "%s%s", one != first ? between : "", apart ? "(" : "");
        answer(p, one);
        buf_append_str(p->out, apart ? STR(")") : STR(""));
    }
}

static void any(const struct phrase *p, const struct tree *argument)
{
    for (const struct tree *choice = argument->first; choice && !is_full(p); choice = choice->next) {
        buf_printf(p->out, "%s%.*s (", choice != argument->first ? " or " : "", STR_ARG(choice->name));
        answer(p, choice);
        buf_append_byte(p->out, ')');
    }
}

static void not(const struct phrase *p, const struct tree *argument)
{
    const struct tree *only = tree_member(argument, "$only");
    bool some = only && !only->count, present = tree_is_true(argument, "$absent");
    buf_append_str(p->out, some ? STR("at least one") : present ? STR("something") : STR("anything but "));
    if (!some && !present)
        answer(p, argument);
}

static void type(const struct phrase *p, const struct tree *argument)
{
    const char *word = phrase_of_type(argument->text);
    buf_append_str(p->out, word ? str_of(word) : argument->text);
}

static void range(const struct phrase *p, const struct tree *argument)
{
    const struct tree *low = tree_at(argument, 0), *high = tree_at(argument, 1);
    if (low && low->type == TREE_NUMBER)
        buf_printf(p->out, high && high->type == TREE_NUMBER ? " from %.*s" : " of at least %.*s", STR_ARG(low->text));
    if (high && high->type == TREE_NUMBER)
        buf_printf(p->out, low && low->type == TREE_NUMBER ? " to %.*s" : " of at most %.*s", STR_ARG(high->text));
}

static void expression(const struct phrase *p, const struct tree *argument)
{
    bool some = str_is(argument->text, "."), visible = str_is(argument->text, "[^ ]");
    if (some || visible)
        buf_printf(p->out, "is not %s", some ? "empty" : "blank");
    else
        buf_printf(p->out, "matches %.*s", STR_ARG(argument->text));
}

static void shaped(const struct phrase *p, const struct tree *argument)
{
    static const struct {
        const char *name, *words;
    } forms[] = {{"filled", "with as many elements as its shape says"},
                 {"flat-or-nested", "whose data is flat, or nested as its shape says"},
                 {"held", "whose datatype can hold its numbers"}};
    for (size_t i = 0; i < COUNT_OF(forms); i++)
        if (str_is(argument->text, forms[i].name))
            buf_append_str(p->out, str_of(forms[i].words));
}

static void only(const struct phrase *p, const struct tree *argument)
{
    buf_append_str(p->out, argument->count ? STR("only ") : STR("none"));
    several(p, argument, ", ");
}

static void ulps(const struct phrase *p, const struct tree *argument)
{
    if (argument->count != 2) {
        json(p, argument);
        return;
    }
    phrase(p, argument->last);
    buf_printf(p->out, " within %.*s units in the last place", STR_ARG(argument->first->text));
}

/* Each row of matchers.c has one here: the words with which it begins, and what follows them. */
static const struct {
    const char *name, *begins;
    void (*append)(const struct phrase *p, const struct tree *argument); /* NULL: nothing, or `between` */
    const char *between;     /* stands between the patterns of the argument; NULL: it is no list of them */
    enum tree_type argument; /* what is written otherwise is a fault of the suite, and stays as it is */
    bool of_any_type;
} phrases[] = {
    {"$any", "", any, NULL, TREE_OBJECT, false},
    {"$not", "", not, NULL, TREE_NULL, true},
    {"$absent", "nothing", NULL, NULL, TREE_BOOL, false},
    {"$optional", "nothing, or ", answer, NULL, TREE_NULL, true},
    {"$type", "", type, NULL, TREE_STRING, false},
    {"$range", "a number", range, NULL, TREE_ARRAY, false},
    {"$sum", "the sum of ", NULL, " and ", TREE_ARRAY, false},
    {"$least", "at least the sum of ", NULL, " and ", TREE_ARRAY, false},
    {"$match", "a string that ", expression, NULL, TREE_STRING, false},
    {"$each", "a list, each element of it ", phrase, NULL, TREE_NULL, true},
    {"$members", "an object, each member of it ", phrase, NULL, TREE_NULL, true},
    {"$tensor", "a tensor ", shaped, NULL, TREE_STRING, false},
    {"$contains", "a list or string that has ", phrase, NULL, TREE_NULL, true},
    {"$in", "one of ", NULL, ", ", TREE_ARRAY, false},
    {"$all", "", NULL, ", and ", TREE_ARRAY, false},
    {"$only", "", only, NULL, TREE_ARRAY, false},
    {"$unordered", "in any order ", list, NULL, TREE_ARRAY, false},
    {"$ulps", "", ulps, NULL, TREE_ARRAY, false},
    {"$json", "JSON: ", phrase, NULL, TREE_NULL, true},
    {"$sse", "server-sent events: ", phrase, NULL, TREE_NULL, true},
    {"$close", "close to ", phrase, NULL, TREE_NULL, true},
};

/* Appends what the matcher of that row says. */
static void matcher(const struct phrase *p, size_t row, const struct tree *argument)
{
    buf_append_str(p->out, str_of(phrases[row].begins));
    if (phrases[row].append)
        phrases[row].append(p, argument);
    else if (phrases[row].between)
        several(p, argument, phrases[row].between);
}

/* Appends a codec whose bytes are a tensor, a message, or given themselves; any other says best itself what it is. */
static void codec(const struct phrase *p, const struct tree *pattern)
{
    const struct tree *argument = pattern->first;
    struct str name = str_from(argument->name, 1);
    if (codec_is_message(argument->name)) {
        buf_printf(p->out, "a %.*s%s: ", STR_ARG(str_behind_last(name, '.')),
                   str_starts(name, STR("text")) ? " as text" : "");
        phrase(p, argument);
    } else if (datatype_from_name(name) != DATATYPE_NONE) {
        buf_printf(p->out, "%.*s ", STR_ARG(name));
        phrase(p, argument);
    } else if (str_is(name, "hex") && argument->type == TREE_STRING) {
        buf_printf(p->out, "the bytes %.*s", STR_ARG(argument->text));
    } else {
        json(p, pattern);
    }
}

static void phrase(const struct phrase *p, const struct tree *pattern)
{
    bool single = pattern->type == TREE_OBJECT && pattern->count == 1;
    for (size_t i = 0; single && !is_full(p) && i < COUNT_OF(phrases); i++)
        if (str_is(pattern->first->name, phrases[i].name) &&
            (phrases[i].of_any_type || pattern->first->type == phrases[i].argument)) {
            matcher(p, i, pattern->first);
            return;
        }
    if (is_full(p))
        return;
    if (codec_is(pattern))
        codec(p, pattern);
    else if (pattern->type == TREE_OBJECT)
        object(p, pattern);
    else if (pattern->type == TREE_ARRAY)
        list(p, pattern);
    else
        json(p, pattern);
}

/* --- The answer --- */

/* What the members of an answer are called; others are called by their names. */
static struct str called(struct str name)
{
    return str_is(name, "json") ? STR("JSON") : str_is(name, "outputs") ? STR("decoded outputs") : name;
}

/* Appends each header, or trailer, of those that are named; or what holds of all. */
static void fields(const struct phrase *p, const struct tree *named, const char *what)
{
    bool each_named = named->type == TREE_OBJECT && !match_is_matcher(named);
    if (!each_named) {
        buf_printf(p->out, "%ss: ", what);
        phrase(p, named);
        return;
    }
    for (const struct tree *one = named->first; one && !is_full(p); one = one->next) {
        buf_append_str(p->out, one != named->first ? STR("; ") : STR(""));
        bool gone = tree_is_true(one, "$absent");
        buf_printf(p->out, "%s%s `%.*s`%s", gone ? "no " : "", what, STR_ARG(one->name), gone ? "" : ": ");
        if (!gone)
            phrase(p, one);
    }
}

static void part(const struct phrase *p, const struct tree *member)
{
    if (str_is(member->name, "headers") || str_is(member->name, "trailers")) {
        fields(p, member, str_is(member->name, "headers") ? "header" : "trailer");
        return;
    }
    buf_printf(p->out, "%.*s%s ", STR_ARG(called(member->name)), is_scalar(member) ? "" : ":");
    if (member->type == TREE_STRING && str_is(member->name, "code"))
        buf_append_str(p->out, member->text);
    else
        phrase(p, member);
}

static void parts(const struct phrase *p, const struct tree *pattern)
{
    for (const struct tree *member = pattern->first; member && !is_full(p); member = member->next) {
        buf_append_str(p->out, member != pattern->first ? STR("; ") : STR(""));
        part(p, member);
    }
}

/* Appends a pattern over the whole answer, or, where a matcher leads deeper, over a part of it. */
static void answer(const struct phrase *p, const struct tree *pattern)
{
    static const char *const some[] = {"status", "code", "headers", "trailers", "json", "message", "outputs", "body"};
    bool is_answer = ANY(i, COUNT_OF(some), tree_member(pattern, some[i]));
    (is_answer ? parts : phrase)(p, pattern);
}

void append_phrase(struct buf *out, const struct tree *pattern, size_t most)
{
    struct buf words = {0};
    const struct phrase p = {&words, most};
    phrase(&p, pattern);
    append_printable(out, buf_str(&words), most);
    buf_free(&words);
}

void append_answer_phrase(struct buf *out, const struct tree *pattern, size_t most)
{
    struct buf words = {0};
    const struct phrase p = {&words, most};
    if (pattern->type == TREE_OBJECT && pattern->count && !match_is_matcher(pattern))
        parts(&p, pattern);
    else
        answer(&p, pattern);
    append_printable(out, buf_str(&words), most);
    buf_free(&words);
}
