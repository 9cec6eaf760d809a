/* LSTM, GRU and RNN: FP32. What the inputs contribute to the gates is one product for all steps; then each step adds
 * the product of its state. Products are oneDNN's. */
#include "base/search.h"
#include "engine/call.h"
#include "engine/curve.h"
#include "engine/families.h"
#include "engine/product.h"
#include "engine/team.h"

enum { FORWARD, REVERSE, BIDIRECTIONAL }; /* the direction */
enum { INPUT, WEIGHTS, RECURRENCE, BIAS, LENGTHS, INITIAL, INITIAL_CELL, PEEPHOLES };

struct shapes {
    int64_t steps, batch, in, directions, hidden, gates;
};

/* The matrices of one direction. */
struct factors {
    struct primitives weights, recurrence;
    struct primitives fresh; /* of a GRU: the rows of the recurrence for the third gate, if they are multiplied apart */
};

struct recurrent {
    struct factors factors[2];
};

/* One step of one direction, of some rows of the batch. */
struct step {
    const struct call *call;
    const struct run *run;
    const struct kind *kind;
    struct factors *factors;
    const struct shapes *shapes;
    int64_t rows;
    int64_t direction;
    bool backwards;
    bool reset_after;       /* linear_before_reset */
    const float *gates;     /* [rows, gates x hidden]: from the inputs, with both biases, except where said */
    float *mixed;           /* [rows, gates x hidden]: from the state, without bias; then room for [rows, hidden] */
    float *recurrence;      /* [gates x hidden, hidden] */
    const float *bias;      /* that of the recurrence, [gates x hidden], or NULL */
    const float *peepholes; /* or NULL */
    float *state, *cell;    /* [rows, hidden] */
    float *next;            /* [rows, hidden]: becomes the state */
};

/* out[m,n] = a[m,k] x b[n,k] transposed */
static struct status multiply_rows(const struct step *step, struct primitives *factor, float *a, float *b, float *out,
                                   int64_t m, int64_t n, int64_t k)
{
    const struct product product = rows_by_transposed(m, n, k);
    return multiply(step->call->node, step->run, factor, &product, (void *[PRIMITIVE_MEMORIES]){a, b, NULL, out});
}

static struct status multiply_state(const struct step *step, int64_t width)
{
    return multiply_rows(step, &step->factors->recurrence, step->state, step->recurrence, step->mixed, step->rows,
                         width, step->shapes->hidden);
}

/* Adds what the gates see of the cells: of the old ones, or, for the output gate, of the new. */
static void add_peepholes(const struct step *step, int64_t gate, int64_t peephole, const float *cells)
{
    int64_t h = step->shapes->hidden;
    for (int64_t b = 0; b < step->rows && step->peepholes; b++)
        for (int64_t i = 0; i < h; i++)
            step->mixed[(b * 4 + gate) * h + i] += step->peepholes[peephole * h + i] * cells[b * h + i];
}

/* The gates are in the order input, output, forget, cell. */
FAST static void move_cells(const float *restrict x, const float *restrict y, float *restrict cell, int64_t h)
{
    for (int64_t i = 0; i < h; i++)
        cell[i] = curve_sigmoid(x[2 * h + i] + y[2 * h + i]) * cell[i] +
                  curve_sigmoid(x[i] + y[i]) * curve_tanh(x[3 * h + i] + y[3 * h + i]);
}

FAST static void show_cells(const float *restrict x, const float *restrict y, const float *restrict cell,
                            float *restrict out, int64_t h)
{
    for (int64_t i = 0; i < h; i++)
        out[i] = curve_sigmoid(x[h + i] + y[h + i]) * curve_tanh(cell[i]);
}

static struct status step_lstm(const struct step *step)
{
    int64_t h = step->shapes->hidden, width = 4 * h;
    TRY(multiply_state(step, width));
    add_peepholes(step, 0, 0, step->cell);
    add_peepholes(step, 2, 2, step->cell);
    for (int64_t b = 0; b < step->rows; b++)
        move_cells(step->gates + b * width, step->mixed + b * width, step->cell + b * h, h);
    add_peepholes(step, 1, 1, step->cell);
    for (int64_t b = 0; b < step->rows; b++)
        show_cells(step->gates + b * width, step->mixed + b * width, step->cell + b * h, step->next + b * h, h);
    return STATUS_IS_OK;
}

