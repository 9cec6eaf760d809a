/* The wire format of protobuf. */
#include "base/count.h"
#include "tests/unit.h"
#include "wire/wire.h"

/* Walks over the whole message. Returns the fault that it ends with, or NULL; *fields is how many fields came before
 * it. */
static const char *walk(struct str message, size_t *fields)
{
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    size_t count = 0;
    while (wire_next(&at, &field))
        count++;
    if (fields)
        *fields = count;
    return at.fault;
}

TEST(fields_come_with_number_type_and_value)
{
    struct str message = STR("\x08\x96\x01\x12\x02hi\x1d\x01\x00\x00\x80\x21\xff\xff\xff\xff\xff\xff\xff\xff");
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    assert_true(wire_next(&at, &field));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.type, WIRE_VARINT);
    assert_int_equal(field.value, 150);
    assert_true(wire_next(&at, &field));
    assert_int_equal(field.number, 2);
    assert_int_equal(field.type, WIRE_BYTES);
    assert_true(str_is(field.bytes, "hi"));
    assert_ptr_equal(field.bytes.data, message.data + 5);
    assert_true(wire_next(&at, &field));
    assert_int_equal(field.number, 3);
    assert_int_equal(field.type, WIRE_FIXED32);
    assert_int_equal(field.value, 0x80000001);
    assert_true(wire_next(&at, &field));
    assert_int_equal(field.number, 4);
    assert_int_equal(field.type, WIRE_FIXED64);
    assert_true(field.value == UINT64_MAX);
    assert_false(wire_next(&at, &field));
    assert_null(at.fault);
}

TEST(every_truncation_is_a_fault_or_a_shorter_message)
{
    struct str message = STR("\x08\x96\x01\x12\x02hi\x1d\x01\x00\x00\x80\x21\xff\xff\xff\xff\xff\xff\xff\xff");
    for (size_t size = 0; size <= message.size; size++) {
        bool whole = size == 0 || size == 3 || size == 7 || size == 12 || size == 21;
        const char *fault = walk((struct str){message.data, size}, NULL);
        assert_true(whole == (fault == NULL));
    }
}

TEST(what_proto3_has_not_is_a_fault)
{
    static const struct {
        struct str message;
        const char *fault;
    } table[] = {
        {STR("\x0b"), "group"},
        {STR("\x0c"), "group"},
        {STR("\x0e"), "unknown wire type"},
        {STR("\x0f"), "unknown wire type"},
        {STR("\x00\x00"), "field number 0"},
        {STR("\x02\x00"), "field number 0"},
        {STR("\x80\x80\x80\x80\x10\x00"), "field number above 2^29-1"},
        {STR("\xf8\xff\xff\xff\xff\x01\x00"), "tag or length longer than 5 bytes"},
        {STR("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00"), "varint longer than 10 bytes"},
        {STR("\x88\x80\x80\x80\x80\x00\x01"), "tag or length longer than 5 bytes"},
        {STR("\x08"), "truncated varint"},
        {STR("\x80"), "truncated varint"},
        {STR("\x0a"), "truncated varint"},
        {STR("\x0d\x00\x00\x00"), "truncated fixed-size value"},
        {STR("\x09\x00\x00\x00\x00\x00\x00\x00"), "truncated fixed-size value"},
        {STR("\x0a\x01"), "length runs over the end"},
        {STR("\x0a\xff\xff\xff\xff\x0f"), "length runs over the end"},
        {STR("\x0a\xff\xff\xff\xff\x7f"), "length runs over the end"},
        {STR("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"), "tag or length longer than 5 bytes"},
        {STR("\x0a\x80\x80\x80\x80\x80\x00"), "tag or length longer than 5 bytes"},
    };
    EACH_ROW(row, table, row->fault)
        assert_string_equal(walk(row->message, NULL), row->fault);
}

TEST(a_fault_stays)
{
    struct wire_cursor at = wire_begin(STR("\x08\x01\x0b\x08\x01"));
    struct wire_field field;
    assert_true(wire_next(&at, &field));
    assert_false(wire_next(&at, &field));
    assert_false(wire_next(&at, &field));
    assert_string_equal(at.fault, "group");
    assert_int_equal(at.at - at.start, 2);
}

TEST(overlong_but_legal_varints_are_read)
{
    struct wire_cursor at = wire_begin(STR("\x88\x80\x00\x81\x80\x80\x80\x80\x80\x80\x80\x80\x00"));
    struct wire_field field;
    assert_true(wire_next(&at, &field));
    assert_int_equal(field.number, 1);
    assert_int_equal(field.value, 1);
}

TEST(the_largest_field_number_is_read)
{
    struct wire_cursor at = wire_begin(STR("\xf8\xff\xff\xff\x0f\x07"));
    struct wire_field field;
    assert_true(wire_next(&at, &field));
    assert_int_equal(field.number, (1 << 29) - 1);
    assert_int_equal(field.value, 7);
}

TEST(an_empty_message_has_no_fields)
{
    size_t fields;
    assert_null(walk((struct str){0}, &fields));
    assert_int_equal(fields, 0);
}

TEST(what_is_written_is_what_protoc_writes)
{
    static const struct {
        uint64_t value;
        struct str bytes;
    } table[] = {{0, STR("\x00")},
                 {127, STR("\x7f")},
                 {128, STR("\x80\x01")},
                 {300, STR("\xac\x02")},
                 {1ull << 63, STR("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01")},
                 {UINT64_MAX, STR("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01")}};
    EACH_ROW(row, table, row->bytes.data) {
        struct buf out = {0};
        wire_write_varint(&out, row->value);
        assert_true(str_equal(buf_str(&out), row->bytes));
        buf_free(&out);
    }
    struct buf out = {0};
    wire_write_bytes(&out, 16, STR("\0x"));
    assert_true(str_equal(buf_str(&out), STR("\x82\x01\x02\0x")));
    buf_free(&out);
}
