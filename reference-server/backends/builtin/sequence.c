/* A stateful model: requests with the same sequence_id belong together (003, "Inference Response"; the parameters of a
 * request are a convention, SPEC_NOTES.md, "Sequences"). The first request of a sequence has sequence_start: true, and
 * the last has sequence_end: true. OUTPUT is INPUT, to which the settings add:
 *
 *   adds_total   the sum of the earlier inputs of the sequence; it wraps
 *   adds_start   1 in the first request
 *   adds_id      the sequence_id in the last request, if it is a number or a text of digits
 *
 * A sequence that rests longer than max_sequence_idle_microseconds of config.pbtxt is forgotten, and so is the one that
 * rests longest where there are too many. An answer carries the three parameters. */
#include "backends/builtin/builtin.h"

#include "base/clock.h"
#include "models/config.h"
#include <pthread.h>
#include <stdlib.h>

#define ID_SIZE_MAX   128
#define SEQUENCES_MAX 4096                /* of one model at a time */
#define YIELDS_AFTER  ((uint64_t)1000000) /* microseconds of rest, after which a sequence makes room for a new one */

/* What a request says about its sequence. */
struct place {
    struct parameter parameters[3]; /* sequence_id, sequence_start, sequence_end, as the answer has them */
    bool starts, ends;
};

struct sequence {
    struct sequence *next;
    struct parameter id; /* a text lies in id_text */
    char id_text[ID_SIZE_MAX];
    uint32_t total;
    uint64_t touched; /* microseconds of the monotonic clock */
};

struct sequences {
    pthread_mutex_t mutex;
    struct sequence *first; /* the one that was used last comes first */
    size_t count;
    uint64_t idle_us;
    bool adds_total, adds_start, adds_id;
};

/* --- Settings --- */

static bool is_one_number(const struct tensor_spec *spec)
{
    return spec->datatype == DATATYPE_INT32 && spec->rank > 0 && spec->shape[spec->rank - 1] == 1;
}

static struct status check(const struct model *model)
{
    if (model->input_count == 1 && model->output_count == 1 && is_one_number(&model->inputs[0]) &&
        is_one_number(&model->outputs[0]))
        return STATUS_IS_OK;
    return status_plain(STATUS_INVALID_ARGUMENT,
                        "a sequence model has one input and one output, both INT32 with one number a request");
}

static bool is_on(const struct model *model, const char *name)
{
    const struct parameter *setting = parameters_find(&model->settings, name);
    return setting && str_is(setting->string, "true");
}

static struct status load(struct model *model)
{
    struct sequences *sequences = arena_new_of(&model->arena, struct sequences);
    NEED(sequences);
    *sequences = (struct sequences){
        .idle_us = model->config->sequence_idle_us,
        .adds_total = is_on(model, "adds_total"),
        .adds_start = is_on(model, "adds_start"),
        .adds_id = is_on(model, "adds_id"),
    };
    pthread_mutex_init(&sequences->mutex, NULL);
    model->implementation = sequences;
    return STATUS_IS_OK;
}

/* --- The parameters of a request --- */

static bool is_id(const struct parameter *id)
{
    switch (id->kind) {
    case PARAMETER_INT64:
        return id->int64 > 0;
    case PARAMETER_UINT64:
        return id->uint64 > 0;
    case PARAMETER_STRING:
        return id->string.size > 0 && id->string.size <= ID_SIZE_MAX;
    default:
        return false;
    }
}

static bool read_flag(const struct parameters *parameters, const char *name, struct parameter *flag)
{
    const struct parameter *found = parameters_find(parameters, name);
    bool is_boolean = found && found->kind == PARAMETER_BOOL;
    *flag = (struct parameter){
        .name = str_of(name), .kind = PARAMETER_BOOL, .boolean = is_boolean ? found->boolean : false};
    return !found || is_boolean;
}

/* sequence-rest.id-required sequence-rest.id-valid sequence-rest.flags-boolean, and the same of sequence-grpc */
static struct status read_place(const struct execution *execution, struct place *place)
{
    const struct parameters *parameters = &execution->parameters;
    const struct parameter *id = parameters_find(parameters, "sequence_id");
    if (!id)
        return status_invalid(execution->arena,
                              "a request to a model of sequences needs the parameter \"sequence_id\"");
    if (!is_id(id))
        return status_invalid(execution->arena, "\"sequence_id\" must be a number above 0, or a text of 1 to %d bytes",
                              ID_SIZE_MAX);
    place->parameters[0] = *id;
    if (!read_flag(parameters, "sequence_start", &place->parameters[1]) ||
        !read_flag(parameters, "sequence_end", &place->parameters[2]))
        return status_invalid(execution->arena, "\"sequence_start\" and \"sequence_end\" must be true or false");
    place->starts = place->parameters[1].boolean;
    place->ends = place->parameters[2].boolean;
    return STATUS_IS_OK;
}

static bool is_same_id(const struct parameter *a, const struct parameter *b)
{
    return a->kind == b->kind && (a->kind == PARAMETER_STRING ? str_equal(a->string, b->string) : a->int64 == b->int64);
}

/* --- The sequences of a model; its mutex is held --- */

