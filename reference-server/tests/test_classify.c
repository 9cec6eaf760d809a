/* Classes of outputs in each kind of datatype (inference/classify.c). The suite has the cases that clients see. */
#include "inference/classify.h"

#include "models/config.h"
#include "tensor/raw.h"
#include "tests/scratch.h"

const struct unit_group unit_group = {make_arena, drop_arena};

/* Asks for `count` classes of one row of elements. Returns them, with blanks between. */
static const char *classes_of(enum datatype datatype, void *data, size_t elements, int64_t count)
{
    static const struct str labels[] = {{"cat", 3}, {"dog", 3}};
    static const struct model_config config = {.max_batch_size = 8};
    int64_t shape[] = {1, (int64_t)elements};
    struct tensor_spec spec = {.datatype = datatype, .labels = labels, .label_count = 2};
    struct parameter asked = {.name = STR("classification"), .kind = PARAMETER_INT64, .int64 = count};
    struct infer_requested_output requested = {.parameters = {&asked, 1}, .spec = &spec};
    struct model model = {.config = &config};
    struct model_output output = {.tensor = {.datatype = datatype,
                                             .shape = shape,
                                             .rank = 2,
                                             .count = elements,
                                             .data = data,
                                             .size = elements * datatype_size(datatype)}};
    assert_true(is_ok(classify(&requested, &model, &arena, &output)));
    assert_int_equal(output.tensor.datatype, DATATYPE_BYTES);
    assert_int_equal(output.tensor.shape[0], 1);
    struct str text = STR(""), element;
    size_t offset = 0;
    while (raw_next_bytes(&output.tensor, &offset, &element))
        text = arena_printf(&arena, "%.*s%s%.*s", STR_ARG(text), text.size ? " " : "", STR_ARG(element));
    return text.data;
}

TEST(whole_numbers_keep_all_their_digits)
{
    int64_t signed_numbers[] = {INT64_MIN, INT64_MAX, INT64_MAX - 1, -1};
    assert_string_equal(classes_of(DATATYPE_INT64, signed_numbers, 4, 4),
                        "9223372036854775807:1:dog 9223372036854775806:2 -1:3 -9223372036854775808:0:cat");
    uint64_t unsigned_numbers[] = {1, UINT64_MAX, UINT64_MAX - 1};
    assert_string_equal(classes_of(DATATYPE_UINT64, unsigned_numbers, 3, 2),
                        "18446744073709551615:1:dog 18446744073709551614:2");
    int8_t small[] = {-128, 127};
    assert_string_equal(classes_of(DATATYPE_INT8, small, 2, 1), "127:1:dog");
}

TEST(floats_are_sorted_by_value_and_then_by_index)
{
    float floats[] = {-0.0f, 0, -1.5f, 1e30f, -3};
    assert_string_equal(classes_of(DATATYPE_FP32, floats, 5, 5),
                        "1000000015047466219876688855040.000000:3 -0.000000:0:cat 0.000000:1:dog -1.500000:2 "
                        "-3.000000:4");
}

TEST(what_is_no_number_comes_last)
{
    double floats[] = {__builtin_nan(""), -__builtin_inf(), 1};
    assert_string_equal(classes_of(DATATYPE_FP64, floats, 3, 3), "1.000000:2 -inf:1:dog nan:0:cat");
}

TEST(classes_by_their_indices)
{
    int32_t numbers[] = {3, 9, 9, -1, 0, 5};
    int64_t shape[] = {2, 3};
    struct tensor tensor = {
        .datatype = DATATYPE_INT32, .shape = shape, .rank = 2, .count = 6, .data = numbers, .size = sizeof(numbers)};
    static const size_t rows[] = {1, 2, 2, 1}, whole[] = {1, 2, 5, 0, 4, 3};
    static const float row_values[] = {9, 9, 5, 0};
    struct classes classes;
    assert_true(classes_find(&tensor, true, 2, &arena, &classes));
    assert_int_equal(classes.rows, 2);
    assert_int_equal(classes.kept, 2);
    assert_memory_equal(classes.indices, rows, sizeof(rows));
    assert_memory_equal(classes.values, row_values, sizeof(row_values));
    assert_true(classes_find(&tensor, false, 100, &arena, &classes));
    assert_int_equal(classes.rows, 1);
    assert_int_equal(classes.kept, 6);
    assert_memory_equal(classes.indices, whole, sizeof(whole));
    assert_true(classes_find(&tensor, true, 0, &arena, &classes));
    assert_int_equal(classes.kept, 0);
}

TEST(no_elements_have_no_classes)
{
    float none[1];
    assert_null(strchr(classes_of(DATATYPE_FP32, none, 0, 3), ':'));
}
