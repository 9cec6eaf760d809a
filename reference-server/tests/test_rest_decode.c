/* What the body of an inference request over REST becomes (predict_v2/rest_decode.h). Which requirement a bad body
 * breaks the suite judges, and fuzz_rest_decode.c sees what is read beyond it. */
#include "predict_v2/rest_decode.h"
#include "tests/scratch.h"

#include <stdio.h>

static void *cache; /* by the worker */
static struct http_request http;
static struct rest_call call;
static struct infer_request request;

static struct status decode(struct str text)
{
    char *body = arena_alloc_zero(&arena, 1, text.size + JSON_PADDING);
    memcpy(body, text.data, text.size);
    http = (struct http_request){.arena = &arena, .cache = &cache};
    call = (struct rest_call){.http = &http, .arena = &arena, .model = STR("m")};
    request = (struct infer_request){.arena = &arena};
    return rest_decode_infer(&call, (struct str){body, text.size}, &request);
}

static int end(void **state)
{
    rest_free_cache(cache);
    return drop_arena(state);
}

const struct unit_group unit_group = {make_arena, end};

TEST(a_request_keeps_all_that_it_says)
{
    struct status status = decode(
        STR("{\"outputs\":[{\"name\":\"y\"},{\"name\":\"x\",\"parameters\":{\"k\":true}}],\"id\":\"\",\"inputs\":["
            "{\"name\":\"a\\u0000b\",\"shape\":[1,2],\"datatype\":\"INT64\",\"data\":[[9223372036854775807,-1]]},"
            "{\"data\":[\"s\",\"\"],\"datatype\":\"BYTES\",\"shape\":[2],\"name\":\"\xc3\xa9\"}],"
            "\"parameters\":{\"i\":-1,\"u\":18446744073709551615,\"d\":1.0,\"s\":\"t\"}}"));
    assert_true(is_ok(status));
    assert_non_null(request.id.data);
    assert_int_equal(request.id.size, 0);
    assert_int_equal(request.input_count, 2);
    assert_true(str_equal(request.inputs[0].tensor.name, STR("a\0b")));
    assert_int_equal(request.inputs[0].tensor.rank, 2);
    assert_int_equal(request.inputs[0].tensor.shape[1], 2);
    assert_int_equal(request.inputs[0].tensor.count, 2);
    assert_true(((const int64_t *)request.inputs[0].tensor.data)[0] == INT64_MAX);
    assert_true(str_is(request.inputs[1].tensor.name, "\xc3\xa9"));
    assert_int_equal(request.inputs[1].tensor.size, 9);
    assert_memory_equal(request.inputs[1].tensor.data, "\1\0\0\0s\0\0\0\0", 9);
    assert_int_equal(request.requested_count, 2);
    assert_true(str_is(request.requested[0].name, "y"));
    assert_true(parameters_find(&request.requested[1].parameters, "k")->boolean);
    assert_int_equal(parameters_find(&request.parameters, "i")->kind, PARAMETER_INT64);
    assert_true(parameters_find(&request.parameters, "u")->uint64 == UINT64_MAX);
    assert_int_equal(parameters_find(&request.parameters, "d")->kind, PARAMETER_DOUBLE);
    assert_true(str_is(parameters_find(&request.parameters, "s")->string, "t"));
}

TEST(many_inputs_and_outputs_are_all_there)
{
    struct buf text = {0};
    buf_append_literal(&text, "{\"inputs\":[");
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "%s{\"name\":\"i%d\",\"shape\":[1],\"datatype\":\"INT32\",\"data\":[%d]}", i ? "," : "", i,
                   i);
    buf_append_literal(&text, "],\"outputs\":[");
    for (int i = 0; i < 1000; i++)
        buf_printf(&text, "%s{\"name\":\"o%d\"}", i ? "," : "", i);
    buf_append_literal(&text, "]}");
    assert_true(is_ok(decode(buf_str(&text))));
    assert_int_equal(request.input_count, 1000);
    assert_int_equal(request.requested_count, 1000);
    for (int i = 0; i < 1000; i++) {
        char name[16];
        assert_int_equal(*(const int32_t *)request.inputs[i].tensor.data, i);
        snprintf(name, sizeof(name), "i%d", i);
        assert_true(str_is(request.inputs[i].tensor.name, name));
        *name = 'o';
        assert_true(str_is(request.requested[i].name, name));
    }
    buf_free(&text);
}
