/* Splitting the values of one field off a protobuf message. */
#include "tests/scratch.h"
#include "wire/gather.h"

#include <stdlib.h>

#define RAW 7 /* the field raw_input_contents */

/* Encoded by protoc: model_name "m", raw_input_contents "" and "\1\2\3", and the id "i" between these two. */
static const struct str message = {"\x0a\x01m\x3a\x00\x1a\x01i\x3a\x03\x01\x02\x03", 13};

static void assert_parts_of_message(struct status status, const struct wire_parts *parts)
{
    assert_int_equal(status.code, STATUS_OK);
    assert_true(str_equal(parts->rest, STR("\x0a\x01m\x1a\x01i")));
    assert_int_equal(parts->count, 2);
    assert_int_equal(parts->values[0].size, 0);
    assert_true(str_equal(parts->values[1], STR("\x01\x02\x03")));
    assert_int_equal((uintptr_t)parts->values[1].data % 64, 0);
}

ARENA_TEST(values_are_split_from_the_rest)
{
    struct wire_parts parts;
    struct status status = wire_gather(message, RAW, false, &arena, &parts);
    assert_parts_of_message(status, &parts);
}

ARENA_TEST(the_field_with_another_wire_type_stays_in_the_rest)
{
    struct wire_parts parts;
    struct str other = STR("\x38\x05");
    assert_int_equal(wire_gather(other, RAW, false, &arena, &parts).code, STATUS_OK);
    assert_int_equal(parts.count, 0);
    assert_true(str_equal(parts.rest, other));
}

/* Two values of 100 bytes, and one byte of another field before and between them. */
#define STAYS_HEAD 4 /* bytes before the first value */

static struct str two_values(char *at)
{
    char *start = at;
    for (size_t i = 0; i < 2; i++) {
        at = mempcpy(at, "\x08\x01\x3a\x64", STAYS_HEAD);
        memset(at, (int)('a' + i), 100);
        at += 100;
    }
    return (struct str){start, (size_t)(at - start)};
}

ARENA_TEST(an_aligned_value_may_stay)
{
    struct wire_parts parts;
    char *memory = arena_alloc(&arena, ARENA_WIDE);
    for (size_t skip = 0; skip < 64; skip++) {
        struct str bytes = two_values(memory + skip);
        bool first = (skip + STAYS_HEAD) % 64 == 0, second = (skip + 2 * STAYS_HEAD + 100) % 64 == 0;
        assert_int_equal(wire_gather(bytes, RAW, true, &arena, &parts).code, STATUS_OK);
        assert_int_equal(parts.staying, first + second);
        assert_int_equal(parts.values[0].data == bytes.data + STAYS_HEAD, first);
        assert_int_equal(parts.values[1].data == bytes.data + 2 * STAYS_HEAD + 100, second);
        assert_true(str_equal(parts.rest, STR("\x08\x01\x08\x01")));
        for (size_t i = 0; i < 2; i++) {
            assert_int_equal((uintptr_t)parts.values[i].data % 64, 0);
            assert_int_equal(parts.values[i].data[0], 'a' + i);
            assert_int_equal(parts.values[i].data[99], 'a' + i);
        }
        assert_int_equal(wire_gather(bytes, RAW, false, &arena, &parts).code, STATUS_OK);
        assert_int_equal(parts.staying, 0);
    }
}

ARENA_TEST(the_rest_of_a_short_message_may_stay)
{
    struct wire_parts parts;
    char *memory = arena_alloc(&arena, ARENA_WIDE);
    /* model_name "m", id "i", raw_input_contents "" and "\1\2\3"; no value stands aligned */
    const struct str sent = STR("\x0a\x01m\x1a\x01i\x3a\x00\x3a\x03\x01\x02\x03");
    struct str behind = {memcpy(memory, sent.data, sent.size), sent.size};
    assert_parts_of_message(wire_gather(behind, RAW, true, &arena, &parts), &parts);
    assert_true(parts.rest_stays && parts.rest.data == behind.data);
    assert_true(parts.values[1].data < memory || parts.values[1].data >= memory + ARENA_WIDE);

    struct str between = {memcpy(memory, message.data, message.size), message.size};
    assert_parts_of_message(wire_gather(between, RAW, true, &arena, &parts), &parts);
    assert_false(parts.rest_stays); /* it stands on both sides of a value */

    struct str none = STR("\x0a\x01m");
    assert_int_equal(wire_gather(none, RAW, true, &arena, &parts).code, STATUS_OK);
    assert_int_equal(parts.count, 0);
    assert_true(str_equal(parts.rest, none));

    struct str cut = {memcpy(memory, sent.data, sent.size - 1), sent.size - 1};
    struct status stays = wire_gather(cut, RAW, true, &arena, &parts);
    struct status copied = wire_gather(cut, RAW, false, &arena, &parts);
    assert_int_equal(stays.code, STATUS_INVALID_ARGUMENT);
    assert_true(str_equal(stays.message, copied.message));
}

TEST(the_first_value_is_found_in_the_start)
{
    static const struct {
        struct str start;
        size_t offset;
    } table[] = {
        {{"\x0a\x01m\x3a\x80\x80\x80\x02", 8}, 8},
        {{"\x0a\x01m\x3a\x03xyz\x3a\x01q", 11}, 5},
        {{"\x0a\x01m\x08\x07\x3a\x05xy", 9}, 7},
        {{"\x3a\x00", 2}, 2},
        {{"\x0a\x01m", 3}, 0},         /* it comes later, or not at all */
        {{"\x0a\x7fm\x3a\x01", 5}, 0}, /* after the start */
        {{"\x0b\x3a\x01q", 4}, 0},     /* malformed */
        {{"", 0}, 0},
    };
    EACH_ROW(row, table, row->start.data)
        assert_int_equal(wire_first_value(row->start, RAW), row->offset);
}

TEST(many_tiny_values_end_at_the_budget)
{
    size_t size = 4 << 20;
    char *bytes = malloc(size);
    assert_non_null(bytes);
    for (size_t i = 0; i < size; i++)
        bytes[i] = (char)(i % 2 ? 0 : 0x3a);
    struct str slice = {bytes, size};
    struct wire_parts parts;
    struct arena small = arena_new(16 << 20), large = arena_new(40 << 20);
    assert_int_equal(wire_gather(slice, RAW, false, &small, &parts).code, STATUS_RESOURCE_EXHAUSTED);
    assert_int_equal(wire_gather(slice, RAW, false, &large, &parts).code, STATUS_OK);
    assert_int_equal(parts.count, size / 2);
    arena_free(&small);
    arena_free(&large);
    free(bytes);
}
