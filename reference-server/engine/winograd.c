/* Each tile of the result depends on a patch of 6 x 6 of the image, and the tiles have three steps:
 *
 *     patches     a patch is transformed into 36 numbers a channel
 *     products    for each of the 36: the matrix [tiles, channels in] times a matrix of the weights, which were
 *                 transformed as well when they were packed
 *     tiles       36 products become 4 x 4 results
 *
 * The transforms are products with small matrices of constants on both sides, which Lavin and Gray write B, G and A.
 * The numbers lie as [36][tile][channel] between the steps. */
#include "engine/winograd.h"

#include "engine/lanes.h"
#include "engine/team.h"

#include <math.h>

enum { TILE = 4, WINDOW = 3, PATCH = TILE + WINDOW - 1, POINTS = PATCH * PATCH };

#define TILES_AT_ONCE   ((int64_t)64)
#define TILES_OF_THREAD ((int64_t)8) /* with fewer, a thread of a team would read the weights for little */

/* --- Weights --- */

/* G: the window at the points 0, 1, -1, 2, -2 and infinity. */
static const float weight_rows[PATCH][WINDOW] = {{1.0F / 4, 0, 0},
                                                 {-1.0F / 6, -1.0F / 6, -1.0F / 6},
                                                 {-1.0F / 6, 1.0F / 6, -1.0F / 6},
                                                 {1.0F / 24, 1.0F / 12, 1.0F / 6},
                                                 {1.0F / 24, -1.0F / 12, 1.0F / 6},
                                                 {0, 0, 1}};

/* Computes one of the 36 numbers of each window. */
FAST static void transform_weights(const float *weights, size_t count, size_t point, float *made)
{
    const float *down = weight_rows[point / PATCH], *across = weight_rows[point % PATCH];
    float factors[WINDOW * WINDOW];
    for (size_t i = 0; i < WINDOW * WINDOW; i++)
        factors[i] = down[i / WINDOW] * across[i % WINDOW];
    for (size_t i = 0; i < count; i++) {
        float sum = 0;
        for (size_t j = 0; j < WINDOW * WINDOW; j++)
            sum += factors[j] * weights[i * WINDOW * WINDOW + j];
        made[i] = sum;
    }
}

/* --- Where tiles lie --- */

/* Steps in an image, in numbers. */
struct image {
    int64_t height, width;
    size_t image, lanes, row, pixel;
};

struct tiling {
    struct image in, out;
    int64_t channels_in, channels_out;
    int64_t down, across;         /* tiles of an image */
    int64_t pad_above, pad_aside; /* of the images that come in */
};

static struct image image_of(enum form form, const int64_t *shape)
{
    const size_t channels = (size_t)shape[1], height = (size_t)shape[2], width = (size_t)shape[3];
    const size_t pixel = form == FORM_BLOCKED ? LANES : channels;
    return (struct image){.height = shape[2],
                          .width = shape[3],
                          .image = channels * height * width,
                          .lanes = form == FORM_BLOCKED ? LANES * height * width : LANES,
                          .row = width * pixel,
                          .pixel = pixel};
}

static struct tiling tiling_of(const struct node *node, const struct geometry *geometry)
{
    return (struct tiling){.in = image_of(node->form, geometry->in),
                           .out = image_of(node->form, geometry->out),
                           .channels_in = geometry->in[1],
                           .channels_out = geometry->out[1],
                           .down = (geometry->out[2] + TILE - 1) / TILE,
                           .across = (geometry->out[3] + TILE - 1) / TILE,
                           .pad_above = geometry->placement.begin[0],
                           .pad_aside = geometry->placement.begin[1]};
}

/* The corner of a tile in the result. */
struct corner {
    size_t image;
    int64_t y, x;
};

static struct corner corner_of(const struct tiling *tiling, int64_t tile)
{
    return (struct corner){.image = (size_t)(tile / (tiling->down * tiling->across)),
                           .y = tile / tiling->across % tiling->down * TILE,
                           .x = tile % tiling->across * TILE};
}

