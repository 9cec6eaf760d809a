/* The inference request (000, "Inference Request JSON Object"), read from the text straight into an infer_request. The
 * tables below are the schemas of the document; one function reads any of them, in whatever order the members come.
 *
 * A duty that is switched off leaves a defined path: a value of a wrong type is passed over as if it were absent, and
 * what is absent then is taken from the model (rest_tensor.c). */
#include "predict_v2/rest_decode.h"

#include "json/number.h"

#include <stdlib.h>

/* --- Refusals --- */

static const char *const type_names[] = {
    [JSON_NONE] = "nothing",    [JSON_NULL] = "null",      [JSON_BOOL] = "a boolean",   [JSON_NUMBER] = "a number",
    [JSON_STRING] = "a string", [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object",
};

const char *place(const struct decode *decode)
{
    if (!decode->list)
        return "the request";
    const char *text = arena_printf(decode->arena, "%s[%zu]", decode->list, decode->index).data;
    return text ? text : decode->list;
}

bool refuse(struct decode *decode, const char *slug, const char *format, ...)
{
    va_list arguments;
    if (!is_ok(decode->status) || json_failed(decode->json))
        return false;
    va_start(arguments, format);
    struct str message = arena_vprintf(decode->arena, format, arguments);
    va_end(arguments);
    decode->status = message.data ? (struct status){STATUS_INVALID_ARGUMENT, message, slug} : status_no_memory();
    return false;
}

/* Passes over a value of a type that does not fit: its text is checked first, because the type is seen by one byte.
 * True: it is sound, and may be refused or left out. */
static bool pass_over(struct decode *decode)
{
    return json_skip(decode->json, NULL);
}

static bool no_memory(struct decode *decode)
{
    decode->status = status_no_memory();
    return false;
}

/* Whether reading can go on. */
static bool goes_on(const struct decode *decode)
{
    return is_ok(decode->status) && !json_failed(decode->json);
}

/* --- Objects --- */

/* Names that no table has, to see duplicates: v2-rest.member-once holds for any object. */
struct names {
    struct str *list;
    size_t count, room;
};

static bool add_name(struct decode *decode, struct names *names, struct str name)
{
    if (names->count == names->room) {
        size_t room = names->room ? 2 * names->room : 8;
        struct str *list = arena_alloc_zero(decode->arena, room, sizeof(*list));
        if (!list)
            return no_memory(decode);
        if (names->count)
            memcpy(list, names->list, names->count * sizeof(*list));
        names->list = list;
        names->room = room;
    }
    names->list[names->count++] = name;
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static bool given_twice(struct decode *decode, struct str name)
{
    return refuse(decode, "member-once", "%s has the member \"%s\" twice", place(decode),
                  str_printable(decode->arena, name));
}

static bool names_differ(struct decode *decode, struct names *names)
{
    if (names->count < 2 || !stands(decode, "member-once"))
        return true;
    qsort(names->list, names->count, sizeof(*names->list), compare_names);
    for (size_t i = 1; i < names->count; i++)
        if (str_equal(names->list[i - 1], names->list[i]))
            return given_twice(decode, names->list[i]);
    return true;
}

static const struct member *find_member(const struct decode *decode, const struct member *table, size_t count,
                                        struct str name)
{
    for (size_t i = 0; i < count; i++)
        if (str_equal(table[i].name, name))
            return &table[i];
    if (!stands(decode, "case-sensitive"))
        for (size_t i = 0; i < count; i++)
            if (str_equal_ignoring_case(table[i].name, name))
                return &table[i];
    return NULL;
}

/* Where there are no inputs because their own row is off, the core must not miss them either. */
static void take_the_models_inputs(struct decode *decode)
{
    const struct switches *old = decode->request->switches;
    struct switches *more = arena_new_of(decode->arena, struct switches);
    const char **off = arena_alloc_zero(decode->arena, old->count + 1, sizeof(*off));
    if (!more || !off)
        return;
    memcpy(off, old->off, old->count * sizeof(*off));
    off[old->count] = "inputs-required";
    *more = (struct switches){off, old->count + 1};
    decode->request->switches = more;
}

/* v2-rest.null-optional; true: the member counts as absent. */
static bool is_absent(struct decode *decode, const struct member *member, enum json_type type)
{
    return type == JSON_NULL && !member->required && stands(decode, "null-optional");
}

static bool read_member(struct decode *decode, const struct member *member, void *target, bool *seen)
{
    enum json_type type = json_type(decode->json);
    if (type == member->type) {
        *seen = true;
        return member->read(decode, target);
    }
    if (is_absent(decode, member, type))
        return json_skip(decode->json, NULL);
    const char *slug = type == JSON_NULL && !member->required ? "null-optional" : member->mistyped;
    if (!pass_over(decode))
        return false;
    if (stands(decode, member->mistyped))
        return refuse(decode, slug, "%s: \"%s\" must be %s, not %s", place(decode), member->name.data,
                      type_names[member->type], type_names[type]);
    *seen = true; /* this row is off, not the one that demands the member */
    if (str_is(member->name, "inputs"))
        take_the_models_inputs(decode);
    return true;
}

/* v2-rest.member-once v2-rest.unknown-member; `seen` gets which rows came. */
static bool read_members(struct decode *decode, const struct member *table, size_t count, void *target, bool *seen)
{
    struct names others = {0};
    struct str name;
    json_enter_object(decode->json);
    while (json_next_member(decode->json, &name)) {
        const struct member *member = find_member(decode, table, count, name);
        if (!member) {
            if (!stands(decode, "unknown-member"))
                return refuse(decode, "unknown-member", "%s has the unknown member \"%s\"", place(decode),
                              str_printable(decode->arena, name));
            if (!add_name(decode, &others, name) || !json_skip(decode->json, NULL))
                return false;
            continue;
        }
        bool *this_one = &seen[member - table];
        if (*this_one && stands(decode, "member-once"))
            return given_twice(decode, name);
        if (!read_member(decode, member, target, this_one))
            return false;
    }
    return goes_on(decode) && names_differ(decode, &others);
}

static bool all_required(struct decode *decode, const struct member *table, size_t count, const bool *seen)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].required && !seen[i] && stands(decode, table[i].required))
            return refuse(decode, table[i].required, "%s has no \"%s\"", place(decode), table[i].name.data);
    return true;
}

