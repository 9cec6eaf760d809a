/* Over HTTP an answer to an inference is a header, NV-InferResponse, that says what the raw tensors of the body are,
 * and the same message once more after them, in which classifications stand. Over gRPC it is one message. Both are
 * brought into the form of the latter. */
#include "protocols/trtis_v1/trtis_v1.h"

#include "notation/data.h"
#include "notation/tensors.h"
#include "notation/text_message.h"
#include "support/memory.h"
#include "trtis_v1.pb-c.h"
#include "wire/message.h"

#define STATUS   &nvidia__inferenceserver__request_status__descriptor
#define RESPONSE &nvidia__inferenceserver__infer_response_header__descriptor
#define SERVER   &nvidia__inferenceserver__server_status__descriptor

/* --- Messages over HTTP --- */

/* Reads a message in its text or binary form, if it fits into the memory that its values may take. */
static struct status read_message(struct answer_reading *reading, const ProtobufCMessageDescriptor *type, bool text,
                                  struct str bytes, struct tree **message)
{
    struct arena scratch = reading_scratch(reading);
    struct tree *made = NULL;
    struct status status =
        text ? text_message_read(type, bytes, &scratch, &made) : wire_to_tree(type, bytes, &scratch, &made);
    status.message = arena_copy(reading->arena, status.message);
    if (is_ok(status))
        *message = tree_copy_whole(reading->arena, made);
    arena_free(&scratch);
    return status;
}

/* Reads the message of a header into a member of `message`. Returns it; NULL: what is there is no such message. */
static struct tree *add_header(struct answer_reading *reading, const struct tree *headers, const char *name,
                               const ProtobufCMessageDescriptor *type, struct tree *message, const char *member)
{
    const struct tree *header = tree_member(headers, name);
    struct tree *made = NULL;
    if (!header)
        return NULL;
    if (header->type != TREE_STRING) {
        reading_note(reading, "the header %s is there more than once", name);
        return NULL;
    }
    struct status status = read_message(reading, type, true, header->text, &made);
    if (!is_ok(status))
        reading_note_unread(reading, arena_printf(reading->arena, "the header %s", name).data, type->short_name,
                            status);
    tree_add(message, str_of(member), made);
    return made;
}

/* Adds a message that the body has, and in which format, if that can be told. */
static void add_read(struct answer_reading *reading, struct tree *made, const char *format, struct tree *tree,
                     struct tree *message, const char *member)
{
    tree_add(message, str_of(member), made);
    if (format)
        tree_add(tree, STR("format"), tree_string(reading->arena, str_of(format)));
}

/* Reads what the body ends with, in either form: no binary message is a text of the same schema. */
static void add_body(struct answer_reading *reading, const ProtobufCMessageDescriptor *type, struct str body,
                     struct tree *tree, struct tree *message, const char *member)
{
    struct tree *made = NULL;
    struct status as_text = read_message(reading, type, true, body, &made);
    bool text = is_ok(as_text);
    struct status status = text ? as_text : read_message(reading, type, false, body, &made);
    bool too_large = as_text.code == STATUS_RESOURCE_EXHAUSTED || status.code == STATUS_RESOURCE_EXHAUSTED;
    if (!made && too_large) {
        reading_note_unread(reading, "the body", type->short_name, (struct status){.code = STATUS_RESOURCE_EXHAUSTED});
        return;
    }
    if (!made) {
        reading_note(reading, "the body has no %s: as text, %.*s; in binary form, %.*s", type->short_name,
                     STR_ARG(as_text.message), STR_ARG(status.message));
        return;
    }
    add_read(reading, made, body.size ? (text ? "text" : "binary") : NULL, tree, message, member);
}

/* --- Inferences over HTTP --- */

/* Cuts the raw tensor of an output off the body. */
static bool add_raw(struct answer_reading *reading, const struct tree *output, struct str *body, struct tree *list)
{
    const struct tree *raw = tree_member(output, "raw");
    int64_t size = 0;
    if (raw && (!tree_to_int64(tree_member(raw, "batch_byte_size"), &size) || size < 0 || (size_t)size > body->size)) {
        reading_note(reading, "the body ends within the output '%s'",
                     str_printable(reading->arena, tree_text(output, "name")));
        return false;
    }
    tree_append(list, tree_string(reading->arena, (struct str){body->data, (size_t)size}));
    *body = str_from(*body, (size_t)size);
    return true;
}

/* Adds what the message after the tensors says otherwise than the header, which is the same message: the name of an
 * output, its size or its dims, or the version. What one of them leaves out is no difference. */
static void add_difference(struct answer_reading *reading, const struct tree *meta_data, struct tree *message)
{
    static const char *const members[] = {"dims", "batch_byte_size"};
    const struct tree *trailer = tree_member(message, "trailer");
    const struct tree *ours = tree_member(meta_data, "output"), *theirs = tree_member(trailer, "output");
    const struct tree *versions[] = {tree_member(meta_data, "model_version"), tree_member(trailer, "model_version")};
    const char *what = versions[0] && versions[1] && !tree_equal(versions[0], versions[1]) ? "model_version" : NULL;
    const struct tree *own = tree_first(ours), *other = tree_first(theirs);
    for (; own && other && !what; own = own->next, other = other->next) {
        const struct tree *raw = tree_member(own, "raw"), *same = tree_member(other, "raw");
        what = str_equal(tree_text(own, "name"), tree_text(other, "name")) ? NULL : "the names of the outputs";
        for (size_t i = 0; i < 2 && !what && raw && same; i++) {
            const struct tree *here = tree_member(raw, members[i]), *there = tree_member(same, members[i]);
            what = here && there && !tree_equal(here, there) ? members[i] : NULL;
        }
    }
    if (what)
        tree_add(message, STR("differs"), tree_string(reading->arena, str_of(what)));
}

