/* The table of datatypes. */
#include "base/search.h"
#include "inference.pb-c.h"
#include "tensor/datatype.h"
#include "tests/unit.h"

TEST(names_are_case_sensitive_and_whole)
{
    const struct str wrong[] = {STR("int32"), STR("Fp32"),  STR("INT"),     STR("INT322"), STR(""),
                                STR("none"),  STR("FLOAT"), STR("INT32\0"), STR(" INT32")};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(datatype_from_name(wrong[i]), DATATYPE_NONE);
}

TEST(sizes_are_those_of_the_document)
{
    static const struct {
        const char *name;
        size_t size;
    } table[] = {{"BOOL", 1},  {"UINT8", 1}, {"UINT16", 2}, {"UINT32", 4}, {"UINT64", 8}, {"INT8", 1}, {"INT16", 2},
                 {"INT32", 4}, {"INT64", 8}, {"FP16", 2},   {"FP32", 4},   {"FP64", 8},   {"BF16", 2}, {"BYTES", 0}};
    assert_int_equal(COUNT_OF(table), DATATYPE_COUNT - 1);
    EACH_ROW(row, table, row->name)
        assert_int_equal(datatype_size(datatype_from_name(str_of(row->name))), row->size);
}

TEST(contents_fields_are_those_of_the_schema)
{
    for (int type = DATATYPE_NONE + 1; type < DATATYPE_COUNT; type++) {
        const struct datatype_row *row = &datatype_table[type];
        const ProtobufCFieldDescriptor *field = protobuf_c_message_descriptor_get_field_by_name(
            &inference__infer_tensor_contents__descriptor, row->contents);
        if (type == DATATYPE_FP16 || type == DATATYPE_BF16)
            assert_int_equal(row->contents_field, 0);
        else
            assert_int_equal(row->contents_field, field->id);
    }
}
