#include "probe/model_facts.h"

#include "base/search.h"
#include "notation/data.h"
#include "probe/classes.h"
#include "probe/configured.h"
#include "probe/request.h"
#include "protocols/packing.h"
#include "suite/model_name.h"

#define HUGE_ELEMENTS   ((size_t)1 << 18) /* of a request or its answer: with more, no neighbours are played */
#define LARGE_ELEMENTS  ((size_t)1 << 14) /* with more, one group is played at a time */
#define TEXT_OF_ELEMENT 32                /* bytes of a text that count as one element */

struct str model_last_version(const struct tree *metadata)
{
    const struct tree *versions = tree_member(metadata, "versions");
    const struct tree *last = versions && versions->type == TREE_ARRAY ? versions->last : NULL;
    return last && last->type == TREE_STRING && last->text.size ? last->text : STR("1");
}

/* Returns a datatype of the same size, so that the data still fits. */
static struct str other_datatype(struct str name)
{
    static const char *const pairs[][2] = {
        {"BOOL", "UINT8"},   {"UINT8", "INT8"},   {"INT8", "UINT8"},   {"UINT16", "INT16"}, {"INT16", "UINT16"},
        {"FP16", "INT16"},   {"BF16", "INT16"},   {"UINT32", "INT32"}, {"INT32", "UINT32"}, {"FP32", "INT32"},
        {"UINT64", "INT64"}, {"INT64", "UINT64"}, {"FP64", "INT64"}};
    return FIRST(i, COUNT_OF(pairs), str_is(name, pairs[i][0]), str_of(pairs[i][1]), STR("INT32"));
}

static struct tree *named(struct str name, struct arena *arena)
{
    return tree_object(arena, {"name", tree_string(arena, name)});
}

/* Makes the declared shape into a pattern: any size for -1. NULL if it is no shape. */
static struct tree *shape_pattern(const struct tree *declared, struct arena *arena)
{
    struct tree *pattern = tree_new(arena, TREE_ARRAY);
    if (!declared || declared->type != TREE_ARRAY)
        return NULL;
    FOR_EACH_IN(at, declared->first) {
        int64_t dimension;
        if (!tree_to_int64(at, &dimension))
            return NULL;
        struct tree *bounds = tree_new(arena, TREE_ARRAY);
        tree_append(bounds, tree_int(arena, 0));
        tree_append(bounds, tree_new(arena, TREE_NULL));
        tree_append(pattern, dimension < 0 ? tree_object(arena, {"$range", bounds}) : tree_int(arena, dimension));
    }
    return pattern;
}

static struct tree *outputs_of(const struct tree *list, bool known_shapes, struct arena *arena)
{
    struct tree *names = tree_new(arena, TREE_ARRAY);
    struct tree *datatypes = tree_new(arena, TREE_ARRAY), *shapes = tree_new(arena, TREE_ARRAY);
    struct tree *first = tree_new(arena, TREE_OBJECT), *last = first;
    FOR_EACH_IN(output, tree_first(list)) {
        struct str name = arena_copy(arena, tree_text(output, "name"));
        if (!name.size)
            continue;
        const struct tree *datatype = tree_member(output, "datatype");
        struct tree *shape = known_shapes ? shape_pattern(tree_member(output, "shape"), arena) : NULL;
        struct tree *typed = named(name, arena), *shaped = named(name, arena);
        if (datatype && datatype->type == TREE_STRING)
            tree_add(typed, STR("datatype"), tree_string(arena, arena_copy(arena, datatype->text)));
        tree_add(shaped, STR("shape"), shape);
        tree_append(datatypes, typed);
        tree_append(shapes, shaped);
        tree_append(names, named(name, arena));
        last = named(name, arena);
        first = first->first ? first : last;
    }
    return tree_object(arena, {"names", names}, {"datatypes", datatypes}, {"shapes", shapes},
                       {"first", tree_copy(arena, first)}, {"last", tree_copy(arena, last)});
}

/* Returns what the outputs of each answer meet: there are some, unless the metadata says that the model has none. */
static struct tree *some_outputs(const struct tree *listed, struct arena *arena)
{
    if (listed && listed->type == TREE_ARRAY && listed->count == 0)
        return tree_object(arena, {"$type", tree_string(arena, STR("array"))});
    return tree_object(arena, {"$not", tree_object(arena, {"$only", tree_new(arena, TREE_ARRAY)})});
}

