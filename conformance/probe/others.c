#include "probe/others.h"

#include "base/search.h"

#define BATCH 3 /* requests in a batch */

const struct other others[OTHERS_COUNT] = {
    {"texts", false, {{"BYTES", {"é", "日本"}}}},
    /* Beyond 2^53, where a double rounds, and beyond 2^63, where a signed integer ends. */
    {"integers",
     false,
     {{"INT64", {"9007199254740993", "9007199254740995"}}, {"UINT64", {"9007199254740993", "18446744073709551613"}}}},
    /* The least of each type, and the greatest below 0. */
    {"negatives",
     false,
     {{"INT8", {"-128", "-1"}},
      {"INT16", {"-32768", "-1"}},
      {"INT32", {"-2147483648", "-1"}},
      {"INT64", {"-9223372036854775808", "-1"}}}},
    /* Sums and products of these overflow, also where a decimal is read as the number beside the nearest. */
    {"floats", true, {{"FP32", {"3e38", "3e38"}}, {"FP64", {"1.5e308", "1.5e308"}}}},
};

struct tree *others_make(const struct other *other, const struct tree *inputs, struct arena *arena)
{
    struct tree *copy = tree_copy(arena, inputs);
    size_t count = 0;
    for (struct tree *input = copy->first; input; input = input->next) {
        struct tree *data = tree_member(input, "data");
        const struct elements *own = other->elements;
        while (own->datatype && !str_is(tree_text(input, "datatype"), own->datatype))
            own++;
        for (struct tree *at = own->datatype && data->type == TREE_ARRAY ? data->first : NULL; at; at = at->next)
            at->text = str_of(own->texts[count++ % COUNT_OF(own->texts)]);
    }
    return count ? copy : NULL;
}

struct tree *others_batch(const struct tree *metadata, struct str model, struct request_sizes sizes, uint64_t seed,
                          const struct tree *promised, struct arena *arena)
{
    struct tree *inputs;
    sizes.batch = BATCH;
    if (!promised->count || !is_ok(request_from_metadata(metadata, model, sizes, seed, arena, &inputs)))
        return NULL;
    return tree_equal(inputs, promised) || request_elements(inputs) > REQUEST_LISTED ? NULL : inputs;
}
