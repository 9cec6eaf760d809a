/* There is no union of the answers: which of the two messages came is known only from the request, and so are the names
 * of the outputs (004, "Responses"). So the request is read as well. It is the judge's own, or wrong on purpose. What
 * is answered to a MetadataRequest and has no place for inputs is an InferResponse: it has errors, or is no answer. */
#include "protocols/graphpipe/graphpipe.h"

#include "flat/message.h"
#include "notation/data.h"

/* Finds the InferRequest in the request's body. Returns false if there is none. */
static bool find_infer(struct flat_reader *reader, struct flat_object *infer)
{
    struct flat_object root;
    return flat_root(reader, &root) && flat_scalar(reader, &root, REQUEST_REQ_TYPE, 1, NULL) == GRAPHPIPE_REQ_INFER &&
           flat_object_at(reader, &root, REQUEST_REQ, infer);
}

static bool asks_for_metadata(const struct request *request)
{
    struct flat_reader reader = flat_begin(request->body);
    struct flat_object root;
    return flat_root(&reader, &root) &&
           flat_scalar(&reader, &root, REQUEST_REQ_TYPE, 1, NULL) == GRAPHPIPE_REQ_METADATA;
}

/* Says whether the body is a message without a place for the inputs of a model. */
static bool has_no_inputs(struct str body)
{
    struct flat_reader reader = flat_begin(body);
    struct flat_object root;
    return flat_root(&reader, &root) && root.vtable_size <= 4 + 2 * graphpipe_infer_response.count;
}

/* --- The message --- */

/* Reads the body into a tree, if it fits into the memory that its values may take. */
static struct status read_body(struct answer_reading *reading, const struct flat_table *type, struct tree **message,
                               struct flat_oddities *odd)
{
    struct arena scratch = reading_scratch(reading);
    struct str body = reading->answer->body;
    struct status status = flat_to_tree(type, body, &scratch, message, odd);
    status.message = arena_copy(reading->arena, status.message);
    arena_free(&scratch);
    return is_ok(status) ? flat_to_tree(type, body, reading->arena, message, odd) : status;
}

/* Says what a body is that is no message of the type that was due: the other one, if it is that. */
static void note_other(struct answer_reading *reading, const struct flat_table *type, struct status why)
{
    const struct flat_table *other =
        type == &graphpipe_infer_response ? &graphpipe_metadata_response : &graphpipe_infer_response;
    struct tree *message = NULL;
    struct flat_oddities odd = {0};
    if (why.code == STATUS_RESOURCE_EXHAUSTED || !is_ok(read_body(reading, other, &message, &odd)) || !message->first)
        reading_note_unread(reading, "the body", type->name, why);
    else
        reading_note(reading, "the body is a sound %s, where %s %s was due", other->name,
                     strchr("AEIO", *type->name) ? "an" : "a", type->name);
}

/* Returns how many errors of the message have a message that is no unicode (004, "Error"). */
static size_t count_illegible(const struct tree *message)
{
    size_t count = 0;
    FOR_EACH_IN(error, tree_first(tree_member(message, "errors")))
        count += !str_is_utf8(tree_text(error, "message"));
    return count;
}

/* An answer that is no success may have any body: a text, say, from a proxy in front of the server. */
void graphpipe_decode(struct answer_reading *reading, struct tree *tree)
{
    const struct answer *answer = reading->answer;
    bool is_metadata = asks_for_metadata(reading->request) && !has_no_inputs(answer->body);
    const struct flat_table *type = is_metadata ? &graphpipe_metadata_response : &graphpipe_infer_response;
    bool success = answer->status >= 200 && answer->status < 300;
    struct tree *message = NULL;
    struct flat_oddities odd = {0};
    if (answer->truncated || str_is(reading->request->method, "GET") || str_is(reading->request->method, "HEAD"))
        return;
    struct status status = read_body(reading, type, &message, &odd);
    if (is_ok(status)) {
        tree_add(tree, STR("message"), message);
        tree_add(tree, STR("table"), tree_string(reading->arena, str_of(type->name)));
        tree_add(tree, STR("unterminated"), tree_uint(reading->arena, odd.unterminated));
        tree_add(tree, STR("misaligned"), tree_uint(reading->arena, odd.misaligned));
        tree_add(tree, STR("illegible"), tree_uint(reading->arena, count_illegible(message)));
    } else if (success) {
        note_other(reading, type, status);
    }
}

/* --- The outputs --- */

static struct tree *data_of(struct answer_reading *reading, const struct tree *tensor, enum datatype datatype,
                            size_t index)
{
    struct arena *arena = reading->arena;
    const struct tree *texts = tree_member(tensor, "string_val");
    if (datatype == DATATYPE_NONE)
        return NULL;
    if (datatype == DATATYPE_BYTES)
        return texts ? tree_copy(arena, texts) : tree_new(arena, TREE_ARRAY);
    return reading_raw(reading, tree_text(tensor, "data"), datatype, arena_printf(arena, "output_tensors[%zu]", index));
}

static struct tree *output_of(struct answer_reading *reading, const struct tree *tensor, size_t index)
{
    struct arena *arena = reading->arena;
    const struct tree *type = tree_member(tensor, "type"), *shape = tree_member(tensor, "shape");
    enum datatype datatype = graphpipe_datatype(tree_text(tensor, "type"));
    struct tree *known = datatype != DATATYPE_NONE ? tree_string(arena, str_of(datatype_name(datatype))) : NULL;
    return tree_object(arena,
                       {"datatype", known  ? known
                                    : type ? tree_share(arena, type)
                                           : NULL},
                       {"shape", shape ? tree_share(arena, shape) : tree_new(arena, TREE_ARRAY)},
                       {"data", data_of(reading, tensor, datatype, index)});
}

/* The tensors of an answer have no names: they are in the order of the names that were asked for. One for which no
 * name was asked is called by its number, so that it is missed or too much, and not nameless. */
void graphpipe_read(struct answer_reading *reading, struct tree *tree)
{
    struct flat_reader request = flat_begin(reading->request->body);
    struct flat_object infer;
    struct flat_list names = {0};
    const struct tree *tensors = tree_member(tree_member(tree, "message"), "output_tensors");
    struct tree *outputs = tree_new(reading->arena, TREE_ARRAY);
    size_t index = 0;
    if (!reading->is_success || !tensors)
        return;
    if (find_infer(&request, &infer))
        names = flat_list(&request, &infer, INFER_REQUEST_OUTPUT_NAMES, sizeof(uint32_t));
    for (const struct tree *tensor = tensors->first; tensor; tensor = tensor->next, index++) {
        struct tree *output = output_of(reading, tensor, index);
        struct str name = index < names.count ? flat_list_string(&request, &names, index) : (struct str){0};
        name =
            name.data ? arena_copy(reading->arena, name) : arena_printf(reading->arena, "output_tensors[%zu]", index);
        tree_add(output, STR("name"), tree_string(reading->arena, name));
        tree_append(outputs, output);
    }
    tree_add(tree, STR("outputs"), outputs);
}
