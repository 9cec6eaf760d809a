/* The bit patterns were calculated in Python, with struct and exact fractions. */
#include "base/search.h"
#include "tensor/json_tensor.h"
#include "tests/scratch.h"
#include <stdlib.h>

static struct json_reader *reader;

static int begin(void **state)
{
    make_arena(state);
    reader = json_reader_create(NULL);
    return reader ? 0 : 1;
}

static int end(void **state)
{
    json_reader_destroy(reader);
    return drop_arena(state);
}

/* Reads the text as data of the type. Returns the fault of the data, or else the fault of the text. */
static struct status read_text(struct str text, struct tensor *tensor, enum nesting *nesting, struct arena *memory)
{
    char *padded = arena_alloc(&arena, text.size + JSON_PADDING);
    memset(padded, 0, text.size + JSON_PADDING);
    memcpy(padded, text.data, text.size);
    json_begin(reader, (struct str){padded, text.size});
    struct status status = json_read_tensor(reader, tensor, nesting, memory);
    return is_ok(status) ? json_end(reader, &arena) : status;
}

static struct status read_as(enum datatype type, const char *text, struct tensor *tensor)
{
    *tensor = (struct tensor){.name = STR("x"), .datatype = type};
    return read_text(str_of(text), tensor, NULL, &arena);
}

static void assert_reads(enum datatype type, const char *text, const void *bytes, size_t size)
{
    struct tensor tensor;
    struct status status = read_as(type, text, &tensor);
    if (!is_ok(status))
        fail_msg("%s: %.*s", text, STR_ARG(status.message));
    assert_int_equal(tensor.size, size);
    assert_memory_equal(tensor.data, bytes, size);
    assert_int_equal((uintptr_t)tensor.data % 64, 0);
}

