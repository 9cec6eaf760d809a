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
    layout_free(pack->plain);
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

static dnnl_status_t reorder(const layout *from_layout, dnnl_memory_t from, const layout *to_layout, dnnl_memory_t to)
{
    dnnl_primitive_desc_t chosen;
    dnnl_primitive_t primitive;
    dnnl_status_t fault =
        dnnl_reorder_primitive_desc_create(&chosen, from_layout, onednn_engine(), to_layout, onednn_engine(), NULL);
    if (fault != dnnl_success)
        return fault;
    fault = dnnl_primitive_create(&primitive, chosen);
    dnnl_primitive_desc_destroy(chosen);
    if (fault != dnnl_success)
        return fault;
    const dnnl_exec_arg_t arguments[] = {{DNNL_ARG_FROM, from}, {DNNL_ARG_TO, to}};
    fault = onednn_execute(primitive, 2, arguments, 1, NULL);
    dnnl_primitive_destroy(primitive);
    return fault;
}

/* Copies numbers from one layout into another. */
static dnnl_status_t lay_out(const layout *from_layout, void *data, const layout *to_layout, void *packed)
{
    dnnl_memory_t from, to;
    dnnl_status_t fault = dnnl_memory_create(&from, from_layout, onednn_engine(), data);
    if (fault != dnnl_success)
        return fault;
    fault = dnnl_memory_create(&to, to_layout, onednn_engine(), packed);
    if (fault == dnnl_success) {
        fault = reorder(from_layout, from, to_layout, to);
        dnnl_memory_destroy(to);
    }
    dnnl_memory_destroy(from);
    return fault;
}

static dnnl_status_t lay_out_rows(const layout *plain, void *data, const struct pack *pack, int dimension,
                                  int64_t begin, int64_t count)
{
    layout *from = NULL, *to = NULL;
    dnnl_status_t fault = layout_part(&from, plain, dimension, begin, count);
    if (fault == dnnl_success)
        fault = layout_part(&to, pack->layout, dimension, begin, count);
    if (fault == dnnl_success)
        fault = lay_out(from, data, to, pack->bytes);
    layout_free(from);
    layout_free(to);
    return fault;
}

static bool has_parts(const layout *plain, const layout *liked, int *dimension, int64_t *rows)
{
    layout *part = NULL;
    bool has = layout_outermost(plain, dimension, rows) && *rows > PART_ROWS &&
               layout_part(&part, liked, *dimension, 0, PART_ROWS) == dnnl_success;
    layout_free(part);
    return has;
}

/* Copies weights into a pack and gives their bytes back: part by part, if that can be, so that there is no memory for
 * them twice. *lost says that it failed when some of them were given back already. */
static dnnl_status_t move(const layout *plain, char *data, const struct pack *pack, bool *lost)
{
    const size_t size = dnnl_memory_desc_get_size(plain);
    int64_t rows;
    int dimension;
    if (!has_parts(plain, pack->layout, &dimension, &rows)) {
        dnnl_status_t fault = lay_out(plain, data, pack->layout, pack->bytes);
        if (fault == dnnl_success)
            pages_give_back(data, size);
        return fault;
    }
    for (int64_t begin = 0; begin < rows; begin += PART_ROWS) {
        int64_t count = rows - begin < PART_ROWS ? rows - begin : PART_ROWS;
        dnnl_status_t fault = lay_out_rows(plain, data, pack, dimension, begin, count);
        if (fault != dnnl_success) {
            *lost = begin > 0;
            return fault;
        }
        pages_give_back(data + size / (size_t)rows * (size_t)begin, size / (size_t)rows * (size_t)count);
    }
    return dnnl_success;
}

/* Computes each part, and copies it into the pack. */
static dnnl_status_t fill_parts(const struct pack *pack, const layout *plain)
{
    const size_t size = dnnl_memory_desc_get_size(plain), packed = dnnl_memory_desc_get_size(pack->layout);
    float *part = malloc(size);
    dnnl_status_t fault = part ? dnnl_success : dnnl_out_of_memory;
    for (size_t i = 0; i < pack->parts && fault == dnnl_success; i++) {
        pack->make_part(pack->data, size / sizeof(*part), i, part);
        fault = lay_out(plain, part, pack->layout, pack->bytes + i * packed);
    }
    free(part);
    return fault;
}

static dnnl_status_t pack_fill(struct pack *pack, const layout *plain, void *data, const struct pack *source)
{
    const size_t size = pack->parts * dnnl_memory_desc_get_size(pack->layout);
    pack->bytes = aligned_alloc(PACK_ALIGNMENT, (size + PACK_ALIGNMENT - 1) / PACK_ALIGNMENT * PACK_ALIGNMENT);
    if (!pack->bytes)
        return dnnl_out_of_memory;
    if (pack->make_part)
        return fill_parts(pack, plain);
    if (pack->is_source)
        return move(plain, data, pack, &pack->packs->are_lost);
    return source ? lay_out(source->layout, source->bytes, pack->layout, pack->bytes)
                  : lay_out(plain, data, pack->layout, pack->bytes);
}

static dnnl_status_t pack_new(struct packs *packs, const layout *plain, struct weights weights, const layout *liked,
                              const struct pack *source, struct pack **made)
{
    struct pack *pack = calloc(1, sizeof(*pack));
    if (!pack)
        return dnnl_out_of_memory;
    *pack = (struct pack){.packs = packs,
                          .data = weights.data,
                          .parts = weights.make_part ? weights.parts : 1,
                          .make_part = weights.make_part,
                          .is_in_place = !source && !weights.make_part && dnnl_memory_desc_equal(plain, liked)};
    pack->is_source = weights.are_own && !pack->is_in_place;
    dnnl_status_t fault = layout_copy(&pack->layout, liked);
    if (fault == dnnl_success)
        fault = layout_copy(&pack->plain, plain);
    if (pack->is_in_place)
        pack->bytes = weights.data;
    else if (fault == dnnl_success)
        fault = pack_fill(pack, plain, weights.data, source);
    if (fault == dnnl_success)
        fault = dnnl_memory_create(&pack->memory, pack->layout, onednn_engine(), pack->bytes);
    if (fault == dnnl_success)
        *made = pack;
    else
        pack_free(pack);
    return fault;
}

dnnl_status_t pack_take(struct packs *packs, const layout *plain, struct weights weights, const layout *liked,
                        struct pack **taken)
{
    dnnl_status_t fault = dnnl_success;
    struct pack *pack = NULL, *source = NULL;
    pthread_mutex_lock(&packs->mutex);
    for (struct pack *other = packs->first; other; other = other->next)
        if (other->data == weights.data && other->make_part == weights.make_part) {
            weights.are_own = false; /* the first pack has taken them, or lies where they lie */
            if (dnnl_memory_desc_equal(other->layout, liked) && dnnl_memory_desc_equal(other->plain, plain))
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