#define MEMBERS_MAX 8

static bool read_object(struct decode *decode, const struct member *table, size_t count, void *target)
{
    bool seen[MEMBERS_MAX] = {false};
    return read_members(decode, table, count, target, seen) && all_required(decode, table, count, seen);
}

/* --- Values --- */

/* v2-rest.string-nul: a NUL is a character like any other; a server in which it ends the string is switched here. */
static bool read_text(struct decode *decode, struct str *text)
{
    if (!json_read_string(decode->json, text))
        return false;
    const char *nul = stands(decode, "string-nul") || text->size == 0 ? NULL : memchr(text->data, 0, text->size);
    if (nul)
        text->size = (size_t)(nul - text->data);
    if (!text->data)
        *text = STR(""); /* given, and empty */
    return true;
}

/* 000, "Parameters": a string, a number or a boolean. `kept`: false if there is nothing to keep of it. */
static bool read_parameter(struct decode *decode, struct parameter *parameter, bool *kept)
{
    struct json_reader *json = decode->json;
    enum json_type type = json_type(json);
    struct str spelling;
    *kept = true;
    switch (type) {
    case JSON_BOOL:
        parameter->kind = PARAMETER_BOOL;
        return json_read_bool(json, &parameter->boolean);
    case JSON_STRING:
        parameter->kind = PARAMETER_STRING;
        return read_text(decode, &parameter->string);
    case JSON_NUMBER:
        if (!json_read_number(json, &spelling))
            return false;
        return parameter_set_number(parameter, spelling) ||
               refuse(decode, "parameter-kind", "%s: parameter \"%s\" is the number %s, which is too large",
                      place(decode), str_printable(decode->arena, parameter->name),
                      str_printable(decode->arena, spelling));
    default:
        *kept = false;
        if (!pass_over(decode))
            return false;
        if (stands(decode, "parameter-kind"))
            return refuse(decode, "parameter-kind",
                          "%s: parameter \"%s\" must be a string, a number or a boolean, not %s", place(decode),
                          str_printable(decode->arena, parameter->name), type_names[type]);
        return true;
    }
}