#define assert_reads_array(datatype, type, text, ...)                                                                  \
    assert_reads(DATATYPE_##datatype, text, (const type[]){__VA_ARGS__}, sizeof(const type[]){__VA_ARGS__})

const struct unit_group unit_group = {begin, end};

TEST(extremes_of_every_integer_type_survive)
{
    assert_reads_array(INT8, int8_t, "[-128,127,0,-1]", INT8_MIN, INT8_MAX, 0, -1);
    assert_reads_array(INT16, int16_t, "[-32768,32767]", INT16_MIN, INT16_MAX);
    assert_reads_array(INT32, int32_t, "[-2147483648,2147483647]", INT32_MIN, INT32_MAX);
    assert_reads_array(INT64, int64_t, "[-9223372036854775808,9223372036854775807,9007199254740993,999999999999999999]",
                       INT64_MIN, INT64_MAX, 9007199254740993, 999999999999999999);
    assert_reads_array(UINT8, uint8_t, "[0,255]", 0, UINT8_MAX);
    assert_reads_array(UINT16, uint16_t, "[65535]", UINT16_MAX);
    assert_reads_array(UINT32, uint32_t, "[4294967295]", UINT32_MAX);
    assert_reads_array(UINT64, uint64_t, "[18446744073709551615,0]", UINT64_MAX, 0);
}

TEST(integers_are_taken_by_their_value_not_their_spelling)
{
    assert_reads_array(INT32, int32_t, "[1.0,1e2,-0,-0.0,100e-2,2.5e1]", 1, 100, 0, 0, 1, 25);
    assert_reads_array(UINT64, uint64_t, "[-0,1.8446744073709551615e19]", 0, UINT64_MAX);
}

TEST(wrong_elements_are_refused)
{
    static const struct {
        const char *text;
        enum datatype type;
        const char *slug;
    } table[] = {
        {"[128]", DATATYPE_INT8, "element-range"},    {"[1e400]", DATATYPE_INT32, "element-range"},
        {"[-1]", DATATYPE_UINT32, "element-range"},   {"[18446744073709551616]", DATATYPE_UINT64, "element-range"},
        {"[3.5e38]", DATATYPE_FP32, "element-range"}, {"[1e-1]", DATATYPE_UINT64, "element-type"},
        {"[\"7\"]", DATATYPE_INT32, "element-type"},  {"[true]", DATATYPE_FP32, "element-type"},
        {"[1]", DATATYPE_BOOL, "element-type"},       {"[1]", DATATYPE_BYTES, "element-type"},
        {"[null]", DATATYPE_BYTES, "element-null"},   {"{\"data\":[1]}", DATATYPE_INT32, "data-array"},
    };
    struct tensor tensor;
    EACH_ROW(row, table, row->text)
        assert_string_equal(read_as(row->type, row->text, &tensor).broken, row->slug);
    assert_fails(read_as(DATATYPE_INT32, "[1,[2,1.5]]", &tensor), STATUS_INVALID_ARGUMENT,
                 "element 2 is 1.5, which is not a valid INT32");
}

TEST(bools_are_one_byte_each)
{
    assert_reads_array(BOOL, uint8_t, "[true, false ,true]", 1, 0, 1);
}

TEST(bytes_are_the_decoded_strings_with_their_lengths)
{
    static const char bytes[] = "\3\0\0\0a\0b\0\0\0\0\2\0\0\0\xc3\xa9\4\0\0\0\xf0\x9f\x98\x80";
    assert_reads(DATATYPE_BYTES, "[\"a\\u0000b\",\"\",\"\\u00e9\",\"\\ud83d\\ude00\"]", bytes, sizeof bytes - 1);
}

TEST(nested_lists_come_out_row_major)
{
    assert_reads_array(INT32, int32_t, "[[[1,2],[3,4]],[[5,6],[7,8]]]", 1, 2, 3, 4, 5, 6, 7, 8);
    assert_reads_array(INT32, int32_t, " [ [ ] , [ 1 , [ 2 ] ] , 3 ] ", 1, 2, 3);
    assert_reads(DATATYPE_INT32, "[]", "", 0);
    assert_reads(DATATYPE_BYTES, "[[],[[]]]", "", 0);
}

static enum nesting nesting_of(const char *text, const int64_t *shape, size_t rank)
{
    struct tensor tensor = {.name = STR("x"), .datatype = DATATYPE_INT32, .shape = shape, .rank = rank};
    enum nesting nesting;
    struct status status = read_text(str_of(text), &tensor, &nesting, &arena);
    assert_int_equal(status.code, STATUS_OK);
    return nesting;
}

TEST(nesting_is_compared_with_the_shape)
{
    static const int64_t two_by_two[] = {2, 2}, two_by_none[] = {2, 0}, none_by_two[] = {0, 2}, four[] = {4};
    assert_int_equal(nesting_of("[1,2,3,4]", two_by_two, 2), NESTING_FLAT);
    assert_int_equal(nesting_of("[1,2,3,4]", NULL, 0), NESTING_FLAT);
    assert_int_equal(nesting_of("[1,2,3,4]", four, 1), NESTING_FLAT);
    assert_int_equal(nesting_of("[1]", four, 0), NESTING_FLAT);
    assert_int_equal(nesting_of("[[1,2],[3,4]]", two_by_two, 2), NESTING_SHAPED);
    assert_int_equal(nesting_of("[[],[]]", two_by_none, 2), NESTING_SHAPED);
    assert_int_equal(nesting_of("[]", none_by_two, 2), NESTING_FLAT);
    assert_int_equal(nesting_of("[[1,2],[3,4]]", NULL, 0), NESTING_OTHER);
    assert_int_equal(nesting_of("[[1,2],[3,4]]", four, 1), NESTING_OTHER);
    EACH(text, "[[1,2,3],[4]]", "[[1,2,3,4]]", "[[[1],[2]],[[3],[4]]]", "[[1,2],3,4]", "[1,[2,3,4]]",
         "[[1,2],[3,4],[]]")
        assert_int_equal(nesting_of(text, two_by_two, 2), NESTING_OTHER);
    assert_int_equal(nesting_of("[[]]", two_by_none, 2), NESTING_OTHER);
}

TEST(faults_of_the_text_are_left_to_the_reader)
{
    static const char *const table[] = {"[1,2",  "[1,]",   "[,1]",  "[1 2]", "[01]", "[1.]", "[NaN]",  "[nope]",
                                        "[tru]", "[1]]",   "[1],2", "[+1]",  "[.5]", "[-]",  "[0x10]", "[1}",
                                        "[\"a]", "[1][2]", "[1e]",  "",      "nope", "[[1]", "{1:2}",  "[{\"a\"}]"};
    for (size_t i = 0; i < COUNT_OF(table); i++)
        for (int type = DATATYPE_NONE + 1; type < DATATYPE_COUNT; type++) {
            struct tensor tensor;
            struct status status = read_as((enum datatype)type, table[i], &tensor);
            assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
            if (type == DATATYPE_INT32 && status.broken)
                fail_msg("%s: %.*s", table[i], STR_ARG(status.message));
        }
}

TEST(a_thousand_brackets_are_refused)
{
    char text[2001];
    memset(text, '[', 1000);
    memset(text + 1000, ']', 1000);
    text[2000] = 0;
    struct tensor tensor;
    assert_int_equal(read_as(DATATYPE_INT32, text, &tensor).code, STATUS_INVALID_ARGUMENT);
    assert_int_equal(read_as(DATATYPE_BYTES, text + 936, &tensor).code, STATUS_INVALID_ARGUMENT);
}

TEST(a_false_claim_of_the_shape_reserves_little)
{
    static const int64_t huge[] = {1 << 30, 1 << 20};
    struct arena small = arena_new(8192);
    struct tensor tensor = {.name = STR("x"), .datatype = DATATYPE_FP64, .shape = huge, .rank = 2};
    assert_int_equal(read_text(STR("[1,2]"), &tensor, NULL, &small).code, STATUS_OK);
    assert_int_equal(tensor.count, 2);
    arena_free(&small);
}

TEST(a_long_list_is_read_whole_and_ends_at_the_budget)
{
    size_t count = 100000;
    struct buf text = {0};
    for (size_t i = 0; i < count; i++)
        buf_printf(&text, i ? ",%zu" : "[%zu", i);
    buf_append_byte(&text, ']');
    const int64_t exact[] = {1000, 100}, wrong[] = {3};
    const int64_t *const shapes[] = {exact, NULL, wrong};
    for (size_t k = 0; k < 3; k++) {
        struct tensor tensor = {
            .name = STR("x"), .datatype = DATATYPE_INT32, .shape = shapes[k], .rank = shapes[k] ? k == 0 ? 2 : 1 : 0};
        struct arena enough = arena_new(16 * count), little = arena_new(2 * count);
        assert_int_equal(read_text(buf_str(&text), &tensor, NULL, &enough).code, STATUS_OK);
        assert_int_equal(tensor.count, count);
        for (size_t i = 0; i < count; i++)
            assert_int_equal(((int32_t *)tensor.data)[i], i);
        assert_int_equal(read_text(buf_str(&text), &tensor, NULL, &little).code, STATUS_RESOURCE_EXHAUSTED);
        arena_free(&enough);
        arena_free(&little);
    }
    buf_free(&text);
}

static void assert_writes(enum datatype type, const void *data, size_t size, size_t count, const char *text)
{
    struct tensor tensor = {.name = STR("y"), .datatype = type, .count = count, .size = size};
    memcpy(&tensor.data, &data, sizeof tensor.data);
    struct buf out = {0};
    struct status status = json_write_tensor(&tensor, &out, &arena);
    assert_int_equal(status.code, STATUS_OK);
    if (!str_is(buf_str(&out), text))
        fail_msg("%.*s is not %s", STR_ARG(buf_str(&out)), text);
    buf_free(&out);
}

#define assert_writes_array(datatype, type, text, ...)                                                                 \
    assert_writes(DATATYPE_##datatype, (const type[]){__VA_ARGS__}, sizeof(const type[]){__VA_ARGS__},                 \
                  sizeof(const type[]){__VA_ARGS__} / sizeof(type), text)

TEST(every_type_is_written_with_every_bit)
{
    assert_writes_array(BOOL, uint8_t, "[true,false]", 1, 0);
    assert_writes_array(INT8, int8_t, "[-128,127]", INT8_MIN, INT8_MAX);
    assert_writes_array(INT16, int16_t, "[-32768]", INT16_MIN);
    assert_writes_array(INT32, int32_t, "[-2147483648,2147483647]", INT32_MIN, INT32_MAX);
    assert_writes_array(INT64, int64_t, "[-9223372036854775808,9007199254740993]", INT64_MIN, 9007199254740993);
    assert_writes_array(UINT8, uint8_t, "[255]", 255);
    assert_writes_array(UINT16, uint16_t, "[65535]", 65535);
    assert_writes_array(UINT32, uint32_t, "[4294967295]", UINT32_MAX);
    assert_writes_array(UINT64, uint64_t, "[18446744073709551615]", UINT64_MAX);
    assert_writes_array(FP32, uint32_t, "[0.1,-0.0,1.5,1e-45]", 0x3dcccccd, 0x80000000, 0x3fc00000, 1);
    assert_writes_array(FP64, uint64_t, "[0.1,5e-324,1.7976931348623157e+308]", 0x3fb999999999999a, 1,
                        0x7fefffffffffffff);
    assert_writes_array(FP16, uint16_t, "[0.1,-0.0,1,65500,6e-08,0.3333]", 0x2e66, 0x8000, 0x3c00, 0x7bff, 1, 0x3555);
    assert_writes_array(BF16, uint16_t, "[0.1,3.39e+38,-9e-41]", 0x3dcd, 0x7f7f, 0x8001);
    assert_writes(DATATYPE_BYTES, "\2\0\0\0a\"\0\0\0\0\1\0\0\0\0", 15, 3, "[\"a\\\"\",\"\",\"\\u0000\"]");
    assert_writes(DATATYPE_INT32, NULL, 0, 0, "[]");
    assert_writes(DATATYPE_BYTES, NULL, 0, 0, "[]");
}

TEST(what_json_cannot_say_is_an_error_that_names_the_element)
{
    static const struct {
        enum datatype type;
        const char *bytes;
        size_t size, count;
    } table[] = {
        {DATATYPE_FP32, "\0\0\0\0\0\0\xc0\x7f", 8, 2},
        {DATATYPE_FP32, "\0\0\0\0\0\0\x80\xff", 8, 2},
        {DATATYPE_FP64, "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\xf0\x7f", 16, 2},
        {DATATYPE_FP16, "\0\0\0\x7c", 4, 2},
        {DATATYPE_BF16, "\0\0\xc0\xff", 4, 2},
        {DATATYPE_BYTES, "\0\0\0\0\1\0\0\0\xff", 9, 2},
    };
    EACH_ROW(row, table, row->bytes) {
        struct tensor tensor = {.name = STR("out"), .datatype = row->type, .count = 2, .size = row->size};
        memcpy(&tensor.data, &row->bytes, sizeof tensor.data);
        struct buf out = {0};
        assert_fails(json_write_tensor(&tensor, &out, &arena), STATUS_INTERNAL, "'out'", "element 1");
        buf_free(&out);
    }
}

/* Hashes the texts of all finite positive values, by the doubles that the texts read as. */
static uint64_t hash_of_shortest(enum datatype type, uint16_t infinity)
{
    uint64_t hash = 0xcbf29ce484222325;
    for (unsigned bits = 1; bits < infinity; bits++) {
        uint16_t element = (uint16_t)bits;
        struct tensor tensor = {.name = STR("y"), .datatype = type, .count = 1, .size = 2, .data = &element};
        struct buf out = {0};
        assert_int_equal(json_write_tensor(&tensor, &out, &arena).code, STATUS_OK);
        buf_append_byte(&out, 0);
        double value = strtod(out.data + 1, NULL);
        unsigned char bytes[8];
        memcpy(bytes, &value, 8);
        for (size_t i = 0; i < 8; i++)
            hash = (hash ^ bytes[i]) * 0x100000001b3;
        buf_free(&out);
    }
    return hash;
}

TEST(16_bit_floats_are_written_with_the_fewest_digits)
{
    assert_true(hash_of_shortest(DATATYPE_FP16, 0x7c00) == 0x4439d37e0aab610c);
    assert_true(hash_of_shortest(DATATYPE_BF16, 0x7f80) == 0x51efbaad962cc6c6);
}

TEST(any_bits_survive_the_way_through_text)
{
    uint64_t random = 88172645463325252ull;
    for (int type = DATATYPE_NONE + 1; type < DATATYPE_BYTES; type++) {
        uint64_t elements[512];
        for (size_t i = 0; i < 512; i++) {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            elements[i] = type == DATATYPE_BOOL ? random & 0x0101010101010101 : random & 0xbfbfbfbfbfbfbfbf;
        }
        size_t size = datatype_size((enum datatype)type);
        struct tensor tensor = {.name = STR("y"),
                                .datatype = (enum datatype)type,
                                .count = sizeof elements / size,
                                .size = sizeof elements,
                                .data = elements};
        struct buf out = {0};
        assert_int_equal(json_write_tensor(&tensor, &out, &arena).code, STATUS_OK);
        buf_append_byte(&out, 0);
        assert_reads((enum datatype)type, out.data, elements, sizeof elements);
        buf_free(&out);
    }
}
