#include "models/joint.h"

#include "base/clock.h"
#include "base/search.h"
#include "models/statistics.h"
#include "tensor/raw.h"

/* Lies in its own arena. */
struct joint {
    struct arena arena;
    struct execution execution;
    struct model *model;
    struct joined *batch;
    uint64_t size;
    bool is_split; /* it succeeded, and its outputs have as many rows as they should */
};

bool joint_agrees(const struct model *model, const struct joined *one, const struct joined *other)
{
    for (size_t i = 0; i < model->input_count; i++) {
        const struct tensor *a = &one->execution->inputs[i], *b = &other->execution->inputs[i];
        for (size_t j = 1; j < a->rank; j++)
            if (a->shape[j] != b->shape[j])
                return false;
    }
    return true;
}

static void execute_alone(struct model *model, struct joined *batch, int64_t started)
{
    while (batch) {
        struct execution *execution = batch->execution;
        batch = batch->next;
        execution->started = started ? started : clock_now();
        model->backend->execute(model, execution);
    }
}

/* --- Inputs --- */

static const int64_t *shape_with(struct arena *arena, const struct tensor *tensor, uint64_t size)
{
    int64_t *shape = arena_alloc(arena, tensor->rank * sizeof(*shape));
    if (!shape)
        return NULL;
    memcpy(shape, tensor->shape, tensor->rank * sizeof(*shape));
    shape[0] = (int64_t)size;
    return shape;
}

static bool join_input(struct joint *joint, size_t position, struct tensor *input)
{
    *input = joint->batch->execution->inputs[position];
    input->shape = shape_with(&joint->arena, input, joint->size);
    input->count = input->size = 0;
    for (const struct joined *each = joint->batch; each; each = each->next) {
        input->count += each->execution->inputs[position].count;
        input->size += each->execution->inputs[position].size;
    }
    char *to = arena_alloc(&joint->arena, input->size);
    input->data = to;
    for (const struct joined *each = joint->batch; to && each; each = each->next) {
        const struct tensor *from = &each->execution->inputs[position];
        if (from->size)
            memcpy(to, from->data, from->size);
        to += from->size;
    }
    return input->shape && input->data;
}

/* --- Outputs --- */

/* Returns how many bytes the next `count` elements take. The elements of BYTES have lengths of their own. */
static size_t size_of(const struct tensor *tensor, size_t count, size_t offset)
{
    struct str element;
    size_t end = offset;
    if (tensor->datatype != DATATYPE_BYTES)
        return count * datatype_size(tensor->datatype);
    while (count > 0 && raw_next_bytes(tensor, &end, &element))
        count--;
    return end - offset;
}

/* Gives each request its rows of an output. */
static void split_output(struct joint *joint, size_t position)
{
    const struct tensor *whole = &joint->execution.outputs[position].tensor;
    const char *from = whole->data;
    size_t offset = 0, per_element = whole->count / joint->size;
    for (struct joined *each = joint->batch; each; each = each->next) {
        struct execution *execution = each->execution;
        struct tensor *part = &execution->outputs[position].tensor;
        struct str name = part->name;
        *part = *whole;
        part->name = name;
        part->count = per_element * each->size;
        part->size = size_of(whole, part->count, offset);
        part->shape = shape_with(execution->arena, whole, each->size);
        part->data = arena_alloc(execution->arena, part->size);
        if (!part->shape || !part->data)
            each->status = status_no_memory();
        else if (part->size)
            memcpy(part->data, from + offset, part->size);
        offset += part->size;
    }
}

static struct status check_output(struct joint *joint, const struct tensor *output)
{
    if (output->rank > 0 && (uint64_t)output->shape[0] == joint->size)
        return STATUS_IS_OK;
    return status_error(&joint->arena, STATUS_INTERNAL,
                        "output '%s' of model '%s' has shape %s for a batch of %llu, so requests cannot be joined",
                        str_printable(&joint->arena, output->name), str_printable(&joint->arena, joint->model->name),
                        shape_text(&joint->arena, output->shape, output->rank), (unsigned long long)joint->size);
}

/* --- The execution --- */

