/* Tests the decoder by its table of duties. */
#include "base/count.h"
#include "one_model.h"
#include "predict_v2/grpc_decode.h"
#include "tests/scratch.h"

#include <inference.pb-c.h>
#include <stdio.h>
#include <stdlib.h>

/* --- Messages --- */

typedef V2__ModelInferRequest__InferInputTensor Input;

/* A request with room for two inputs and three raw entries. A test changes it and packs it. */
struct draft {
    V2__ModelInferRequest request;
    Input inputs[2], *input_list[2];
    V2__InferTensorContents contents[2];
    ProtobufCBinaryData raw[3];
    int64_t shapes[2];
    int32_t ints[2];
    float floats[2];
};

static ProtobufCBinaryData text(const char *s)
{
    return structs_bytes(str_of(s));
}

/* Makes two inputs, both raw or both typed: I INT32 [2] = 1, 2 and `second` [2]. */
static struct draft *draft(const char *second, const char *datatype, struct str raw)
{
    struct draft *draft = arena_new_of(&arena, struct draft);
    v2__model_infer_request__init(&draft->request);
    draft->request.model_name = text("m");
    draft->request.n_inputs = 2;
    draft->request.inputs = draft->input_list;
    draft->ints[0] = 1;
    draft->ints[1] = 2;
    draft->floats[0] = 1.5F;
    for (size_t i = 0; i < 2; i++) {
        v2__model_infer_request__infer_input_tensor__init(&draft->inputs[i]);
        v2__infer_tensor_contents__init(&draft->contents[i]);
        draft->input_list[i] = &draft->inputs[i];
        draft->shapes[i] = 2;
        draft->inputs[i].shape = &draft->shapes[i];
        draft->inputs[i].n_shape = 1;
    }
    draft->inputs[0].name = text("I");
    draft->inputs[0].datatype = text("INT32");
    draft->inputs[1].name = text(second);
    draft->inputs[1].datatype = text(datatype);
    draft->contents[0].int_contents = draft->ints;
    draft->contents[0].n_int_contents = 2;
    draft->request.raw_input_contents = draft->raw;
    if (raw.data) {
        draft->request.n_raw_input_contents = 2;
        draft->raw[0] = structs_bytes(STR("\1\0\0\0\2\0\0\0"));
        draft->raw[1] = structs_bytes(raw);
    } else {
        draft->inputs[0].contents = &draft->contents[0];
        draft->inputs[1].contents = &draft->contents[1];
    }
    return draft;
}

#define RAW_BYTES "\1\0\0\0a\2\0\0\0bc"
static const struct str typed = {0};

static struct draft *raw_draft(void)
{
    return draft("B", "BYTES", STR(RAW_BYTES));
}

static ProtobufCBinaryData elements[2] = {{1, (uint8_t *)(uintptr_t) "a"}, {2, (uint8_t *)(uintptr_t) "bc"}};

static struct draft *typed_draft(void)
{
    struct draft *made = draft("B", "BYTES", typed);
    made->contents[1].bytes_contents = elements;
    made->contents[1].n_bytes_contents = 2;
    return made;
}

static struct draft *typed_16_bits(const char *name, const char *datatype)
{
    struct draft *made = draft(name, datatype, typed);
    made->contents[1].fp32_contents = made->floats;
    made->contents[1].n_fp32_contents = 2;
    return made;
}

/* --- The decoder --- */

static const struct rpc_method method = {.request = &inference__model_infer_request__descriptor};
static struct rpc_call call;
static struct infer_request request;
static struct data_form data_form;

static int start(void **state)
{
    make_arena(state);
    call = (struct rpc_call){.arena = &arena, .method = &method};
    return 0;
}

/* After each test nobody may hold the model, whether the request was decoded or refused. */
static int tear_down(void **state)
{
    drop_arena(state);
    return tally_sum(&holders) > 0 ? -1 : 0;
}

static struct status decode_bytes(struct str message)
{
    call.message = message;
    request = (struct infer_request){.arena = &arena};
    return grpc_decode_request(&call, &request, &data_form);
}

static struct status decode(struct draft *made)
{
    return decode_bytes(structs_packed(&arena, &made->request.base));
}

