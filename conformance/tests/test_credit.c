#include "base/count.h"
#include "client/credit.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define PREFACE "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"

enum { DATA = 0, HEADERS = 1, RST_STREAM = 3, SETTINGS = 4, WINDOW_UPDATE = 8 };

struct bytes {
    char data[64 * 1024];
    size_t size;
};

static struct credit credit;
static struct bytes sent, expected, passed;

static void add(struct bytes *bytes, int kind, int stream, const char *payload, size_t size)
{
    const char head[] = {0, (char)(size >> 8), (char)size, (char)kind, 0, 0, 0, (char)(stream >> 8), (char)stream};
    memcpy(bytes->data + bytes->size, head, sizeof head);
    memcpy(bytes->data + bytes->size + sizeof head, payload, size);
    bytes->size += sizeof head + size;
}

static void add_both(int kind, int stream, const char *payload)
{
    add(&sent, kind, stream, payload, strlen(payload));
    add(&expected, kind, stream, payload, strlen(payload));
}

static void expect_update(int stream, uint32_t bytes)
{
    const char number[] = {(char)(bytes >> 24), (char)(bytes >> 16), (char)(bytes >> 8), (char)bytes};
    add(&expected, WINDOW_UPDATE, stream, number, sizeof number);
}

/* Passes bytes of the core, in a buffer of the size that is promised. */
static void pass(const char *bytes, size_t size)
{
    char *out = malloc(size + CREDIT_SPACE);
    size_t written = credit_pass(&credit, (struct str){bytes, size}, out);
    assert_true(written <= size + CREDIT_SPACE);
    memcpy(passed.data + passed.size, out, written);
    passed.size += written;
    free(out);
}

static void check(void)
{
    assert_int_equal(passed.size, expected.size);
    assert_memory_equal(passed.data, expected.data, expected.size);
}

/* The core has sent its preface and SETTINGS, and opened the streams 1 and 3. */
static int greet(void **state)
{
    (void)state;
    memset(&credit, 0, sizeof credit);
    memcpy(sent.data, PREFACE, sizeof PREFACE - 1);
    expected = sent;
    sent.size = expected.size = sizeof PREFACE - 1;
    add_both(SETTINGS, 0, "settings");
    add_both(HEADERS, 1, "head");
    add_both(HEADERS, 3, "");
    passed.size = 0;
    pass(sent.data, sent.size);
    check();
    sent.size = 0;
    return 0;
}

static void test_what_is_owed_is_given_back_once(void **state)
{
    (void)state;
    pass(NULL, 0);
    check();
    credit_padding(&credit, 1, 256);
    credit_padding(&credit, 3, 1);
    credit_padding(&credit, 1, 0x10000);
    expect_update(0, 0x10101);
    expect_update(1, 0x10100);
    expect_update(3, 1);
    pass(NULL, 0);
    pass(NULL, 0);
    check();
}

static void test_updates_stand_between_frames(void **state)
{
    static const size_t pieces[] = {1, 2, 9, 13, 16, 17, 100};
    for (size_t i = 0; i < COUNT_OF(pieces); i++) {
        greet(state);
        add_both(DATA, 1, "a message");
        size_t boundary = sent.size;
        add_both(DATA, 1, "another");
        pass(sent.data, 4); /* within a head */
        credit_padding(&credit, 3, 5);
        for (size_t at = 4; at < sent.size; at += pieces[i])
            pass(sent.data + at, sent.size - at < pieces[i] ? sent.size - at : pieces[i]);
        assert_memory_equal(passed.data + expected.size - sent.size, sent.data, boundary);
        expected.size -= sent.size - boundary;
        expect_update(0, 5);
        expect_update(3, 5);
        add(&expected, DATA, 1, "another", 7);
        check();
    }
}

static void test_nothing_is_sent_before_the_settings(void **state)
{
    (void)state;
    memset(&credit, 0, sizeof credit);
    sent.size = expected.size = passed.size = 0;
    add_both(SETTINGS, 0, "settings");
    credit_padding(&credit, 0, 7);
    pass(NULL, 0);
    for (size_t at = 0; at < sizeof PREFACE - 1; at++)
        pass(PREFACE + at, 1);
    assert_int_equal(passed.size, sizeof PREFACE - 1);
    assert_memory_equal(passed.data, PREFACE, passed.size);
    passed.size = 0;
    pass(sent.data, sent.size);
    expect_update(0, 7);
    check();
}

static void test_streams_that_are_not_open_get_nothing(void **state)
{
    (void)state;
    credit_padding(&credit, 5, 10); /* never opened */
    credit_padding(&credit, 0, 10);
    credit_padding(&credit, 1, 10);
    credit_end(&credit, 1); /* the server ends it */
    credit_end(&credit, 7);
    credit_padding(&credit, 1, 10);
    expect_update(0, 40);
    pass(NULL, 0);
    add_both(RST_STREAM, 3, "code"); /* the core ends it */
    pass(sent.data, sent.size);
    credit_padding(&credit, 3, 10);
    expect_update(0, 10);
    pass(NULL, 0);
    check();
}

static void test_the_streams_that_were_opened_last_are_known(void **state)
{
    (void)state;
    for (int i = 0; i < CREDIT_STREAMS; i++)
        add_both(HEADERS, 0x201 + 2 * i, "");
    pass(sent.data, sent.size);
    check();
    credit_padding(&credit, 1, 1);
    expect_update(0, 1 + CREDIT_STREAMS);
    for (int i = 0; i < CREDIT_STREAMS; i++)
        credit_padding(&credit, (uint32_t)(0x201 + 2 * i), 1);
    pass(NULL, 0);
    expected.size += 13 * (size_t)CREDIT_STREAMS; /* one for each of them, in any order */
    assert_int_equal(passed.size, expected.size);
}

static void test_no_update_is_larger_than_a_window(void **state)
{
    (void)state;
    credit_padding(&credit, 1, INT32_MAX - 1);
    credit_padding(&credit, 3, INT32_MAX);
    credit_padding(&credit, 1, 256);
    expect_update(0, INT32_MAX);
    expect_update(1, INT32_MAX);
    expect_update(3, INT32_MAX);
    pass(NULL, 0);
    check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_what_is_owed_is_given_back_once, greet),
        cmocka_unit_test_setup(test_updates_stand_between_frames, greet),
        cmocka_unit_test_setup(test_nothing_is_sent_before_the_settings, greet),
        cmocka_unit_test_setup(test_streams_that_are_not_open_get_nothing, greet),
        cmocka_unit_test_setup(test_the_streams_that_were_opened_last_are_known, greet),
        cmocka_unit_test_setup(test_no_update_is_larger_than_a_window, greet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
