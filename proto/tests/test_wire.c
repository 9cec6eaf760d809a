/* The wire format of protobuf. */
#include "tests/unit.h"
#include "wire/wire.h"

/* Walks over the whole message. Returns the fault that it ends with, or NULL. */
static const char *walk(struct str message)
{
    struct wire_cursor at = wire_begin(message);
    struct wire_field field;
    while (wire_next(&at, &field))
        continue;
    return at.fault;
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
        assert_string_equal(walk(row->message), row->fault);
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