static void expect_data(size_t input, const void *data, size_t size)
{
    assert_true(input < request.input_count);
    assert_int_equal(request.inputs[input].tensor.size, size);
    assert_memory_equal(request.inputs[input].tensor.data, data, size);
}

#define REQUEST_TEST(name) TEST_WITH(name, start, tear_down)

/* --- Each duty, broken --- */

/* A test that a request, once it is changed, is refused for that duty, in a sentence that has these words. */
#define REFUSED(name, slug, words, of, change)                                                                         \
    REQUEST_TEST(name)                                                                                                 \
    {                                                                                                                  \
        struct draft *made = of;                                                                                       \
        change;                                                                                                        \
        struct status status = decode(made);                                                                           \
        assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);                                                        \
        assert_string_equal(status.broken, slug);                                                                      \
        assert_has(status.message, words);                                                                             \
    }

REFUSED(an_id_is_utf_8, "string-utf8", "id", raw_draft(), made->request.id = text("\xff"))
REFUSED(an_input_has_a_name, "name-required", "inputs[1]", raw_draft(), made->inputs[1].name = text(""))
REFUSED(a_datatype_is_known, "datatype-known", "'bytes'", raw_draft(), made->inputs[1].datatype = text("bytes"))
REFUSED(data_has_one_form, "raw-or-contents", "'I'", raw_draft(), made->inputs[0].contents = &made->contents[0])
REFUSED(no_raw_entry_is_missing, "raw-count", "'B'", raw_draft(), made->request.n_raw_input_contents = 1)
REFUSED(no_raw_entry_is_left, "raw-surplus", "3 entries for 2", raw_draft(), made->request.n_raw_input_contents = 3)
REFUSED(fp16_is_raw, "fp16-raw", "FP16", typed_16_bits("H", "FP16"), {})
REFUSED(bf16_is_raw, "bf16-raw", "BF16", typed_16_bits("X", "BF16"), {})
REFUSED(contents_stand_in_the_field_of_their_datatype, "contents-field", "bytes_contents, not in int_contents",
        typed_draft(), made->contents[1] = made->contents[0])
REFUSED(an_input_has_data, "data-required", "'B'", typed_draft(), made->inputs[1].contents = NULL)
REFUSED(an_element_is_in_its_range, "element-range", "300", draft("S", "INT8", typed),
        (made->contents[1] = made->contents[0], made->ints[1] = 300))
REFUSED(raw_data_is_as_large_as_its_shape, "raw-size", "is 7 bytes", raw_draft(), made->raw[0].len = 7)
REFUSED(bytes_are_as_long_as_they_claim, "raw-size", "claims 2 bytes, 1", raw_draft(), made->raw[1].len--)

/* --- Decoding --- */

REQUEST_TEST(raw_and_typed_data_become_the_same_tensors)
{
    static const int32_t ints[] = {1, 2};
    for (int form = 0; form < 2; form++) {
        assert_true(is_ok(decode(form ? raw_draft() : typed_draft())));
        assert_int_equal(data_form.is_raw, form);
        expect_data(0, ints, sizeof(ints));
        expect_data(1, RAW_BYTES, 11);
        assert_int_equal(request.inputs[1].tensor.count, 2);
        assert_int_equal(request.inputs[1].tensor.shape[0], 2);
    }
}

REQUEST_TEST(raw_data_is_aligned_for_vectors)
{
    assert_true(is_ok(decode(raw_draft())));
    for (size_t i = 0; i < 2; i++)
        assert_int_equal((uintptr_t)request.inputs[i].tensor.data % 64, 0);
}

REQUEST_TEST(aligned_data_is_used_where_it_stands_if_the_message_stays)
{
    static const struct rpc_stream stream;
    static const struct rpc_method streamed = {.request = &inference__model_infer_request__descriptor,
                                               .stream = &stream};
    struct draft *made = raw_draft();
    struct str packed = structs_packed(&arena, &made->request.base);
    char *memory = arena_alloc(&arena, ARENA_WIDE);
    size_t begins = grpc_data_begins(packed), skip = -begins & 63;
    memcpy(memory + skip, packed.data, packed.size);
    call.message = (struct str){memory + skip, packed.size};
    for (int is_streamed = 0; is_streamed < 2; is_streamed++) {
        call.method = is_streamed ? &streamed : &method;
        request = (struct infer_request){.arena = &arena};
        assert_true(is_ok(grpc_decode_request(&call, &request, &data_form)));
        assert_int_equal(data_form.is_in_message, !is_streamed);
        assert_int_equal(request.inputs[0].tensor.data == memory + skip + begins, !is_streamed);
        assert_int_equal(((const int32_t *)request.inputs[0].tensor.data)[1], 2);
        expect_data(1, RAW_BYTES, 11);
    }
}

