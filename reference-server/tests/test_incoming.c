/* The bytes of a client that come faster than its messages are taken. */
#include "base/budget.h"
#include "grpc/incoming.h"
#include "tests/unit.h"

static struct incoming incoming;

static int begin(void **)
{
    incoming = (struct incoming){0};
    return 0;
}

static int end(void **)
{
    buf_free(&incoming.backlog);
    return 0;
}

/* Takes bytes, as a message does. */
static void take(size_t size)
{
    incoming.unread = str_from(incoming.unread, size);
}

TEST_WITH(what_is_not_taken_is_kept_in_front_of_what_comes, begin, end)
{
    char bytes[] = "abc";
    incoming_add(&incoming, str_of(bytes));
    take(1);
    assert_true(is_ok(incoming_keep(&incoming)));
    memset(bytes, 0, sizeof(bytes));
    incoming_add(&incoming, STR("def"));
    assert_true(str_is(incoming.unread, "bcdef"));
    take(2);
    assert_true(is_ok(incoming_keep(&incoming)));
    assert_true(str_is(incoming.unread, "def"));
    take(3);
    assert_true(is_ok(incoming_keep(&incoming)));
    assert_null(incoming.backlog.data);
}

TEST_WITH(a_client_that_is_always_ahead_takes_no_more_memory, begin, end)
{
    for (int i = 0; i < 1000; i++) {
        incoming_add(&incoming, STR("abcdef"));
        take(i == 0 ? 1 : 6);
        assert_true(is_ok(incoming_keep(&incoming)));
        assert_true(str_is(incoming.unread, "bcdef"));
    }
    assert_true(incoming.backlog.size < 20);
}

TEST_WITH(bytes_for_which_there_is_no_memory_are_missed_when_all_others_are_taken, begin, end)
{
    static const char more[100000];
    static struct budget budget = {.limit = 1}; /* both are used after the test, too */
    static struct lease lease = {.budget = &budget, .own = 1000};
    incoming.backlog.lease = &lease;
    incoming_add(&incoming, STR("abc"));
    assert_true(is_ok(incoming_keep(&incoming)));
    incoming_add(&incoming, (struct str){more, sizeof(more)});
    assert_true(str_is(incoming.unread, "abc"));
    take(3);
    assert_int_equal(incoming_keep(&incoming).code, STATUS_RESOURCE_EXHAUSTED);
}
