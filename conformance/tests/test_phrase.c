/* Patterns as phrases of English, for messages. */
#include "pattern/phrase.h"

#include "base/search.h"
#include "pattern/matchers.h"
#include "tests/scratch.h"

struct example {
    const char *pattern, *words;
};

static void check(void (*append)(struct buf *out, const struct tree *pattern, size_t most),
                  const struct example *examples, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct buf out = {0};
        append(&out, parse(examples[i].pattern), 1000);
        assert_text(arena_take(&arena, &out), examples[i].words);
    }
}

#define CHECK(append, ...)                                                                                             \
    const struct example examples[] = {__VA_ARGS__};                                                                   \
    check(append, examples, COUNT_OF(examples))

TEST(values_stay_json)
{
    CHECK(append_phrase, {"5", "5"}, {"\"OK\"", "\"OK\""}, {"null", "null"}, {"[1,2]", "[1,2]"}, {"[]", "[]"},
          {"\"a\\u0000\"", "\"a\\u0000\""});
}

TEST(objects_say_what_their_members_are)
{
    CHECK(append_phrase, {"{}", "an object"},
          {"{\"error\":{\"$type\":\"string\"}}", "an object with `error`, a string"},
          {"{\"code\":5}", "an object with `code` 5"},
          {"{\"a\":1,\"b\":{\"$type\":\"array\"}}", "an object with `a` 1 and `b` (a list)"},
          {"{\"a\":1,\"b\":[2],\"c\":\"d\"}", "an object with `a` 1, `b` [2] and `c` \"d\""},
          {"{\"a\":{\"b\":{\"c\":{\"$type\":\"object\"}}}}", "an object with `a/b/c`, an object"},
          {"{\"a\":{\"b\":1,\"c\":2},\"d\":3}", "an object with `a` (an object with `b` 1 and `c` 2) and `d` 3"},
          {"{\"a\":{\"$absent\":true}}", "an object with no `a`"},
          {"{\"a\":{\"$not\":{\"$absent\":true}}}", "an object with `a`"},
          {"{\"a\":{\"$optional\":\"x\"}}", "an object with `a` if there is one \"x\""});
}

TEST(each_matcher_has_a_phrase)
{
    CHECK(
        append_phrase, {"{\"$any\":{\"kept\":1,\"lost\":{\"$absent\":true}}}", "kept (1) or lost (nothing)"},
        {"{\"$not\":\"OK\"}", "anything but \"OK\""}, {"{\"$not\":{\"$only\":[]}}", "at least one"},
        {"{\"$not\":{\"$absent\":true}}", "something"}, {"{\"$absent\":true}", "nothing"},
        {"{\"$optional\":1}", "nothing, or 1"}, {"{\"$type\":\"integer\"}", "an integer"},
        {"{\"$type\":\"boolean\"}", "true or false"}, {"{\"$range\":[400,599]}", "a number from 400 to 599"},
        {"{\"$range\":[1,null]}", "a number of at least 1"}, {"{\"$range\":[null,9]}", "a number of at most 9"},
        {"{\"$range\":[null,null]}", "a number"}, {"{\"$sum\":[1,2]}", "the sum of 1 and 2"},
        {"{\"$match\":\"^a\"}", "a string that matches ^a"}, {"{\"$match\":\".\"}", "a string that is not empty"},
        {"{\"$match\":\"[^ ]\"}", "a string that is not blank"}, {"{\"$in\":[1,\"a\",[2]]}", "one of 1, \"a\", ([2])"},
        {"{\"$in\":[{\"status\":200},{\"code\":\"OK\"}]}", "one of (status 200), (code OK)"},
        {"{\"$all\":[{\"$type\":\"array\"},{\"$contains\":\"a\"}]}", "a list, and a list or string that has \"a\""},
        {"{\"$each\":{\"$type\":\"string\"}}", "a list, each element of it a string"},
        {"{\"$all\":[{\"$type\":\"array\"},{\"$each\":{\"$type\":\"string\"}}]}",
         "a list, each element of it a string"},
        {"{\"$members\":{\"$type\":\"string\"}}", "an object, each member of it a string"},
        {"{\"$tensor\":\"filled\"}", "a tensor with as many elements as its shape says"},
        {"{\"$tensor\":\"held\"}", "a tensor whose datatype can hold its numbers"},
        {"{\"$unordered\":[1,{\"$type\":\"null\"}]}", "in any order [1, null]"}, {"{\"$only\":[]}", "none"},
        {"{\"$only\":[{\"name\":\"A\"}]}", "only an object with `name` \"A\""},
        {"{\"$sse\":[{\"data\":\"a\"}]}", "server-sent events: [an object with `data` \"a\"]"},
        {"{\"$json\":{\"a\":1}}", "JSON: an object with `a` 1"},
        {"{\"$ulps\":[4,0.5]}", "0.5 within 4 units in the last place"}, {"[1,{\"$in\":[2,3]}]", "[1, (one of 2, 3)]"});
}

static struct str phrase_with(const struct matcher *matcher, const char *argument)
{
    struct buf out = {0};
    append_phrase(&out, parse(arena_printf(&arena, "{'%s':%s}", matcher->name, argument).data), 1000);
    return arena_take(&arena, &out);
}

