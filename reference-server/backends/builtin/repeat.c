/* A decoupled model that gives its input back, one element an answer, as Triton's example "repeat_int32" does: OUT is
 * an element of IN, and IDX says which. Before each answer it waits as many milliseconds as the element of DELAY at the
 * same place says. The next request begins WAIT milliseconds after this one. */
#include "backends/builtin/steps.h"

#include "base/clock.h"
#include "models/config.h"
#include <stdatomic.h>

#define MILLISECOND ((int64_t)1000000)

struct repeat {
    _Atomic int64_t free_at; /* when the next request may begin, by clock_now */
};

struct repeating {
    struct stepping stepping; /* must be the first member */
    uint32_t at;              /* the next element */
    int32_t out;              /* OUT and IDX of the answer that is being emitted */
    uint32_t idx;
};

static bool is_vector(const struct tensor_spec *spec, const char *name, enum datatype datatype, int64_t size)
{
    return str_is(spec->name, name) && spec->datatype == datatype && spec->rank == 1 && spec->shape[0] == size;
}

static struct status check(const struct model *model)
{
    if (model->config->is_decoupled && model->input_count == 3 && model->output_count == 2 &&
        is_vector(&model->inputs[0], "IN", DATATYPE_INT32, -1) &&
        is_vector(&model->inputs[1], "DELAY", DATATYPE_UINT32, -1) &&
        is_vector(&model->inputs[2], "WAIT", DATATYPE_UINT32, 1) &&
        is_vector(&model->outputs[0], "OUT", DATATYPE_INT32, 1) &&
        is_vector(&model->outputs[1], "IDX", DATATYPE_UINT32, 1))
        return STATUS_IS_OK;
    return status_plain(STATUS_INVALID_ARGUMENT,
                        "a model that repeats is decoupled; its inputs are IN INT32 [-1], DELAY UINT32 [-1] and "
                        "WAIT UINT32 [1], its outputs OUT INT32 [1] and IDX UINT32 [1]");
}

static struct status load(struct model *model)
{
    struct repeat *repeat = arena_new_of(&model->arena, struct repeat);
    NEED(repeat);
    TRY(steps_load(model));
    model->implementation = repeat;
    return STATUS_IS_OK;
}

static uint32_t element(const struct tensor *tensor, size_t at)
{
    uint32_t value;
    memcpy(&value, (const char *)tensor->data + at * sizeof(value), sizeof(value));
    return value;
}

/* Answers with the element for which it has waited, and says until when to wait for the next one. */
static int64_t step(struct stepping *stepping)
{
    struct repeating *repeating = (struct repeating *)stepping;
    struct execution *execution = stepping->execution;
    const struct tensor *in = &execution->inputs[0], *delay = &execution->inputs[1];
    if (repeating->at < in->count) {
        repeating->idx = repeating->at;
        repeating->out = (int32_t)element(in, repeating->at++);
        builtin_give_one(&execution->outputs[0].tensor, &repeating->out, sizeof(repeating->out));
        builtin_give_one(&execution->outputs[1].tensor, &repeating->idx, sizeof(repeating->idx));
        steps_emit(stepping);
    }
    if (repeating->at == in->count)
        return STEPS_OVER;
    return clock_now() + element(delay, repeating->at) * MILLISECOND;
}

/* Returns when a request may begin that came now, and has the next one begin `wait` nanoseconds later. */
static int64_t begin_after_the_others(struct repeat *repeat, int64_t wait)
{
    int64_t free_at = atomic_load(&repeat->free_at), now = clock_now(), begin;
    do
        begin = free_at > now ? free_at : now;
    while (!atomic_compare_exchange_weak(&repeat->free_at, &free_at, begin + wait));
    return begin;
}

static void execute(struct model *model, struct execution *execution)
{
    const struct tensor *in = &execution->inputs[0], *delay = &execution->inputs[1];
    struct repeating *repeating = arena_new_of(execution->arena, struct repeating);
    if (in->count != delay->count || !repeating) {
        execution->done(execution, !repeating
                                       ? status_no_memory()
                                       : status_invalid(execution->arena,
                                                        "IN has %zu elements, and DELAY %zu; they must be as many",
                                                        in->count, delay->count));
        return;
    }
    repeating->stepping = (struct stepping){.execution = execution, .model = model, .step = step};
    int64_t begin = begin_after_the_others(model->implementation, element(&execution->inputs[2], 0) * MILLISECOND);
    if (!steps_begin(&repeating->stepping, begin + (in->count > 0 ? element(delay, 0) * MILLISECOND : 0)))
        execution->done(execution, status_no_memory());
}

const struct builtin builtin_repeat = {
    .kind = "repeat",
    .check = check,
    .backend = {.name = BUILTIN_NAME,
                .load = load,
                .execute = execute,
                .resume = steps_resume,
                .give_up = steps_give_up,
                .unload = steps_unload},
};