REQUEST_TEST(names_keep_their_nuls)
{
    struct draft *made = raw_draft();
    made->request.id = structs_bytes(STR("a\0b"));
    assert_true(is_ok(decode(made)));
    assert_true(str_equal(request.id, STR("a\0b")));
}

REQUEST_TEST(with_another_datatype_or_shape_the_complaint_is_left_to_the_core)
{
    struct draft *made = raw_draft();
    made->inputs[0].datatype = text("INT64");
    assert_true(is_ok(decode(made)));
    assert_int_equal(request.inputs[0].tensor.datatype, DATATYPE_INT64);
    made = typed_draft();
    made->inputs[0].datatype = text("FP32");
    assert_true(is_ok(decode(made)));
    made = raw_draft();
    made->inputs[0].n_shape = 0;
    assert_true(is_ok(decode(made)));
    assert_int_equal(request.inputs[0].tensor.count, 2);
    made = raw_draft();
    made->request.model_name = text("other");
    made->raw[0].len = 3;
    assert_true(is_ok(decode(made)));
    made = raw_draft();
    made->shapes[0] = -2;
    assert_true(is_ok(decode(made)));
    assert_int_equal(request.inputs[0].tensor.count, 2);
}

REQUEST_TEST(a_malformed_message_is_refused_wherever_it_is_cut)
{
    struct draft *made = raw_draft();
    struct str whole = structs_packed(&arena, &made->request.base);
    size_t refused = 0;
    for (size_t size = 0; size < whole.size; size++) {
        struct status status = decode_bytes((struct str){whole.data, size});
        refused += status.code == STATUS_INVALID_ARGUMENT;
        if (!is_ok(status))
            assert_non_null(status.broken);
    }
    assert_true(refused > whole.size / 2);
    assert_true(is_ok(decode_bytes(whole)));
}

/* Most fields are checked while they are read, the others by wire_check: in each something can be wrong. */
REQUEST_TEST(what_is_wrong_is_found_in_each_field)
{
    static const struct {
        const char *slug;
        struct str message;
    } wrong[] = {
        {"string-utf8", STR("\x0a\1\xff")},               /* model_name */
        {"string-utf8", STR("\x12\1\xff")},               /* model_version */
        {"string-utf8", STR("\x1a\1\xff")},               /* id */
        {"string-utf8", STR("\x22\3\x0a\1\xff")},         /* a key of parameters */
        {"string-utf8", STR("\x2a\3\x0a\1\xff")},         /* inputs: name */
        {"string-utf8", STR("\x2a\3\x12\1\xff")},         /* datatype */
        {"string-utf8", STR("\x2a\5\x22\3\x0a\1\xff")},   /* a key of parameters */
        {"string-utf8", STR("\x32\3\x0a\1\xff")},         /* outputs: name */
        {"string-utf8", STR("\x32\5\x12\3\x0a\1\xff")},   /* a key of parameters */
        {"message-valid", STR("\x08\1")},                 /* a varint: model_name */
        {"message-valid", STR("\x10\1")},                 /* model_version */
        {"message-valid", STR("\x18\1")},                 /* id */
        {"message-valid", STR("\x20\1")},                 /* parameters */
        {"message-valid", STR("\x28\1")},                 /* inputs */
        {"message-valid", STR("\x30\1")},                 /* outputs */
        {"message-valid", STR("\x38\1")},                 /* raw_input_contents */
        {"message-valid", STR("\x2a\2\x08\1")},           /* inputs: name */
        {"message-valid", STR("\x2a\2\x10\1")},           /* datatype */
        {"message-valid", STR("\x2a\2\x20\1")},           /* parameters */
        {"message-valid", STR("\x2a\2\x28\1")},           /* contents */
        {"message-valid", STR("\x32\2\x08\1")},           /* outputs: name */
        {"message-valid", STR("\x32\2\x10\1")},           /* parameters */
        {"message-valid", STR("\x2a\5\x1d\0\0\0\0")},     /* a shape of 32 bits */
        {"message-valid", STR("\x2a\3\x1a\1\x80")},       /* a shape whose last varint is cut */
        {"message-valid", STR("\x2a\5\x2a\3\x12\1\x80")}, /* contents of which one is cut */
        {"message-valid", STR("\x2a\2\x0a\5")},           /* an input whose name runs over its end */
        {"message-valid", STR("\x32\2\x0a\5")},           /* the same of an output */
    };
    EACH_ROW(row, wrong, row->slug) {
        struct status status = decode_bytes(row->message);
        assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
        assert_string_equal(status.broken, row->slug);
    }
}

