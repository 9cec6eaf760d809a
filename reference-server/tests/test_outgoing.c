/* The messages of a call that wait to be sent. */
#include "grpc/outgoing.h"
#include "tests/unit.h"
#include <stdlib.h>

static const struct str small[] = {STR("ab"), STR(""), STR("c")};
static char bytes[OUTGOING_MAX];
static const struct str large = {bytes, sizeof(bytes) / 4 * 3};

static struct outgoing outgoing;

static int begin(void **)
{
    outgoing = (struct outgoing){0};
    outgoing_open(&outgoing);
    return 0;
}

static int end(void **)
{
    outgoing_free(&outgoing);
    return 0;
}

static enum rpc_pace add(const struct str *pieces, size_t count)
{
    return outgoing_add(&outgoing, outgoing_copy(pieces, count));
}

/* Takes a message, and returns its size. */
static size_t take(void)
{
    struct outgoing_message *message = outgoing_take(&outgoing);
    size_t size = message->bytes.size;
    free(message);
    return size;
}

TEST_WITH(messages_are_joined_and_come_in_order, begin, end)
{
    assert_int_equal(add(small, 3), RPC_GO_ON);
    assert_int_equal(add(small, 1), RPC_GO_ON);
    struct outgoing_message *first = outgoing_take(&outgoing);
    assert_true(str_is(first->bytes, "abc"));
    free(first);
    assert_int_equal(take(), 2);
    assert_null(outgoing_take(&outgoing));
    assert_int_equal(outgoing.size, 0);
}

TEST_WITH(a_full_one_says_so_until_half_of_it_is_sent_and_it_is_opened, begin, end)
{
    assert_int_equal(add(&large, 1), RPC_GO_ON);
    assert_int_equal(add(&large, 1), RPC_FULL);
    assert_int_equal(take(), large.size);
    assert_int_equal(add(small, 3), RPC_FULL);
    assert_false(outgoing_reopen(&outgoing));
    assert_int_equal(take(), large.size);
    assert_true(outgoing_is_low(&outgoing));
    assert_int_equal(add(small, 3), RPC_FULL);
    assert_true(outgoing_reopen(&outgoing));
    assert_false(outgoing_reopen(&outgoing));
    assert_int_equal(add(small, 3), RPC_GO_ON);
}

TEST_WITH(without_a_share_of_the_memory_each_message_is_sent_before_the_next, begin, end)
{
    outgoing.limit = 0;
    assert_int_equal(add(small, 3), RPC_FULL);
    assert_false(outgoing_reopen(&outgoing));
    assert_int_equal(take(), 3);
    assert_true(outgoing_reopen(&outgoing));
}

TEST_WITH(behind_a_message_that_is_lost_no_other_is_taken, begin, end)
{
    assert_int_equal(outgoing_add(&outgoing, NULL), RPC_GONE);
    assert_int_equal(outgoing.state, OUTGOING_LOST);
    assert_int_equal(add(small, 3), RPC_GONE);
    assert_null(outgoing_take(&outgoing));
}

TEST_WITH(a_closed_one_sends_what_it_has_and_takes_no_more, begin, end)
{
    assert_int_equal(add(small, 3), RPC_GO_ON);
    assert_true(outgoing_close(&outgoing));
    assert_false(outgoing_close(&outgoing));
    assert_int_equal(add(small, 3), RPC_GONE);
    assert_int_equal(take(), 3);
    assert_null(outgoing_take(&outgoing));
}
