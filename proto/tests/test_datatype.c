/* The table of datatypes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/count.h"
#include "inference.pb-c.h"
#include "tensor/datatype.h"

static void test_every_name_leads_back_to_its_row(void **state)
{
    (void)state;
    for (int type = DATATYPE_NONE + 1; type < DATATYPE_COUNT; type++)
        assert_int_equal(datatype_from_name(str_of(datatype_name((enum datatype)type))), type);
}

static void test_names_are_case_sensitive_and_whole(void **state)
{
    (void)state;
    const struct str wrong[] = {STR("int32"), STR("Fp32"),  STR("INT"),     STR("INT322"), STR(""),
                                STR("none"),  STR("FLOAT"), STR("INT32\0"), STR(" INT32")};
    for (size_t i = 0; i < COUNT_OF(wrong); i++)
        assert_int_equal(datatype_from_name(wrong[i]), DATATYPE_NONE);
}

static void test_sizes_are_those_of_the_document(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        size_t size;
    } table[] = {{"BOOL", 1},  {"UINT8", 1}, {"UINT16", 2}, {"UINT32", 4}, {"UINT64", 8}, {"INT8", 1}, {"INT16", 2},
                 {"INT32", 4}, {"INT64", 8}, {"FP16", 2},   {"FP32", 4},   {"FP64", 8},   {"BF16", 2}, {"BYTES", 0}};
    assert_int_equal(COUNT_OF(table), DATATYPE_COUNT - 1);
    for (size_t i = 0; i < COUNT_OF(table); i++)
        assert_int_equal(datatype_size(datatype_from_name(str_of(table[i].name))), table[i].size);
}

static void test_contents_fields_are_those_of_the_schema(void **state)
{
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_name_leads_back_to_its_row),
        cmocka_unit_test(test_names_are_case_sensitive_and_whole),
        cmocka_unit_test(test_sizes_are_those_of_the_document),
        cmocka_unit_test(test_contents_fields_are_those_of_the_schema),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
