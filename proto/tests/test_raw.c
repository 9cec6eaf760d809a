/* Raw tensor data: sizes and elements. */
#include "tensor/raw.h"
#include "tests/scratch.h"

static struct status read_as(enum datatype type, char *bytes, size_t size, struct tensor *tensor)
{
    *tensor = (struct tensor){.name = STR("x"), .datatype = type};
    return raw_read_tensor((struct str){bytes, size}, tensor, &arena);
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(elements_are_counted_by_their_size)
{
    char bytes[16] = {0};
    struct tensor tensor;
    for (int type = DATATYPE_NONE + 1; type < DATATYPE_BYTES; type++) {
        assert_int_equal(read_as((enum datatype)type, bytes, 16, &tensor).code, STATUS_OK);
        assert_int_equal(tensor.count, 16 / datatype_size((enum datatype)type));
        assert_int_equal(tensor.size, 16);
        assert_ptr_equal(tensor.data, bytes);
    }
}

TEST(bool_becomes_0_or_1)
{
    char bytes[] = {0, 1, 2, (char)0xff};
    struct tensor tensor;
    assert_int_equal(read_as(DATATYPE_BOOL, bytes, 4, &tensor).code, STATUS_OK);
    assert_memory_equal(tensor.data, "\0\1\1\1", 4);
}

TEST(bytes_elements_are_walked_with_their_lengths)
{
    char bytes[] = "\3\0\0\0a\0b\0\0\0\0\1\0\0\0\xff"; /* Python: struct.pack('<I3sII1s', 3, b'a\0b', 0, 1, b'\xff') */
    struct tensor tensor;
    assert_int_equal(read_as(DATATYPE_BYTES, bytes, sizeof bytes - 1, &tensor).code, STATUS_OK);
    assert_int_equal(tensor.count, 3);
    const struct str expected[] = {STR("a\0b"), STR(""), STR("\xff")};
    size_t offset = 0;
    struct str element = {0};
    for (size_t i = 0; i < 3; i++) {
        assert_true(raw_next_bytes(&tensor, &offset, &element));
        assert_true(str_equal(element, expected[i]));
    }
    assert_false(raw_next_bytes(&tensor, &offset, &element));
}

TEST(a_length_over_the_end_is_told_with_both_numbers)
{
    char bytes[] = "\0\0\0\0\x46\0\0\0twelve bytes";
    struct tensor tensor;
    assert_fails(read_as(DATATYPE_BYTES, bytes, sizeof bytes - 1, &tensor), STATUS_INVALID_ARGUMENT,
                 "element 1 claims 70 bytes, 12 are left");
    char huge[] = "\xff\xff\xff\xff";
    assert_fails(read_as(DATATYPE_BYTES, huge, 4, &tensor), STATUS_INVALID_ARGUMENT,
                 "element 0 claims 4294967295 bytes, 0 are left");
    assert_fails(read_as(DATATYPE_BYTES, huge, 3, &tensor), STATUS_INVALID_ARGUMENT, "element 0 has 3 bytes");
}