REQUEST_TEST(of_two_parameters_with_one_key_the_last_counts)
{
    struct parameter pair[] = {{.name = STR("k"), .kind = PARAMETER_INT64, .int64 = 1},
                               {.name = STR("k"), .kind = PARAMETER_STRING, .string = STR("two\0")},
                               {.name = STR("b"), .kind = PARAMETER_BOOL, .boolean = true},
                               {.name = STR("d"), .kind = PARAMETER_DOUBLE, .number = -0.5},
                               {.name = STR("u"), .kind = PARAMETER_UINT64, .uint64 = UINT64_MAX}};
    struct parameters parameters = {pair, 5};
    struct draft *made = raw_draft();
    assert_true(is_ok(grpc_parameters(&arena, &parameters, &v2__model_infer_request__parameters_entry__descriptor,
                                      &made->request.parameters, &made->request.n_parameters)));
    assert_true(is_ok(decode(made)));
    assert_int_equal(request.parameters.count, 5);
    const struct parameter *found = parameters_find(&request.parameters, "k");
    assert_int_equal(found->kind, PARAMETER_STRING);
    assert_int_equal(found->string.size, 4);
    assert_true(parameters_find(&request.parameters, "b")->boolean);
    assert_true(parameters_find(&request.parameters, "d")->number == -0.5);
    assert_true(parameters_find(&request.parameters, "u")->uint64 == UINT64_MAX);
}

REQUEST_TEST(every_integer_type_survives_contents_and_back)
{
    static const uint8_t bytes[8 * 4] = {0,    0,    0,    0,    0,    0,    0,    0,    0xff, 0xff, 0xff,
                                         0xff, 0xff, 0xff, 0xff, 0xff, 0,    0x80, 0,    0x80, 0,    0x80,
                                         0,    0x80, 1,    0x7f, 1,    0x7f, 1,    0x7f, 1,    0x7f};
    static const enum datatype types[] = {DATATYPE_UINT8, DATATYPE_UINT16, DATATYPE_UINT32, DATATYPE_UINT64,
                                          DATATYPE_INT8,  DATATYPE_INT16,  DATATYPE_INT32,  DATATYPE_INT64,
                                          DATATYPE_FP32,  DATATYPE_FP64};
    for (size_t i = 0; i < COUNT_OF(types); i++) {
        uint8_t *data = arena_alloc(&arena, sizeof(bytes));
        memcpy(data, bytes, sizeof(bytes));
        struct tensor tensor = {.datatype = types[i],
                                .count = sizeof(bytes) / datatype_size(types[i]),
                                .data = data,
                                .size = sizeof(bytes)};
        V2__InferTensorContents *contents;
        assert_true(is_ok(contents_of_tensor(&tensor, &arena, &contents)));
        struct str packed = structs_packed(&arena, &contents->base);
        struct contents_counts counts = {0};
        contents_count(packed, &counts);
        assert_int_equal(counts.elements[datatype_table[types[i]].contents_field], tensor.count);
        char back[sizeof(bytes)];
        size_t position;
        int64_t value;
        assert_false(contents_misfit(packed, types[i], &position, &value));
        assert_ptr_equal(contents_read(packed, types[i], back), back + sizeof(bytes));
        assert_memory_equal(back, bytes, sizeof(bytes));
    }
}

REQUEST_TEST(two_million_empty_inputs_cost_little_and_are_refused)
{
    size_t size = 4000000;
    char *bytes = arena_alloc(&arena, size);
    for (size_t i = 0; i < size; i += 2)
        memcpy(bytes + i, "\x2a", 2);
    assert_false(is_ok(decode_bytes((struct str){bytes, size})));
}
