/* Kinds of requests, by which the judge notices that a target no longer answers one. */
#include "support/kinds.h"
#include "tests/scratch.h"

static uint64_t key(const char *verb, const char *path, const char *model)
{
    return kind_key(str_of(verb), str_of(path), str_of(model), &arena);
}

TEST(the_same_asked_of_different_models_is_one_kind)
{
    uint64_t one = key("GET", "/v2/models/a/ready", "a");
    assert_true(one == key("GET", "/v2/models/b%2F1/ready", "b/1"));
    assert_true(one == key("GET", "/v2/models/a/ready?x=1", "a"));
    assert_true(one != key("POST", "/v2/models/a/ready", "a"));
    assert_true(one != key("GET", "/v2/models/a", "a"));
    assert_true(key("", "/v2/models/a/versions/1", "a") == key("", "/v2/models/a/versions/22", "a"));
}

TEST(silence_is_counted_until_something_is_answered)
{
    struct kinds kinds = {0};
    struct kind *first = kinds_find(&kinds, 1), *second = kinds_find(&kinds, 2);
    kinds_note_silence(&kinds, first);
    kinds_note_silence(&kinds, first);
    kinds_note_silence(&kinds, second);
    assert_int_equal(first->silent, 2);
    assert_int_equal(kinds.different, 2);
    kinds_note_answer(&kinds, second);
    assert_int_equal(kinds.different, 0);
    assert_int_equal(first->silent, 2);
    assert_true(second->answered && !first->answered);
    kinds_note_silence(&kinds, first);
    assert_int_equal(kinds.different, 1);
}

TEST(kinds_beyond_the_last_are_never_silent)
{
    struct kinds kinds = {0};
    for (uint64_t i = 0; i < 2 * (uint64_t)KINDS_MAX; i++)
        kinds_note_silence(&kinds, kinds_find(&kinds, i));
    assert_int_equal(kinds.count, KINDS_MAX);
    assert_int_equal(kinds.list[0].silent, 1);
    assert_int_equal(kinds.list[KINDS_MAX - 1].silent, 0);
}