/* y = x * sigmoid(a + b) */
FAST static void reset(const float *restrict x, const float *restrict a, const float *restrict b, float *restrict y,
                       int64_t h)
{
    for (int64_t i = 0; i < h; i++)
        y[i] = x[i] * curve_sigmoid(a[i] + b[i]);
}

/* The gates are in the order update, reset, hidden. `hidden` is what the third sees of the state. */
FAST static void mix_states(const float *restrict x, const float *restrict y, const float *restrict hidden,
                            const float *restrict state, float *restrict out, int64_t h)
{
    for (int64_t i = 0; i < h; i++) {
        float update = curve_sigmoid(x[i] + y[i]), fresh = curve_tanh(x[2 * h + i] + hidden[i]);
        out[i] = (1 - update) * fresh + update * state[i];
    }
}

static struct status step_gru(const struct step *step)
{
    int64_t h = step->shapes->hidden, rows = step->rows, mixed = step->reset_after ? 3 * h : 2 * h;
    float *hidden = step->mixed + 3 * h * rows; /* [rows, hidden] */
    TRY(multiply_state(step, mixed));
    for (int64_t b = 0; b < rows; b++) { /* what is reset: the state, or what the third gate sees of it */
        float *third = step->mixed + b * mixed + 2 * h;
        for (int64_t i = 0; i < h && step->reset_after && step->bias; i++)
            third[i] += step->bias[2 * h + i];
        reset(step->reset_after ? third : step->state + b * h, step->gates + (b * 3 + 1) * h,
              step->mixed + b * mixed + h, (step->reset_after ? hidden : step->next) + b * h, h);
    }
    if (!step->reset_after)
        TRY(multiply_rows(step, &step->factors->fresh, step->next, step->recurrence + 2 * h * h, hidden, rows, h, h));
    for (int64_t b = 0; b < rows; b++)
        mix_states(step->gates + b * 3 * h, step->mixed + b * mixed, hidden + b * h, step->state + b * h,
                   step->next + b * h, h);
    return STATUS_IS_OK;
}

static struct status step_rnn(const struct step *step)
{
    TRY(multiply_state(step, step->shapes->hidden));
    for (int64_t i = 0; i < step->rows * step->shapes->hidden; i++)
        step->next[i] = curve_tanh(step->gates[i] + step->mixed[i]);
    return STATUS_IS_OK;
}

/* Each kind of node: how many gates it has, and what happens at one step. */
static const struct kind {
    const char *op_type;
    int64_t gates;
    struct status (*step)(const struct step *step);
    const char *activations[3];
} kinds[] = {{"LSTM", 4, step_lstm, {"Sigmoid", "Tanh", "Tanh"}},
             {"GRU", 3, step_gru, {"Sigmoid", "Tanh", NULL}},
             {"RNN", 1, step_rnn, {"Tanh", NULL, NULL}}};

static const struct kind *kind_of(const struct node *node)
{
    const struct kind *kind = kinds;
    while (strcmp(kind->op_type, node->op->name) != 0)
        kind++;
    return kind;
}

/* --- Shapes --- */

static bool fits(const struct call *call, size_t i, size_t rank, int64_t first, int64_t second, int64_t third)
{
    return operand_fits(call, i, (const int64_t[]){first, second, third}, rank);
}

static bool has_usual_activations(const struct node *node, const struct kind *kind, int64_t directions)
{
    const Onnx__AttributeProto *given = node_attribute(node, "activations");
    const size_t count = kind->activations[2] ? 3 : kind->activations[1] ? 2 : 1;
    return !given || (given->n_strings == (size_t)directions * count &&
                      ALL(i, given->n_strings,
                          str_is((struct str){(const char *)given->strings[i].data, given->strings[i].len},
                                 kind->activations[i % count])));
}

