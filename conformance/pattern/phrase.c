/* A matcher has a phrase of its own, by its row (matchers.c); everything else is a value, which is written as JSON, a
 * codec, which says what its bytes are, or an object or list of patterns. A phrase of several parts is in brackets
 * where another one goes on after it. One recursion with matchers.c and matcher_phrases.c. */
#include "pattern/phrasing.h"

#include "base/search.h"
#include "notation/codec.h"
#include "pattern/match.h"
#include "pattern/matchers.h"
#include "support/printable.h"

bool match_is_matcher(const struct tree *pattern)
{
    return pattern && pattern->type == TREE_OBJECT && pattern->count == 1 &&
           str_starts(pattern->first->name, STR("$")) && !str_is(pattern->first->name, "$json") && !codec_is(pattern);
}

bool phrase_is_full(const struct phrase *p)
{
    return p->out->size > p->most;
}

static void json(const struct phrase *p, const struct tree *tree)
{
    if (!phrase_is_full(p))
        tree_write_start(tree, p->out, p->most);
}

/* --- Values --- */

bool phrase_is_plain(const struct tree *tree)
{
    return !ANY_IN(child, tree->first, (child->name.size && child->name.data[0] == '$') || !phrase_is_plain(child));
}

bool phrase_is_scalar(const struct tree *tree)
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

void phrase_list(const struct phrase *p, const struct tree *elements)
{
    const struct tree *distance = distance_of(elements);
    bool is_of_objects = elements->first && elements->first->type == TREE_OBJECT;
    if (!is_of_objects && phrase_is_plain(elements)) {
        json(p, elements);
        return;
    }
    buf_append_byte(p->out, '[');
    for (const struct tree *element = elements->first; element && !phrase_is_full(p); element = element->next) {
        bool apart = tree_member(element, "$in") || tree_member(element, "$all") || tree_member(element, "$any");
        buf_printf(p->out, "%s%s", element != elements->first ? ", " : "", apart ? "(" : "");
        phrase_value(p, distance ? element->first->last : element);
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
            phrase_value(p, member);
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
    bool bare = phrase_is_scalar(value) || (value->type == TREE_ARRAY && phrase_is_plain(value));
    buf_printf(p->out, "`%.*s`%s%s", STR_ARG(name), optional ? " if there is one" : "",
               bare    ? " "
               : alone ? ", "
                       : " (");
    phrase_value(p, value);
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
    for (const struct tree *one = members->first; one && !phrase_is_full(p); one = one->next) {
        buf_append_str(p->out, one == members->first ? STR("") : one->next ? STR(", ") : STR(" and "));
        member(p, one->name, one, members->count == 1);
    }
}

/* --- Codecs and matchers --- */

/* Appends a codec whose bytes are a tensor, a message, or given themselves; any other says best itself what it is. */
static void codec(const struct phrase *p, const struct tree *pattern)
{
    const struct tree *argument = pattern->first;
    struct str name = str_from(argument->name, 1);
    if (codec_is_message(argument->name)) {
        buf_printf(p->out, "a %.*s%s: ", STR_ARG(str_behind_last(name, '.')),
                   str_starts(name, STR("text")) ? " as text" : "");
        phrase_value(p, argument);
    } else if (datatype_from_name(name) != DATATYPE_NONE) {
        buf_printf(p->out, "%.*s ", STR_ARG(name));
        phrase_value(p, argument);
    } else if (str_is(name, "hex") && argument->type == TREE_STRING) {
        buf_printf(p->out, "the bytes %.*s", STR_ARG(argument->text));
    } else {
        json(p, pattern);
    }
}

/* Appends what the matcher says of its argument. */
static void matcher_phrase(const struct phrase *p, const struct matcher *matcher, const struct tree *argument)
{
    buf_append_str(p->out, str_of(matcher->begins));
    if (matcher->phrase)
        matcher->phrase(p, argument);
    else if (matcher->between)
        phrase_several(p, argument, matcher->between);
}

void phrase_value(const struct phrase *p, const struct tree *pattern)
{
    bool single = pattern->type == TREE_OBJECT && pattern->count == 1;
    const struct matcher *matcher = single ? matcher_named(pattern->first->name) : NULL;
    if (phrase_is_full(p))
        return;
    if (matcher && !argument_fault(matcher->argument, pattern->first))
        matcher_phrase(p, matcher, pattern->first);
    else if (codec_is(pattern))
        codec(p, pattern);
    else if (pattern->type == TREE_OBJECT)
        object(p, pattern);
    else if (pattern->type == TREE_ARRAY)
        phrase_list(p, pattern);
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
        phrase_value(p, named);
        return;
    }
    for (const struct tree *one = named->first; one && !phrase_is_full(p); one = one->next) {
        buf_append_str(p->out, one != named->first ? STR("; ") : STR(""));
        bool gone = tree_is_true(one, "$absent");
        buf_printf(p->out, "%s%s `%.*s`%s", gone ? "no " : "", what, STR_ARG(one->name), gone ? "" : ": ");
        if (!gone)
            phrase_value(p, one);
    }
}

static void part(const struct phrase *p, const struct tree *member)
{
    if (str_is(member->name, "headers") || str_is(member->name, "trailers")) {
        fields(p, member, str_is(member->name, "headers") ? "header" : "trailer");
        return;
    }
    buf_printf(p->out, "%.*s%s ", STR_ARG(called(member->name)), phrase_is_scalar(member) ? "" : ":");
    if (member->type == TREE_STRING && str_is(member->name, "code"))
        buf_append_str(p->out, member->text);
    else
        phrase_value(p, member);
}

static void parts(const struct phrase *p, const struct tree *pattern)
{
    for (const struct tree *member = pattern->first; member && !phrase_is_full(p); member = member->next) {
        buf_append_str(p->out, member != pattern->first ? STR("; ") : STR(""));
        part(p, member);
    }
}

/* Appends a pattern over the whole answer, or, where a matcher leads deeper, over a part of it. */
void phrase_answer(const struct phrase *p, const struct tree *pattern)
{
    static const char *const some[] = {"status", "code", "headers", "trailers", "json", "message", "outputs", "body"};
    bool is_answer = ANY(i, COUNT_OF(some), tree_member(pattern, some[i]));
    (is_answer ? parts : phrase_value)(p, pattern);
}

void append_phrase(struct buf *out, const struct tree *pattern, size_t most)
{
    struct buf words = {0};
    const struct phrase p = {&words, most};
    phrase_value(&p, pattern);
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
        phrase_answer(&p, pattern);
    append_printable(out, buf_str(&words), most);
    buf_free(&words);
}