/* What is no matcher of the right form is a fault of the suite; it is shown as it stands. */
TEST(a_matcher_has_a_phrase_only_if_its_argument_is_right)
{
    static const struct {
        const char *right, *wrong[4];
    } arguments[] = {
        [ARGUMENT_PATTERN] = {"1", {0}},
        [ARGUMENT_CONTENT] = {"1", {"''"}},
        [ARGUMENT_CHOICES] = {"{'a':1,'b':2}", {"{'a':1}", "[1,2]"}},
        [ARGUMENT_LIST] = {"[1,2]", {"7", "{'a':1}"}},
        [ARGUMENT_TRUE] = {"true", {"false", "1"}},
        [ARGUMENT_TYPE] = {"'number'", {"'text'", "1"}},
        [ARGUMENT_RANGE] = {"[1,null]", {"[]", "[1]", "[1,true]", "1"}},
        [ARGUMENT_INTEGERS] = {"[1,2]", {"[]", "[true]", "[null]", "1"}},
        [ARGUMENT_EXPRESSION] = {"'a'", {"'('", "1"}},
        [ARGUMENT_DISTANCE] = {"[1,0.5]", {"[]", "[-1,0.5]", "['1',0.5]", "1"}},
        [ARGUMENT_FORM] = {"'held'", {"'full'", "1"}},
    };
    for (const struct matcher *matcher = matchers; matcher->name; matcher++) {
        struct str right = phrase_with(matcher, arguments[matcher->argument].right);
        if (strstr(right.data, matcher->name))
            fail_msg("%s has no phrase: %s", matcher->name, right.data);
        for (size_t i = 0; i < 4 && arguments[matcher->argument].wrong[i]; i++) {
            struct str wrong = phrase_with(matcher, arguments[matcher->argument].wrong[i]);
            if (!strstr(wrong.data, matcher->name) && !str_starts(wrong, STR("{\"$json\"")))
                fail_msg("%s has a phrase for a wrong argument: %s", matcher->name, wrong.data);
        }
    }
}

TEST(tensors_and_codecs_are_short)
{
    CHECK(append_phrase,
          {"[{\"name\":\"A\",\"datatype\":\"INT32\",\"shape\":[1,2],\"data\":[1,2]}]", "[\"A\" INT32 [1,2] [1,2]]"},
          {"{\"name\":\"A\",\"data\":[{\"$ulps\":[4,0.5]},{\"$ulps\":[4,2]}]}",
           "\"A\" [0.5, 2] within 4 units in the last place"},
          {"{\"name\":\"A\",\"data\":[{\"$ulps\":[4,0.5]},{\"$ulps\":[1,2]}]}",
           "\"A\" [0.5 within 4 units in the last place, 2 within 1 units in the last place]"},
          {"{\"name\":{\"$match\":\".\"},\"shape\":[1]}",
           "an object with `name` (a string that is not empty) and `shape` [1]"},
          {"{\"$INT32\":[1,2]}", "INT32 [1,2]"}, {"{\"$hex\":\"00ff\"}", "the bytes 00ff"},
          {"{\"$repeat\":[\"a\",3]}", "{\"$repeat\":[\"a\",3]}"},
          {"{\"$textproto:nvidia.inferenceserver.RequestStatus\":{\"code\":5}}",
           "a RequestStatus as text: an object with `code` 5"},
          {"{\"$proto:inference.ServerLiveResponse\":{\"live\":true}}",
           "a ServerLiveResponse: an object with `live` true"});
}

TEST(an_answer_has_parts)
{
    CHECK(append_answer_phrase, {"{\"status\":{\"$range\":[400,599]}}", "status: a number from 400 to 599"},
          {"{\"code\":\"OK\",\"id\":\"7\"}", "code OK; id \"7\""},
          {"{\"status\":200,\"json\":{\"error\":{\"$type\":\"string\"}}}",
           "status 200; JSON: an object with `error`, a string"},
          {"{\"headers\":{\"content-type\":{\"$match\":\"^a\"},\"te\":{\"$absent\":true}}}",
           "header `content-type`: a string that matches ^a; no header `te`"},
          {"{\"trailers\":{\"$members\":{\"$type\":\"string\"}}}", "trailers: an object, each member of it a string"},
          {"{\"$in\":[{\"closed\":true,\"status\":400},{\"status\":411}]}",
           "one of (closed true; status 400), (status 411)"},
          {"{\"$not\":{\"code\":\"OK\",\"message\":{\"ready\":true}}}",
           "anything but code OK; message: an object with `ready` true"});
}

TEST(long_patterns_are_cut)
{
    struct buf list = {0}, out = {0};
    for (int i = 0; i < 1000; i++)
        buf_printf(&list, "%s{\"name\":\"abc\"}", i ? "," : "[");
    buf_append_byte(&list, ']');
    append_phrase(&out, parse(arena_take(&arena, &list).data), 40);
    assert_text(arena_take(&arena, &out), "[an object with `name` \"abc\", an object ...");
}