static bool emit(struct execution *execution)
{
    struct joint *joint = execution->context;
    struct status status = STATUS_IS_OK;
    execution->computed = clock_now();
    for (size_t i = 0; i < joint->model->output_count && is_ok(status); i++)
        status = check_output(joint, &execution->outputs[i].tensor);
    joint->is_split = is_ok(status);
    for (struct joined *each = joint->batch; each; each = each->next)
        each->status = status;
    for (size_t i = 0; i < joint->model->output_count && joint->is_split; i++)
        split_output(joint, i);
    return true;
}

static bool is_awaited(const struct execution *execution)
{
    const struct joint *joint = execution->context;
    const struct joined *each = joint->batch;
    while (each && !each->execution->is_awaited(each->execution))
        each = each->next;
    return each;
}

static void count(const struct joint *joint)
{
    const struct execution *execution = &joint->execution;
    const uint64_t ns[PARTS] = {
        [PART_INPUT] = (uint64_t)(execution->prepared - execution->started),
        [PART_INFER] = (uint64_t)(execution->computed - execution->prepared),
        [PART_OUTPUT] = (uint64_t)(clock_now() - execution->computed),
    };
    statistics_execute(joint->model->statistics, joint->size, ns);
}

/* Takes over the times, and the status if it failed; its text lies in the arena of the joint, which is freed next. */
static void hand_over(const struct joint *joint, struct status status)
{
    for (struct joined *each = joint->batch; each; each = each->next) {
        struct execution *execution = each->execution;
        execution->started = joint->execution.started;
        execution->prepared = joint->execution.prepared;
        execution->computed = joint->execution.computed;
        if (!is_ok(status))
            each->status = status;
        if (!is_ok(each->status))
            each->status.message = arena_copy(execution->arena, each->status.message);
    }
}

/* The last answer may free the model. */
static void done(struct execution *execution, struct status status)
{
    struct joint *joint = execution->context;
    struct model *model = joint->model;
    struct joined *batch = joint->batch;
    int64_t started = execution->started;
    bool is_short = status.code == STATUS_RESOURCE_EXHAUSTED;
    if (is_ok(status) && joint->is_split)
        count(joint);
    if (!is_short)
        hand_over(joint, status);
    struct arena arena = joint->arena;
    arena_free(&arena);
    if (is_short)
        execute_alone(model, batch, started);
    while (batch && !is_short) {
        struct joined *each = batch;
        batch = each->next;
        status = each->status;
        if (is_ok(status))
            each->execution->emit(each->execution);
        each->execution->done(each->execution, status);
    }
}

/* Returns NULL without memory. */
static struct joint *prepare(struct model *model, struct joined *batch, struct arena *arena)
{
    size_t in = model->input_count, out = model->output_count;
    struct joint *joint = arena_new_of(arena, struct joint);
    struct tensor *inputs = arena_alloc_zero(arena, in, sizeof(*inputs));
    struct parameters *parameters = arena_alloc_zero(arena, in + out, sizeof(*parameters));
    struct model_output *outputs = arena_alloc_zero(arena, out, sizeof(*outputs));
    if (!joint || !inputs || !parameters || !outputs)
        return NULL;
    for (size_t i = 0; i < out; i++)
        outputs[i].tensor = batch->execution->outputs[i].tensor; /* names and datatypes */
    *joint = (struct joint){.arena = *arena,
                            .model = model,
                            .batch = batch,
                            .execution = {.inputs = inputs,
                                          .input_parameters = parameters,
                                          .requested_parameters = parameters + in,
                                          .turn = batch->turn,
                                          .outputs = outputs,
                                          .emit = emit,
                                          .done = done,
                                          .is_awaited = is_awaited,
                                          .context = joint,
                                          .started = clock_now()}};
    joint->execution.arena = &joint->arena;
    for (const struct joined *each = batch; each; each = each->next)
        joint->size += each->size;
    bool is_joined = ALL(i, in, join_input(joint, i, &inputs[i]));
    *arena = joint->arena;
    joint->execution.prepared = clock_now();
    return is_joined ? joint : NULL;
}

void joint_execute(struct model *model, struct joined *batch)
{
    struct arena *first = batch->execution->arena, arena = arena_new(first->left);
    arena.lease = first->lease;
    struct joint *joint = batch->next ? prepare(model, batch, &arena) : NULL;
    if (joint) {
        model->backend->execute(model, &joint->execution);
    } else {
        arena_free(&arena);
        execute_alone(model, batch, 0);
    }
}