static void add_versions(struct tree *probe, const struct learned *learned, struct arena *arena)
{
    struct tree *versions = tree_new(arena, TREE_ARRAY);
    const struct tree *listed = tree_member(learned->metadata, "versions");
    FOR_EACH_IN(at, listed && listed->type == TREE_ARRAY ? listed->first : NULL)
        if (at->type == TREE_STRING && at->text.size)
            tree_append(versions, tree_string(arena, at->text));
    tree_add(probe, STR("versions"), versions);
    tree_add(probe, STR("version"), tree_string(arena, learned->version));
    tree_add(probe, STR("same-version"), tree_string(arena, learned->same_version));
    tree_add(probe, STR("odd-version"), tree_string(arena, learned->odd_version));
}

/* Returns the name in its other case; the name itself if another tensor of the list has that one. */
static struct tree *other_name(const struct tree *list, struct str name, struct arena *arena)
{
    struct str other = model_name_in_other_case(name, arena);
    bool is_taken = ANY_IN(tensor, list && list->type == TREE_ARRAY ? list->first : NULL,
                           str_equal(tree_text(tensor, "name"), other));
    return tree_string(arena, is_taken ? name : other);
}

static void add_names(struct tree *probe, const struct tree *inputs, struct arena *arena)
{
    const struct tree *input = tree_first(inputs), *outputs = tree_member(probe, "outputs");
    struct str last = tree_text(tree_member(outputs, "last"), "name"), datatype = tree_text(input, "datatype");
    tree_add(probe, STR("other-case"),
             tree_object(arena, {"input", other_name(inputs, tree_text(input, "name"), arena)},
                         {"output", other_name(tree_member(outputs, "names"), last, arena)},
                         {"datatype", other_name(NULL, datatype, arena)}));
    tree_add(probe, STR("other-datatype"), tree_string(arena, other_datatype(datatype)));
}

/* Whether JSON can write the data: as a list, of numbers that it has, of texts that are UTF-8. Data of numbers has a
 * text only for what JSON has no number for. */
static bool is_plain_data(const struct tree *data, struct str datatype)
{
    bool texts = str_is(datatype, "BYTES");
    if (!data || data->type != TREE_ARRAY || str_is(datatype, "FP16") || str_is(datatype, "BF16"))
        return false;
    return !ANY_IN(at, data->first, at->type == TREE_STRING && (!texts || !str_is_utf8(at->text)));
}

/* Whether JSON can write the tensors as plain lists. */
static bool is_plain(const struct tree *tensors)
{
    return tensors != NULL && ALL_IN(tensor, tree_first(tensors),
                                     is_plain_data(tree_member(tensor, "data"), tree_text(tensor, "datatype")));
}

/* Counts the elements of the outputs. A long text counts as several. */
static size_t answer_elements(const struct tree *answer)
{
    size_t count = 0;
    FOR_EACH_IN(output, tree_first(tree_member(answer, "outputs"))) {
        FOR_EACH_IN(at, tree_first(tree_member(output, "data")))
            count += 1 + at->text.size / TEXT_OF_ELEMENT;
    }
    return count;
}

/* Copies the tensors without their data, with parameters as messages have them, and adds the raw contents of those that
 * have data to `raw`. NULL if a message cannot say one of them. */
static struct tree *tensors_of_message(const struct tree *tensors, struct tree *raw, struct arena *arena)
{
    struct tree *list = tree_new(arena, TREE_ARRAY);
    FOR_EACH_IN(tensor, tree_first(tensors)) {
        struct buf bytes = {0};
        struct tree *made = tree_new(arena, TREE_OBJECT), *parameters;
        const struct tree *data = tree_member(tensor, "data");
        bool packed = !data || is_ok(data_raw(data, packing_datatype(tensor), arena, &bytes));
        struct str contents = arena_take(arena, &bytes);
        if (!packed || !is_ok(packing_parameters(tree_member(tensor, "parameters"), arena, &parameters)))
            return NULL;
        if (data)
            tree_append(raw, tree_string(arena, contents));
        FOR_EACH_IN(member, tensor->first)
            if (member != data)
                tree_add(made, member->name, tree_copy(arena, member));
        tree_set(made, STR("parameters"), parameters);
        tree_append(list, made);
    }
    return list;
}

