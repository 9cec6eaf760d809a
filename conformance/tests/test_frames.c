#include "base/count.h"
#include "client/frames.h"
#include "client/transport.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, GOAWAY = 7, CONTINUATION = 9 };
enum { END_STREAM = 1, END_HEADERS = 4, PADDED = 8, PRIORITY = 32 };

/* Frames in a row. */
struct bytes {
    char data[1024 * 1024];
    size_t size;
};

static struct bytes sent, expected, passed;
static struct credit credit;

static void add(struct bytes *bytes, int kind, int flags, int stream, const char *payload, size_t size)
{
    const char head[] = {(char)(size >> 16), (char)(size >> 8), (char)size, (char)kind, (char)flags, 0, 0, 0,
                         (char)stream};
    memcpy(bytes->data + bytes->size, head, sizeof head);
    memcpy(bytes->data + bytes->size + sizeof head, payload, size);
    bytes->size += sizeof head + size;
}

static void add_text(struct bytes *bytes, int kind, int flags, int stream, const char *payload)
{
    add(bytes, kind, flags, stream, payload, strlen(payload));
}

/* What a frame of both sides is. */
static void add_both(int kind, int flags, int stream, const char *payload)
{
    add_text(&sent, kind, flags, stream, payload);
    add_text(&expected, kind, flags, stream, payload);
}

static int begin(void **state)
{
    (void)state;
    sent.size = expected.size = 0;
    add_both(SETTINGS, 0, 0, "");
    return 0;
}

/* Passes what is sent in pieces of that size. */
static const char *pass(size_t piece)
{
    static struct frames frames;
    memset(&frames, 0, sizeof frames);
    memset(&credit, 0, sizeof credit);
    credit.streams[3].stream = 5; /* it is open */
    passed.size = 0;
    for (size_t at = 0; at < sent.size; at += piece) {
        size_t size = sent.size - at < piece ? sent.size - at : piece, written;
        char *in = malloc(size), *out = malloc(size + FRAMES_SPACE); /* of their exact sizes, for the sanitizers */
        memcpy(in, sent.data + at, size);
        const char *fault = frames_pass(&frames, &credit, (struct str){in, size}, out, &written);
        assert_true(written <= size + FRAMES_SPACE);
        memcpy(passed.data + passed.size, out, written);
        passed.size += written;
        free(in);
        free(out);
        if (fault != NULL)
            return fault;
    }
    return NULL;
}

/* Checks what passes, and how much padding the connection and its stream 5 are owed. */
static void check_owed(uint32_t connection, uint32_t stream)
{
    static const size_t pieces[] = {1, 2, 3, 7, 9, 10, 100, 4096, sizeof sent.data};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        assert_null(pass(pieces[i]));
        assert_int_equal(passed.size, expected.size);
        assert_memory_equal(passed.data, expected.data, expected.size);
        assert_int_equal(credit.connection.owed, connection);
        assert_int_equal(credit.streams[3].owed, stream);
    }
}

static void check(void)
{
    check_owed(0, 0);
}

static void test_other_frames_pass_as_they_come(void **state)
{
    (void)state;
    add_both(HEADERS, END_HEADERS, 1, "head");
    add_both(DATA, 0, 1, "answer");
    add_both(CONTINUATION, END_HEADERS, 1, "of nothing");
    add_both(0x4f, 0xff, 1, "");
    add_both(HEADERS, END_HEADERS | END_STREAM, 1, "");
    check();
}

static void test_a_block_in_several_frames_passes_as_one(void **state)
{
    (void)state;
    add_text(&sent, HEADERS, END_STREAM, 3, "he");
    add_text(&sent, CONTINUATION, 0, 3, "");
    add_text(&sent, CONTINUATION, 0, 3, "a");
    add_text(&sent, CONTINUATION, END_HEADERS, 3, "d");
    add_text(&expected, HEADERS, END_STREAM | END_HEADERS, 3, "head");
    add_both(DATA, 0, 3, "answer");
    add_text(&sent, HEADERS, 0, 5, "");
    add_text(&sent, CONTINUATION, END_HEADERS, 5, "");
    add_text(&expected, HEADERS, END_HEADERS, 5, "");
    check();
}

static void test_priority_stays_and_padding_goes(void **state)
{
    (void)state;
    add_text(&sent, HEADERS, PADDED | PRIORITY, 1, "\3weighthe+++");
    add_text(&sent, CONTINUATION, END_HEADERS, 1, "ad");
    add_text(&expected, HEADERS, PRIORITY | END_HEADERS, 1, "weighthead");
    add_text(&sent, HEADERS, PADDED | END_HEADERS | END_STREAM, 1, "\1head+");
    add_text(&expected, HEADERS, END_HEADERS | END_STREAM, 1, "head");
    check();
}

static void test_padding_of_data_goes_and_is_owed(void **state)
{
    (void)state;
    char long_padding[1 + 3 + 255] = "\377abc";
    add(&sent, DATA, PADDED, 5, "\3answer\0\0\0", 10);
    add_text(&expected, DATA, 0, 5, "answer");
    add(&sent, DATA, PADDED, 5, "\0answer", 7); /* no padding but for the byte that says so */
    add_text(&expected, DATA, 0, 5, "answer");
    add(&sent, DATA, PADDED, 5, "\2\0\0", 3); /* nothing but padding */
    add_text(&expected, DATA, 0, 5, "");
    add(&sent, DATA, PADDED, 5, long_padding, sizeof long_padding);
    add_text(&expected, DATA, 0, 5, "abc");
    add_both(DATA, 0, 5, "\3no padding");
    check_owed(4 + 1 + 3 + 256, 4 + 1 + 3 + 256);
    add(&sent, DATA, PADDED, 7, "\1answer", 8); /* a stream that is not open */
    add_text(&expected, DATA, 0, 7, "answer");
    check_owed(4 + 1 + 3 + 256 + 2, 4 + 1 + 3 + 256);
}

