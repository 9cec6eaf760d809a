/* The window of convolutions and pools: how it is laid over the spatial dimensions of an input [N, C, d1, d2, ...]. */
#ifndef ENGINE_WINDOW_H
#define ENGINE_WINDOW_H

#include "engine/operator.h"

#define WINDOW_RANK_MAX 3
#define WINDOW_ROOM     12 /* of the lists that go to oneDNN, which wants as many */

enum auto_pad { PAD_GIVEN, PAD_NONE, PAD_SAME_UPPER, PAD_SAME_LOWER };

struct window {
    size_t rank; /* spatial dimensions, 1 to 3 */
    int64_t kernel[WINDOW_ROOM];
    int64_t strides[WINDOW_ROOM];
    int64_t dilations[WINDOW_RANK_MAX]; /* 1: dense */
    int64_t pads[2 * WINDOW_RANK_MAX];  /* begins, then ends */
    enum auto_pad auto_pad;
    bool round_up; /* ceil_mode */
};

/* Where the window goes over one input. */
struct placement {
    int64_t shape[WINDOW_RANK_MAX];               /* of the output, spatial; -1 where the input's is */
    int64_t begin[WINDOW_ROOM], end[WINDOW_ROOM]; /* padding */
};

/* Reads the node's attributes: kernel_shape, strides, dilations, pads, auto_pad, ceil_mode. `kernel`: what kernel_shape
 * must be, or stands for if it is not given; NULL: it must be given. INVALID_ARGUMENT names the attribute that makes no
 * sense. */
struct status window_read(const struct node *node, const int64_t *kernel, size_t rank, struct arena *arena,
                          struct window *window);

/* `input`: the spatial dimensions, -1 where not known. INVALID_ARGUMENT if the window does not fit into it. */
struct status window_place(const struct window *window, const int64_t *input, const struct node *node,
                           struct arena *arena, struct placement *placement);

#endif
