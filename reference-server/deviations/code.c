/* Deviations that only code can make: faults that a server shows over several requests, and answers whose values depend
 * on those of the request. */
#include "base/search.h"
#include "deviations/deviation.h"
#include "tensor/json_tensor.h"
#include "tensor/raw.h"
#include "tree/pointer.h"
#include "json/number.h"

#include <pthread.h>
#include <stdatomic.h>

#define TEXT_MAX 64

/* Gives an answer the text of the answer before it, like a server with a cache that is shared by mistake. The first
 * answer is right. */
static bool give_the_text_before(struct tree *text, struct arena *arena)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static char before[TEXT_MAX];
    static size_t before_size;
    if (!text || text->type != TREE_STRING || text->text.size == 0 || text->text.size > TEXT_MAX)
        return false;
    struct str now = text->text;
    pthread_mutex_lock(&lock);
    struct str other = arena_copy(arena, (struct str){before, before_size});
    memcpy(before, now.data, now.size);
    before_size = now.size;
    pthread_mutex_unlock(&lock);
    if (other.size == 0 || str_equal(other, now))
        return false;
    text->text = other;
    return true;
}

static bool rest_id_of_the_request_before(struct tree *answer, struct arena *arena)
{
    return give_the_text_before(pointer_find(answer, STR("/json/id")), arena);
}

static bool grpc_id_of_the_request_before(struct tree *answer, struct arena *arena)
{
    return give_the_text_before(pointer_find(answer, STR("/message/id")), arena);
}

/* The first answer comes twice, and the last never. */
static bool grpc_stream_repeats_the_answer_before(struct tree *answer, struct arena *arena)
{
    return give_the_text_before(pointer_find(answer, STR("/message/raw_output_contents/0")), arena);
}

/* Loses every second answer. */
static bool grpc_stream_loses_answers(struct tree *answer, struct arena *)
{
    static atomic_int loses;
    struct tree *message = tree_member(answer, "message");
    if (!message || atomic_fetch_xor(&loses, 1))
        return false;
    tree_remove(answer, message);
    return true;
}

/* Fails a valid request if the one before it was refused, like a server whose parser keeps a wrong state. */
static bool fail_behind_a_refusal(struct tree *outcome, const char *success, const char *failure, atomic_bool *refused)
{
    bool succeeds = outcome && str_is(outcome->text, success);
    if (!atomic_exchange(refused, !succeeds) || !succeeds)
        return false;
    outcome->text = str_of(failure);
    return true;
}

static bool rest_refusals_disturb_others(struct tree *answer, struct arena *)
{
    static atomic_bool refused;
    return fail_behind_a_refusal(tree_member(answer, "status"), "200", "400", &refused);
}

static bool grpc_refusals_disturb_others(struct tree *answer, struct arena *)
{
    static atomic_bool refused;
    return fail_behind_a_refusal(tree_member(answer, "code"), "OK", "INVALID_ARGUMENT", &refused);
}

/* --- Elements of another JSON type than their datatype's are taken --- */

/* Returns what a server makes of the element that converts whatever it can, and takes 0 for the rest. */
static struct tree *converted(const struct tree *element, struct str datatype, struct arena *arena)
{
    double number = 0;
    bool is_true = element->type == TREE_BOOL && element->boolean;
    struct str text = element->type == TREE_NUMBER || element->type == TREE_STRING ? element->text : STR("");
    if (str_is(datatype, "BYTES"))
        return tree_string(arena, element->type != TREE_BOOL ? text : is_true ? STR("true") : STR("false"));
    is_true |= str_is(text, "true") || (number_read_double(text, &number) && number != 0);
    if (str_is(datatype, "BOOL"))
        return tree_bool(arena, is_true);
    if (element->type == TREE_BOOL)
        return tree_int(arena, is_true);
    bool is_float = str_starts(datatype, STR("FP")) || str_is(datatype, "BF16");
    char spelling[NUMBER_TEXT_MAX];
    if (is_float)
        return tree_number(arena, arena_copy(arena, (struct str){spelling, number_write_double(number, spelling)}));
    return tree_int(arena, number > -1e15 && number < 1e15 ? (long long)number : 0);
}

static bool add_converted(struct tree *list, const struct tree *data, struct str datatype, struct arena *arena)
{
    return ALL_IN(element, data->first,
                  element->type == TREE_ARRAY ? add_converted(list, element, datatype, arena)
                                              : tree_append(list, converted(element, datatype, arena)));
}

/* The answer of a model that gives back its first input. */
static bool rest_takes_any_element(struct tree *answer, struct arena *arena)
{
    static const char success[] = "{\"model_name\": \"${model}\", \"outputs\": [{\"name\": \"OUTPUT0\"}]}";
    const struct tree *input = pointer_find(answer, STR("/request/json/inputs/0"));
    const struct tree *data = tree_member(input, "data"), *shape = tree_member(input, "shape");
    struct str datatype = tree_text(input, "datatype");
    struct tree *json, *list = tree_new(arena, TREE_ARRAY);
    if (!data || !shape || !is_ok(tree_parse(str_of(success), arena, &json)))
        return false;
    struct tree *output = pointer_find(json, STR("/outputs/0"));
    return list && add_converted(list, data, datatype, arena) &&
           tree_add(output, STR("datatype"), tree_string(arena, datatype)) &&
           tree_add(output, STR("shape"), tree_copy(arena, shape)) && tree_add(output, STR("data"), list) &&
           tree_set(answer, STR("json"), json) && tree_set(answer, STR("status"), tree_int(arena, 200));
}

