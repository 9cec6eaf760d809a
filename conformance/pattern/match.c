/* The recursion over patterns. It walks the pattern, never the answer: members that a server adds are not looked at,
 * and the depth is limited by the fixture.
 *
 * A `place` is a chain of stack frames back to the root. A pointer is written from it only when a difference is
 * reported. A matcher that tries several patterns ($not, $any, $optional, $unordered) uses a copy of the matching that
 * drops differences; a fault of the suite is still reported to the caller, however deep it is found. */
#include "pattern/matching.h"

#include "base/search.h"
#include "notation/codec.h"
#include "notation/tensors.h"
#include "support/listing.h"
#include "json/number.h"

#define NAMES_SHOWN 100 /* names of a list that a sentence tells */
#define NAME_SHOWN  200 /* bytes of each */

/* Says whether a number of an answer is the one that a pattern has. Integers are compared exactly. A fraction is the
 * double that a reader makes of it, however many digits a server prints. */
static bool same_number(struct str pattern, struct str value)
{
    int64_t integer;
    uint64_t large;
    double expected, received;
    if (number_equal(pattern, value))
        return true;
    return !number_read_int64(pattern, &integer) && !number_read_uint64(pattern, &large) &&
           number_read_double(pattern, &expected) && number_read_double(value, &received) && expected == received;
}

bool match_scalar(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    if (pattern->type == at->value->type) {
        if (pattern->type == TREE_NULL || (pattern->type == TREE_BOOL && pattern->boolean == at->value->boolean) ||
            (pattern->type == TREE_NUMBER && same_number(pattern->text, at->value->text)) ||
            (pattern->type == TREE_STRING && str_equal(pattern->text, at->value->text)))
            return true;
    }
    return differ_values(m, at, pattern);
}

static bool match_object(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    if (at->value->type != TREE_OBJECT)
        return differ_values(m, at, pattern);
    const struct tree *named = tree_member(pattern, "datatype");
    if (!named || named->type != TREE_STRING)
        named = tree_member(at->value, "datatype");
    enum datatype datatype = named ? datatype_from_name(named->text) : DATATYPE_NONE;
    FOR_EACH_IN(member, pattern->first) {
        struct matching inner = *m;
        inner.by_name = !at->parent && m->outputs_by_name && str_is(member->name, "outputs");
        inner.only = false;
        inner.datatype = str_is(member->name, "data") ? datatype : DATATYPE_NONE;
        const struct value_place here = {
            .parent = at, .name = member->name, .value = tree_member_str(at->value, member->name)};
        if (!match_at(&inner, &here, member))
            return false;
    }
    return true;
}

/* Returns "'OUTPUT0', 'OUTPUT1'". */
static struct str names_of(const struct matching *m, const struct tree *list)
{
    struct listing names = {.arena = m->arena, .most = NAMES_SHOWN};
    FOR_EACH_IN(tensor, list->first) {
        struct str name = tree_text(tensor, "name");
        name.size = name.size < NAME_SHOWN ? name.size : NAME_SHOWN;
        listing_add(&names, arena_printf(m->arena, "'%s'", str_printable(m->arena, name)));
    }
    return names.count ? listing_text(&names) : STR("none");
}

/* Says that an expected output is not there; and if one of another name stands at its place, and no fewer came than
 * were expected, that its name differs. */
static bool differ_name(const struct matching *m, const struct value_place *at, const struct tree *pattern,
                        const struct tree *expected)
{
    size_t index = 0;
    for (const struct tree *before = pattern->first; before != expected; before = before->next)
        index++;
    const struct tree *stands = at->value->count >= pattern->count ? tree_at(at->value, index) : NULL;
    bool is_other =
        stands && !ANY_IN(other, pattern->first, str_equal(tree_text(other, "name"), tree_text(stands, "name")));
    const struct value_place tensor = {.parent = at, .index = index}, here = {.parent = &tensor, .name = STR("name")};
    return differ(m, is_other ? &here : at, "expected an output '%s', got %.*s",
                  str_printable(m->arena, tree_text(expected, "name")), STR_ARG(names_of(m, at->value)));
}

