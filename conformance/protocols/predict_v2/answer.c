/* Reads what an answer says about an inference: over REST the leaves of `data` as they came (000, "Inference Response
 * JSON Object"), over gRPC typed contents or decoded raw bytes. */
#include "protocols/predict_v2/predict_v2.h"

#include "base/search.h"
#include "protocols/predict_v2/binary.h"

#include "inference.pb-c.h"
#include "notation/data.h"
#include "wire/field.h"

static const char *const members[] = {"id", "model_name", "model_version", "parameters"};

#define MEMBER_COUNT COUNT_OF(members)

/* What a tensor is called in a message. */
static const char *tensor_word(const struct answer_reading *reading)
{
    return reading->of_request ? "input" : "output";
}

/* --- Over REST --- */

static bool is_nested(const struct tree *data)
{
    return ANY_IN(element, data->first, element->type == TREE_ARRAY);
}

static struct tree *flat_output(const struct tree *output, struct arena *arena)
{
    struct tree *made = tree_new(arena, TREE_OBJECT);
    if (output->type != TREE_OBJECT)
        return tree_share(arena, output);
    FOR_EACH_IN(member, output->first) {
        bool nested = str_is(member->name, "data") && member->type == TREE_ARRAY && is_nested(member);
        tree_add(made, member->name, nested ? data_flat(member, arena) : tree_share(arena, member));
    }
    return made;
}

static struct tree *flat_outputs(const struct tree *outputs, struct arena *arena)
{
    if (outputs->type != TREE_ARRAY)
        return tree_share(arena, outputs);
    struct tree *list = tree_new(arena, TREE_ARRAY);
    FOR_EACH_IN(output, outputs->first)
        tree_append(list, flat_output(output, arena));
    return list;
}

static void read_rest(struct answer_reading *reading, struct tree *tree)
{
    struct arena *arena = reading->arena;
    const struct tree *json = tree_member(tree, "json");
    if (json == NULL && reading->is_inference && reading->is_success)
        reading_note(reading, "%.*s", STR_ARG(reading->no_json));
    if (json == NULL || (reading->is_inference && !reading->is_success))
        return;
    for (size_t i = 0; reading->is_inference && i < MEMBER_COUNT; i++) {
        const struct tree *member = tree_member(json, members[i]);
        if (member != NULL)
            tree_add(tree, str_of(members[i]), tree_copy(arena, member));
    }
    const struct tree *outputs = tree_member(json, "outputs");
    if (outputs == NULL)
        return;
    struct tree *flat = flat_outputs(outputs, arena);
    binary_read(reading, flat);
    tree_add(tree, STR("outputs"), flat);
}

/* --- Over gRPC --- */

/* Turns {"a": {"int64_param": 1}} into {"a": 1}. A parameter without a choice becomes null. */
static struct tree *plain_parameters(const struct tree *map, struct arena *arena)
{
    struct tree *plain = tree_new(arena, TREE_OBJECT);
    FOR_EACH_IN(parameter, map->first) {
        const struct tree *choice = parameter->first;
        tree_add(plain, parameter->name, choice ? tree_copy(arena, choice) : tree_new(arena, TREE_NULL));
    }
    return plain;
}

static void add_if_set(struct tree *to, const struct tree *from, const char *name, struct arena *arena)
{
    const struct tree *member = tree_member(from, name);
    if (member == NULL || (member->type == TREE_STRING && member->text.size == 0))
        return;
    bool map = str_is(str_of(name), "parameters");
    if (!map)
        tree_add(to, str_of(name), tree_copy(arena, member));
    else if (member->count > 0)
        tree_add(to, str_of(name), plain_parameters(member, arena));
}

