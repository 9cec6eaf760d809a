/* A decoupled model that stands for a generator of text, and whose answers anyone can foretell: its tokens are the
 * words of text_input, over and over, each but the first with a space before it. Parameters of a request:
 *
 *   stream      true: each token is an answer; otherwise one answer has the whole text
 *   max_tokens  so many tokens; 16 if it is missing; a text of more than 16 MiB in one answer is refused
 *   delay_ms    milliseconds before each token; 0 if it is missing
 *   fail_after  the model fails with INTERNAL when it has given so many tokens
 *
 * temperature, top_p, do_sample and other parameters change nothing, since there is nothing to choose. */
#include "backends/builtin/steps.h"

#include "base/clock.h"
#include "models/config.h"
#include "tensor/raw.h"

#define MILLISECOND        ((int64_t)1000000)
#define MAX_TOKENS_DEFAULT 16
#define ANSWER_MAX         (16 << 20) /* bytes of a text that is one answer */

struct generating {
    struct stepping stepping; /* must be the first member */
    struct str text;
    size_t at; /* where in the text the next word is sought */
    int64_t given, max_tokens, delay, fail_after;
    bool is_streamed;
    char *answer; /* room for the size of a text, and the text */
    size_t size;  /* of the text */
};

static bool is_one_string(const struct tensor_spec *spec, const char *name)
{
    return str_is(spec->name, name) && spec->datatype == DATATYPE_BYTES && spec->rank == 1 && spec->shape[0] == 1;
}

static struct status check(const struct model *model)
{
    if (model->config->is_decoupled && model->input_count == 1 && model->output_count == 1 &&
        is_one_string(&model->inputs[0], "text_input") && is_one_string(&model->outputs[0], "text_output"))
        return STATUS_IS_OK;
    return (struct status){STATUS_INVALID_ARGUMENT,
                           STR("a model of tokens is decoupled; its input is text_input, its output text_output, both "
                               "BYTES [1]"),
                           NULL};
}

/* --- Tokens --- */

/* Returns the next word of the text, from its start again behind its end; an empty one if the text has no words. */
static struct str next_word(struct generating *generating)
{
    struct str text = generating->text;
    for (int round = 0; round < 2; round++) {
        while (generating->at < text.size && text.data[generating->at] == ' ')
            generating->at++;
        size_t start = generating->at;
        while (generating->at < text.size && text.data[generating->at] != ' ')
            generating->at++;
        if (generating->at > start)
            return (struct str){text.data + start, generating->at - start};
        generating->at = 0;
    }
    return (struct str){0};
}

/* Adds the next token to the answer. */
static bool add_token(struct generating *generating)
{
    struct str word = next_word(generating);
    char *end = generating->answer + sizeof(uint32_t) + generating->size;
    if (word.size == 0)
        return false;
    if (generating->given > 0)
        *end++ = ' ';
    memcpy(end, word.data, word.size);
    generating->size += word.size + (generating->given > 0);
    generating->given++;
    return true;
}

static void emit(struct generating *generating)
{
    static const int64_t one[] = {1};
    struct tensor *tensor = &generating->stepping.execution->outputs[0].tensor;
    uint32_t size = (uint32_t)generating->size;
    memcpy(generating->answer, &size, sizeof(size));
    tensor->shape = one;
    tensor->rank = 1;
    tensor->count = 1;
    tensor->size = sizeof(size) + size;
    tensor->data = generating->answer;
    steps_emit(&generating->stepping);
    generating->size = 0;
}

/* Gives a token. The text has been emitted, if it is one answer, when this returns STEPS_OVER. */
static int64_t step(struct stepping *stepping)
{
    struct generating *generating = (struct generating *)stepping;
    struct arena *arena = stepping->execution->arena;
    if (generating->given == generating->fail_after) {
        stepping->status = status_error(arena, STATUS_INTERNAL, "the model failed after %lld tokens, as it was told to",
                                        (long long)generating->given);
        return STEPS_OVER;
    }
    bool is_given = generating->given < generating->max_tokens && add_token(generating);
    bool is_over = !is_given || (generating->given == generating->max_tokens && generating->fail_after < 0);
    if (generating->is_streamed ? is_given : is_over)
        emit(generating);
    return is_over ? STEPS_OVER : clock_now() + generating->delay;
}

/* --- A request --- */

