#include "engine/pack.h"

#include "engine/pages.h"
#include <stdlib.h>

/* Weights are moved by so many rows at once, a multiple of oneDNN's blocks. */
#define PART_ROWS ((int64_t)192)

#define PACK_ALIGNMENT ((size_t)64)

struct packs {
    pthread_mutex_t mutex;
    struct pack *first;
    bool are_lost; /* weights could not be moved as a whole, so nothing can be computed any more */
};

struct packs *packs_new(void)
{
    struct packs *packs = calloc(1, sizeof(*packs));
    if (packs)
        pthread_mutex_init(&packs->mutex, NULL);
    return packs;
}

static void pack_free(struct pack *pack)
{
    if (pack->memory)
        dnnl_memory_destroy(pack->memory);
    if (!pack->is_in_place)
        free(pack->bytes);
    layout_free(pack->layout);
    free(pack);
}

void packs_free(struct packs *packs)
{
    if (!packs)
        return;
    while (packs->first) {
        struct pack *source = packs->first;
        packs->first = source->next;
        pack_free(source);
    }
    pthread_mutex_destroy(&packs->mutex);
    free(packs);
}

/* Copies numbers from one layout into another. */
static dnnl_status_t lay_out(const layout *from, void *data, const layout *to, void *packed)
{
    dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, NULL}, {DNNL_ARG_TO, NULL}};
    dnnl_primitive_desc_t chosen = NULL;
    dnnl_primitive_t primitive = NULL;
    dnnl_engine_t engine = onednn_engine();
    const dnnl_status_t fault = dnnl_memory_create(&arguments[0].memory, from, engine, data)
                                    ?: dnnl_memory_create(&arguments[1].memory, to, engine, packed)
                                    ?: dnnl_reorder_primitive_desc_create(&chosen, from, engine, to, engine, NULL)
                                    ?: dnnl_primitive_create(&primitive, chosen)
                                    ?: onednn_execute(primitive, 2, arguments, 1, NULL);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(chosen);
    dnnl_memory_destroy(arguments[1].memory);
    dnnl_memory_destroy(arguments[0].memory);
    return fault;
}

static dnnl_status_t lay_out_plain(const struct numbers *plain, void *data, const layout *to, void *packed)
{
    layout *from = NULL;
    const dnnl_status_t fault = layout_make(&from, plain, false) ?: lay_out(from, data, to, packed);
    layout_free(from);
    return fault;
}

static size_t bytes_of(const struct numbers *plain)
{
    size_t bytes = sizeof(float);
    for (size_t i = 0; i < plain->rank; i++)
        bytes *= (size_t)plain->shape[i];
    return bytes;
}

/* Finds the dimension along which the parts of weights lie one after the other. */
static size_t outermost(const struct numbers *plain)
{
    size_t dimension = 0;
    while ((size_t)(plain->shape[dimension] * plain->strides[dimension]) * sizeof(float) < bytes_of(plain))
        dimension++;
    return dimension;
}

/* Copies weights into a pack and gives their bytes back, part by part if possible, so that they are never in memory
 * twice. *lost is set if it fails after some bytes were given back. */
static dnnl_status_t move(const struct pack *pack, char *data, bool *lost)
{
    const size_t outer = outermost(&pack->plain);
    const int64_t rows = pack->plain.shape[outer];
    const size_t row = bytes_of(&pack->plain) / (size_t)rows;
    int64_t count = rows < PART_ROWS ? rows : PART_ROWS;
    struct numbers part = pack->plain;
    dnnl_dims_t begin = {0};
    layout *to = NULL;
    part.shape[outer] = count;
    if (layout_part(&to, pack->layout, part.shape, begin) != dnnl_success)
        count = rows;
    layout_free(to);
    for (; begin[outer] < rows; begin[outer] += count) {
        char *from = data + (size_t)begin[outer] * row;
        part.shape[outer] = rows - begin[outer] < count ? rows - begin[outer] : count;
        to = NULL;
        const dnnl_status_t fault =
            layout_part(&to, pack->layout, part.shape, begin) ?: lay_out_plain(&part, from, to, pack->bytes);
        layout_free(to);
        *lost = fault != dnnl_success && begin[outer] > 0;
        if (fault != dnnl_success)
            return fault;
        pages_give_back(from, (size_t)part.shape[outer] * row);
    }
    return dnnl_success;
}

