#include "suite/shapes.h"

#include "base/count.h"
#include "base/search.h"
#include "notation/codec.h"

static bool is_text(const struct tree *tree)
{
    return tree->type == TREE_STRING;
}

/* A text "${x}" alone. Its type is known only when a value of `for` replaces it, so it is accepted everywhere. */
static bool is_variable(const struct tree *tree)
{
    return is_text(tree) && str_starts(tree->text, STR("${")) && tree->text.data[tree->text.size - 1] == '}';
}

static bool are_texts(const struct tree *tree)
{
    if (tree->type != TREE_ARRAY)
        return is_text(tree);
    return tree->count > 0 && ALL_IN(item, tree->first, is_text(item));
}

static bool are_patterns(const struct tree *tree)
{
    return tree->type == TREE_OBJECT && tree->count > 0 &&
           !ANY_IN(item, tree->first, item->type != TREE_OBJECT || !item->count);
}

static bool are_pointers(const struct tree *tree)
{
    if (tree->type != TREE_OBJECT)
        return false;
    return tree->count > 0 && !ANY_IN(item, tree->first, item->name.size && item->name.data[0] != '/');
}

static bool are_bytes(const struct tree *tree)
{
    if (tree->type != TREE_ARRAY)
        return is_text(tree) || codec_is(tree);
    return ALL_IN(item, tree->first, are_bytes(item));
}

static bool is_word_of(struct str word, const char *words)
{
    struct str one;
    while (shapes_next_word(&words, &one))
        if (str_equal(word, one))
            return true;
    return false;
}

static bool check_shape(const struct shape *shape, const struct tree *tree, struct place place);

static bool check_each(const struct shape *shape, const struct tree *tree, struct place place)
{
    bool good = true;
    size_t position = 0;
    for (const struct tree *item = tree->first; item; item = item->next, position++) {
        bool named = tree->type == TREE_OBJECT;
        good &= check_shape(shape, item, named ? place_below(place, item->name) : place_at(place, position));
    }
    return good;
}

static const char *const kind_names[] = {
    [KIND_TEXT] = "a string",
    [KIND_TEXTS] = "a string or a list of strings",
    [KIND_BOOL] = "true or false",
    [KIND_NUMBER] = "a number",
    [KIND_LIST] = "a list",
    [KIND_OBJECT] = "an object",
    [KIND_PATTERNS] = "an object of patterns, each with its name",
    [KIND_POINTERS] = "an object whose names are JSON pointers",
    [KIND_BYTES] = "a string, a codec, or a list of them",
    [KIND_VALUE] = "a string or a codec",
    [KIND_DATA] = "a list of elements or a codec",
    [KIND_CHOICE] = "one of the words",
    [KIND_SHAPE] = "an object",
    [KIND_SHAPES] = "a list of objects",
    [KIND_MAP] = "an object of objects",
    [KIND_BY] = "\"accept\", \"code\" or {\"alter\": ...}",
};

static bool fits(const struct member *member, const struct tree *tree)
{
    switch (member->kind) {
    case KIND_TEXT:
        return is_text(tree);
    case KIND_TEXTS:
        return are_texts(tree);
    case KIND_BOOL:
        return tree->type == TREE_BOOL;
    case KIND_NUMBER:
        return tree->type == TREE_NUMBER;
    case KIND_LIST:
    case KIND_SHAPES:
        return tree->type == TREE_ARRAY;
    case KIND_OBJECT:
    case KIND_SHAPE:
    case KIND_MAP:
        return tree->type == TREE_OBJECT;
    case KIND_PATTERNS:
        return are_patterns(tree);
    case KIND_POINTERS:
        return are_pointers(tree);
    case KIND_BYTES:
        return are_bytes(tree);
    case KIND_VALUE:
        return is_text(tree) || codec_is(tree);
    case KIND_DATA:
        return tree->type == TREE_ARRAY || codec_is(tree);
    case KIND_CHOICE:
        return is_text(tree) && is_word_of(tree->text, member->choice);
    case KIND_BY:
        return tree->type == TREE_OBJECT || (is_text(tree) && is_word_of(tree->text, "accept code"));
    case KIND_ANY:
        break;
    }
    return true;
}

static bool check_member(const struct member *member, const struct tree *tree, struct place place)
{
    bool replaced = is_variable(tree) && member->kind != KIND_SHAPE && member->kind != KIND_MAP;
    if (!fits(member, tree) && !replaced)
        return fault_add(place, "member-type", "must be %s%s%s", kind_names[member->kind], member->choice ? ": " : "",
                         member->choice ? member->choice : "");
    if (!member->shape || tree->type == TREE_STRING)
        return true;
    bool many = member->kind == KIND_MAP || member->kind == KIND_SHAPES;
    return many ? check_each(member->shape, tree, place) : check_shape(member->shape, tree, place);
}

static const struct member *find_member(const struct shape *shape, struct str name)
{
    return FIND(shape->members, i, shape->count, str_is(name, shape->members[i].name));
}