/* v2-rest.parameters-accepted v2-rest.parameter-kind */
static bool read_parameters(struct decode *decode, void *target)
{
    struct parameters *parameters = target;
    struct parameter *list = NULL;
    struct names names = {0};
    size_t count = 0, room = 0;
    struct str name;
    json_enter_object(decode->json);
    while (json_next_member(decode->json, &name)) {
        bool kept;
        if (!stands(decode, "parameters-accepted"))
            return refuse(decode, "parameters-accepted", "%s has the unknown parameter \"%s\"", place(decode),
                          str_printable(decode->arena, name));
        if (count == room) {
            room = room ? 2 * room : 4;
            struct parameter *more = arena_alloc_zero(decode->arena, room, sizeof(*more));
            if (!more)
                return no_memory(decode);
            if (count)
                memcpy(more, list, count * sizeof(*list));
            list = more;
        }
        list[count].name = name;
        if (!add_name(decode, &names, name) || !read_parameter(decode, &list[count], &kept))
            return false;
        count += kept;
    }
    *parameters = (struct parameters){list, count};
    return goes_on(decode) && names_differ(decode, &names);
}

/* --- 000, "Request Input" --- */

static bool read_input_name(struct decode *decode, void *target)
{
    struct input_parts *parts = target;
    parts->has_name = true;
    return read_text(decode, &parts->input->tensor.name);
}

/* v2-rest.datatype-known */
static bool read_datatype(struct decode *decode, void *target)
{
    struct input_parts *parts = target;
    struct str name;
    if (!read_text(decode, &name))
        return false;
    enum datatype datatype = datatype_from_name(name);
    for (int i = 1; datatype == DATATYPE_NONE && !stands(decode, "case-sensitive") && i < DATATYPE_COUNT; i++)
        if (str_equal_ignoring_case(name, str_of(datatype_name((enum datatype)i))))
            datatype = (enum datatype)i;
    if (datatype == DATATYPE_NONE && stands(decode, "datatype-known"))
        return refuse(decode, "datatype-known", "%s: there is no datatype \"%s\"", place(decode),
                      str_printable(decode->arena, name));
    if ((datatype == DATATYPE_FP16 && !stands(decode, "fp16-json")) ||
        (datatype == DATATYPE_BF16 && !stands(decode, "bf16-json")))
        return refuse(decode, datatype == DATATYPE_FP16 ? "fp16-json" : "bf16-json",
                      "%s: %s data cannot be sent as JSON", place(decode), datatype_name(datatype));
    parts->input->tensor.datatype = datatype;
    parts->has_datatype = datatype != DATATYPE_NONE;
    return true;
}

/* v2-rest.shape-integers; `fits`: false if the value is not used. */
static bool read_dimension(struct decode *decode, size_t axis, int64_t *dimension, bool *fits)
{
    enum json_type type = json_type(decode->json);
    struct str text;
    uint64_t large;
    if (type != JSON_NUMBER ? !json_skip(decode->json, &text) : !json_read_number(decode->json, &text))
        return false;
    *fits = type == JSON_NUMBER && number_read_int64(text, dimension);
    if (*fits)
        return true;
    if (type == JSON_NUMBER && number_read_uint64(text, &large))
        return refuse(decode, "data-count", "%s: dimension %zu of the shape is %s, more than any data can fill",
                      place(decode), axis, str_printable(decode->arena, text));
    if (stands(decode, "shape-integers"))
        return refuse(decode, "shape-integers", "%s: dimension %zu of the shape must be an integer, not %s",
                      place(decode), axis, str_printable(decode->arena, text));
    return true;
}