static bool match_tensors(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    struct matching inner = *m;
    const struct tensors tensors = tensors_of(at->value, pattern->count, m->arena);
    inner.by_name = inner.only = false;
    FOR_EACH_IN(expected, pattern->first) {
        struct str name = tree_text(expected, "name");
        size_t index;
        const struct tree *received = tensors_find(&tensors, name, &index);
        if (!received)
            return differ_name(m, at, pattern, expected);
        const struct value_place here = {.parent = at, .index = index, .tensor = name, .value = received};
        if (!match_at(&inner, &here, expected))
            return false;
    }
    if (m->only && at->value->count != pattern->count)
        return differ(m, at, "expected only %.*s, got %.*s", STR_ARG(names_of(m, pattern)),
                      STR_ARG(names_of(m, at->value)));
    return true;
}

/* Whether a list may stand for bytes: its elements are strings, codecs, or such lists. */
static bool may_be_bytes(const struct tree *list)
{
    return !ANY_IN(piece, list->first,
                   piece->type != TREE_STRING && !codec_is(piece) &&
                       !(piece->type == TREE_ARRAY && may_be_bytes(piece)));
}

static bool match_list(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    if (at->value->type == TREE_STRING && !m->datatype && may_be_bytes(pattern))
        return match_pieces(m, at, pattern);
    if (at->value->type != TREE_ARRAY)
        return differ_values(m, at, pattern);
    if (m->by_name)
        return match_tensors(m, at, pattern);
    if (pattern->count != at->value->count)
        return differ(m, at, "expected a list of %zu, got %zu: %s", pattern->count, at->value->count,
                      tree_line(m, at->value));
    size_t index = 0;
    const struct tree *received = at->value->first;
    for (const struct tree *expected = pattern->first; expected; expected = expected->next, received = received->next) {
        const struct value_place here = {
            .parent = at, .index = index, .tensor = tree_text(expected, "name"), .value = received};
        index++;
        if (!match_at(m, &here, expected))
            return false;
    }
    return true;
}

static bool has_dollar(const struct tree *pattern)
{
    if (pattern->type == TREE_OBJECT)
        FOR_EACH_IN(member, pattern->first)
            if (member->name.size && member->name.data[0] == '$')
                return true;
    return false;
}

bool match_at(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    bool single = pattern->type == TREE_OBJECT && pattern->count == 1;
    const struct matcher *matcher = single && !m->literal ? matcher_named(pattern->first->name) : NULL;
    const char *fault = matcher ? argument_fault(matcher->argument, pattern->first) : NULL;
    if (fault)
        return faulty(m, at, "%s %s, not %s", matcher->name, fault, tree_line(m, pattern->first));
    if (matcher)
        return matcher->match(m, at, pattern->first);
    bool codec = !m->literal && codec_is(pattern);
    if (!m->literal && !codec && has_dollar(pattern))
        return faulty(m, at, "%s is no matcher: an object with a $ key has only that key", tree_line(m, pattern));
    if (!at->value)
        return differ_values(m, at, pattern);
    bool scalar = at->value->type != TREE_ARRAY && at->value->type != TREE_OBJECT;
    if (m->datatype && (codec || pattern->type == TREE_ARRAY) && !scalar)
        return match_data(m, at, pattern);
    if (m->datatype && m->datatype != DATATYPE_BYTES && scalar && codec)
        return differ_values(m, at, pattern); /* a codec is the bytes of a whole tensor */
    if (m->datatype && scalar && (codec || pattern->type != TREE_OBJECT) && pattern->type != TREE_ARRAY)
        return match_element(m, at, pattern);
    if (codec)
        return match_codec(m, at, pattern);
    if (pattern->type == TREE_OBJECT)
        return match_object(m, at, pattern);
    if (pattern->type == TREE_ARRAY)
        return match_list(m, at, pattern);
    return match_scalar(m, at, pattern);
}

/* --- The public functions --- */

static bool match_whole(const struct tree *pattern, const struct tree *value, bool by_name, struct arena *arena,
                        struct str *why, struct str *name)
{
    struct str difference = {0}, fault = {0}, names = {0};
    const struct matching m = {
        .arena = arena, .why = why ? &difference : NULL, .fault = &fault, .names = &names, .outputs_by_name = by_name};
    const struct value_place root = {.value = value};
    bool matches = match_at(&m, &root, pattern) && !fault.size;
    if (fault.size)
        difference = fault;
    if (why)
        *why = matches ? STR("") : difference;
    if (name)
        *name = matches ? names : STR("");
    return matches;
}