/* Adds `message`: the request as a message of gRPC has it; one without inputs if it cannot be said so. */
static void add_message(struct tree *probe, const struct tree *request, struct arena *arena)
{
    struct tree *raw = tree_new(arena, TREE_ARRAY), *parameters;
    struct tree *inputs = tensors_of_message(tree_member(request, "inputs"), raw, arena);
    struct tree *outputs = tensors_of_message(tree_member(request, "outputs"), raw, arena);
    bool said = inputs && outputs && is_ok(packing_parameters(tree_member(request, "parameters"), arena, &parameters));
    tree_add(probe, STR("message"),
             tree_object(arena, {"parameters", said ? parameters : tree_new(arena, TREE_OBJECT)},
                         {"inputs", said ? inputs : tree_new(arena, TREE_ARRAY)},
                         {"raw", said ? raw : tree_new(arena, TREE_ARRAY)},
                         {"outputs", said ? outputs : tree_new(arena, TREE_ARRAY)}));
}

/* Adds `binary`: the inputs without data, with the size of their raw contents, and these; empty if an input has no raw
 * form. */
static void add_binary(struct tree *probe, const struct tree *inputs, struct arena *arena)
{
    struct tree *sized = tree_new(arena, TREE_ARRAY), *data = tree_new(arena, TREE_ARRAY);
    const struct tree *raw = tree_member(tree_member(probe, "message"), "raw"), *contents = raw->first;
    for (const struct tree *input = inputs->first; input && contents; input = input->next) {
        struct tree *one = tree_copy(arena, input);
        tree_remove(one, tree_member(one, "data"));
        if (!tree_member(one, "parameters"))
            tree_add(one, STR("parameters"), tree_new(arena, TREE_OBJECT));
        tree_set(tree_member(one, "parameters"), STR("binary_data_size"), tree_uint(arena, contents->text.size));
        tree_append(sized, one);
        tree_append(data, tree_string(arena, contents->text));
        contents = contents->next;
    }
    tree_add(probe, STR("binary"), tree_object(arena, {"inputs", sized}, {"data", data}));
}

/* Returns the output of that name; NULL if there is none. */
static const struct tree *output_named(const struct tree *outputs, struct str name)
{
    return FIND_IN(output, tree_first(outputs), str_equal(tree_text(output, "name"), name));
}

/* Adds what follows from the outputs that came. */
static void add_answer(struct tree *probe, const struct learned *learned, struct arena *arena)
{
    const struct tree *outputs = tree_member(learned->answer, "outputs");
    struct str first = tree_text(tree_member(tree_member(probe, "outputs"), "first"), "name");
    tree_add(probe, STR("classes"), classes_of(learned->alike ? output_named(outputs, first) : NULL, arena));
    tree_add(probe, STR("json-answer"), tree_bool(arena, is_plain(outputs)));
}

void model_facts_add(struct tree *probe, const struct learned *learned, struct tree *request, struct arena *arena)
{
    const struct tree *listed = tree_member(learned->metadata, "outputs"), *inputs = tree_member(request, "inputs");
    bool declared = listed && listed->type == TREE_ARRAY && listed->count > 0 && listed->count <= REQUEST_OUTPUTS_MAX;
    const struct tree *outputs = declared ? listed : tree_member(learned->answer, "outputs");
    tree_add(probe, STR("request"), request);
    tree_add(probe, STR("outputs"), outputs_of(outputs, declared, arena));
    tree_add(tree_member(probe, "outputs"), STR("some"), some_outputs(listed, arena));
    add_versions(probe, learned, arena);
    add_names(probe, inputs, arena);
    add_message(probe, request, arena);
    add_binary(probe, inputs, arena);
    add_answer(probe, learned, arena);
    tree_add(probe, STR("configured"), configured_tensors(learned->metadata, arena));
    tree_add(probe, STR("json"), tree_bool(arena, is_plain(inputs)));
    tree_add(probe, STR("alike"), tree_bool(arena, learned->alike));
    size_t elements = request_elements(inputs), answered = answer_elements(learned->answer);
    tree_add(probe, STR("huge"), tree_bool(arena, elements > HUGE_ELEMENTS || answered > HUGE_ELEMENTS));
    tree_add(probe, STR("large"), tree_bool(arena, elements > LARGE_ELEMENTS || answered > LARGE_ELEMENTS));
}
