/* A plan is a network compiled for one set of input shapes. It is made in passes over a copy of the network:
 *
 *     specialise (plan.c)    the nodes are loaded again with these shapes, and what is constant then is computed
 *     fuse (fuse.c)          nodes join the convolution or product before them
 *     arrange (layout.c)     each value gets its form: row-major order, or the one that convolutions are fast in
 *     place (place.c)        values get places in one block of memory, which later values use again
 *
 * Plans are kept, the most recently used first, and shared by threads. A run takes a block from the plan and walks over
 * its nodes. A value whose shape depends on data has no place; each run allocates it from its arena. */
#pragma once

#include "engine/operator.h"

/* A block of memory for one run, with the values as they are before it: constants, and the places of the others. */
struct workspace {
    struct workspace *next;
    struct tensor *before, *values;
    struct scratch scratch[SCRATCHES];
    size_t size; /* without the scratch memory */
    char *block;
};

struct plan {
    struct network network; /* the copy; its arena holds the plan */
    size_t *places;         /* of each value: where it begins in the block, or NO_PLACE */
    size_t size;            /* of the block */

    size_t users;
    struct plan *next;
    struct workspace *idle; /* guarded by the mutex of the network */
};

#define NO_PLACE ((size_t)-1)

/* Runs the plan for the shapes of the execution's inputs, which is made if it is new. */
struct status plan_run(struct network *network, struct execution *execution, bool in_team);

/* Frees all plans. */
void plans_free(struct network *network);

/* Computes the outputs of a node that was just loaded if they are the same at each run and not too large, and makes
 * them constants. Returns whether they are constants. */
bool node_fold(struct network *network, struct node *node);

/* The passes; each changes the nodes or the values of the copy. They return false without memory. */
void network_fuse_weights(struct network *network); /* what needs no shapes: done once, when the network is loaded */
bool network_fuse(struct network *network);
bool network_arrange(struct network *network);
bool plan_place(struct plan *plan);

/* What passes ask of the graph about a value. */
struct use {
    size_t count;       /* how many inputs of nodes and outputs of the model it is */
    size_t last;        /* the last node that uses it or, of a root, what shares its memory */
    size_t previous;    /* the one before that; 0 if there is none */
    struct node *maker; /* NULL for inputs and constants */
    size_t root;        /* the value whose memory it shares, mostly its own */
    bool stays;         /* of a root: it, or what shares its memory, is an output of the model */
};

/* Returns one for each value, or NULL without memory. */
struct use *uses_find(struct network *network);

/* Returns whether both are known and equal, without an open dimension. */
bool types_equal(const struct type *a, const struct type *b);

/* Removes the nodes whose op is NULL. */
void nodes_compact(struct network *network);