bool match(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why, struct str *name)
{
    return match_whole(pattern, value, true, arena, why, name);
}

bool match_in_order(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why,
                    struct str *name)
{
    return match_whole(pattern, value, false, arena, why, name);
}

bool match_is_suite_fault(struct str why)
{
    return str_starts(why, STR("suite: "));
}

bool match_found_nothing(struct str why)
{
    return str_ends(why, STR(", got nothing")) && !str_starts(why, STR("/headers")) &&
           !str_starts(why, STR("/trailers"));
}

/* Whether both have the same outcome: "200" and "201" are one class; gRPC codes must be equal. */
static bool same_status(const struct tree *expected, const struct tree *value)
{
    const struct tree *a = tree_member(expected, "status"), *b = tree_member(value, "status");
    int64_t status_a, status_b;
    if (a && b && tree_to_int64(a, &status_a) && tree_to_int64(b, &status_b))
        return status_a / 100 == status_b / 100;
    a = tree_member(expected, "code");
    b = tree_member(value, "code");
    return a && b && tree_equal(a, b);
}

static bool same_tensor(struct matching *m, const struct value_place *at, const struct tree *expected)
{
    static const char *const members[] = {"datatype", "shape", "data"};
    size_t count = m->likeness == LIKENESS_FORM ? 1 : COUNT_OF(members);
    for (size_t i = 0; i < count; i++) {
        const struct tree *member = tree_member(expected, members[i]);
        const struct value_place here = {
            .parent = at, .name = str_of(members[i]), .value = tree_member(at->value, members[i])};
        m->datatype = i == 2 ? datatype_from_name(tree_text(expected, "datatype")) : DATATYPE_NONE;
        if (member && !match_at(m, &here, member))
            return false;
    }
    return true;
}

static bool same_outputs(struct matching *m, const struct value_place *root, const struct tree *expected,
                         const struct tree *value)
{
    const struct value_place list = {.parent = root, .name = STR("outputs"), .value = value};
    if (!expected || expected->type != TREE_ARRAY)
        return true;
    if (!value || value->type != TREE_ARRAY || value->count != expected->count)
        return differ_values(m, &list, expected);
    const struct tensors tensors = tensors_of(value, expected->count, m->arena);
    FOR_EACH_IN(tensor, expected->first) {
        size_t index;
        struct str name = tree_text(tensor, "name");
        const struct tree *other = tensors_find(&tensors, name, &index);
        const struct value_place here = {.parent = &list, .index = index, .tensor = name, .value = other};
        if (!other)
            return differ(m, &list, "expected an output '%s' as in the base's answer, got %.*s",
                          str_printable(m->arena, name), STR_ARG(names_of(m, value)));
        if (!same_tensor(m, &here, tensor))
            return false;
    }
    return true;
}

static const struct tree *status_of(const struct tree *answer)
{
    const struct tree *status = tree_member(answer, "status");
    return status ? status : tree_member(answer, "code");
}

bool match_same(const struct tree *expected, const struct tree *value, enum likeness likeness, struct arena *arena,
                struct str *why)
{
    struct str difference = {0}, fault = {0};
    const struct matching m = {
        .arena = arena, .why = &difference, .fault = &fault, .literal = true, .likeness = likeness};
    const struct value_place root = {.value = value};
    const struct value_place name = {
        .parent = &root, .name = STR("model_name"), .value = tree_member(value, "model_name")};
    const struct tree *model = tree_member(expected, "model_name");
    bool same = same_status(expected, value);
    if (!same)
        differ(&m, &root, "expected the base's answer again (%s), got %s", tree_line(&m, status_of(expected)),
               tree_line(&m, status_of(value)));
    same = same && (!model || match_at(&m, &name, model));
    if (!same && why)
        *why = difference;
    return same && match_alike(expected, value, likeness, arena, why);
}

bool match_alike(const struct tree *expected, const struct tree *value, enum likeness likeness, struct arena *arena,
                 struct str *why)
{
    struct str difference = {0}, fault = {0};
    struct matching m = {.arena = arena, .why = &difference, .fault = &fault, .literal = true, .likeness = likeness};
    const struct value_place root = {0};
    bool alike = same_outputs(&m, &root, tree_member(expected, "outputs"), tree_member(value, "outputs"));
    if (why)
        *why = alike ? STR("") : difference;
    return alike;
}