static bool check_shape(const struct shape *shape, const struct tree *tree, struct place place)
{
    bool good = true;
    if (tree->type != TREE_OBJECT)
        return fault_add(place, "member-type", "must be an object");
    for (const struct tree *item = tree->first; item; item = item->next) {
        const struct member *member = find_member(shape, item->name);
        struct place child = place_below(place, item->name);
        good &= member ? check_member(member, item, child)
                       : fault_add(child, "member-known", "a %s has no such member", shape->name);
    }
    for (size_t i = 0; i < shape->count; i++)
        if (shape->members[i].required && !tree_member(tree, shape->members[i].name))
            good = fault_add(place, "member-required", "'%s' is missing", shape->members[i].name);
    return good;
}

/* Finds duplicate members anywhere in the file. A case that has to send a duplicate member writes its JSON as text. */
static bool check_once(const struct tree *tree, struct place place)
{
    bool good = true;
    size_t position = 0;
    for (const struct tree *item = tree->first; item; item = item->next, position++) {
        bool named = tree->type == TREE_OBJECT;
        struct place child = named ? place_below(place, item->name) : place_at(place, position);
        for (const struct tree *other = named ? tree->first : item; other != item; other = other->next)
            if (str_equal(other->name, item->name)) {
                good = fault_add(child, "member-once", "stands here twice");
                break;
            }
        if (item->type == TREE_OBJECT || item->type == TREE_ARRAY)
            good &= check_once(item, child);
    }
    return good;
}

static bool is_http_form(struct str text)
{
    struct str rest = text, method = str_take(&rest, ' '), path = str_take(&rest, ' '), version = str_take(&rest, ' ');
    bool known = !version.size || str_is(version, "HTTP/1.0");
    return method.size && path.size && path.data[0] == '/' && known && !rest.size && !str_ends(text, STR(" "));
}

static bool is_grpc_form(struct str text)
{
    const char *slash = text.size ? memchr(text.data, '/', text.size) : NULL;
    return text.size && !str_has(text, ' ') && (!slash || (slash > text.data && slash + 1 < text.data + text.size));
}

static bool check_form(const struct tree *tree, struct place place)
{
    const struct tree *http = tree_member(tree, "http"), *grpc = tree_member(tree, "grpc");
    bool good = true;
    if (http && is_text(http) && !is_http_form(http->text))
        good = fault_add(place_below(place, STR("http")), "act-form", "must be \"METHOD /path [HTTP/1.0]\"");
    if (grpc && is_text(grpc) && !is_grpc_form(grpc->text))
        good = fault_add(place_below(place, STR("grpc")), "act-form", "must be \"Rpc\" or \"package.Service/Rpc\"");
    return good;
}

/* Checks that there is exactly one act, that its form is right, and that only members of that act are present. */
static bool check_act(const struct shape *shape, const struct tree *tree, struct place place)
{
    static const char *const acts[] = {"infer", "http", "grpc", "tcp", "steps", "on"};
    const char *act = NULL;
    size_t count = 0;
    for (size_t i = 0; i < COUNT_OF(acts); i++)
        if (tree_member(tree, acts[i])) {
            act = acts[i];
            count++;
        }
    bool waits = shape == &step_shape && tree_member(tree, "conn"); /* a step without an act reads or closes */
    if (count > 1 || (count == 0 && !waits))
        return fault_add(place, "act", "a %s has exactly one of infer, http, grpc, tcp%s", shape->name,
                         shape == &step_shape ? ", or a conn" : ", steps and on");
    bool good = check_form(tree, place);
    for (const struct tree *item = tree->first; item && act; item = item->next) {
        const struct member *member = find_member(shape, item->name);
        if (member && member->act && !is_word_of(str_of(act), member->act))
            good = fault_add(place_below(place, item->name), "act", "belongs to the act %s, this one is %s",
                             member->act, act);
    }
    return good;
}

static bool check_steps(const struct tree *steps, struct place place)
{
    bool good = true;
    size_t position = 0;
    for (const struct tree *step = tree_first(steps); step; step = step->next, position++)
        if (step->type == TREE_OBJECT)
            good &= check_act(&step_shape, step, place_at(place, position));
    return good;
}

static bool check_case(const struct tree *tree, struct place place)
{
    bool good = check_act(&case_shape, tree, place);
    good &= check_steps(tree_member(tree, "steps"), place_below(place, STR("steps")));
    good &= check_steps(tree_member(tree, "finally"), place_below(place, STR("finally")));
    if (!tree_member(tree, "expect") && !tree_member(tree, "steps"))
        good = fault_add(place, "member-required", "'expect' is missing");
    return good;
}

bool grammar_check(enum grammar grammar, const struct tree *tree, struct place place)
{
    bool good = check_once(tree, place);
    good &= check_shape(shapes_of_files[grammar], tree, place);
    if (grammar == GRAMMAR_CASE && tree->type == TREE_OBJECT)
        good &= check_case(tree, place);
    return good;
}
