/* Constant weights in the layouts that primitives want. The primitives of a network that want the same share a pack. */
#pragma once

#include "engine/onednn.h"
#include "engine/operator.h"

struct pack {
    struct packs *packs;
    struct pack *next;
    const void *data;     /* which weights they are; the bytes may have been given back */
    struct numbers plain; /* how they lay: one initializer can be two matrices, of which one is transposed */
    layout *layout;       /* of each part */
    size_t parts;         /* they lie one after the other */
    weights_part *make_part;
    char *bytes;
    dnnl_memory_t memory; /* of the first part */
    bool is_in_place;     /* the bytes are those of `data` */
    bool is_source;       /* the bytes of `data` were given back, and other packs are made from this one */
    size_t users;
};

struct packs *packs_new(void);
void packs_free(struct packs *packs); /* after all packs are given back; NULL is allowed */

/* Packs weights, whose layout is `plain`, in the layout `liked`. If the weights belong to their node alone, the first
 * pack in another layout replaces them: their bytes are given back, and the pack stays as long as the network. If the
 * weights have parts, the layouts are those of one part, and the bytes must stay. */
dnnl_status_t pack_take(struct packs *packs, const struct numbers *plain, struct weights weights, const layout *liked,
                        struct pack **taken);
void pack_give_back(struct pack *pack);
