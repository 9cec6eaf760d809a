/* The window of convolutions and pools, and its place over the spatial dimensions of an input [N, C, d1, d2, ...]. */
#pragma once

#include "engine/operator.h"

#define WINDOW_RANK_MAX 3
#define WINDOW_ROOM     12 /* the length of lists that go to oneDNN, which wants this many numbers */

/* In the order of the values in the table of operators. */
enum auto_pad { PAD_GIVEN, PAD_NONE, PAD_SAME_UPPER, PAD_SAME_LOWER };

struct window {
    size_t rank; /* spatial dimensions, 1 to 3 */
    int64_t kernel[WINDOW_ROOM];
    int64_t strides[WINDOW_ROOM];
    int64_t dilations[WINDOW_RANK_MAX]; /* 1 means dense */
    int64_t dilates[WINDOW_ROOM];       /* the same for oneDNN, where 0 does */
    int64_t pads[2 * WINDOW_RANK_MAX];  /* the begins of all dimensions, then the ends */
    enum auto_pad auto_pad;
    bool round_up; /* the attribute ceil_mode */
};

/* The place of the window over one input. */
struct placement {
    int64_t shape[WINDOW_RANK_MAX]; /* the spatial dimensions of the output; -1 where that of the input is -1 */
    int64_t begin[WINDOW_ROOM], end[WINDOW_ROOM]; /* padding */
};

/* The shapes of one convolution or pool. */
struct geometry {
    size_t rank;
    int64_t in[TENSOR_RANK_MAX], out[2 + WINDOW_RANK_MAX];
    enum form in_form;
    struct window window;
    struct placement placement;
};

/* Reads the attributes of the node: kernel_shape, strides, dilations, pads, auto_pad, ceil_mode. If `kernel` is not
 * NULL, kernel_shape must be equal to it or be missing; if it is NULL, kernel_shape must be given. Fails with
 * INVALID_ARGUMENT, which names the wrong attribute. */
struct status window_read(const struct node *node, const int64_t *kernel, size_t rank, struct arena *arena,
                          struct window *window);

/* Places the window over an input with these spatial dimensions; -1 means not known. Fails with INVALID_ARGUMENT if the
 * window does not fit into the input. */
struct status window_place(const struct window *window, const int64_t *input, const struct node *node,
                           struct arena *arena, struct placement *placement);

/* Change a shape between [N, C, ...], of which operators speak, and that of a tensor in a form. Return its rank. */
size_t form_logical(enum form form, const int64_t *physical, size_t rank, int64_t *logical);
size_t form_physical(enum form form, const int64_t *logical, size_t rank, int64_t *physical);