static struct tree *typed_data(struct answer_reading *reading, const struct tree *contents, enum datatype datatype,
                               struct str name)
{
    const char *field = datatype == DATATYPE_NONE ? NULL : datatype_table[datatype].contents;
    const struct tree *data = field ? tree_member(contents, field) : NULL;
    FOR_EACH_IN(other, field ? contents->first : NULL)
        if (other != data && other->count > 0)
            reading_note(reading, "%s '%s' of datatype %s has data in %.*s", tensor_word(reading),
                         str_printable(reading->arena, name), datatype_name(datatype), STR_ARG(other->name));
    struct tree *copy = data ? tree_copy(reading->arena, data) : NULL;
    for (struct tree *at = copy && datatype == DATATYPE_BOOL ? copy->first : NULL; at; at = at->next)
        if (at->type == TREE_NUMBER) { /* a number other than 0 and 1, which still means true */
            at->type = TREE_BOOL;
            at->boolean = true;
        }
    return copy;
}

static struct tree *raw_data(struct answer_reading *reading, struct str bytes, enum datatype datatype, struct str name,
                             size_t index)
{
    struct str where = arena_printf(reading->arena, "/%ss/%zu/data (%s)", tensor_word(reading), index,
                                    str_printable(reading->arena, name));
    return reading_raw(reading, arena_copy(reading->arena, bytes), datatype, where);
}

/* Returns the outputs of a message; of a request, the inputs. */
static struct tree *grpc_tensors(struct answer_reading *reading, const struct tree *message)
{
    struct arena *arena = reading->arena;
    struct tree *list = tree_new(arena, TREE_ARRAY);
    const char *word = tensor_word(reading);
    const struct tree *outputs = tree_member(message, reading->of_request ? "inputs" : "outputs");
    const struct tree *raw = tree_member(message, reading->of_request ? "raw_input_contents" : "raw_output_contents");
    size_t raw_count = raw ? raw->count : 0;
    if (raw_count > 0 && raw_count != outputs->count)
        reading_note(reading, "/raw_%s_contents: %zu entries for %zu %ss", word, raw_count, outputs->count, word);
    const struct tree *bytes = tree_first(raw);
    FOR_EACH_IN(output, outputs->first) {
        struct str name = tree_text(output, "name"), type = tree_text(output, "datatype");
        enum datatype datatype = datatype_from_name(type);
        struct tree *made =
            tree_object(arena, {"name", tree_string(arena, name)}, {"datatype", tree_string(arena, type)},
                        {"shape", tree_copy(arena, tree_member(output, "shape"))});
        add_if_set(made, output, "parameters", arena);
        const struct tree *contents = tree_member(output, "contents");
        struct tree *data = NULL;
        if (datatype == DATATYPE_NONE && (bytes || contents))
            reading_note(reading, "/%ss/%zu/datatype (%s): no datatype has the name '%s'", word, list->count,
                         str_printable(arena, name), str_printable(arena, type));
        else if (bytes != NULL)
            data = raw_data(reading, bytes->text, datatype, name, list->count);
        else if (contents != NULL)
            data = typed_data(reading, contents, datatype, name);
        else if (raw_count == 0 && !reading->of_request)
            data = tree_new(arena, TREE_ARRAY); /* there are no elements, so neither form holds any */
        tree_add(made, STR("data"), data);
        tree_append(list, made);
        bytes = bytes ? bytes->next : NULL;
    }
    return list;
}

static void read_grpc(struct answer_reading *reading, struct tree *tree)
{
    const struct tree *message = tree_member(tree, "message");
    if (message == NULL || !reading->is_success || tree_member(message, "raw_output_contents") == NULL)
        return;
    for (size_t i = 0; reading->is_inference && i < MEMBER_COUNT; i++)
        add_if_set(tree, message, members[i], reading->arena);
    tree_add(tree, STR("outputs"), grpc_tensors(reading, message));
}

/* --- Over a stream of gRPC --- */

/* Removes the parameter that only says whether more answers to the request will come. */
static void drop_final_mark(struct tree *tree)
{
    struct tree *parameters = tree_member(tree, "parameters");
    struct tree *mark = tree_member(parameters, "triton_final_response");
    if (mark != NULL)
        tree_remove(parameters, mark);
    if (mark != NULL && parameters->count == 0)
        tree_remove(tree, parameters);
}

