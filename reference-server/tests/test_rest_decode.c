/* Tests the decoding of an inference request over REST (predict_v2/rest_decode.h): which requirement a bad body breaks,
 * and what a good one becomes. */
#include "base/count.h"
#include "predict_v2/rest_decode.h"
#include "tests/scratch.h"

#include <stdio.h>
#include <stdlib.h>

static void *cache; /* by the worker */
static struct http_request http;
static struct rest_call call;
static struct infer_request request;
static char *body; /* of its exact size and the padding, so that a sanitizer sees a read beyond it */

static struct status decode(struct str text)
{
    free(body);
    arena_free(&arena);
    http = (struct http_request){.arena = &arena, .cache = &cache};
    call = (struct rest_call){.http = &http, .arena = &arena, .model = STR("m")};
    request = (struct infer_request){.arena = &arena};
    body = calloc(1, text.size + JSON_PADDING);
    memcpy(body, text.data, text.size);
    return rest_decode_infer(&call, (struct str){body, text.size}, &request);
}

static int end(void **state)
{
    free(body);
    rest_free_cache(cache);
    return drop_arena(state);
}

const struct unit_group unit_group = {make_arena, end};

struct refusal {
    const char *text;
    const char *slug; /* NULL if the body is accepted */
};

#define INPUT(members) "{\"inputs\":[{" members "}]}"
#define NAME           "\"name\":\"a\","
#define SHAPE          "\"shape\":[2],"
#define TYPE           "\"datatype\":\"INT32\","
#define DATA           "\"data\":[1,2]"
#define WITH(members)  "{\"inputs\":[{" NAME SHAPE TYPE DATA "}]," members "}"