/* Computes each part, and copies it into the pack. */
static dnnl_status_t fill_parts(const struct pack *pack)
{
    const size_t size = bytes_of(&pack->plain), packed = dnnl_memory_desc_get_size(pack->layout);
    float *part = malloc(size);
    dnnl_status_t fault = part ? dnnl_success : dnnl_out_of_memory;
    for (size_t i = 0; i < pack->parts && fault == dnnl_success; i++) {
        pack->make_part(pack->data, size / sizeof(*part), i, part);
        fault = lay_out_plain(&pack->plain, part, pack->layout, pack->bytes + i * packed);
    }
    free(part);
    return fault;
}

static dnnl_status_t pack_fill(struct pack *pack, void *data, const struct pack *source)
{
    const size_t size = pack->parts * dnnl_memory_desc_get_size(pack->layout);
    pack->bytes = aligned_alloc(PACK_ALIGNMENT, (size + PACK_ALIGNMENT - 1) / PACK_ALIGNMENT * PACK_ALIGNMENT);
    if (!pack->bytes)
        return dnnl_out_of_memory;
    if (pack->make_part)
        return fill_parts(pack);
    if (pack->is_source)
        return move(pack, data, &pack->packs->are_lost);
    return source ? lay_out(source->layout, source->bytes, pack->layout, pack->bytes)
                  : lay_out_plain(&pack->plain, data, pack->layout, pack->bytes);
}

static bool lies_as(const layout *liked, const struct numbers *plain)
{
    layout *lies = NULL;
    const bool is_same = layout_make(&lies, plain, false) == dnnl_success && dnnl_memory_desc_equal(lies, liked);
    layout_free(lies);
    return is_same;
}

static dnnl_status_t pack_new(struct packs *packs, const struct numbers *plain, struct weights weights,
                              const layout *liked, const struct pack *source, struct pack **made)
{
    struct pack *pack = calloc(1, sizeof(*pack));
    if (!pack)
        return dnnl_out_of_memory;
    *pack = (struct pack){.packs = packs,
                          .data = weights.data,
                          .plain = *plain,
                          .parts = weights.make_part ? weights.parts : 1,
                          .make_part = weights.make_part,
                          .is_in_place = !source && !weights.make_part && lies_as(liked, plain)};
    pack->is_source = weights.are_own && !pack->is_in_place;
    if (pack->is_in_place)
        pack->bytes = weights.data;
    const dnnl_status_t fault =
        layout_copy(&pack->layout, liked)
            ?: (pack->bytes ? dnnl_success : pack_fill(pack, weights.data, source))
            ?: dnnl_memory_create(&pack->memory, pack->layout, onednn_engine(), pack->bytes);
    if (fault == dnnl_success)
        *made = pack;
    else
        pack_free(pack);
    return fault;
}

dnnl_status_t pack_take(struct packs *packs, const struct numbers *plain, struct weights weights, const layout *liked,
                        struct pack **taken)
{
    dnnl_status_t fault = dnnl_success;
    struct pack *pack = NULL, *source = NULL;
    pthread_mutex_lock(&packs->mutex);
    for (struct pack *other = packs->first; other; other = other->next)
        if (other->data == weights.data && other->make_part == weights.make_part) {
            weights.are_own = false; /* the first pack has taken them, or lies where they lie */
            if (dnnl_memory_desc_equal(other->layout, liked) && numbers_equal(&other->plain, plain))
                pack = other;
            source = other->is_source ? other : source;
        }
    if (packs->are_lost)
        fault = dnnl_out_of_memory;
    else if (!pack)
        fault = pack_new(packs, plain, weights, liked, source, &pack);
    if (fault == dnnl_success && pack->users++ == 0) {
        pack->users += pack->is_source; /* so it stays */
        pack->next = packs->first;
        packs->first = pack;
    }
    pthread_mutex_unlock(&packs->mutex);
    if (fault == dnnl_success)
        *taken = pack;
    return fault;
}

void pack_give_back(struct pack *pack)
{
    struct packs *packs = pack->packs;
    pthread_mutex_lock(&packs->mutex);
    bool is_last = --pack->users == 0;
    struct pack **at = &packs->first;
    while (is_last && *at != pack)
        at = &(*at)->next;
    if (is_last)
        *at = pack->next;
    pthread_mutex_unlock(&packs->mutex);
    if (is_last)
        pack_free(pack);
}
