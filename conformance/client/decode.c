/* An answer as a tree. Bytes of a peer: what does not decode is told in `trouble`, never believed; an answer whose tree
 * would not fit into memory is not decoded. */
#include "client/data.h"
#include "client/infer.h"
#include "client/rpcs.h"
#include "inference.pb-c.h"
#include "wire/message.h"

struct decoder {
    struct arena *arena;
    struct str *trouble;
    size_t nodes_max;
    size_t elements_left; /* of tensors, that may still be decoded */
};

static void note(struct decoder *decoder, struct str sentence)
{
    if (decoder->trouble->size == 0)
        *decoder->trouble = sentence;
}

/* --- Headers --- */

static struct str lower_case(struct str name, struct arena *arena)
{
    char *lower = arena_alloc(arena, name.size + 1);
    for (size_t i = 0; lower != NULL && i < name.size; i++)
        lower[i] = name.data[i] >= 'A' && name.data[i] <= 'Z' ? (char)(name.data[i] - 'A' + 'a') : name.data[i];
    return lower ? (struct str){lower, name.size} : name;
}

static struct tree *headers_tree(const struct header *headers, size_t count, struct arena *arena)
{
    struct tree *object = tree_new(arena, TREE_OBJECT);
    for (size_t i = 0; i < count; i++) {
        struct str name = lower_case(headers[i].name, arena);
        struct tree *value = tree_string(arena, headers[i].value), *known = tree_member_str(object, name);
        if (known == NULL) {
            tree_add(object, name, value);
        } else if (known->type == TREE_ARRAY) {
            tree_append(known, value);
        } else {
            struct tree *list = tree_new(arena, TREE_ARRAY);
            tree_append(list, tree_string(arena, known->text));
            tree_append(list, value);
            tree_set(object, name, list);
        }
    }
    return object;
}

/* --- Over HTTP --- */

/* The most nodes that the tree of a JSON text can have. */
static size_t json_nodes(struct str text)
{
    size_t nodes = 1;
    for (size_t i = 0; i < text.size; i++)
        nodes += text.data[i] == ',' || text.data[i] == '[' || text.data[i] == '{';
    return nodes;
}

/* NULL if there is none. `demanded`: that is trouble. */
static struct tree *json_of_body(struct decoder *decoder, const struct answer *answer, bool demanded)
{
    struct arena *arena = decoder->arena;
    struct tree *json = NULL;
    if (answer->truncated) {
        note(decoder, STR("the body is longer than the limit for answers"));
        return NULL;
    }
    if (json_nodes(answer->body) > decoder->nodes_max) {
        note(decoder, arena_printf(arena, "the JSON of %zu bytes has more values than are decoded", answer->body.size));
        return NULL;
    }
    struct status status = tree_parse(answer->body, arena, &json);
    if (is_ok(status))
        return json;
    if (demanded)
        note(decoder, arena_printf(arena, "the body is no JSON: %.*s", STR_ARG(status.message)));
    return NULL;
}

static bool is_nested(const struct tree *data)
{
    for (const struct tree *element = data->first; element; element = element->next)
        if (element->type == TREE_ARRAY)
            return true;
    return false;
}