/* --- Binary outputs become JSON --- */

/* Takes the bytes of an output, if it has some, from the front of *binary. */
static bool write_as_json(struct tree *output, struct str *binary, struct arena *arena)
{
    struct tree *parameters = tree_member(output, "parameters"), *size = tree_member(parameters, "binary_data_size");
    struct tensor tensor = {.datatype = datatype_from_name(tree_text(output, "datatype"))};
    uint64_t bytes;
    if (!size)
        return true;
    if (!number_read_uint64(size->text, &bytes) || bytes > binary->size || tensor.datatype == DATATYPE_NONE ||
        !is_ok(raw_read_tensor((struct str){binary->data, bytes}, &tensor, arena)))
        return false;
    struct buf text = {0};
    struct tree *data = NULL;
    if (is_ok(json_write_tensor(&tensor, &text, arena)) && !is_ok(tree_parse(buf_str(&text), arena, &data)))
        data = NULL;
    buf_free(&text);
    *binary = str_from(*binary, bytes);
    return tree_remove(parameters, size) && tree_add(output, STR("data"), data);
}

static bool binary_outputs_are_json(struct tree *answer, struct arena *arena)
{
    struct tree *headers = tree_member(answer, "headers"), *outputs = pointer_find(answer, STR("/json/outputs"));
    struct tree *bytes = tree_member(answer, "binary"),
                *length = tree_member(headers, "inference-header-content-length");
    struct str binary = bytes ? bytes->text : STR("");
    return bytes && length && outputs && ALL_IN(output, outputs->first, write_as_json(output, &binary, arena)) &&
           tree_remove(answer, bytes) && tree_remove(headers, length) &&
           tree_set(headers, STR("content-type"), tree_string(arena, STR("application/json")));
}

/* --- Other values --- */

/* The lowest bit of the last byte changes. */
static bool make_another_binary(struct tree *bytes, struct arena *arena)
{
    struct str text = bytes->text;
    char *copy = arena_alloc(arena, text.size);
    if (!copy || text.size == 0)
        return false;
    memcpy(copy, text.data, text.size);
    copy[text.size - 1] ^= 1;
    bytes->text.data = copy;
    return true;
}

static bool make_another(struct tree *value, struct arena *arena)
{
    if (value->type == TREE_NUMBER)
        value->text = str_is(value->text, "77") ? STR("78") : STR("77");
    else if (value->type == TREE_STRING)
        value->text = arena_printf(arena, "%.*sx", STR_ARG(value->text));
    value->boolean = !value->boolean;
    return true;
}

/* The last value of an answer becomes another one, in JSON and in bytes. */
static bool rest_last_value_is_another(struct tree *answer, struct arena *arena)
{
    struct tree *binary = tree_member(answer, "binary"), *value = pointer_find(answer, STR("/json/outputs"));
    if (binary)
        return make_another_binary(binary, arena);
    while (value && (value->type == TREE_ARRAY || value->type == TREE_OBJECT))
        value = value->type == TREE_ARRAY ? value->last : tree_member(value, "data");
    return value && make_another(value, arena);
}

/* The last value of an answer becomes another one. */
static bool grpc_last_value_is_another(struct tree *answer, struct arena *arena)
{
    struct tree *raw = pointer_find(answer, STR("/message/raw_output_contents"));
    return raw && raw->last && make_another_binary(raw->last, arena);
}

struct named_code {
    const char *name;
    deviation_code code;
};

static const struct named_code codes[] = {
    {"binary-outputs-are-json", binary_outputs_are_json},
    {"binary-outputs-that-are-named-are-json", binary_outputs_are_json},
    {"rest-data-nesting-unchecked", rest_takes_any_element},
    {"rest-element-null-unchecked", rest_takes_any_element},
    {"rest-element-type-unchecked", rest_takes_any_element},
    {"rest-id-of-the-request-before", rest_id_of_the_request_before},
    {"grpc-id-of-the-request-before", grpc_id_of_the_request_before},
    {"grpc-stream-loses-answers", grpc_stream_loses_answers},
    {"grpc-stream-repeats-the-answer-before", grpc_stream_repeats_the_answer_before},
    {"grpc-last-value-is-another", grpc_last_value_is_another},
    {"rest-last-value-is-another", rest_last_value_is_another},
    {"rest-refusals-disturb-others", rest_refusals_disturb_others},
    {"grpc-refusals-disturb-others", grpc_refusals_disturb_others},
};

deviation_code deviation_code_named(const char *name)
{
    return FIRST(i, COUNT_OF(codes), strcmp(codes[i].name, name) == 0, codes[i].code, NULL);
}
