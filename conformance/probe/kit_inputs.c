#include "probe/kit_inputs.h"

#include "base/search.h"
#include "support/listing.h"

/* Returns the inputs that a family sends to a model; NULL if it sends none to it, or says them by ${...}. */
static const struct tree *sent_inputs(const struct family *family, struct str model)
{
    const struct tree *tree = family->tree, *json = tree_member(tree, "json");
    if (!str_equal(tree_text(tree, "infer"), model) && !str_equal(tree_text(tree, "model"), model))
        return NULL;
    const struct tree *inputs = tree_member(json ? json : tree, "inputs");
    return inputs && inputs->type == TREE_ARRAY && inputs->count ? inputs : NULL;
}

static const struct tree *input_named(const struct tree *inputs, struct str name)
{
    return FIND_IN(input, inputs->first, str_equal(tree_text(input, "name"), name));
}

/* Returns what of the inputs that are sent the listed ones lack, and have too much: "no input 'INPUT0', but 'TEXT'".
 * Empty if they agree. */
static struct str difference(const struct tree *sent, const struct tree *listed, struct arena *arena)
{
    struct listing faults = {.arena = arena};
    FOR_EACH_IN(input, sent->first) {
        const char *name = str_printable(arena, tree_text(input, "name"));
        struct str datatype = tree_text(input, "datatype");
        const struct tree *found = input_named(listed, tree_text(input, "name"));
        if (!found)
            listing_add(&faults, arena_printf(arena, "it has no input '%s'", name));
        else if (!str_equal(tree_text(found, "datatype"), datatype))
            listing_add(&faults, arena_printf(arena, "its input '%s' is not %s", name, str_printable(arena, datatype)));
    }
    FOR_EACH_IN(input, listed->first)
        if (!input_named(sent, tree_text(input, "name")))
            listing_add(&faults, arena_printf(arena, "the kit's has no input '%s'",
                                              str_printable(arena, tree_text(input, "name"))));
    return listing_text(&faults);
}

/* "INPUT0 INT32, INPUT1 INT32" */
static struct str signature(const struct tree *inputs, struct arena *arena)
{
    struct listing names = {.arena = arena};
    FOR_EACH_IN(input, inputs->first)
        listing_add(&names, arena_printf(arena, "'%s' %s", str_printable(arena, tree_text(input, "name")),
                                         str_printable(arena, tree_text(input, "datatype"))));
    return listing_text(&names);
}

struct str kit_inputs_differ(const struct suite *suite, const struct tree *metadata, struct str kit, struct str theirs,
                             struct arena *arena)
{
    const struct tree *listed = tree_member(metadata, "inputs"), *wanted = NULL;
    struct str differs = {0};
    if (!listed || listed->type != TREE_ARRAY || listed->count == 0)
        return STR("");
    for (size_t i = 0; i < suite->family_count; i++) {
        const struct tree *sent = sent_inputs(&suite->families[i], kit);
        struct str other = sent ? difference(sent, listed, arena) : (struct str){0};
        if (sent && !other.size)
            return STR("");
        differs = wanted ? differs : other;
        wanted = wanted ? wanted : sent;
    }
    if (!wanted)
        return STR("");
    return arena_printf(arena, "the kit's '%s' takes %.*s, but the target's '%s' takes %.*s (%.*s)",
                        str_printable(arena, kit), STR_ARG(signature(wanted, arena)), str_printable(arena, theirs),
                        STR_ARG(signature(listed, arena)), STR_ARG(differs));
}

struct str kit_inputs_mapped(const struct suite *suite, const struct discovery *discovery, const struct values *map,
                             struct arena *arena)
{
    for (size_t i = 0; i < map->count && discovery->models; i++) {
        struct str theirs = str_of(map->items[i]), kit = str_take(&theirs, '=');
        struct str differs = kit_inputs_differ(suite, tree_member_str(discovery->models, kit), kit, theirs, arena);
        if (differs.size)
            return arena_printf(arena,
                                "--map: %.*s, so it cannot stand in for it: the cases send inputs by the names of the "
                                "kit. Rename its inputs, or leave out --map: --model %s probes it",
                                STR_ARG(differs), str_printable(arena, theirs));
    }
    return STR("");
}