static bool read_shape(struct decode *decode, void *target)
{
    struct input_parts *parts = target;
    int64_t shape[TENSOR_RANK_MAX];
    bool all_fit = true, fits;
    json_enter_array(decode->json);
    struct json_run run = json_run_begin(decode->json, TENSOR_RANK_MAX);
    const char *text;
    while ((text = json_run_element(&run)) && json_run_take(&run, number_scan_int64(text, run.end, &shape[run.count])))
        continue;
    size_t rank = json_run_end(decode->json, run);
    for (; json_next_element(decode->json); rank++) {
        if (rank == TENSOR_RANK_MAX)
            return refuse(decode, "shape-matches", "%s: the shape has more than %d dimensions", place(decode),
                          TENSOR_RANK_MAX);
        if (!read_dimension(decode, rank, &shape[rank], &fits))
            return false;
        all_fit = all_fit && fits;
    }
    int64_t *copy = arena_alloc(decode->arena, (rank + 1) * sizeof(*copy));
    if (!copy)
        return no_memory(decode);
    memcpy(copy, shape, rank * sizeof(*copy));
    parts->input->tensor.shape = copy;
    parts->input->tensor.rank = rank;
    parts->has_shape = all_fit;
    return true;
}

static bool read_input_parameters(struct decode *decode, void *target)
{
    return read_parameters(decode, &((struct input_parts *)target)->input->parameters);
}

static const struct member input_members[] = {
    {STR("name"), JSON_STRING, "name-string", "name-required", read_input_name},
    {STR("shape"), JSON_ARRAY, "shape-array", "shape-required", read_shape},
    {STR("datatype"), JSON_STRING, "datatype-string", "datatype-required", read_datatype},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, read_input_parameters},
    {STR("data"), JSON_ARRAY, "data-array", "data-required", read_data},
};

/* --- 000, "Request Output" --- */

static bool read_output_name(struct decode *decode, void *target)
{
    return read_text(decode, &((struct infer_requested_output *)target)->name);
}

static bool read_output_parameters(struct decode *decode, void *target)
{
    return read_parameters(decode, &((struct infer_requested_output *)target)->parameters);
}

static const struct member output_members[] = {
    {STR("name"), JSON_STRING, "output-name-string", "output-name-required", read_output_name},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, read_output_parameters},
};

/* --- 000, "Inference Request JSON Object" --- */

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Room for one more element behind `count` of a list that grows by doubling; NULL without memory. */
static void *grow_list(struct decode *decode, void *list, size_t count, size_t size)
{
    if (count & (count - 1) || (count && count < 4))
        return list; /* between powers of two, and below the first room of 4, there is room */
    void *more = arena_alloc_zero(decode->arena, count ? 2 * count : 4, size);
    if (more && count)
        memcpy(more, list, count * size);
    if (!more)
        no_memory(decode);
    return more;
}

/* v2-rest.input-object */
static bool read_inputs(struct decode *decode, void *target)
{
    struct infer_request *request = target;
    decode->list = "inputs";
    request->input_count = 0;
    json_enter_array(decode->json);
    for (decode->index = 0; json_next_element(decode->json); decode->index++) {
        enum json_type type = json_type(decode->json);
        if (type != JSON_OBJECT && !pass_over(decode))
            return false;
        if (type != JSON_OBJECT && stands(decode, "input-object"))
            return refuse(decode, "input-object", "%s must be an object, not %s", place(decode), type_names[type]);
        request->inputs = grow_list(decode, request->inputs, request->input_count, sizeof(*request->inputs));
        if (!request->inputs)
            return false;
        struct input_parts parts = {.input = &request->inputs[request->input_count]};
        *parts.input = (struct infer_input){0};
        if (type == JSON_OBJECT && !read_object(decode, input_members, COUNT(input_members), &parts))
            return false;
        if (!finish_input(decode, &parts))
            return false;
        request->input_count++;
    }
    decode->list = NULL;
    return true;
}

/* v2-rest.output-object v2-rest.outputs-empty */
static bool read_outputs(struct decode *decode, void *target)
{
    struct infer_request *request = target;
    decode->list = "outputs";
    request->requested_count = 0;
    json_enter_array(decode->json);
    for (decode->index = 0; json_next_element(decode->json); decode->index++) {
        enum json_type type = json_type(decode->json);
        if (type != JSON_OBJECT && !pass_over(decode))
            return false;
        if (type != JSON_OBJECT && stands(decode, "output-object"))
            return refuse(decode, "output-object", "%s must be an object, not %s", place(decode), type_names[type]);
        request->requested =
            grow_list(decode, request->requested, request->requested_count, sizeof(*request->requested));
        if (!request->requested)
            return false;
        struct infer_requested_output *output = &request->requested[request->requested_count];
        *output = (struct infer_requested_output){0};
        if (type == JSON_OBJECT && !read_object(decode, output_members, COUNT(output_members), output))
            return false;
        request->requested_count += output->name.data != NULL;
    }
    decode->list = NULL;
    if (decode->index == 0 && !stands(decode, "outputs-empty"))
        return refuse(decode, "outputs-empty", "the list of outputs is empty");
    return true;
}

