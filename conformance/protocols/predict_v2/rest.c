/* Writes an infer act as the JSON body of 000, "Inference Request JSON Object", with flat or nested data. Members of a
 * wrong type (a list instead of a string, an input that is no object) are sent as they are, because JSON can say
 * them. */
#include "protocols/predict_v2/binary.h"
#include "protocols/predict_v2/predict_v2.h"

#include "base/search.h"
#include "notation/data.h"
#include "notation/json_text.h"
#include "protocols/packing.h"
#include "support/memory.h"
#include "support/percent.h"

static bool is_16_bit_float(enum datatype datatype)
{
    return datatype == DATATYPE_FP16 || datatype == DATATYPE_BF16;
}

/* Whether JSON can write the elements. */
static struct status check_elements(const struct tree *list, enum datatype datatype, struct arena *arena)
{
    if (is_16_bit_float(datatype))
        return status_error(arena, STATUS_UNIMPLEMENTED, "%s has no JSON form in the document",
                            datatype_name(datatype));
    FOR_EACH_IN(element, list->first) {
        if (element->type != TREE_STRING)
            continue;
        if (datatype == DATATYPE_BYTES && !str_is_utf8(element->text))
            return status_error(arena, STATUS_UNIMPLEMENTED, "JSON cannot carry BYTES that are not UTF-8");
        bool special =
            str_is(element->text, "NaN") || str_is(element->text, "Infinity") || str_is(element->text, "-Infinity");
        if (special && (datatype == DATATYPE_FP32 || datatype == DATATYPE_FP64))
            return status_error(arena, STATUS_UNIMPLEMENTED, "JSON has no %.*s", STR_ARG(element->text));
    }
    return STATUS_IS_OK;
}

static bool has_lists(const struct tree *data)
{
    return ANY_IN(element, data->first, element->type == TREE_ARRAY);
}

/* Chooses the shape that nests the data: the base's, or the input's own if the data fits only that (an empty tensor in
 * place of a full one). */
static void splitting_shape(const struct tree *input, const struct tree *packing, size_t elements,
                            int64_t shape[TENSOR_RANK_MAX], size_t *rank)
{
    int64_t own[TENSOR_RANK_MAX];
    size_t own_rank, own_count, base_count;
    bool own_fits = data_shape(tree_member(input, "shape"), own, &own_rank) && shape_count(own, own_rank, &own_count) &&
                    own_count == elements;
    bool base_known = data_shape(tree_member(packing, "shape"), shape, rank);
    bool base_fits = base_known && shape_count(shape, *rank, &base_count) && base_count == elements;
    if (own_fits && !base_fits) {
        memcpy(shape, own, sizeof own);
        *rank = own_rank;
    } else if (!base_known) {
        *rank = 0;
    }
}

static struct status write_data(const struct meaning *meaning, const struct tree *data, const struct tree *input,
                                const struct tree *packing, struct arena *arena, struct buf *out)
{
    struct tree *list;
    struct arena elements = memory_arena(); /* large if there are many elements */
    enum datatype datatype = packing_datatype(packing);
    struct status status = data_elements(data, datatype, &elements, &list);
    if (is_ok(status))
        status = check_elements(list, datatype, &elements);
    if (is_ok(status) && meaning->form->way == REST_NESTED && !has_lists(list)) {
        int64_t shape[TENSOR_RANK_MAX] = {0};
        size_t rank;
        splitting_shape(input, packing, list->count, shape, &rank);
        list = data_nested(list, shape, rank, &elements);
    }
    if (is_ok(status))
        json_text(list, out);
    status.message = arena_copy(arena, status.message);
    arena_free(&elements);
    return status;
}

static struct status write_input(const struct meaning *meaning, const struct tree *input, size_t index,
                                 struct arena *arena, struct buf *out)
{
    if (input->type != TREE_OBJECT) {
        json_text(input, out);
        return STATUS_IS_OK;
    }
    const struct tree *packing = packing_input(meaning, input, index);
    struct status status = STATUS_IS_OK;
    buf_append_byte(out, '{');
    for (const struct tree *member = input->first; member && is_ok(status); member = member->next) {
        if (member != input->first)
            buf_append_byte(out, ',');
        json_text_string(out, member->name);
        buf_append_byte(out, ':');
        if (str_is(member->name, "data") && data_is(member))
            status = write_data(meaning, member, input, packing, arena, out);
        else
            json_text(member, out);
    }
    buf_append_byte(out, '}');
    return status;
}

