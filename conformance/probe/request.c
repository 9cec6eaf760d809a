#include "probe/request.h"

#include "notation/data.h"
#include "support/memory.h"

/* --- Data --- */

/* The generator splitmix64: the same seed gives the same data everywhere. */
static uint64_t next_number(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* The hash FNV-1a. */
static uint64_t mixed(uint64_t seed, struct str text)
{
    uint64_t hash = seed ^ UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < text.size; i++)
        hash = (hash ^ (unsigned char)text.data[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static struct tree *element(enum datatype datatype, uint64_t number, struct arena *arena)
{
    static const char digits[] = "0123456789";
    static const char *const eighths[] = {"1", "0.125", "0.25", "0.375", "0.5", "0.625", "0.75", "0.875"};
    struct str digit = {digits + number % 10, 1};
    if (datatype == DATATYPE_BOOL)
        return tree_bool(arena, number % 2);
    if (datatype == DATATYPE_BYTES)
        return tree_string(arena, digit);
    return tree_number(arena, datatype_is_float(datatype) ? str_of(eighths[number % 8]) : digit);
}

/* The first element is never zero, because a comparison with zeros shows little. */
static struct tree *list_of_data(enum datatype datatype, size_t count, uint64_t state, struct arena *arena)
{
    struct tree *list = tree_new(arena, TREE_ARRAY);
    for (size_t i = 0; i < count; i++) {
        uint64_t number = next_number(&state) >> 32;
        tree_append(list, element(datatype, i == 0 ? 1 + number % 7 : number, arena));
    }
    return list;
}

static struct tree *hex_of_data(const struct tree *list, enum datatype datatype, struct arena *arena)
{
    static const char digits[] = "0123456789abcdef";
    struct buf bytes = {0};
    struct arena scratch = memory_arena();
    data_raw(list, datatype, &scratch, &bytes);
    char *text = arena_alloc(arena, 2 * bytes.size);
    for (size_t i = 0; i < bytes.size; i++) {
        text[2 * i] = digits[(unsigned char)bytes.data[i] >> 4];
        text[2 * i + 1] = digits[(unsigned char)bytes.data[i] & 15];
    }
    struct tree *codec = tree_object(arena, {"$hex", tree_string(arena, (struct str){text, 2 * bytes.size})});
    buf_free(&bytes);
    arena_free(&scratch);
    return codec;
}

struct tree *request_data(const struct tree *list, enum datatype datatype, size_t *listable, struct arena *arena)
{
    if (list->count > *listable)
        return hex_of_data(list, datatype, arena);
    *listable -= list->count;
    return tree_copy_whole(arena, list);
}

static struct tree *data_of(enum datatype datatype, size_t count, uint64_t seed, size_t *listable, struct arena *arena)
{
    struct arena scratch = memory_arena();
    struct tree *data = request_data(list_of_data(datatype, count, seed, &scratch), datatype, listable, arena);
    arena_free(&scratch);
    return data;
}

/* --- Shapes --- */

/* Returns the beginning of a text of the metadata, for a sentence. */
static const char *told(struct arena *arena, struct str text)
{
    enum { QUOTED_MAX = 200 };
    text.size = text.size < QUOTED_MAX ? text.size : QUOTED_MAX;
    return str_printable(arena, text);
}

static struct status unusable(struct arena *arena, const struct tree *input, const char *what)
{
    return status_invalid(arena, "input '%s': %s", told(arena, tree_text(input, "name")), what);
}

/* Makes the declared shape with sizes for its variable dimensions. `count` gets the number of its elements. */
static struct status shape_of(const struct tree *input, struct request_sizes sizes, struct arena *arena,
                              struct tree **shape, size_t *count)
{
    const struct tree *declared = tree_member(input, "shape");
    if (!declared || declared->type != TREE_ARRAY)
        return unusable(arena, input, "its metadata has no shape");
    if (declared->count > TENSOR_RANK_MAX)
        return unusable(arena, input, "its shape has more dimensions than the judge sends");
    *shape = tree_new(arena, TREE_ARRAY);
    *count = 1;
    FOR_EACH_IN(at, declared->first) {
        int64_t dimension;
        if (!tree_to_int64(at, &dimension) || dimension < -1)
            return unusable(arena, input, "a dimension of its metadata is neither a size nor -1");
        if (dimension == -1)
            dimension = at == declared->first && declared->count > 1 ? sizes.batch : sizes.other;
        if (dimension && *count > REQUEST_ELEMENTS_MAX / (uint64_t)dimension)
            return unusable(arena, input, "its shape holds more elements than the judge sends");
        *count *= (size_t)dimension;
        tree_append(*shape, tree_int(arena, dimension));
    }
    return STATUS_IS_OK;
}

/* --- The request --- */

static struct status make_input(const struct tree *input, struct str model, struct request_sizes sizes, uint64_t seed,
                                size_t *listable, struct arena *arena, struct tree **made, size_t *count)
{
    const struct tree *name = tree_member(input, "name"), *named = tree_member(input, "datatype");
    struct tree *shape = NULL;
    if (!name || name->type != TREE_STRING || !named || named->type != TREE_STRING)
        return unusable(arena, input, "its metadata has no name or no datatype");
    enum datatype datatype = datatype_from_name(named->text);
    if (datatype == DATATYPE_NONE)
        return status_invalid(arena, "input '%s': '%s' is not a datatype of the protocol", told(arena, name->text),
                              told(arena, named->text));
    if (name->text.size > REQUEST_NAME_MAX)
        return unusable(arena, input, "its name is longer than the judge sends");
    struct status status = shape_of(input, sizes, arena, &shape, count);
    if (!is_ok(status))
        return status;
    struct tree *data = data_of(datatype, *count, mixed(mixed(seed, model), name->text), listable, arena);
    *made = tree_object(arena, {"name", tree_string(arena, name->text)},
                        {"datatype", tree_string(arena, str_of(datatype_name(datatype)))}, {"shape", shape},
                        {"data", data});
    return STATUS_IS_OK;
}

struct status request_from_metadata(const struct tree *metadata, struct str model, struct request_sizes sizes,
                                    uint64_t seed, struct arena *arena, struct tree **inputs)
{
    const struct tree *declared = tree_member(metadata, "inputs");
    if (!declared || declared->type != TREE_ARRAY)
        return status_invalid(arena, "its metadata lists no inputs");
    if (declared->count > REQUEST_INPUTS_MAX)
        return status_invalid(arena, "its metadata lists more inputs than the %d the judge sends", REQUEST_INPUTS_MAX);
    const struct tree *outputs = tree_member(metadata, "outputs");
    if (outputs && outputs->count > REQUEST_OUTPUTS_MAX)
        return status_invalid(arena, "its metadata lists more outputs than the %d the judge reads",
                              REQUEST_OUTPUTS_MAX);
    size_t total = 0, listable = REQUEST_LISTED;
    *inputs = tree_new(arena, TREE_ARRAY);
    FOR_EACH_IN(input, declared->first) {
        struct tree *made = NULL;
        size_t count = 0;
        struct status status = make_input(input, model, sizes, seed, &listable, arena, &made, &count);
        if (!is_ok(status))
            return status;
        total += count;
        if (total > REQUEST_ELEMENTS_MAX)
            return unusable(arena, input, "the inputs hold more elements than the judge sends");
        tree_append(*inputs, made);
    }
    return STATUS_IS_OK;
}

bool request_is_makeable(const struct tree *metadata, struct str model)
{
    struct tree *inputs;
    struct arena scratch = memory_arena();
    struct status status = request_from_metadata(metadata, model, (struct request_sizes){1, 1}, 0, &scratch, &inputs);
    arena_free(&scratch);
    return is_ok(status);
}

bool request_varies(const struct tree *metadata)
{
    FOR_EACH_IN(input, tree_first(tree_member(metadata, "inputs"))) {
        FOR_EACH_IN(at, tree_first(tree_member(input, "shape"))) {
            int64_t dimension;
            if (tree_to_int64(at, &dimension) && dimension == -1)
                return true;
        }
    }
    return false;
}

size_t request_elements(const struct tree *inputs)
{
    size_t total = 0, count, rank;
    int64_t shape[TENSOR_RANK_MAX];
    FOR_EACH_IN(input, tree_first(inputs))
        if (data_shape(tree_member(input, "shape"), shape, &rank) && shape_count(shape, rank, &count))
            total += count;
    return total;
}