static const struct refusal refusals[] = {
    {INPUT(NAME SHAPE TYPE DATA), NULL},
    {INPUT(DATA "," TYPE SHAPE "\"name\":\"a\""), NULL},
    {INPUT(DATA "," NAME SHAPE "\"datatype\":\"INT32\""), NULL},
    {" \n\t" INPUT(NAME SHAPE TYPE DATA) "\r\n ", NULL},

    {"", "json-valid"},
    {"   ", "json-valid"},
    {"{", "json-valid"},
    {"nope", "json-valid"},
    {"{\"inputs\":[]", "json-valid"},
    {"{\"inputs\":[],}", "json-valid"},
    {"{'inputs':[]}", "json-valid"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,NaN]"), "json-valid"},
    {INPUT(NAME SHAPE TYPE "\"data\":[01,2]"), "json-valid"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,2"), "json-valid"},
    {WITH("\"x\":nope"), "json-valid"},
    {INPUT(NAME SHAPE TYPE DATA) "x", "trailing-text"},
    {INPUT(NAME SHAPE TYPE DATA) "{}", "trailing-text"},
    {INPUT(NAME SHAPE TYPE DATA) "\xff", "utf8-valid"},
    {WITH("\"id\":\"\xc3\""), "utf8-valid"},
    {WITH("\"id\":\"\\ud800\""), "lone-surrogate"},
    {"\xef\xbb\xbf" INPUT(NAME SHAPE TYPE DATA), "bom"},

    {"[]", "body-object"},
    {"5", "body-object"},
    {"null", "body-object"},
    {"\"inputs\"", "body-object"},
    {"{}", "inputs-required"},
    {"{\"Inputs\":[]}", "inputs-required"},
    {"{\"inputs\":null}", "inputs-array"},
    {"{\"inputs\":{}}", "inputs-array"},
    {"{\"inputs\":\"a\"}", "inputs-array"},
    {"{\"inputs\":[]}", NULL}, /* inference/ checks whether the model needs inputs */
    {"{\"inputs\":[5]}", "input-object"},
    {"{\"inputs\":[[]]}", "input-object"},
    {"{\"inputs\":[null]}", "input-object"},

    {INPUT(SHAPE TYPE DATA), "name-required"},
    {INPUT("\"name\":5," SHAPE TYPE DATA), "name-string"},
    {INPUT("\"name\":null," SHAPE TYPE DATA), "name-string"},
    {INPUT(NAME TYPE DATA), "shape-required"},
    {INPUT(NAME "\"shape\":2," TYPE DATA), "shape-array"},
    {INPUT(NAME "\"shape\":\"2\"," TYPE DATA), "shape-array"},
    {INPUT(NAME "\"shape\":[\"2\"]," TYPE DATA), "shape-integers"},
    {INPUT(NAME "\"shape\":[1.5]," TYPE DATA), "shape-integers"},
    {INPUT(NAME "\"shape\":[null]," TYPE DATA), "shape-integers"},
    {INPUT(NAME "\"shape\":[[2]]," TYPE DATA), "shape-integers"},
    {INPUT(NAME "\"shape\":[true]," TYPE DATA), "shape-integers"},
    {INPUT(NAME "\"shape\":[18446744073709551616]," TYPE DATA), "shape-integers"},
    {INPUT(NAME "\"shape\":[9223372036854775808]," TYPE DATA), "data-count"},
    {INPUT(NAME "\"shape\":[-2]," TYPE DATA), NULL}, /* inference/ refuses it */
    {INPUT(NAME "\"shape\":[2.0]," TYPE DATA), NULL},
    {INPUT(NAME "\"shape\":[]," TYPE DATA), NULL},
    {INPUT(NAME SHAPE DATA), "datatype-required"},
    {INPUT(NAME SHAPE "\"datatype\":5," DATA), "datatype-string"},
    {INPUT(NAME SHAPE "\"datatype\":\"int32\"," DATA), "datatype-known"},
    {INPUT(NAME SHAPE "\"datatype\":\"INT128\"," DATA), "datatype-known"},
    {INPUT(NAME SHAPE "\"datatype\":\"INT32\\u0000\"," DATA), "datatype-known"},
    {INPUT(NAME SHAPE "\"datatype\":\"INT32\""), "data-required"},
    {INPUT(NAME SHAPE TYPE "\"data\":null"), "data-array"},
    {INPUT(NAME SHAPE TYPE "\"data\":7"), "data-array"},
    {INPUT(NAME SHAPE TYPE "\"data\":{}"), "data-array"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,true]"), "element-type"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,\"2\"]"), "element-type"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,1.5]"), "element-type"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,null]"), "element-null"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,2147483648]"), "element-range"},
    {INPUT("\"data\":[1,2147483648]," NAME SHAPE "\"datatype\":\"INT32\""), "element-range"},
    {INPUT(NAME SHAPE TYPE "\"data\":[[1],[2]]"), "data-nesting"},
    {INPUT(NAME "\"shape\":[1,2]," TYPE "\"data\":[[1,2]]"), NULL},
    {INPUT(NAME "\"shape\":[1,2]," TYPE "\"data\":[[1],[2]]"), "data-nesting"},
    {INPUT("\"data\":[[1],[2]]," NAME TYPE "\"shape\":[1,2]"), "data-nesting"},
    {INPUT(NAME SHAPE TYPE "\"data\":[1,2,3]"), NULL}, /* inference/ counts the elements */

    {WITH("\"id\":5"), "id-string"},
    {WITH("\"id\":{}"), "id-string"},
    {WITH("\"id\":null"), NULL},
    {WITH("\"parameters\":[]"), "parameters-object"},
    {WITH("\"parameters\":null"), NULL},
    {WITH("\"parameters\":{\"a\":1,\"b\":\"x\",\"c\":true,\"d\":1.5,\"e\":18446744073709551615}"), NULL},
    {WITH("\"parameters\":{\"a\":{}}"), "parameter-kind"},
    {WITH("\"parameters\":{\"a\":[1]}"), "parameter-kind"},
    {WITH("\"parameters\":{\"a\":null}"), "parameter-kind"},
    {WITH("\"parameters\":{\"a\":1e999}"), "parameter-kind"},
    {WITH("\"outputs\":{}"), "outputs-array"},
    {WITH("\"outputs\":null"), NULL},
    {WITH("\"outputs\":[]"), NULL},
    {WITH("\"outputs\":[\"b\"]"), "output-object"},
    {WITH("\"outputs\":[{}]"), "output-name-required"},
    {WITH("\"outputs\":[{\"name\":5}]"), "output-name-string"},
    {WITH("\"outputs\":[{\"name\":\"b\",\"parameters\":5}]"), "parameters-object"},

    {WITH("\"model_name\":\"m\",\"x\":{\"y\":[null]}"), NULL},
    {WITH("\"id\":\"1\",\"id\":\"1\""), "member-once"},
    {WITH("\"x\":1,\"y\":2,\"x\":3"), "member-once"},
    {WITH("\"parameters\":{\"a\":1,\"a\":1}"), "member-once"},
    {WITH("\"id\":\"1\",\"\\u0069d\":\"1\""), "member-once"},
    {INPUT(NAME NAME SHAPE TYPE DATA), "member-once"},
};

TEST(each_fault_is_refused_by_the_requirement_it_breaks)
{
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        struct status status = decode(str_of(refusals[i].text));
        const char *slug = is_ok(status) ? "taken" : status.broken ? status.broken : "no slug";
        const char *wanted = refusals[i].slug ? refusals[i].slug : "taken";
        if (strcmp(slug, wanted) != 0)
            fail_msg("%s: %s (%.*s), not %s", refusals[i].text, slug, STR_ARG(status.message), wanted);
        if (!is_ok(status))
            assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
    }
}

TEST(every_prefix_of_a_request_is_refused_as_no_json)
{
    const struct str whole =
        STR("{\"id\":\"\\u00e9\",\"inputs\":[{\"data\":[[1],[-2e0]],\"name\":\"a\",\"shape\":[2,1],"
            "\"datatype\":\"INT32\",\"parameters\":{\"p\":1.5}}],\"outputs\":[{\"name\":\"b\"}]}");
    for (size_t size = 0; size < whole.size; size++) {
        struct status status = decode((struct str){whole.data, size});
        assert_int_equal(status.code, STATUS_INVALID_ARGUMENT);
        assert_string_equal(status.broken, "json-valid");
    }
    assert_true(is_ok(decode(whole)));
}

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
