/* Reading server-sent events. */
#include "notation/events.h"
#include "tests/scratch.h"

static void check(const char *text, size_t size, const char *expected)
{
    struct tree *events;
    assert_ok(events_parse((struct str){text, size}, &arena, &events));
    assert_string_equal(text_of(events), expected);
}

#define CHECK(text, expected) check(text, sizeof(text) - 1, expected)

TEST(data_is_text_and_json)
{
    CHECK("data: {\"a\": 1}\n\ndata: b\n\n", "[{\"event\":\"message\",\"data\":\"{\\\"a\\\": 1}\",\"json\":{\"a\":1}},"
                                             "{\"event\":\"message\",\"data\":\"b\"}]");
    CHECK("", "[]");
}

/* The examples of the standard. */
TEST(lines_of_an_event_are_joined)
{
    CHECK("data: YHOO\ndata: +2\ndata: 10\n\n", "[{\"event\":\"message\",\"data\":\"YHOO\\n+2\\n10\"}]");
    CHECK(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
          "[{\"event\":\"message\",\"data\":\"first event\",\"id\":\"1\"},"
          "{\"event\":\"message\",\"data\":\"second event\"},{\"event\":\"message\",\"data\":\" third event\"}]");
    CHECK("data\n\ndata\ndata\n\ndata:",
          "[{\"event\":\"message\",\"data\":\"\"},{\"event\":\"message\",\"data\":\"\\n\"}]");
    CHECK("data:test\n\ndata: test\n\n",
          "[{\"event\":\"message\",\"data\":\"test\"},{\"event\":\"message\",\"data\":\"test\"}]");
    CHECK("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\ndata: 3\n\n",
          "[{\"event\":\"add\",\"data\":\"73857293\",\"json\":73857293},"
          "{\"event\":\"remove\",\"data\":\"2153\",\"json\":2153},{\"event\":\"message\",\"data\":\"3\",\"json\":3}]");
}

TEST(lines_end_in_three_ways)
{
    CHECK("data: a\r\n\r\ndata: b\r\rdata: c\n\ndata: d\r\n\ndata: e\n\r",
          "[{\"event\":\"message\",\"data\":\"a\"},{\"event\":\"message\",\"data\":\"b\"},"
          "{\"event\":\"message\",\"data\":\"c\"},{\"event\":\"message\",\"data\":\"d\"},"
          "{\"event\":\"message\",\"data\":\"e\"}]");
}

TEST(what_is_no_event_is_left_out)
{
    CHECK("data: a\n", "[]"); /* no blank line */
    CHECK("data: a\n\ndata: b", "[{\"event\":\"message\",\"data\":\"a\"}]");
    CHECK("event: x\n\nid: 4\n\n", "[]"); /* no data */
    CHECK(":data: a\n\nDATA: a\n\n data: a\n\nretry: 10\n\n", "[]");
    CHECK("event: x\n\ndata: a\n\n", "[{\"event\":\"message\",\"data\":\"a\"}]"); /* the type is forgotten */
}

TEST(a_mark_at_the_beginning_is_skipped)
{
    CHECK("\xef\xbb\xbf"
          "data: a\n\n",
          "[{\"event\":\"message\",\"data\":\"a\"}]");
}

TEST(an_id_stays_until_the_next)
{
    CHECK("id: 1\ndata: a\n\ndata: b\n\nid: x\0y\ndata: c\n\n",
          "[{\"event\":\"message\",\"data\":\"a\",\"id\":\"1\"},{\"event\":\"message\",\"data\":\"b\",\"id\":\"1\"},"
          "{\"event\":\"message\",\"data\":\"c\",\"id\":\"1\"}]");
}

static struct status parse_repeated(const char *text, size_t times, struct tree **events)
{
    struct buf all = {0};
    for (size_t i = 0; i < times; i++)
        buf_append(&all, text, strlen(text));
    struct status status = events_parse(arena_take(&arena, &all), &arena, events);
    return status;
}

TEST(more_than_is_read_is_refused)
{
    struct tree *events;
    assert_ok(parse_repeated("data:\n\n", EVENTS_MAX, &events));
    assert_int_equal(events->count, EVENTS_MAX);
    assert_int_equal(parse_repeated("data:\n\n", EVENTS_MAX + 1, &events).code, STATUS_RESOURCE_EXHAUSTED);
    assert_int_equal(parse_repeated("data:[[[[[[[[[[\n", EVENTS_NODES_MAX / 10, &events).code,
                     STATUS_OK); /* no event */
    assert_int_equal(events->count, 0);
    assert_int_equal(
        parse_repeated("data:{,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,"
                       ",,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,,\n\n",
                       EVENTS_MAX, &events)
            .code,
        STATUS_RESOURCE_EXHAUSTED);
}