/* The numbers from one point of the tiles to the next one. */
static size_t part_of(int64_t tiles, int64_t channels)
{
    return (size_t)(tiles * channels) + PART_GAP / sizeof(float);
}

/* --- Patches --- */

/* Reads a patch; beyond the image are zeros. */
ALWAYS_INLINE void read_patch(const struct image *image, const float *from, int64_t top, int64_t left, lanes *patch)
{
    for (int64_t y = top; y < top + PATCH; y++)
        for (int64_t x = left; x < left + PATCH; x++) {
            const bool is_inside = y >= 0 && y < image->height && x >= 0 && x < image->width;
            *patch++ = is_inside ? *lanes_of(from + (size_t)y * image->row + (size_t)x * image->pixel) : (lanes){0};
        }
}

/* Six become six: transposed B. */
ALWAYS_INLINE void transform_six(const lanes *in, size_t step, lanes *out)
{
    const lanes near = in[4 * step] - 4 * in[2 * step], near_odd = in[3 * step] - 4 * in[step];
    const lanes far = in[4 * step] - in[2 * step], far_odd = 2 * (in[3 * step] - in[step]);
    out[0] = 4 * in[0] - 5 * in[2 * step] + in[4 * step];
    out[1] = near + near_odd;
    out[2] = near - near_odd;
    out[3] = far + far_odd;
    out[4] = far - far_odd;
    out[5] = 4 * in[step] - 5 * in[3 * step] + in[5 * step];
}

FAST static void transform_patches(const struct tiling *tiling, const float *in, int64_t first, int64_t count,
                                   float *points)
{
    const size_t channels = (size_t)tiling->channels_in, step = part_of(count, tiling->channels_in);
    lanes patch[POINTS], half[POINTS];
    for (int64_t tile = 0; tile < count; tile++) {
        const struct corner corner = corner_of(tiling, first + tile);
        const float *from = in + corner.image * tiling->in.image;
        float *to = points + (size_t)tile * channels;
        for (size_t c = 0; c < channels; c += LANES, from += tiling->in.lanes, to += LANES) {
            read_patch(&tiling->in, from, corner.y - tiling->pad_above, corner.x - tiling->pad_aside, patch);
            for (size_t i = 0; i < PATCH; i++)
                transform_six(patch + i, PATCH, half + i * PATCH);
            for (size_t i = 0; i < PATCH; i++) {
                lanes made[PATCH];
                transform_six(half + i, PATCH, made);
                for (size_t j = 0; j < PATCH; j++)
                    *lanes_at(to + (i * PATCH + j) * step) = made[j];
            }
        }
    }
}

/* --- Tiles --- */

/* What becomes of the results. */
struct finish {
    const float *bias;      /* NULL: none */
    bool adds;              /* to what the memory of the result holds */
    float slope, low, high; /* a number below 0 is multiplied by the slope; then each is clipped */
};

/* Six become four: transposed A. */
ALWAYS_INLINE void transform_four(const lanes *in, size_t step, lanes *out)
{
    const lanes near = in[step] + in[2 * step], near_odd = in[step] - in[2 * step];
    const lanes far = in[3 * step] + in[4 * step], far_odd = in[3 * step] - in[4 * step];
    out[0] = in[0] + near + far;
    out[1] = near_odd + 2 * far_odd;
    out[2] = near + 4 * far;
    out[3] = near_odd + 8 * far_odd + in[5 * step];
}

/* Returns where the numbers of a pixel lie in the result, or NULL for one outside. Tiles are stored column by column.
 */
ALWAYS_INLINE lanes *pixel_of(const struct image *image, const struct corner *corner, size_t i, float *out)
{
    const int64_t y = corner->y + (int64_t)i % TILE, x = corner->x + (int64_t)i / TILE;
    return y < image->height && x < image->width ? lanes_at(out + (size_t)y * image->row + (size_t)x * image->pixel)
                                                 : NULL;
}