INFER(recurrent)
{
    const struct kind *kind = kind_of(call->node);
    const struct type *recurrence = &call->inputs[RECURRENCE].type;
    struct shapes *shapes = FOUND(call, struct shapes);
    if (in->rank != 3 || recurrence->rank != 3)
        return call_refuse(call, "its input, or its recurrence, has not three dimensions");
    *shapes = (struct shapes){.steps = in->shape[0],
                              .batch = in->shape[1],
                              .in = in->shape[2],
                              .directions = node_choice(call->node, "direction") == BIDIRECTIONAL ? 2 : 1,
                              .hidden = recurrence->shape[2],
                              .gates = kind->gates};
    const int64_t h = shapes->hidden, d = shapes->directions, batch = shapes->batch,
                  width = h < 0 ? -1 : h * kind->gates;
    if (!has_usual_activations(call->node, kind, d))
        return call_unsupported(call, "only the usual activations are supported");
    if (h > INT32_MAX || h == 0 || node_int(call->node, "hidden_size", h) != h ||
        !fits(call, WEIGHTS, 3, d, width, shapes->in) || !fits(call, RECURRENCE, 3, d, width, h) ||
        !fits(call, BIAS, 2, d, h < 0 ? -1 : 2 * width, 0) || !fits(call, LENGTHS, 1, batch, 0, 0) ||
        !fits(call, INITIAL, 3, d, batch, h) || !fits(call, INITIAL_CELL, 3, d, batch, h) ||
        !fits(call, PEEPHOLES, 2, d, h < 0 ? -1 : 3 * h, 0))
        return call_refuse(call, "the shapes of its inputs do not fit together");
    made[0] = (struct made){made->datatype, 4, {shapes->steps, d, batch, h}};
    for (size_t i = 1; i < call->node->output_count; i++)
        made[i] = (struct made){made->datatype, 3, {d, batch, h}};
    return STATUS_IS_OK;
}

/* Returns the matrix [gates x hidden, columns] of one direction from a gate on, if it is constant. Whether the shapes
 * fit is not known yet. */
static struct weights weights_of(const struct network *network, const struct node *node, size_t input,
                                 int64_t direction, int64_t gate)
{
    struct weights weights = input_weights(network, node, input);
    const int64_t gates = kind_of(node)->gates;
    const struct type *type = operand_type(network, node, input);
    if (!weights.data || type->rank != 3 || direction >= type->shape[0] || type->shape[1] % gates > 0)
        return (struct weights){0};
    weights.data = (float *)weights.data + (direction * gates + gate) * (type->shape[1] / gates) * type->shape[2];
    return weights;
}

LOAD(recurrent)
{
    struct factors *factors = recurrent->factors;
    bool is_apart = strcmp(node->op->name, "GRU") == 0 && !node_int(node, "linear_before_reset", 0);
    for (int64_t d = 0; d < 2; d++) {
        primitives_init(&factors[d].weights, node, network->packs, weights_of(network, node, WEIGHTS, d, 0));
        primitives_init(&factors[d].recurrence, node, network->packs, weights_of(network, node, RECURRENCE, d, 0));
        primitives_init(&factors[d].fresh, node, network->packs,
                        is_apart ? weights_of(network, node, RECURRENCE, d, 2) : (struct weights){0});
    }
    return STATUS_IS_OK;
}

/* --- Running --- */

/* Adds the biases of the input and of the recurrence to the gates, except the latter to the third gate of a GRU that
 * resets after the product. */
FAST static void add_biases(float *restrict gates, const float *restrict bias, const struct shapes *shapes,
                            bool reset_after)
{
    int64_t width = shapes->gates * shapes->hidden, own = reset_after ? 2 * shapes->hidden : width;
    for (int64_t row = 0; row < shapes->steps * shapes->batch; row++, gates += width)
        for (int64_t i = 0; i < width; i++)
            gates[i] += bias[i] + (i < own ? bias[width + i] : 0);
}

/* Takes the next states as states, and gives them out. A sequence that is shorter than the others keeps its state, and
 * its outputs are 0. */
static void end_step(const struct step *step, int64_t at, const int32_t *lengths, const float *cells, float *out)
{
    const size_t row = (size_t)step->shapes->hidden;
    for (size_t b = 0; b < (size_t)step->rows; b++) {
        const bool ended = lengths && at >= lengths[b];
        float *next = step->next + b * row, *state = step->state + b * row;
        memcpy(ended ? next : state, ended ? state : next, row * sizeof(*next));
        if (ended && step->cell)
            memcpy(step->cell + b * row, cells + b * row, row * sizeof(*cells));
        if (ended)
            memset(out + b * row, 0, row * sizeof(*out));
        else
            memcpy(out + b * row, state, row * sizeof(*out));
    }
}

