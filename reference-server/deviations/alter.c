/* Changes the tree of an answer, with the verbs of tree/change.h, and with `as`, which transforms what `copy`
 * copies. */
#include "base/search.h"
#include "deviations/deviation.h"
#include "tree/change.h"
#include "tree/pointer.h"

#include "json/number.h"
#include <math.h>

bool deviation_ends(const struct deviation *deviation, const char *ending)
{
    return tree_is_true(deviation->alter, ending);
}

/* --- as --- */

static bool as_reversed(struct tree *value, const struct tree *, struct arena *)
{
    struct tree *reversed = NULL, *next;
    if (value->type != TREE_ARRAY || value->count < 2)
        return false;
    value->last = value->first;
    for (struct tree *element = value->first; element; element = next) {
        next = element->next;
        element->next = reversed;
        reversed = element;
    }
    value->first = reversed;
    return true;
}

static bool append(struct tree *value, struct str more, struct arena *arena)
{
    char *text = arena_alloc(arena, value->text.size + more.size);
    if (value->type != TREE_STRING || !text)
        return false;
    memcpy(text, value->text.data, value->text.size);
    memcpy(text + value->text.size, more.data, more.size);
    value->text = (struct str){text, value->text.size + more.size};
    return true;
}

static bool as_append(struct tree *value, const struct tree *as, struct arena *arena)
{
    return as && as->type == TREE_STRING && append(value, as->text, arena);
}

/* A byte after the text makes it no UTF-8. */
static bool as_broken(struct tree *value, const struct tree *, struct arena *arena)
{
    return append(value, STR("\xff"), arena);
}

/* Each bit of the bytes changes. */
static bool as_inverted(struct tree *value, const struct tree *, struct arena *arena)
{
    char *bytes = arena_alloc(arena, value->text.size);
    if (value->type != TREE_STRING || !bytes)
        return false;
    for (size_t i = 0; i < value->text.size; i++)
        bytes[i] = (char)~value->text.data[i];
    value->text.data = bytes;
    return true;
}

static bool as_plus(struct tree *value, const struct tree *as, struct arena *arena)
{
    int64_t number, more;
    char text[NUMBER_TEXT_MAX];
    if (!tree_to_int64(value, &number) || !tree_to_int64(as, &more) || __builtin_add_overflow(number, more, &number))
        return false;
    value->text = arena_copy(arena, (struct str){text, number_write_int64(number, text)});
    return value->text.data != NULL;
}

/* The last byte is lost. */
static bool as_cut(struct tree *value, const struct tree *, struct arena *)
{
    if (value->type != TREE_STRING || value->text.size == 0)
        return false;
    value->text.size--;
    return true;
}

/* A flatbuffer of which everything but the offset to its root lies two bytes further, so that nothing is aligned. */
static bool as_shifted(struct tree *value, const struct tree *, struct arena *arena)
{
    uint32_t root;
    if (value->type != TREE_STRING || value->text.size < sizeof root)
        return false;
    char *shifted = arena_alloc_zero(arena, 1, value->text.size + 2);
    if (!shifted)
        return false;
    memcpy(&root, value->text.data, sizeof root);
    root += 2;
    memcpy(shifted, &root, sizeof root);
    memcpy(shifted + sizeof root + 2, value->text.data + sizeof root, value->text.size - sizeof root);
    value->text = (struct str){shifted, value->text.size + 2};
    return true;
}

/* A float becomes the next one nearer to zero: a double, or with the argument "FP32" a single. */
static bool as_lesser(struct tree *value, const struct tree *as, struct arena *arena)
{
    char text[NUMBER_TEXT_MAX];
    double number;
    if (value->type != TREE_NUMBER || !number_read_double(value->text, &number))
        return false;
    size_t size = as && str_is(as->text, "FP32") ? number_write_float(nextafterf((float)number, 0), text)
                                                 : number_write_double(nextafter(number, 0), text);
    value->text = arena_copy(arena, (struct str){text, size});
    return value->text.data != NULL;
}

struct transformation {
    const char *name;
    bool (*apply)(struct tree *value, const struct tree *as, struct arena *arena);
};

static const struct transformation transformations[] = {
    {"reversed", as_reversed}, {"plus", as_plus}, {"broken", as_broken},   {"append", as_append},
    {"inverted", as_inverted}, {"cut", as_cut},   {"shifted", as_shifted}, {"lesser", as_lesser},
};

/* `as` is the name of a transformation, an object {name: argument}, or one of these for each pointer. */
static bool transform(struct tree *value, const struct tree *as, struct arena *arena)
{
    struct str name = as->type == TREE_OBJECT && as->first ? as->first->name : as->text;
    const struct tree *argument = as->type == TREE_OBJECT ? as->first : NULL;
    const struct transformation *named =
        FIND(transformations, i, COUNT_OF(transformations), str_is(name, transformations[i].name));
    return named && named->apply(value, argument, arena);
}

static bool transform_copies(struct tree *answer, const struct tree *alter, struct arena *arena)
{
    const struct tree *as = tree_member(alter, "as"), *copies = tree_member(alter, "copy");
    for (const struct tree *copy = as && copies ? copies->first : NULL; copy; copy = copy->next) {
        struct tree *value = pointer_find(answer, copy->name);
        const struct tree *own = tree_member_str(as, copy->name);
        if (!value || !transform(value, own ? own : as, arena))
            return false;
    }
    return true;
}

/* Replaces each text "${model}" by the name of the model. */
static void name_model(struct tree *tree, struct str model)
{
    if (tree->type == TREE_STRING && str_is(tree->text, "${model}"))
        tree->text = model;
    for (struct tree *part = tree->first; part; part = part->next)
        name_model(part, model);
}

/* The answer of a careless server to a request that it should have refused: an inference without outputs. */
static const struct success {
    const char *has, *change; /* a member of the answer that tells its form; what it becomes */
} successes[] = {
    {"code", "{\"set\": {\"/code\": \"OK\", \"/message\": {\"model_name\": \"${model}\"}}}"},
    {"json", "{\"set\": {\"/status\": 200, \"/json\": {\"model_name\": \"${model}\", \"outputs\": []}}}"},
    {"message", "{\"set\": {\"/status\": 200, \"/message\": {\"output_tensors\": []}}}"},
};

static const struct tree *success_of(const struct tree *answer, struct arena *arena)
{
    struct tree *change = NULL;
    const struct success *found = FIND(successes, i, COUNT_OF(successes), tree_member(answer, successes[i].has));
    return found && is_ok(tree_parse(str_of(found->change), arena, &change)) ? change : NULL;
}

bool deviation_change(const struct deviation *deviation, struct str model, struct tree **answer, struct arena *arena)
{
    const struct tree *alter = deviation->accepts ? success_of(*answer, arena) : deviation->alter;
    bool fits = deviation->code
                    ? deviation->code(*answer, arena)
                    : alter && is_ok(change_apply(answer, alter, arena)) && transform_copies(*answer, alter, arena);
    if (fits)
        name_model(*answer, model.size && str_is_utf8(model) ? model : STR("x"));
    return fits;
}

bool deviation_only_sets(const struct deviation *deviation, const char *pointer)
{
    const struct tree *set = tree_member(deviation->alter, "set");
    return set && set->count == 1 && deviation->alter->count == 1 && str_is(set->first->name, pointer);
}

bool deviation_copies_body(const struct deviation *deviation)
{
    return tree_member(tree_member(deviation->alter, "copy"), "/body");
}