ALWAYS_INLINE void finish_tile(const struct finish *finish, lanes *tile)
{
    const lanes zero = {0}, low = zero + finish->low, high = zero + finish->high;
    for (size_t i = 0; i < TILE * TILE; i++) {
        const lanes bent = tile[i] * finish->slope;
        const lanes_mask is_negative = tile[i] < zero;
        lanes_replace(&tile[i], &bent, &is_negative);
        lanes_raise(&tile[i], &low);
        lanes_lower(&tile[i], &high);
    }
}

/* Writes what of a tile lies in the image. */
ALWAYS_INLINE void write_tile(const struct image *image, const struct finish *finish, const lanes *bias, lanes *tile,
                              const struct corner *corner, float *out)
{
    for (size_t i = 0; i < TILE * TILE; i++) {
        const lanes *before = finish->adds ? pixel_of(image, corner, i, out) : NULL;
        tile[i] += *bias;
        if (before)
            tile[i] += *before;
    }
    finish_tile(finish, tile);
    for (size_t i = 0; i < TILE * TILE; i++) {
        lanes *to = pixel_of(image, corner, i, out);
        if (to)
            *to = tile[i];
    }
}

FAST static void transform_tiles(const struct tiling *tiling, const struct finish *finish, const float *points,
                                 int64_t first, int64_t count, float *out)
{
    const size_t channels = (size_t)tiling->channels_out, step = part_of(count, tiling->channels_out);
    lanes half[TILE * PATCH], tile[TILE * TILE];
    for (int64_t at = 0; at < count; at++) {
        const struct corner corner = corner_of(tiling, first + at);
        const float *from = points + (size_t)at * channels;
        float *to = out + corner.image * tiling->out.image;
        for (size_t c = 0; c < channels; c += LANES, from += LANES, to += tiling->out.lanes) {
            const lanes bias = finish->bias ? *lanes_of(finish->bias + c) : (lanes){0};
            for (size_t i = 0; i < PATCH; i++) {
                lanes made[PATCH];
                for (size_t j = 0; j < PATCH; j++)
                    made[j] = *lanes_of(from + (i * PATCH + j) * step);
                transform_four(made, 1, half + i * TILE);
            }
            for (size_t i = 0; i < TILE; i++)
                transform_four(half + i, TILE, tile + i * TILE);
            write_tile(&tiling->out, finish, &bias, tile, &corner, to);
        }
    }
}

static struct finish finish_of(const struct node *node, const float *bias)
{
    const struct after *after = &node->after;
    struct finish finish = {
        .bias = bias, .adds = node->addend != NO_VALUE, .slope = 1, .low = -INFINITY, .high = INFINITY};
    if (after->kind == ACTIVATION_RELU && after->alpha == 0)
        finish.low = 0; /* 0 times minus infinity would be no number */
    else if (after->kind == ACTIVATION_RELU)
        finish.slope = after->alpha;
    if (after->kind == ACTIVATION_CLIP) {
        finish.low = after->alpha;
        finish.high = after->beta;
    }
    return finish;
}

/* --- The whole --- */

static bool is_one(const int64_t *numbers)
{
    return numbers[0] == 1 && numbers[1] == 1;
}

/* The transforms take time in proportion to the sum of the channels, and the products save some in proportion to what
 * they multiply to. */
static bool saves_time(int64_t channels_in, int64_t channels_out)
{
    const double in = (double)channels_in, out = (double)channels_out;
    return in * out > 24 * (in + out);
}

bool winograd_may(const struct node *node, const struct type *weights, struct arena *arena)
{
    struct window window;
    const int64_t *shape = weights->shape;
    return weights->rank == 4 && shape[0] % LANES == 0 && shape[1] % LANES == 0 && saves_time(shape[1], shape[0]) &&
           shape[2] == WINDOW && shape[3] == WINDOW && node_int(node, "group", 1) == 1 &&
           is_ok(window_read(node, shape + 2, 2, arena, &window)) && is_one(window.strides) && is_one(window.dilations);
}

