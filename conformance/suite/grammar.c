#include "suite/grammar.h"

#include "base/embed.h"
#include "base/search.h"
#include "notation/codec.h"

#include <assert.h>
#include <pthread.h>

EMBED(schema_file, "suite/case.schema.json")

struct str grammar_schema(void)
{
    return schema_file();
}

/* --- The schema --- */

static const struct tree *definitions; /* $defs */

static void read_schema(void)
{
    static struct arena arena;
    struct tree *schema = NULL;
    arena = memory_arena();
    struct status status = tree_parse(schema_file(), &arena, &schema);
    definitions = tree_member(schema, "$defs");
    assert(is_ok(status) && definitions);
    (void)status; /* without assertions */
}

static const struct tree *definition(const char *name)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_schema);
    return tree_member(definitions, name);
}

/* Returns what {"$ref": "#/$defs/NAME"} refers to; NULL if the rule is no such reference. */
static const struct tree *referred(const struct tree *rule)
{
    struct str to = tree_text(rule, "$ref");
    return to.size ? tree_member_str(definitions, str_behind_last(to, '/')) : NULL;
}

static bool is_shape(const struct tree *rule)
{
    return tree_member(referred(rule), "properties") != NULL;
}

/* Returns the words that a rule allows, by themselves or beside an object; NULL if it is about no words. */
static const struct tree *words_of(const struct tree *rule)
{
    const struct tree *either = tree_member(rule, "anyOf");
    return tree_member(either ? either->first : rule, "enum");
}

/* --- Values --- */

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

static bool check_shape(const struct tree *shape, const struct tree *tree, struct place place);

static bool check_each(const struct tree *shape, const struct tree *tree, struct place place)
{
    bool good = true;
    FOR_EACH_IN(item, tree->first)
        good &= check_shape(shape, item, place_of_child(place, tree, item));
    return good;
}

static bool is_value(const struct tree *tree)
{
    return is_text(tree) || codec_is(tree);
}

static bool are_data(const struct tree *tree)
{
    return tree->type == TREE_ARRAY || codec_is(tree);
}

/* The definitions that are no objects of certain members. What a schema cannot say of them, a function does. */
static const struct {
    const char *name;
    enum tree_type type;
    bool (*fits)(const struct tree *tree); /* NULL: whatever has that type */
} kinds[] = {
    {"text", TREE_STRING, NULL},
    {"texts", TREE_NULL, are_texts},
    {"truth", TREE_BOOL, NULL},
    {"number", TREE_NUMBER, NULL},
    {"list", TREE_ARRAY, NULL},
    {"object", TREE_OBJECT, NULL},
    {"patterns", TREE_NULL, are_patterns},
    {"pointers", TREE_NULL, are_pointers},
    {"bytes", TREE_NULL, are_bytes},
    {"value", TREE_NULL, is_value},
    {"data", TREE_NULL, are_data},
};

static bool fits(const struct tree *rule, const struct tree *tree)
{
    const struct tree *words = words_of(rule), *kind = referred(rule);
    if (rule->type == TREE_BOOL) /* true: anything */
        return true;
    if (words && is_text(tree))
        return ANY_IN(word, words->first, str_equal(word->text, tree->text));
    for (size_t i = 0; kind && i < COUNT_OF(kinds); i++)
        if (str_is(kind->name, kinds[i].name))
            return kinds[i].fits ? kinds[i].fits(tree) : tree->type == kinds[i].type;
    return tree->type == (tree_member(rule, "items") ? TREE_ARRAY : TREE_OBJECT) && !tree_member(rule, "enum");
}

static bool misfits(const struct tree *rule, struct place place)
{
    struct buf text = {0};
    const struct tree *words = tree_member(rule, "enum");
    struct str own = tree_text(rule, "description"), of_kind = tree_text(referred(rule), "description");
    buf_append_str(&text, own.size ? own : of_kind.size ? of_kind : STR("an object"));
    FOR_EACH_IN(word, tree_first(words))
        buf_printf(&text, "%s %.*s", word == words->first ? ":" : "", STR_ARG(word->text));
    fault_add(place, "member-type", "must be %.*s", (int)text.size, text.data);
    buf_free(&text);
    return false;
}

static bool check_member(const struct tree *rule, const struct tree *tree, struct place place)
{
    const struct tree *members = referred(tree_member(rule, "additionalProperties"));
    const struct tree *elements = referred(tree_member(rule, "items")), *either = tree_member(rule, "anyOf");
    bool replaced = is_variable(tree) && !is_shape(rule) && !members;
    if (!fits(rule, tree) && !replaced)
        return misfits(rule, place);
    if (tree->type == TREE_STRING)
        return true;
    if (members || elements)
        return check_each(members ? members : elements, tree, place);
    return either           ? check_shape(referred(either->last), tree, place)
           : is_shape(rule) ? check_shape(referred(rule), tree, place)
                            : true;
}