static bool read_id(struct decode *decode, void *target)
{
    return read_text(decode, &((struct infer_request *)target)->id);
}

static bool read_request_parameters(struct decode *decode, void *target)
{
    return read_parameters(decode, &((struct infer_request *)target)->parameters);
}

static const struct member request_members[] = {
    {STR("id"), JSON_STRING, "id-string", NULL, read_id},
    {STR("parameters"), JSON_OBJECT, "parameters-object", NULL, read_request_parameters},
    {STR("inputs"), JSON_ARRAY, "inputs-array", "inputs-required", read_inputs},
    {STR("outputs"), JSON_ARRAY, "outputs-array", NULL, read_outputs},
};

/* --- The text --- */

#define BYTE_ORDER_MARK STR("\xef\xbb\xbf")

/* v2-rest.bom */
static bool check_start(struct decode *decode)
{
    if (!str_starts(decode->text, BYTE_ORDER_MARK))
        return true;
    if (stands(decode, "bom")) {
        decode->status = status_broken(decode->arena, STATUS_INVALID_ARGUMENT, "bom",
                                       "the body starts with a byte order mark, which JSON text must not have");
        return false;
    }
    decode->text = str_from(decode->text, BYTE_ORDER_MARK.size);
    return true;
}

/* A copy in which each byte that is no UTF-8 is a question mark: for when v2-rest.utf8-valid is off. */
static struct str with_question_marks(struct str text, struct arena *arena)
{
    char *copy = arena_alloc_zero(arena, 1, text.size + JSON_PADDING);
    if (!copy)
        return text;
    memcpy(copy, text.data, text.size);
    for (size_t i = 0; i < text.size;) {
        size_t width = str_utf8_first((struct str){copy + i, text.size - i});
        if (width == 0)
            copy[i] = '?';
        i += width ? width : 1;
    }
    return (struct str){copy, text.size};
}

/* Which requirement a text breaks that is no JSON: v2-rest.utf8-valid v2-rest.trailing-text v2-rest.json-valid
 * (v2-rest.lone-surrogate and v2-rest.depth-limit are named by the reader) */
static const char *slug_of_text(const struct decode *decode, bool whole)
{
    return !str_is_utf8(decode->text) ? "utf8-valid" : whole ? "trailing-text" : "json-valid";
}

/* v2-rest.body-object */
static void read_body(struct decode *decode)
{
    enum json_type type = json_type(decode->json);
    if (type == JSON_OBJECT)
        read_object(decode, request_members, COUNT(request_members), decode->request);
    else if (!pass_over(decode))
        return;
    else if (stands(decode, "body-object"))
        refuse(decode, "body-object", "the body must be a JSON object, not %s", type_names[type]);
    else
        take_the_models_inputs(decode);
}

struct status rest_decode_infer(struct rest_call *call, struct str body, struct infer_request *request)
{
    struct rest_kept *kept = rest_kept(call);
    if (!kept)
        return status_no_memory();
    struct decode decode = {.call = call, .arena = call->arena, .json = kept->reader, .request = request, .text = body};
    if (!stands(&decode, "utf8-valid") && !str_is_utf8(body))
        decode.text = with_question_marks(body, call->arena);
    if (!check_start(&decode))
        return decode.status;
    json_begin(decode.json, decode.text);
    read_body(&decode);
    if (!is_ok(decode.status))
        return decode.status;
    bool whole = !json_failed(decode.json);
    struct status status = json_end(decode.json, call->arena);
    if (is_ok(status))
        return status;
    if (!status.broken)
        status.broken = slug_of_text(&decode, whole);
    return stands(&decode, status.broken) ? status : STATUS_IS_OK;
}