/* Reads a parameter that is a whole number, at least 0. */
static struct status read_count(const struct execution *execution, const char *name, int64_t *count)
{
    const struct parameter *found = parameters_find(&execution->parameters, name);
    if (!found)
        return STATUS_IS_OK;
    bool is_count = (found->kind == PARAMETER_INT64 && found->int64 >= 0) ||
                    (found->kind == PARAMETER_UINT64 && found->uint64 <= INT64_MAX);
    *count = is_count ? found->int64 : 0;
    return is_count ? STATUS_IS_OK
                    : status_error(execution->arena, STATUS_INVALID_ARGUMENT,
                                   "the parameter \"%s\" must be a whole number, at least 0", name);
}

static struct status read_request(const struct execution *execution, struct generating *generating)
{
    const struct parameter *stream = parameters_find(&execution->parameters, "stream");
    struct status status = read_count(execution, "max_tokens", &generating->max_tokens);
    size_t offset = 0;
    if (is_ok(status))
        status = read_count(execution, "delay_ms", &generating->delay);
    if (is_ok(status))
        status = read_count(execution, "fail_after", &generating->fail_after);
    if (is_ok(status) && generating->delay > INT64_MAX / MILLISECOND / 2)
        generating->delay = INT64_MAX / MILLISECOND / 2;
    generating->delay *= MILLISECOND;
    generating->is_streamed = stream && stream->kind == PARAMETER_BOOL && stream->boolean;
    raw_next_bytes(&execution->inputs[0], &offset, &generating->text);
    return status;
}

/* Returns the bytes of the text of so many tokens. There must be fewer tokens than ANSWER_MAX. */
static size_t size_of_tokens(struct generating *generating, int64_t tokens)
{
    size_t words = 0, bytes = 0, at = 0, size = 0;
    for (struct str word; (word = next_word(generating)).size > 0 && generating->at > at; at = generating->at) {
        words++;
        bytes += word.size;
    }
    generating->at = 0;
    if (words == 0 || tokens == 0)
        return 0;
    for (size_t rest = (size_t)tokens % words; rest > 0; rest--)
        size += next_word(generating).size;
    generating->at = 0;
    return size + (size_t)tokens / words * bytes + (size_t)tokens - 1;
}

/* Finds the room that an answer needs: for a token, which is no longer than the text, or for all of them. */
static struct status find_room(struct generating *generating, size_t *room)
{
    bool fails = generating->fail_after >= 0 && generating->fail_after < generating->max_tokens;
    int64_t tokens = fails ? generating->fail_after : generating->max_tokens;
    *room = sizeof(uint32_t) + generating->text.size + 1;
    if (generating->is_streamed)
        return STATUS_IS_OK;
    size_t size = tokens < ANSWER_MAX ? size_of_tokens(generating, tokens) : ANSWER_MAX + 1;
    *room = sizeof(uint32_t) + size;
    return size <= ANSWER_MAX
               ? STATUS_IS_OK
               : status_error(generating->stepping.execution->arena, STATUS_INVALID_ARGUMENT,
                              "the text of %lld tokens would be longer than %d MiB; \"max_tokens\" must be smaller",
                              (long long)tokens, ANSWER_MAX >> 20);
}

static void execute(struct model *model, void *own, struct execution *execution)
{
    (void)own;
    struct generating *generating = arena_new_of(execution->arena, struct generating);
    struct status status = generating ? STATUS_IS_OK : status_no_memory();
    if (generating) {
        generating->stepping = (struct stepping){.execution = execution, .model = model, .step = step};
        generating->max_tokens = MAX_TOKENS_DEFAULT;
        generating->fail_after = -1;
        status = read_request(execution, generating);
    }
    size_t room = 0;
    if (is_ok(status))
        status = find_room(generating, &room);
    if (is_ok(status)) {
        generating->answer = arena_alloc(execution->arena, room);
        status = generating->answer ? STATUS_IS_OK : status_no_memory();
    }
    if (is_ok(status))
        steps_begin(&generating->stepping, clock_now() + generating->delay);
    else
        execution->done(execution, status);
}

const struct builtin builtin_tokens = {
    .kind = "tokens",
    .check = check,
    .load = steps_load,
    .execute = execute,
    .resume = steps_resume,
    .give_up = steps_give_up,
    .unload = steps_unload,
};