/* Runs all steps for some rows of the batch: they do not depend on the others. */
static struct status run_rows(void *context, const struct run *run, int, int64_t first, int64_t end)
{
    struct step step = *(const struct step *)context;
    const struct call *call = step.call;
    const struct shapes *shapes = step.shapes;
    const struct tensor *lengths = call_tensor(call, LENGTHS);
    const size_t row = (size_t)shapes->hidden, rows = (size_t)(end - first) * row, before = (size_t)first * row;
    const float *gates = step.gates;
    float *out = call->outputs[0]->data;
    step.run = run;
    step.rows = end - first;
    step.state += before;
    step.cell = step.cell ? step.cell + before : NULL;
    step.mixed += before * ((size_t)shapes->gates + 2);
    float *cells = step.mixed + rows * (size_t)shapes->gates; /* to restore those of sequences that have ended */
    step.next = cells + rows;
    for (int64_t i = 0; i < shapes->steps; i++) {
        int64_t at = step.backwards ? shapes->steps - 1 - i : i;
        step.gates = gates + (at * shapes->batch + first) * shapes->gates * shapes->hidden;
        if (lengths && step.cell)
            memcpy(cells, step.cell, rows * sizeof(*cells));
        TRY(step.kind->step(&step));
        end_step(&step, at, lengths ? (const int32_t *)lengths->data + first : NULL, cells,
                 out + (size_t)((at * shapes->directions + step.direction) * shapes->batch + first) * row);
    }
    return STATUS_IS_OK;
}

static float *part_of(const struct call *call, size_t input, int64_t direction)
{
    const struct tensor *tensor = call_tensor(call, input);
    return tensor ? (float *)tensor->data + tensor->count / (size_t)tensor->shape[0] * (size_t)direction : NULL;
}

/* Gives the memory of a final state: that of the output, if it is wanted. */
static float *final_of(const struct call *call, size_t output, size_t rows, int64_t direction)
{
    return output < call->node->output_count ? (float *)call->outputs[output]->data + (size_t)direction * rows
                                             : arena_alloc_zero(call->arena, rows, sizeof(float));
}

/* Runs one direction. `gates` and `work` are memory for all directions, one after the other. */
static struct status run_direction(const struct call *call, const struct shapes *shapes, int64_t direction,
                                   float *gates, float *work)
{
    const size_t rows = (size_t)(shapes->batch * shapes->hidden);
    const int64_t width = shapes->gates * shapes->hidden, inputs = shapes->steps * shapes->batch;
    const struct kind *kind = kind_of(call->node);
    const bool has_cells = kind->gates == 4;
    const float *state = part_of(call, INITIAL, direction), *cell = part_of(call, INITIAL_CELL, direction),
                *bias = part_of(call, BIAS, direction);
    struct step step = {.call = call,
                        .run = call->run,
                        .kind = kind,
                        .factors = &((struct recurrent *)call->node->state)->factors[direction],
                        .shapes = shapes,
                        .direction = direction,
                        .backwards = direction == 1 || node_choice(call->node, "direction") == REVERSE,
                        .reset_after = node_int(call->node, "linear_before_reset", 0) != 0,
                        .gates = gates,
                        .mixed = work,
                        .recurrence = part_of(call, RECURRENCE, direction),
                        .bias = bias ? bias + width : NULL,
                        .peepholes = has_cells ? part_of(call, PEEPHOLES, direction) : NULL,
                        .state = final_of(call, 1, rows, direction),
                        .cell = has_cells ? final_of(call, 2, rows, direction) : NULL};
    NEED(step.state && (step.cell || !has_cells));
    for (size_t i = 0; i < rows; i++) {
        step.state[i] = state ? state[i] : 0;
        if (step.cell)
            step.cell[i] = cell ? cell[i] : 0;
    }
    if (rows == 0 || shapes->steps == 0)
        return STATUS_IS_OK;
    TRY(multiply_rows(&step, &step.factors->weights, call->inputs[INPUT].tensor->data,
                      part_of(call, WEIGHTS, direction), gates, inputs, width, shapes->in));
    if (bias)
        add_biases(gates, bias, shapes, step.reset_after);
    return team_share(call->run, team_size(call->run, inputs * width * shapes->hidden, shapes->batch), shapes->batch,
                      run_rows, &step);
}

COMPUTE(recurrent)
{
    const struct shapes *shapes = call->found;
    size_t rows = (size_t)(shapes->batch * shapes->hidden), width = rows * (size_t)shapes->gates;
    float *gates = arena_alloc(call->arena, ((size_t)shapes->steps * width + 1) * sizeof(*gates));
    float *work = arena_alloc_zero(call->arena, width + 2 * rows + 1, sizeof(*work));
    NEED(gates && work);
    for (int64_t d = 0; d < shapes->directions; d++)
        TRY(run_direction(call, shapes, d, gates, work));
    return STATUS_IS_OK;
}