static struct status write_inputs(const struct meaning *meaning, const struct tree *inputs, struct arena *arena,
                                  struct buf *out)
{
    if (inputs->type != TREE_ARRAY) {
        json_text(inputs, out);
        return STATUS_IS_OK;
    }
    struct status status = STATUS_IS_OK;
    size_t index = 0;
    buf_append_byte(out, '[');
    for (const struct tree *input = inputs->first; input && is_ok(status); input = input->next, index++) {
        if (index > 0)
            buf_append_byte(out, ',');
        status = write_input(meaning, input, index, arena, out);
    }
    buf_append_byte(out, ']');
    return status;
}

static struct status write_body(const struct meaning *meaning, struct arena *arena, struct buf *out)
{
    static const char *const members[] = {"id", "parameters", "inputs", "outputs"};
    struct status status = STATUS_IS_OK;
    buf_append_byte(out, '{');
    for (size_t i = 0; i < COUNT_OF(members) && is_ok(status); i++) {
        const struct tree *member = tree_member(meaning->act, members[i]);
        if (member == NULL)
            continue;
        buf_printf(out, "%s\"%s\":", out->size > 1 ? "," : "", members[i]);
        if (str_is(member->name, "inputs"))
            status = write_inputs(meaning, member, arena, out);
        else
            json_text(member, out);
    }
    buf_append_byte(out, '}');
    return status;
}

struct status rest_encode(const struct meaning *meaning, struct arena *arena, struct request *request)
{
    bool is_binary = meaning->form->way == REST_BINARY;
    struct buf body = {0}, tail = {0};
    struct meaning written = *meaning;
    struct status status = is_binary ? binary_meaning(meaning, arena, &written, &tail) : STATUS_IS_OK;
    if (is_ok(status))
        status = write_body(&written, arena, &body);
    struct str model = path_segment(tree_text(meaning->act, "infer"), arena);
    struct str version = path_segment(meaning->version, arena);
    struct str json_size = arena_printf(arena, "%zu", body.size);
    request->method = STR("POST");
    request->path = version.size > 0
                        ? arena_printf(arena, "/v2/models/%.*s/versions/%.*s/infer", STR_ARG(model), STR_ARG(version))
                        : arena_printf(arena, "/v2/models/%.*s/infer", STR_ARG(model));
    header_list_add(
        &request->headers,
        (struct header){STR("Content-Type"), is_binary ? STR("application/octet-stream") : STR("application/json")},
        arena);
    if (is_binary)
        header_list_add(&request->headers, (struct header){STR(BINARY_LENGTH_HEADER), json_size}, arena);
    buf_append_str(&body, buf_str(&tail));
    buf_free(&tail);
    request->body = arena_take(arena, &body);
    request->has_body = true;
    return status;
}

struct str rest_versioned_path(struct str path, struct str model, struct str version, struct arena *arena)
{
    struct str segment = path_segment(model, arena);
    struct str below = arena_printf(arena, "/v2/models/%.*s", STR_ARG(segment));
    const char *found = model.size > 0 ? memmem(path.data, path.size, below.data, below.size) : NULL;
    if (found == NULL)
        return path;
    struct str rest = str_from(path, (size_t)(found - path.data) + below.size);
    if ((rest.size > 0 && rest.data[0] != '/' && rest.data[0] != '?') || str_starts(rest, STR(REST_BELOW_MODEL)))
        return path;
    struct str head = {path.data, path.size - rest.size}, version_segment = path_segment(version, arena);
    return arena_printf(arena, "%.*s" REST_BELOW_MODEL "%.*s%.*s", STR_ARG(head), STR_ARG(version_segment),
                        STR_ARG(rest));
}
