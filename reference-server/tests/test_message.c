/* Putting messages of gRPC together from pieces of any size. */
#include "base/search.h"
#include "grpc/message.h"
#include "tests/scratch.h"
#include <stdlib.h>

#define LIMIT ((size_t)8 * 1024 * 1024)

/* Returns a message of `size` bytes after its head. */
static char *framed(size_t size)
{
    char *bytes = malloc(MESSAGE_HEAD + size);
    const char head[MESSAGE_HEAD] = {0, (char)(size >> 24), (char)(size >> 16), (char)(size >> 8), (char)size};
    memcpy(bytes, head, sizeof(head));
    for (size_t i = 0; i < size; i++)
        bytes[MESSAGE_HEAD + i] = (char)(i * 7 + i / 251 + i / 65537);
    return bytes;
}

/* The message is admitted as soon as its size is known, or never. */
static void take_in_steps(size_t size, size_t step, bool is_admitted)
{
    struct message message = {.is_admitted = is_admitted};
    char *bytes = framed(size);
    for (size_t at = 0; at < MESSAGE_HEAD + size; at += step) {
        size_t part = MESSAGE_HEAD + size - at < step ? MESSAGE_HEAD + size - at : step;
        assert_false(message_is_whole(&message));
        assert_true(is_ok(message_take(&message, (struct str){bytes + at, part}, LIMIT, &arena)));
    }
    assert_true(message_is_whole(&message));
    assert_int_equal(message.bytes.size, size);
    if (size > 0)
        assert_memory_equal(message.bytes.data, bytes + MESSAGE_HEAD, size);
    message_free(&message);
    free(bytes);
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(a_message_is_whole_in_steps_of_any_size)
{
    static const size_t sizes[] = {0,      1,       100,  MESSAGE_IN_ARENA, MESSAGE_IN_ARENA + 1, 65536, 65537, 262144,
                                   262145, 4000000, LIMIT};
    for (size_t i = 0; i < COUNT_OF(sizes); i++)
        for (size_t step = 1 + sizes[i] / 1000; step < 20000000; step *= 37) {
            take_in_steps(sizes[i], step, true);
            take_in_steps(sizes[i], step, false);
        }
}

/* Expects a refusal of bytes that come at once. */
static void refused(const char *bytes, size_t size, enum status_code code)
{
    struct message message = {0};
    assert_int_equal(message_take(&message, (struct str){bytes, size}, LIMIT, &arena).code, code);
    message_free(&message);
}

TEST(what_is_no_message_is_refused)
{
    refused("\0\0\x80\0\1", 5, STATUS_RESOURCE_EXHAUSTED); /* a byte above the limit */
    refused("\0\xff\xff\xff\xff", 5, STATUS_RESOURCE_EXHAUSTED);
    refused("\2\0\0\0\0", 5, STATUS_INTERNAL);
    refused("\0\0\0\0\1ab", 7, STATUS_UNIMPLEMENTED);
    refused("\0\0\0\0\0\0", 6, STATUS_UNIMPLEMENTED);
}

/* Takes the head of a message of LIMIT bytes, and `size` bytes of it. */
static void take_start(struct message *message, size_t size)
{
    char *bytes = framed(LIMIT);
    assert_true(is_ok(message_take(message, (struct str){bytes, MESSAGE_HEAD}, LIMIT, &arena)));
    for (size_t at = 0; at < size; at += 4096)
        assert_true(is_ok(message_take(message, (struct str){bytes + MESSAGE_HEAD + at, 4096}, LIMIT, &arena)));
    free(bytes);
}

TEST(a_claim_takes_no_memory)
{
    static const struct {
        size_t come, place;
    } table[] = {{0, 0}, {4096, 16384}, {16384, 16384}, {20480, 262144}, {262144, 262144}, {266240, 532480}};
    for (size_t i = 0; i < COUNT_OF(table); i++) {
        struct message message = {0};
        size_t before = arena.left;
        take_start(&message, table[i].come);
        assert_int_equal(message.bytes.size + message.room, table[i].place);
        assert_int_equal(arena.left, before);
        message_free(&message);
    }
}

TEST(an_admitted_message_gets_its_place_once)
{
    struct message message = {0};
    take_start(&message, 16384);
    message.is_admitted = true;
    char *rest = framed(LIMIT);
    assert_true(is_ok(message_take(&message, (struct str){rest + MESSAGE_HEAD + 16384, 1}, LIMIT, &arena)));
    assert_int_equal(message.bytes.size + message.room, LIMIT);
    const char *place = message.bytes.data;
    assert_true(is_ok(message_take(&message, (struct str){rest + MESSAGE_HEAD + 16385, LIMIT - 16385}, LIMIT, &arena)));
    assert_ptr_equal(message.bytes.data, place);
    assert_memory_equal(place, rest + MESSAGE_HEAD, LIMIT);
    message_free(&message);
    free(rest);
}

static size_t after_the_second_equals_sign(struct str start)
{
    const char *first = memchr(start.data, '=', start.size);
    const char *second = first ? memchr(first + 1, '=', (size_t)(start.data + start.size - first) - 1) : NULL;
    return second ? (size_t)(second - start.data) + 1 : 0;
}

TEST(the_byte_that_the_owner_names_is_aligned)
{
    for (size_t at = 0; at < 200; at++) {
        struct message message = {.is_admitted = true, .aligned = after_the_second_equals_sign};
        char *bytes = framed(LIMIT);
        memset(bytes + MESSAGE_HEAD, '.', LIMIT);
        bytes[MESSAGE_HEAD] = bytes[MESSAGE_HEAD + 1 + at] = '=';
        for (size_t i = 0; i < MESSAGE_HEAD + LIMIT; i += 16000) {
            size_t left = MESSAGE_HEAD + LIMIT - i, size = left < 16000 ? left : 16000;
            assert_true(is_ok(message_take(&message, (struct str){bytes + i, size}, LIMIT, &arena)));
        }
        assert_int_equal((uintptr_t)(message.bytes.data + at + 2) % MESSAGE_ALIGN, 0);
        assert_memory_equal(message.bytes.data, bytes + MESSAGE_HEAD, LIMIT);
        message_free(&message);
        free(bytes);
    }
}
