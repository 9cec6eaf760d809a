/* A decoupled model that stands for a generator of text, and whose answers anyone can foretell: its tokens are the
 * words of text_input, over and over, each but the first with a space before it. Parameters of a request:
 *
 *   stream      true: each token is an answer; otherwise one answer has the whole text
 *   max_tokens  so many tokens; 20 if it is missing; a text of more than 16 MiB in one answer is refused
 *   stop        a text, or the JSON list of several: the first of them that ends the text ends the answer
 *   details     true: the answer has the parameter "details", JSON of the official schema of text generation: why the
 *               text ended, and its tokens. Of at most 4096 tokens
 *   delay_ms    milliseconds before each token; 0 if it is missing
 *   fail_after  the model fails with INTERNAL when it has given so many tokens
 *
 * temperature, top_p, do_sample and other parameters change nothing, since there is nothing to choose. */
#include "backends/builtin/steps.h"

#include "base/clock.h"
#include "models/config.h"
#include "tensor/raw.h"
#include "tree/tree.h"
#include "json/writer.h"

#define MILLISECOND        ((int64_t)1000000)
#define MAX_TOKENS_DEFAULT 20
#define DETAILED_MAX       4096       /* tokens of an answer with details */
#define STOPS_MAX          64         /* texts that end an answer */
#define ANSWER_MAX         (16 << 20) /* bytes of a text that is one answer */

struct generating {
    struct stepping stepping; /* must be the first member */
    struct str text;
    size_t at; /* where in the text the next word is sought */
    int64_t given, max_tokens, delay, fail_after;
    bool is_streamed, has_details;
    struct str stops[STOPS_MAX];
    size_t stop_count;
    bool is_stopped;            /* one of them ended the text */
    struct parameter parameter; /* "details" */
    char *answer;               /* room for the size of a text, and the text */
    size_t size;                /* of the text */
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
    return status_plain(STATUS_INVALID_ARGUMENT,
                        "a model of tokens is decoupled; its input is text_input, its output text_output, both "
                        "BYTES [1]");
}

/* --- Tokens --- */

/* Returns the next word of the text, from its start again after its end; an empty one if the text has no words. */
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

/* Whether the text of the answer ends with one of the texts that end it. */
static bool ends_with_stop(const struct generating *generating)
{
    struct str text = {generating->answer + sizeof(uint32_t), generating->size};
    for (size_t i = 0; i < generating->stop_count; i++) {
        struct str stop = generating->stops[i];
        if (stop.size && stop.size <= text.size && str_equal(str_from(text, text.size - stop.size), stop))
            return true;
    }
    return false;
}

/* Appends a token. There is nothing to choose, so its probability is 1. */
static void append_token(int64_t id, struct str token, struct buf *out)
{
    json_write_next(out);
    buf_printf(out, "{\"id\":%lld,\"text\":", (long long)id);
    json_write_string(out, token);
    buf_append_literal(out, ",\"logprob\":0,\"special\":false}");
}

/* Appends the tokens of the answer: the space before a word belongs to it. */
static void append_tokens(struct str text, struct buf *out)
{
    buf_append_literal(out, "\"logprobs\":[");
    for (int64_t id = 0; text.size > 0; id++) {
        const char *space = memchr(text.data + 1, ' ', text.size - 1);
        struct str token = {text.data, space ? (size_t)(space - text.data) : text.size};
        append_token(id, token, out);
        text = str_from(text, token.size);
    }
    buf_append_byte(out, ']');
}

/* Makes the parameter "details" of the answer. A token that is not the last of a stream ends it for no reason. */
static bool give_details(struct generating *generating, bool is_over)
{
    struct execution *execution = generating->stepping.execution;
    struct str text = {generating->answer + sizeof(uint32_t), generating->size};
    struct buf all = {0};
    const char *reason = "eos_token";
    if (generating->is_stopped)
        reason = "stop_sequence";
    else if (generating->given == generating->max_tokens)
        reason = "length";
    buf_append_byte(&all, '{');
    if (is_over)
        buf_printf(&all, "\"finish_reason\":\"%s\",", reason);
    if (generating->is_streamed) {
        buf_append_literal(&all, "\"token\":");
        append_token(generating->given - 1, text, &all);
    } else {
        append_tokens(text, &all);
    }
    buf_append_byte(&all, '}');
    struct str details = arena_take(execution->arena, &all);
    generating->parameter = (struct parameter){.name = STR("details"), .kind = PARAMETER_STRING, .string = details};
    execution->answer_parameters = (struct parameters){&generating->parameter, 1};
    return details.data != NULL;
}