/* With fewer tiles, more time goes into reading the weights, of which there are four times as many, than the products
 * save. With AVX-512, products take half the time, and reading does not. */
static int64_t fewest_tiles(void)
{
    return onednn_prefers_blocks() ? 4 : 8;
}

bool winograd_suits(const struct node *node, const struct geometry *geometry)
{
    const struct tiling tiling = tiling_of(node, geometry);
    return node->form != FORM_ROW_MAJOR && geometry->in_form == node->form && node->after.kind != ACTIVATION_GELU &&
           geometry->in[0] * tiling.down * tiling.across >= fewest_tiles();
}

void winograd_init(struct primitives *tiles, struct node *node, struct packs *packs, void *weights)
{
    primitives_init(tiles, node, packs,
                    (struct weights){.data = weights, .parts = POINTS, .make_part = transform_weights});
}

/* What the threads of a team have in common. Each computes a share of the tiles. */
struct job {
    const struct node *node;
    struct primitives *primitives;
    struct tiling tiling;
    struct finish finish;
    const float *in;
    float *out;
    int64_t tiles, most; /* all, and those that are computed at once */
    float *points;       /* memory for each thread: `patches` numbers, and those that are multiplied from them */
    size_t patches, room;
};

static struct status run_turn(const struct job *job, const struct run *run, int64_t first, int64_t count, float *points)
{
    const int64_t k = job->tiling.channels_in, n = job->tiling.channels_out;
    const struct product product = rows_by_transposed(count, n, k);
    void *data[PRIMITIVE_MEMORIES] = {[MEMORY_SOURCE] = points, [MEMORY_RESULT] = points + job->patches};
    struct node bare = *job->node;
    bare.after.kind = ACTIVATION_NONE;
    transform_patches(&job->tiling, job->in, first, count, points);
    TRY(multiply(&bare, run, job->primitives, &product, data));
    transform_tiles(&job->tiling, &job->finish, points + job->patches, first, count, job->out);
    return STATUS_IS_OK;
}

static struct status run_tiles(void *context, const struct run *run, int thread, int64_t first, int64_t end)
{
    const struct job *job = context;
    for (; first < end; first += job->most) {
        const int64_t count = end - first < job->most ? end - first : job->most;
        TRY(run_turn(job, run, first, count, job->points + (size_t)thread * job->room));
    }
    return STATUS_IS_OK;
}

/* Chooses how many tiles each thread computes at once: as many in each turn as can be. */
static void share_out(struct job *job, int threads)
{
    const int64_t tiles = (job->tiles + threads - 1) / threads;
    const int64_t turns = (tiles + TILES_AT_ONCE - 1) / TILES_AT_ONCE;
    job->most = (tiles + turns - 1) / turns;
    job->patches = POINTS * part_of(job->most, job->tiling.channels_in);
    job->room = job->patches + POINTS * part_of(job->most, job->tiling.channels_out);
}

struct status winograd_run(const struct node *node, const struct run *run, struct primitives *tiles,
                           const struct geometry *geometry, const float *in, const float *bias, float *out)
{
    struct job job = {.node = node,
                      .primitives = tiles,
                      .tiling = tiling_of(node, geometry),
                      .finish = finish_of(node, bias),
                      .in = in,
                      .out = out};
    job.tiles = geometry->in[0] * job.tiling.down * job.tiling.across;
    const int threads = team_size(run, job.tiles * POINTS * job.tiling.channels_in * job.tiling.channels_out,
                                  job.tiles / TILES_OF_THREAD);
    share_out(&job, threads);
    job.points = run_scratch(run, SCRATCH_NODE, (size_t)threads * job.room * sizeof(*job.points));
    NEED(job.points);
    return team_share(run, threads, job.tiles, run_tiles, &job);
}