static void split_body(struct answer_reading *reading, const struct tree *meta_data, struct tree *tree,
                       struct tree *message)
{
    struct str body = reading->answer->body;
    struct tree *raw = tree_new(reading->arena, TREE_ARRAY);
    FOR_EACH_IN(output, tree_first(tree_member(meta_data, "output")))
        if (!add_raw(reading, output, &body, raw))
            return;
    tree_add(message, STR("raw_output"), raw);
    add_body(reading, RESPONSE, body, tree, message, "trailer");
    add_difference(reading, meta_data, message);
}

void trtis_decode(struct answer_reading *reading, struct tree *tree)
{
    const struct answer *answer = reading->answer;
    const struct tree *headers = tree_member(tree, "headers");
    struct tree *message = tree_new(reading->arena, TREE_OBJECT);
    add_header(reading, headers, "nv-status", STATUS, message, "request_status");
    const struct tree *meta_data = add_header(reading, headers, "nv-inferresponse", RESPONSE, message, "meta_data");
    bool success = answer->status >= 200 && answer->status < 300 && !answer->truncated;
    struct tree *status = NULL;
    if (success && meta_data)
        split_body(reading, meta_data, tree, message);
    else if (success && answer->body.size && message->first)
        add_body(reading, SERVER, answer->body, tree, message, "server_status");
    else if (success && answer->body.size && is_ok(read_message(reading, SERVER, true, answer->body, &status)))
        add_read(reading, status, "text", tree, message, "server_status"); /* no other text is one */
    if (message->first)
        tree_add(tree, STR("message"), message);
}

/* --- What an answer says about an inference --- */

/* Returns the list, so that as many tensors as `asked` has can be looked for in it. Both may be NULL. */
static struct tensors tensors_for(const struct tree *list, const struct tree *asked, struct arena *arena)
{
    const struct tree *known = list ? list : tree_new(arena, TREE_ARRAY);
    return tensors_of(known, asked ? asked->count : 0, arena);
}

static struct tree *shape_of(struct answer_reading *reading, const struct tree *meta_data, const struct tree *raw)
{
    struct tree *shape = tree_new(reading->arena, TREE_ARRAY);
    int64_t most;
    if (tree_to_int64(tree_member(reading->request->details, "max_batch_size"), &most) && most > 0)
        tree_append(shape, tree_copy(reading->arena, tree_member(meta_data, "batch_size")));
    FOR_EACH_IN(dim, tree_first(tree_member(raw, "dims")))
        tree_append(shape, tree_copy(reading->arena, dim));
    return shape;
}

static void add_data(struct answer_reading *reading, const struct tensors *known, struct tree *made, struct str bytes,
                     struct str name)
{
    size_t place;
    enum datatype datatype = datatype_from_name(tree_text(tensors_find(known, name, &place), "datatype"));
    if (datatype == DATATYPE_NONE)
        return;
    tree_add(made, STR("datatype"), tree_string(reading->arena, str_of(datatype_name(datatype))));
    tree_add(made, STR("data"),
             reading_raw(reading, arena_copy(reading->arena, bytes), datatype,
                         arena_printf(reading->arena, "output '%s'", str_printable(reading->arena, name))));
}

static struct tree *outputs_of(struct answer_reading *reading, const struct tree *message)
{
    struct arena *arena = reading->arena;
    struct tree *list = tree_new(arena, TREE_ARRAY);
    const struct tree *meta_data = tree_member(message, "meta_data"), *trailer = tree_member(message, "trailer");
    const struct tree *outputs = tree_member(meta_data, "output"), *raws = tree_member(message, "raw_output");
    const struct tree *bytes = tree_first(raws);
    const struct tensors known = tensors_for(tree_member(reading->request->details, "outputs"), outputs, arena);
    const struct tensors last = tensors_for(tree_member(trailer, "output"), outputs, arena);
    size_t place;
    FOR_EACH_IN(output, tree_first(outputs)) {
        struct str name = tree_text(output, "name");
        const struct tree *raw = tree_member(output, "raw");
        const struct tree *said = trailer ? tensors_find(&last, name, &place) : output;
        const struct tree *classes = tree_member(said, "batch_classes");
        struct tree *made = tree_object(arena, {"name", tree_string(arena, name)},
                                        {"shape", raw ? shape_of(reading, meta_data, raw) : NULL});
        if (raw && bytes)
            add_data(reading, &known, made, bytes->text, name);
        if (classes && classes->first)
            tree_add(made, STR("classes"), tree_copy(arena, classes));
        tree_append(list, made);
        bytes = bytes ? bytes->next : NULL;
    }
    return list;
}

/* Adds a number as the text that 000 has there; 0 is no number. */
static void add_number(struct tree *tree, const char *name, const struct tree *number, bool zero, struct arena *arena)
{
    if (number && number->type == TREE_NUMBER && (zero || !str_is(number->text, "0")))
        tree_add(tree, str_of(name), tree_string(arena, number->text));
}

void trtis_read(struct answer_reading *reading, struct tree *tree)
{
    const struct tree *message = tree_member(tree, "message"), *meta_data = tree_member(message, "meta_data");
    struct arena *arena = reading->arena;
    if (!reading->is_success || !meta_data)
        return;
    if (reading->is_inference) {
        add_number(tree, "id", tree_member(meta_data, "id"), false, arena);
        add_number(tree, "model_version", tree_member(meta_data, "model_version"), true, arena);
        if (tree_text(meta_data, "model_name").size)
            tree_add(tree, STR("model_name"), tree_string(arena, tree_text(meta_data, "model_name")));
    }
    tree_add(tree, STR("outputs"), outputs_of(reading, message));
}