static struct tree *flat_output(const struct tree *output, struct arena *arena)
{
    struct tree *made = tree_new(arena, TREE_OBJECT);
    if (output->type != TREE_OBJECT)
        return tree_share(arena, output);
    for (const struct tree *member = output->first; member; member = member->next) {
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
    for (const struct tree *output = outputs->first; output; output = output->next)
        tree_append(list, flat_output(output, arena));
    return list;
}

static void add_rest_members(struct tree *tree, const struct tree *json, bool infer, struct arena *arena)
{
    static const char *const members[] = {"id", "model_name", "model_version", "parameters"};
    for (size_t i = 0; infer && i < sizeof members / sizeof *members; i++) {
        const struct tree *member = tree_member(json, members[i]);
        if (member != NULL)
            tree_add(tree, str_of(members[i]), tree_copy(arena, member));
    }
    const struct tree *outputs = tree_member(json, "outputs");
    if (outputs != NULL)
        tree_add(tree, STR("outputs"), flat_outputs(outputs, arena));
}

static struct tree *rest_tree(struct decoder *decoder, bool infer, const struct answer *answer)
{
    struct arena *arena = decoder->arena;
    struct tree *tree = tree_new(arena, TREE_OBJECT);
    if (answer->status != 0)
        tree_add(tree, STR("status"), tree_int(arena, answer->status));
    tree_add(tree, STR("headers"), headers_tree(answer->headers, answer->header_count, arena));
    if (answer->trailer_count > 0)
        tree_add(tree, STR("trailers"), headers_tree(answer->trailers, answer->trailer_count, arena));
    bool success = answer->status >= 200 && answer->status <= 299;
    struct tree *json = json_of_body(decoder, answer, infer && success);
    if (json != NULL)
        tree_add(tree, STR("json"), json);
    tree_add(tree, STR("body"), tree_string(arena, answer->body));
    if (json != NULL && (success || !infer))
        add_rest_members(tree, json, infer, arena);
    return tree;
}

/* --- Over gRPC --- */

/* {"a": {"int64_param": 1}} to {"a": 1}; a parameter with no choice set becomes null. */
static struct tree *plain_parameters(const struct tree *map, struct arena *arena)
{
    struct tree *plain = tree_new(arena, TREE_OBJECT);
    for (const struct tree *parameter = map->first; parameter; parameter = parameter->next) {
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

static struct tree *typed_data(struct decoder *decoder, const struct tree *contents, enum datatype datatype,
                               struct str name)
{
    const char *field = datatype == DATATYPE_NONE ? NULL : datatype_table[datatype].contents;
    const struct tree *data = field ? tree_member(contents, field) : NULL;
    for (const struct tree *other = contents->first; other; other = other->next)
        if (other != data && other->count > 0)
            note(decoder,
                 arena_printf(decoder->arena, "output '%s' of datatype %s has data in %.*s",
                              str_printable(decoder->arena, name),
                              datatype == DATATYPE_NONE ? "(unknown)" : datatype_name(datatype), STR_ARG(other->name)));
    struct tree *copy = data ? tree_copy(decoder->arena, data) : NULL;
    for (struct tree *at = copy && datatype == DATATYPE_BOOL ? copy->first : NULL; at; at = at->next)
        if (at->type == TREE_NUMBER) { /* neither 0 nor 1, which means true all the same */
            at->type = TREE_BOOL;
            at->boolean = true;
        }
    return copy;
}

static struct tree *raw_data(struct decoder *decoder, struct str bytes, enum datatype datatype, struct str name)
{
    struct tree *data = NULL;
    struct str copy = arena_copy(decoder->arena, bytes);
    struct status status = data_of_raw(copy, datatype, decoder->elements_left, decoder->arena, &data);
    if (is_ok(status)) {
        decoder->elements_left -= data->count;
        return data;
    }
    const char *output = str_printable(decoder->arena, name);
    note(decoder, arena_printf(decoder->arena, "output '%s': %.*s", output, STR_ARG(status.message)));
    return NULL;
}

static struct tree *grpc_outputs(struct decoder *decoder, const struct tree *message)
{
    struct arena *arena = decoder->arena;
    struct tree *list = tree_new(arena, TREE_ARRAY);
    const struct tree *outputs = tree_member(message, "outputs"), *raw = tree_member(message, "raw_output_contents");
    size_t raw_count = raw ? raw->count : 0;
    if (raw_count > 0 && raw_count != outputs->count)
        note(decoder, arena_printf(arena, "%zu raw_output_contents for %zu outputs", raw_count, outputs->count));
    const struct tree *bytes = raw ? raw->first : NULL;
    for (const struct tree *output = outputs->first; output; output = output->next) {
        struct tree *made = tree_new(arena, TREE_OBJECT);
        struct str name = tree_text(output, "name");
        enum datatype datatype = datatype_from_name(tree_text(output, "datatype"));
        tree_add(made, STR("name"), tree_string(arena, name));
        tree_add(made, STR("datatype"), tree_string(arena, tree_text(output, "datatype")));
        tree_add(made, STR("shape"), tree_copy(arena, tree_member(output, "shape")));
        add_if_set(made, output, "parameters", arena);
        const struct tree *contents = tree_member(output, "contents");
        struct tree *data = NULL;
        if (bytes != NULL)
            data = raw_data(decoder, bytes->text, datatype, name);
        else if (contents != NULL)
            data = typed_data(decoder, contents, datatype, name);
        else if (raw_count == 0)
            data = tree_new(arena, TREE_ARRAY); /* no element: neither form has anything to say */
        if (data != NULL)
            tree_add(made, STR("data"), data);
        tree_append(list, made);
        bytes = bytes ? bytes->next : NULL;
    }
    return list;
}

/* Of each varint the last byte is below 128. */
static size_t varints(struct str bytes)
{
    size_t count = 0;
    for (size_t i = 0; i < bytes.size; i++)
        count += !(bytes.data[i] & 0x80);
    return count;
}

/* The most nodes that the tree of a message can have: a value of a bytes field is one, a packed number has its bytes.
 * The fields of ModelInferResponse, InferOutputTensor, InferTensorContents. */
static size_t most_nodes(struct str message, unsigned level)
{
    static const struct {
        uint32_t bytes, inner, fp32, fp64;
    } fields[] = {{.bytes = 6, .inner = 5}, {.inner = 5}, {.bytes = 8, .fp32 = 6, .fp64 = 7}};
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    size_t nodes = 0;
    while (wire_next(&at, &field)) {
        nodes += 2;
        if (field.type != WIRE_BYTES || field.bytes.size == 0)
            continue;
        if (field.number == fields[level].inner)
            nodes += most_nodes(field.bytes, level + 1);
        else if (field.number == fields[level].fp32)
            nodes += field.bytes.size / sizeof(float);
        else if (field.number == fields[level].fp64)
            nodes += field.bytes.size / sizeof(double);
        else if (field.number != fields[level].bytes)
            nodes += varints(field.bytes);
    }
    return nodes;
}

/* Model metadata without its field 6: 001's parameters, but in the newest edition of the schema a map of texts,
 * `properties`, which is not held against a server. What is malformed otherwise stays so. */
static struct str without_properties(struct str message, struct arena *arena)
{
    char *kept = arena_alloc(arena, message.size), *end = kept;
    if (!kept)
        return message;
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    const char *start = at.at;
    for (; wire_next(&at, &field); start = at.at)
        if (field.number != 6)
            end = mempcpy(end, start, (size_t)(at.at - start));
    end = mempcpy(end, start, (size_t)(at.end - start));
    return (struct str){kept, (size_t)(end - kept)};
}

static struct tree *message_of(struct decoder *decoder, struct str rpc, const struct answer *answer)
{
    const ProtobufCMethodDescriptor *method = rpc_method(rpc);
    if (!answer->has_message) {
        if (answer->code == STATUS_OK)
            note(decoder, STR("OK without a message"));
        return NULL;
    }
    if (method == NULL)
        return NULL;
    if (answer->truncated) {
        note(decoder, STR("the message is longer than the limit for answers"));
        return NULL;
    }
    if (most_nodes(answer->message, 0) > decoder->nodes_max) {
        note(decoder,
             arena_printf(decoder->arena, "the message of %zu bytes is larger than is decoded", answer->message.size));
        return NULL;
    }
    struct tree *message = NULL;
    struct status status = wire_to_tree(method->output, answer->message, decoder->arena, &message);
    if (!is_ok(status) && method->output == &inference__model_metadata_response__descriptor)
        status =
            wire_to_tree(method->output, without_properties(answer->message, decoder->arena), decoder->arena, &message);
    if (is_ok(status))
        return message;
    note(decoder, arena_printf(decoder->arena, "the message is no %s: %.*s", method->output->short_name,
                               STR_ARG(status.message)));
    return NULL;
}

static struct tree *grpc_tree(struct decoder *decoder, bool infer, struct str rpc, const struct answer *answer)
{
    struct arena *arena = decoder->arena;
    struct tree *tree = tree_new(arena, TREE_OBJECT);
    const char *code = status_code_name((enum status_code)answer->code);
    tree_add(tree, STR("code"), tree_string(arena, code ? str_of(code) : arena_printf(arena, "CODE_%d", answer->code)));
    tree_add(tree, STR("details"), tree_string(arena, answer->details));
    struct tree *message = message_of(decoder, rpc, answer);
    if (message != NULL)
        tree_add(tree, STR("message"), message);
    tree_add(tree, STR("trailers"), headers_tree(answer->trailers, answer->trailer_count, arena));
    if (message == NULL || answer->code != STATUS_OK || tree_member(message, "raw_output_contents") == NULL)
        return tree;
    static const char *const members[] = {"id", "model_name", "model_version", "parameters"};
    for (size_t i = 0; infer && i < sizeof members / sizeof *members; i++)
        add_if_set(tree, message, members[i], arena);
    tree_add(tree, STR("outputs"), grpc_outputs(decoder, message));
    return tree;
}

struct tree *answer_tree(enum encoding encoding, struct str rpc, const struct answer *answer, struct arena *arena,
                         struct str *trouble)
{
    *trouble = (struct str){0};
    size_t elements = answer->large ? ELEMENTS_MAX : ELEMENTS_SMALL;
    struct decoder decoder = {.arena = arena, .trouble = trouble, .nodes_max = 2 * elements, .elements_left = elements};
    bool infer = !encoding_is_act(encoding);
    if (!encoding_is_rest(encoding))
        return grpc_tree(&decoder, infer, rpc, answer);
    struct tree *tree = rest_tree(&decoder, infer, answer);
    if (encoding == ENCODING_TCP)
        tree_add(tree, STR("closed"), tree_bool(arena, answer->closed));
    return tree;
}
