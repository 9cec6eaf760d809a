/* Convolutions by windows of 3 x 3 whose results are computed in tiles of 4 x 4, in 36 multiplications a channel and
 * tile where the definition needs 144: Winograd's F(4 x 4, 3 x 3), from Lavin and Gray, "Fast Algorithms for
 * Convolutional Neural Networks" (2015). */
#pragma once

#include "engine/product.h"
#include "engine/window.h"

/* Says whether convolutions by these constant weights may be computed so, if their images suit. */
bool winograd_may(const struct node *node, const struct type *weights, struct arena *arena);

/* Says whether images of these shapes suit. */
bool winograd_suits(const struct node *node, const struct geometry *geometry);

/* Starts the primitives of a node that multiply the tiles. The weights stay where they are. */
void winograd_init(struct primitives *tiles, struct node *node, struct packs *packs, void *weights);

/* Computes the convolution, and what a plan lets follow it. `bias` may be NULL. */
struct status winograd_run(const struct node *node, const struct run *run, struct primitives *tiles,
                           const struct geometry *geometry, const float *in, const float *bias, float *out);