static void emit(struct generating *generating)
{
    uint32_t size = (uint32_t)generating->size;
    memcpy(generating->answer, &size, sizeof(size));
    builtin_give_one(&generating->stepping.execution->outputs[0].tensor, generating->answer, sizeof(size) + size);
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
    bool is_given = !generating->is_stopped && generating->given < generating->max_tokens && add_token(generating);
    generating->is_stopped = generating->is_stopped || (is_given && ends_with_stop(generating));
    bool is_full = generating->given == generating->max_tokens || generating->is_stopped;
    bool is_over = !is_given || (is_full && generating->fail_after < 0);
    bool emits = generating->is_streamed ? is_given : is_over;
    if (emits && generating->has_details && !give_details(generating, is_full || is_over)) {
        stepping->status = status_no_memory();
        return STEPS_OVER;
    }
    if (emits)
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
                    : status_invalid(execution->arena, "the parameter \"%s\" must be a whole number, at least 0", name);
}

static struct status read_stops(const struct execution *execution, struct generating *generating)
{
    const struct parameter *stop = parameters_find(&execution->parameters, "stop");
    struct tree *list = NULL;
    if (!stop || (stop->kind == PARAMETER_STRING && stop->string.size == 0))
        return STATUS_IS_OK;
    if (stop->kind == PARAMETER_STRING && stop->string.data[0] != '[') {
        generating->stops[generating->stop_count++] = stop->string;
        return STATUS_IS_OK;
    }
    bool is_list = stop->kind == PARAMETER_STRING && is_ok(tree_parse(stop->string, execution->arena, &list)) &&
                   list->count <= STOPS_MAX;
    for (const struct tree *one = is_list ? list->first : NULL; one; one = one->next) {
        is_list = is_list && one->type == TREE_STRING;
        generating->stops[generating->stop_count++] = one->text;
    }
    return is_list ? STATUS_IS_OK
                   : status_invalid(execution->arena,
                                    "the parameter \"stop\" must be a text, or a list of at most %d texts", STOPS_MAX);
}

static struct status read_request(const struct execution *execution, struct generating *generating)
{
    size_t offset = 0;
    TRY(read_count(execution, "max_tokens", &generating->max_tokens));
    TRY(read_count(execution, "delay_ms", &generating->delay));
    TRY(read_count(execution, "fail_after", &generating->fail_after));
    if (generating->delay > INT64_MAX / MILLISECOND / 2)
        generating->delay = INT64_MAX / MILLISECOND / 2;
    generating->delay *= MILLISECOND;
    generating->is_streamed = parameters_say(&execution->parameters, "stream");
    generating->has_details = parameters_say(&execution->parameters, "details");
    raw_next_bytes(&execution->inputs[0], &offset, &generating->text);
    TRY(read_stops(execution, generating));
    if (generating->has_details && generating->max_tokens > DETAILED_MAX)
        return status_invalid(execution->arena,
                              "\"details\" are given of at most %d tokens; \"max_tokens\" must be smaller",
                              DETAILED_MAX);
    return STATUS_IS_OK;
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
               : status_invalid(generating->stepping.execution->arena,
                                "the text of %lld tokens would be longer than %d MiB; \"max_tokens\" must be smaller",
                                (long long)tokens, ANSWER_MAX >> 20);
}

static void execute(struct model *model, struct execution *execution)
{
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
    if (is_ok(status) && !steps_begin(&generating->stepping, clock_now() + generating->delay))
        status = status_no_memory();
    if (!is_ok(status))
        execution->done(execution, status);
}

const struct builtin builtin_tokens = {
    .kind = "tokens",
    .check = check,
    .backend = {.name = BUILTIN_NAME,
                .load = steps_load,
                .execute = execute,
                .resume = steps_resume,
                .give_up = steps_give_up,
                .unload = steps_unload},
};