static uint64_t now_us(void)
{
    return (uint64_t)clock_now() / 1000;
}

static void forget(struct sequences *sequences, struct sequence **at)
{
    struct sequence *gone = *at;
    *at = gone->next;
    free(gone);
    sequences->count--;
}

/* The list is sorted by use, so all after the first that rests too long do so too. */
static void forget_idle(struct sequences *sequences, uint64_t now)
{
    struct sequence **at = &sequences->first;
    while (*at && now - (*at)->touched <= sequences->idle_us)
        at = &(*at)->next;
    while (*at)
        forget(sequences, at);
}

/* Takes a sequence out of the list; NULL if it is not there. */
static struct sequence *take(struct sequences *sequences, const struct parameter *id)
{
    struct sequence **at = &sequences->first;
    while (*at && !is_same_id(&(*at)->id, id))
        at = &(*at)->next;
    struct sequence *found = *at;
    if (found)
        *at = found->next;
    return found;
}

/* Forgets the sequence that rests longest, so that clients that begin many and end none keep nobody else out. */
static void make_room(struct sequences *sequences, uint64_t now)
{
    struct sequence **last = &sequences->first;
    while (*last && (*last)->next)
        last = &(*last)->next;
    if (*last && now - (*last)->touched >= YIELDS_AFTER)
        forget(sequences, last);
}

static struct sequence *begin(struct sequences *sequences, const struct parameter *id, uint64_t now)
{
    if (sequences->count == SEQUENCES_MAX)
        make_room(sequences, now);
    struct sequence *made = sequences->count < SEQUENCES_MAX ? calloc(1, sizeof(*made)) : NULL;
    if (!made)
        return NULL;
    made->id = *id;
    if (id->kind == PARAMETER_STRING) {
        memcpy(made->id_text, id->string.data, id->string.size);
        made->id.string.data = made->id_text;
    }
    sequences->count++;
    return made;
}

/* Finds or begins the sequence of a request, and puts it first. *found stays as it is if there is none.
 * sequence-rest.start-required sequence-grpc.start-required */
static struct status find(struct sequences *sequences, const struct place *place, struct arena *arena,
                          struct sequence **found)
{
    const struct parameter *id = &place->parameters[0];
    uint64_t now = now_us();
    forget_idle(sequences, now);
    struct sequence *sequence = take(sequences, id);
    if (!sequence && !place->starts)
        return status_invalid(arena,
                              "this sequence is not running: its first request needs \"sequence_start\": true, and it "
                              "ends with its last request or after %llu microseconds without one",
                              (unsigned long long)sequences->idle_us);
    if (!sequence)
        sequence = begin(sequences, id, now);
    if (!sequence)
        return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "%d sequences of this model run already", SEQUENCES_MAX);
    if (place->starts)
        sequence->total = 0;
    sequence->touched = now;
    sequence->next = sequences->first;
    sequences->first = sequence;
    *found = sequence;
    return STATUS_IS_OK;
}

/* --- A request --- */

static uint32_t number_of_id(const struct parameter *id)
{
    unsigned long long number = 0;
    if (id->kind == PARAMETER_STRING)
        return str_to_uint64(id->string, &number) ? (uint32_t)number : 0;
    return (uint32_t)id->uint64;
}

static uint32_t step(struct sequences *sequences, struct sequence *sequence, const struct place *place, uint32_t input)
{
    uint32_t output = input;
    sequence->total += input;
    if (sequences->adds_total)
        output = sequence->total;
    if (sequences->adds_start && place->starts)
        output++;
    if (sequences->adds_id && place->ends)
        output += number_of_id(&place->parameters[0]);
    if (place->ends)
        forget(sequences, &sequences->first);
    return output;
}

static struct status answer(struct sequences *sequences, struct execution *execution)
{
    struct place *place = arena_new_of(execution->arena, struct place);
    uint32_t *output = arena_new_of(execution->arena, uint32_t), input;
    struct sequence *sequence = NULL;
    NEED(place && output);
    TRY(read_place(execution, place));
    if (execution->inputs[0].count != 1)
        return status_invalid(execution->arena, "a sequence takes one number per request");
    memcpy(&input, execution->inputs[0].data, sizeof(input));
    pthread_mutex_lock(&sequences->mutex);
    struct status status = find(sequences, place, execution->arena, &sequence);
    if (sequence)
        *output = step(sequences, sequence, place, input);
    pthread_mutex_unlock(&sequences->mutex);
    TRY(status);
    builtin_forward(execution, 0);
    execution->outputs[0].tensor.data = output;
    execution->answer_parameters = (struct parameters){place->parameters, 3};
    execution->emit(execution);
    return STATUS_IS_OK;
}

static void execute(struct model *model, struct execution *execution)
{
    execution->done(execution, answer(model->implementation, execution));
}

static void unload(struct model *model)
{
    struct sequences *sequences = model->implementation;
    while (sequences->first)
        forget(sequences, &sequences->first);
    pthread_mutex_destroy(&sequences->mutex);
}

const struct builtin builtin_sequence = {
    .kind = "sequence",
    .check = check,
    .backend = {.name = BUILTIN_NAME, .load = load, .execute = execute, .unload = unload},
};