static void test_a_stream_that_ends_is_owed_nothing(void **state)
{
    (void)state;
    static const int ends[][2] = {{DATA, END_STREAM}, {HEADERS, END_HEADERS | END_STREAM}, {RST_STREAM, 0}};
    for (size_t i = 0; i < COUNT_OF(ends); i++) {
        begin(NULL);
        add(&sent, DATA, PADDED, 5, "\3answer\0\0\0", 10);
        add_text(&expected, DATA, 0, 5, "answer");
        add_both(ends[i][0], ends[i][1], 5, "");
        check_owed(4, 0);
    }
    begin(NULL);
    add(&sent, DATA, PADDED | END_STREAM, 5, "\3answer\0\0\0", 10);
    add_text(&expected, DATA, END_STREAM, 5, "answer");
    check_owed(4, 0);
}

static void test_data_that_is_padding_beyond_its_end_passes_as_it_comes(void **state)
{
    (void)state;
    add_both(DATA, PADDED, 5, "");
    add_both(DATA, PADDED, 5, "\1");
    add_both(DATA, PADDED, 5, "\7seven");
    add_both(DATA, PADDED, 5, "\377answer");
    check();
}

static void test_what_is_not_one_block_passes_as_it_comes(void **state)
{
    (void)state;
    add_both(HEADERS, PADDED, 1, "\7seven"); /* more padding than bytes */
    add_both(CONTINUATION, END_HEADERS, 1, "rest");
    add_both(HEADERS, PADDED, 1, "");
    add_both(CONTINUATION, END_HEADERS, 1, "rest");
    add_both(HEADERS, 0, 1, "of one stream");
    add_both(CONTINUATION, END_HEADERS, 3, "and another");
    add_both(HEADERS, 0, 1, "no end");
    add_both(DATA, 0, 1, "of it");
    add_both(CONTINUATION, END_HEADERS, 1, "late");
    check();
}

static void test_a_block_that_is_larger_than_a_frame_passes_as_it_comes(void **state)
{
    (void)state;
    static const char large[20 * 1024];
    static const size_t rests[] = {16 * 1024 - 1, 16 * 1024, 20 * 1024 - 1};
    for (size_t i = 0; i < COUNT_OF(rests); i++) {
        begin(NULL);
        add(&sent, HEADERS, 0, 1, large, 1);
        add(&sent, CONTINUATION, END_HEADERS, 1, large, rests[i]);
        if (1 + rests[i] <= 16 * 1024)
            add(&expected, HEADERS, END_HEADERS, 1, large, 1 + rests[i]);
        else
            expected = sent;
        add_both(DATA, 0, 1, "answer");
        check();
    }
    begin(NULL);
    for (int i = 0; i < 3; i++) /* more than is held back */
        add(&sent, i == 0 ? HEADERS : CONTINUATION, i == 2 ? END_HEADERS : 0, 1, large, 16 * 1024);
    expected = sent;
    add_both(HEADERS, END_HEADERS, 3, "answer");
    check();
}

static void test_what_is_held_back_may_be_followed_by_any_head(void **state)
{
    (void)state;
    static const char large[FRAMES_HELD];
    add(&sent, HEADERS, 0, 1, large, 16 * 1024 - 9);
    add(&sent, CONTINUATION, 0, 1, large, 16 * 1024 - 9);
    add(&sent, DATA, PADDED, 5, "\1answer", 8);
    add(&expected, HEADERS, 0, 1, large, 16 * 1024 - 9);
    add(&expected, CONTINUATION, 0, 1, large, 16 * 1024 - 9);
    add_text(&expected, DATA, 0, 5, "answer");
    check_owed(2, 2);
}

static void test_faults_end_what_passes(void **state)
{
    (void)state;
    for (int i = 0; i <= ANSWER_HEADERS_MAX / 9; i++)
        add_text(&sent, i == 0 ? HEADERS : CONTINUATION, 0, 1, "");
    assert_string_equal(pass(4096), "the headers do not end");
    sent.size = 0;
    add_text(&sent, DATA, 0, 1, "HTTP/1.1 400 Bad Request");
    assert_string_equal(pass(4096), "the server does not speak HTTP/2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_other_frames_pass_as_they_come, begin),
        cmocka_unit_test_setup(test_a_block_in_several_frames_passes_as_one, begin),
        cmocka_unit_test_setup(test_priority_stays_and_padding_goes, begin),
        cmocka_unit_test_setup(test_padding_of_data_goes_and_is_owed, begin),
        cmocka_unit_test_setup(test_a_stream_that_ends_is_owed_nothing, begin),
        cmocka_unit_test_setup(test_data_that_is_padding_beyond_its_end_passes_as_it_comes, begin),
        cmocka_unit_test_setup(test_what_is_not_one_block_passes_as_it_comes, begin),
        cmocka_unit_test_setup(test_a_block_that_is_larger_than_a_frame_passes_as_it_comes, begin),
        cmocka_unit_test_setup(test_what_is_held_back_may_be_followed_by_any_head, begin),
        cmocka_unit_test_setup(test_faults_end_what_passes, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
