#include "probe/configured.h"

#include "base/search.h"

/* Datatypes by their numbers in the enum DataType of a configuration. */
static const char *const datatypes[] = {NULL,    "BOOL",  "UINT8", "UINT16", "UINT32", "UINT64", "INT8", "INT16",
                                        "INT32", "INT64", "FP16",  "FP32",   "FP64",   "BYTES",  "BF16"};

static struct tree *one_of(struct tree *first, struct tree *second, struct arena *arena)
{
    struct tree *list = tree_new(arena, TREE_ARRAY);
    tree_append(list, first);
    tree_append(list, second);
    return tree_object(arena, {"$in", list});
}

/* Returns what the datatype is in a configuration: its name in JSON, its number in a message. NULL if it is unknown. */
static struct tree *datatype_pattern(struct str name, struct arena *arena)
{
    for (size_t number = 1; number < COUNT_OF(datatypes); number++)
        if (str_is(name, datatypes[number])) {
            const char *called = str_is(name, "BYTES") ? "STRING" : datatypes[number];
            struct tree *text = tree_string(arena, arena_printf(arena, "TYPE_%s", called));
            return one_of(text, tree_int(arena, (int64_t)number), arena);
        }
    return NULL;
}

/* Returns a pattern of the dims from number `first` on; a number of 64 bits may be a string. NULL if it is no shape. */
static struct tree *dims_pattern(const struct tree *shape, size_t first, struct arena *arena)
{
    struct tree *dims = tree_new(arena, TREE_ARRAY);
    size_t number = 0;
    if (!shape || shape->type != TREE_ARRAY)
        return NULL;
    for (const struct tree *at = shape->first; at; at = at->next, number++) {
        int64_t dimension;
        if (!tree_to_int64(at, &dimension))
            return NULL;
        struct tree *text = tree_string(arena, arena_printf(arena, "%lld", (long long)dimension));
        if (number >= first)
            tree_append(dims, one_of(tree_int(arena, dimension), text, arena));
    }
    return dims;
}

/* Returns a pattern for each tensor; NULL if one has none. */
static struct tree *list_of(const struct tree *tensors, size_t first, struct arena *arena)
{
    struct tree *list = tree_new(arena, TREE_ARRAY);
    if (!tensors || tensors->type != TREE_ARRAY)
        return NULL;
    FOR_EACH_IN(tensor, tensors->first) {
        struct str name = tree_text(tensor, "name");
        struct tree *datatype = datatype_pattern(tree_text(tensor, "datatype"), arena);
        struct tree *dims = dims_pattern(tree_member(tensor, "shape"), first, arena);
        if (!name.size || !datatype || !dims)
            return NULL;
        tree_append(list,
                    tree_object(arena, {"name", tree_string(arena, name)}, {"data_type", datatype}, {"dims", dims}));
    }
    return list;
}

struct tree *configured_tensors(const struct tree *metadata, struct arena *arena)
{
    static const char *const sides[] = {"inputs", "outputs"}, *const forms[] = {"whole", "batched"};
    struct tree *configured = tree_new(arena, TREE_OBJECT);
    bool known = true;
    for (size_t i = 0; i < COUNT_OF(sides); i++) {
        struct tree *side = tree_new(arena, TREE_OBJECT);
        for (size_t first = 0; first < COUNT_OF(forms); first++) {
            struct tree *list = list_of(tree_member(metadata, sides[i]), first, arena);
            tree_add(side, str_of(forms[first]), list ? list : tree_new(arena, TREE_ARRAY));
            known = known && list;
        }
        tree_add(configured, str_of(sides[i]), side);
    }
    tree_add(configured, STR("known"), tree_bool(arena, known));
    return configured;
}