static bool check_shape(const struct tree *shape, const struct tree *tree, struct place place)
{
    bool good = true;
    if (tree->type != TREE_OBJECT)
        return fault_add(place, "member-type", "must be an object");
    FOR_EACH_IN(item, tree->first) {
        const struct tree *rule = tree_member_str(tree_member(shape, "properties"), item->name);
        struct place child = place_below(place, item->name);
        good &= rule ? check_member(rule, item, child)
                     : fault_add(child, "member-known", "a %.*s has no such member", STR_ARG(shape->name));
    }
    FOR_EACH_IN(name, tree_member(shape, "required")->first)
        if (!tree_member_str(tree, name->text))
            good = fault_add(place, "member-required", "'%.*s' is missing", STR_ARG(name->text));
    return good;
}

/* Finds duplicate members anywhere in the file. A case that has to send a duplicate member writes its JSON as text. */
static bool check_once(const struct tree *tree, struct place place)
{
    bool good = true;
    FOR_EACH_IN(item, tree->first) {
        if (tree->type == TREE_OBJECT && tree_member_str(tree, item->name) != item)
            good = fault_add(place_below(place, item->name), "member-once", "stands here twice");
        if (item->type == TREE_OBJECT || item->type == TREE_ARRAY)
            good &= check_once(item, place_of_child(place, tree, item));
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

/* Whether the member may stand beside the act, because the schema demands no other. `acts` gets those demanded. */
static bool goes_with(const struct tree *shape, struct str member, const char *act, struct buf *acts)
{
    const struct tree *one = tree_member_str(tree_member(shape, "dependentRequired"), member);
    const struct tree *several = tree_member(tree_member_str(tree_member(shape, "dependentSchemas"), member), "anyOf");
    bool goes = !one && !several;
    for (const struct tree *at = several ? several->first : one; at; at = several ? at->next : NULL) {
        struct str demanded = (several ? tree_member(at, "required") : at)->first->text;
        if (str_is(demanded, "conn")) /* which a step has that has no act */
            continue;
        buf_printf(acts, "%s%.*s", acts->size ? " " : "", STR_ARG(demanded));
        goes |= str_is(demanded, act);
    }
    return goes;
}

/* Checks that there is exactly one act, that its form is right, and that only members of that act are present. */
static bool check_act(const struct tree *shape, const struct tree *tree, struct place place)
{
    static const char *const acts[] = {"infer", "http", "grpc", "tcp", "steps", "on"};
    const char *act = NULL;
    size_t count = 0;
    bool is_step = str_is(shape->name, "step");
    for (size_t i = 0; i < COUNT_OF(acts); i++)
        if (tree_member(tree, acts[i])) {
            act = acts[i];
            count++;
        }
    bool waits = is_step && tree_member(tree, "conn"); /* a step without an act reads or closes */
    if (count > 1 || (count == 0 && !waits))
        return fault_add(place, "act", "a %.*s has exactly one of infer, http, grpc, tcp%s", STR_ARG(shape->name),
                         is_step ? ", or a conn" : ", steps and on");
    bool good = check_form(tree, place);
    for (const struct tree *item = tree->first; item && act; item = item->next) {
        struct buf demanded = {0};
        if (!goes_with(shape, item->name, act, &demanded))
            good = fault_add(place_below(place, item->name), "act", "belongs to the act %.*s, this one is %s",
                             (int)demanded.size, demanded.data, act);
        buf_free(&demanded);
    }
    return good;
}

static bool check_steps(const struct tree *steps, struct place place)
{
    bool good = true;
    FOR_EACH_IN(step, tree_first(steps))
        if (step->type == TREE_OBJECT)
            good &= check_act(definition("step"), step, place_of_child(place, steps, step));
    return good;
}

static bool check_case(const struct tree *tree, struct place place)
{
    bool good = check_act(definition("case"), tree, place);
    good &= check_steps(tree_member(tree, "steps"), place_below(place, STR("steps")));
    good &= check_steps(tree_member(tree, "finally"), place_below(place, STR("finally")));
    if (!tree_member(tree, "expect") && !tree_member(tree, "steps"))
        good = fault_add(place, "member-required", "'expect' is missing");
    return good;
}

bool grammar_check(const char *what, const struct tree *tree, struct place place)
{
    const struct tree *shape = definition(what);
    bool good = check_once(tree, place);
    assert(shape);
    good &= check_shape(shape, tree, place);
    if (strcmp(what, "case") == 0 && tree->type == TREE_OBJECT)
        good &= check_case(tree, place);
    return good;
}