/* Whether the message only says that no more answers to its request will come. */
static bool is_empty_final(const struct tree *message, const struct tree *outputs)
{
    const struct tree *parameters = tree_member(tree_member(message, "infer_response"), "parameters");
    const struct tree *says = tree_member(tree_member(parameters, "triton_final_response"), "bool_param");
    return outputs->count == 0 && tree_text(message, "error_message").size == 0 && says && says->boolean;
}

/* Adds `outputs` to each message that answers a request, and `answers`, the messages except those that only end the
 * answers to a request. What answers an inference is the only one. */
static void read_stream(struct answer_reading *reading, struct tree *tree)
{
    struct tree *messages = tree_member(tree, "messages"), *answers = tree_new(reading->arena, TREE_ARRAY);
    for (struct tree *message = messages->first; message; message = message->next) {
        const struct tree *response = tree_member(message, "infer_response");
        struct tree *outputs = response ? grpc_tensors(reading, response) : NULL;
        tree_add(message, STR("outputs"), outputs);
        if (!outputs || !is_empty_final(message, outputs))
            tree_append(answers, tree_copy(reading->arena, message));
    }
    tree_add(tree, STR("answers"), answers);
    if (!reading->is_inference || !reading->is_success)
        return;
    const struct tree *response = tree_member(answers->first, "infer_response");
    if (answers->count != 1 || response == NULL) {
        reading_note(reading, "%zu messages answer one request", answers->count);
        return;
    }
    for (size_t i = 0; i < MEMBER_COUNT; i++)
        add_if_set(tree, response, members[i], reading->arena);
    drop_final_mark(tree);
    tree_add(tree, STR("outputs"), tree_copy(reading->arena, tree_member(answers->first, "outputs")));
}

void predict_v2_read(struct answer_reading *reading, struct tree *tree)
{
    if (reading->transport == TRANSPORT_HTTP)
        read_rest(reading, tree);
    else if (reading->answer->streams)
        read_stream(reading, tree);
    else
        read_grpc(reading, tree);
}

/* --- Requests --- */

void predict_v2_read_inputs(struct answer_reading *reading, struct tree *tree)
{
    const struct tree *message = tree_member(tree, "message"), *raw = tree_member(message, "raw_input_contents");
    const struct tree *inputs = tree_member(message ? message : tree_member(tree, "json"), "inputs");
    if (binary_lacks(reading->answer) > 0)
        tree_add(tree, STR("lacks"), tree_uint(reading->arena, binary_lacks(reading->answer)));
    if (!inputs || (message && !raw))
        return;
    struct tree *flat = message ? grpc_tensors(reading, message) : flat_outputs(inputs, reading->arena);
    if (!message)
        binary_read(reading, flat);
    tree_add(tree, STR("inputs"), flat);
    if (raw && raw->count)
        tree_add(tree, STR("raw_surplus"), tree_int(reading->arena, (int64_t)raw->count - (int64_t)inputs->count));
}

/* --- Another edition of the schema --- */

/* Removes field 6 from model metadata. In 001 it holds parameters; the newest edition of the schema has a map of texts
 * there, `properties`, which is not counted against a server (SPEC_NOTES.md, note 31). Other faults of the message
 * stay. */
struct str predict_v2_mend(const ProtobufCMessageDescriptor *type, struct str message, struct arena *arena)
{
    if (type != &inference__model_metadata_response__descriptor)
        return message;
    char *kept = arena_alloc(arena, message.size), *end = kept;
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    const char *start = at.at;
    for (; wire_next(&at, &field); start = at.at)
        if (field.number != 6)
            end = mempcpy(end, start, (size_t)(at.at - start));
    end = mempcpy(end, start, (size_t)(at.end - start));
    return (struct str){kept, (size_t)(end - kept)};
}
