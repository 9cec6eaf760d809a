/* Parameters that a model's configuration gives to its requests. */
#include "kit.h"

#include "base/buf.h"
#include "models/config.h"
#include "models/defaults.h"

/* A model with the inputs "a" and "same" and the outputs "b" and "same". Each test reads another config.pbtxt for
 * it. */
static struct model model;
static struct model_config config;
static struct tensor_spec inputs[2], outputs[2];

static int make_model(void **)
{
    memset(inputs, 0, sizeof(inputs));
    memset(outputs, 0, sizeof(outputs));
    inputs[0].name = STR("a");
    outputs[0].name = STR("b");
    inputs[1].name = outputs[1].name = STR("same");
    model = (struct model){.arena = arena_new(ARENA_NO_BUDGET),
                           .config = &config,
                           .inputs = inputs,
                           .input_count = 2,
                           .outputs = outputs,
                           .output_count = 2};
    return 0;
}

static int drop_model(void **)
{
    arena_free(&model.arena);
    return 0;
}

static struct status read_text(const char *text)
{
    assert_ok(config_read(str_of(text), &model.arena, &config));
    model.settings = config.parameters;
    return defaults_read(&model);
}

/* Reads the defaults of the model from this JSON. */
static struct status read_json(struct str json)
{
    static struct parameter given = {.name = {"default_parameters", 18}, .kind = PARAMETER_STRING};
    given.string = json;
    model.settings = (struct parameters){&given, 1};
    return defaults_read(&model);
}

#define assert_refused(status, word)                                                                                   \
    assert_fails(status, STATUS_INVALID_ARGUMENT, "config.pbtxt, default_parameters", word)

#define MODEL_TEST(name) TEST_WITH(name, make_model, drop_model)

MODEL_TEST(a_model_that_declares_none_has_none)
{
    assert_ok(read_text(""));
    assert_ok(read_text("parameters { key: 'kind' value { string_value: 'gate' } }\n"
                        "parameters { key: 'default_parameter' value { string_value: 'no JSON' } }\n"
                        "parameters { key: 'default_parameters_of_mine' value { string_value: 'no JSON' } }\n"
                        "parameters { key: 'Default_parameters' value { string_value: 'no JSON' } }"));
    assert_int_equal(model.parameters.count, 0);
    assert_ok(read_json(STR(" {} ")));
    assert_int_equal(model.parameters.count, 0);
}

MODEL_TEST(values_of_each_kind_are_read_in_the_order_of_their_names)
{
    assert_ok(read_text("parameters { key: 'default_parameters' value { string_value: '"
                        "{\"yes\": true, \"no\": false, \"least\": -9223372036854775808, \"text\": \"\\\\u0000é\", "
                        "\"most\": 18446744073709551615, \"half\": 0.5, \"one\": 1.0, \"\": \"\"}' } }"));
    static const char *const names[] = {"", "half", "least", "most", "no", "one", "text", "yes"};
    const struct parameter *list = model.parameters.list;
    assert_int_equal(model.parameters.count, 8);
    for (size_t i = 0; i < 8; i++)
        assert_true(str_is(list[i].name, names[i]));
    assert_true(list[0].kind == PARAMETER_STRING && list[0].string.size == 0);
    assert_true(list[1].kind == PARAMETER_DOUBLE && list[1].number == 0.5);
    assert_true(list[2].kind == PARAMETER_INT64 && list[2].int64 == INT64_MIN);
    assert_true(list[3].kind == PARAMETER_UINT64 && list[3].uint64 == UINT64_MAX);
    assert_true(list[4].kind == PARAMETER_BOOL && !list[4].boolean);
    assert_true(list[5].kind == PARAMETER_DOUBLE && list[5].number == 1);
    assert_true(list[6].kind == PARAMETER_STRING && str_equal(list[6].string, (struct str){"\0é", 3}));
    assert_true(list[7].kind == PARAMETER_BOOL && list[7].boolean);
}

MODEL_TEST(tensors_have_their_own_and_one_name_may_be_both)
{
    assert_ok(read_text("parameters { key: 'default_parameters.a' value { string_value: '{\"p\": 1}' } }\n"
                        "parameters { key: 'default_parameters.b' value { string_value: '{\"p\": 2}' } }\n"
                        "parameters { key: 'default_parameters.same' value { string_value: '{\"p\": 3}' } }"));
    assert_int_equal(model.parameters.count, 0);
    assert_int_equal(parameters_find(&inputs[0].parameters, "p")->int64, 1);
    assert_int_equal(parameters_find(&outputs[0].parameters, "p")->int64, 2);
    assert_int_equal(parameters_find(&inputs[1].parameters, "p")->int64, 3);
    assert_int_equal(parameters_find(&outputs[1].parameters, "p")->int64, 3);
}

MODEL_TEST(of_a_key_that_comes_twice_the_last_counts)
{
    assert_ok(read_text("parameters { key: 'default_parameters' value { string_value: '{\"p\": 1}' } }\n"
                        "parameters { key: 'a' value { string_value: 'x' } }\n"
                        "parameters { key: 'default_parameters' value { string_value: '{\"p\": 2}' } }"));
    assert_int_equal(model.parameters.count, 1);
    assert_int_equal(model.parameters.list[0].int64, 2);
}

MODEL_TEST(a_tensor_that_the_model_has_not_is_refused)
{
    EACH(text, "c", "", ".a", "A", "a\\000", "a ")
        assert_refused(
            read_text(arena_printf(&model.arena,
                                   "parameters { key: 'default_parameters.%s' value { string_value: '{}' } }", text)
                          .data),
            "no input and no output");
}

static void assert_faulty(struct str json, const char *word)
{
    assert_refused(read_json(json), word);
    assert_int_equal(model.parameters.count, 0);
}

MODEL_TEST(what_is_no_object_of_values_is_refused)
{
    EACH(text, "", "count: 3", "{\"a\": 1", "{\"a\": 1} {}")
        assert_faulty(str_of(text), "byte");
    assert_faulty(STR("{\"a\": 1}\0"), "byte");
    EACH(text, "{\"a\": \"\xff\"}", "{\"a\xed\xa0\x80\": 1}")
        assert_faulty(str_of(text), "UTF-8");
    assert_faulty(STR("[]"), "array");
    assert_faulty(STR("null"), "null");
    assert_faulty(STR("\"{}\""), "string");
    EACH(text, "{\"a\": null}", "{\"a\": [1]}", "{\"a\": {}}", "{\"a\": 1e999}")
        assert_faulty(str_of(text), "'a' must be");
    EACH(text, "{\"a\": 1, \"b\": 2, \"a\": 1}", "{\"a\": 1, \"\\u0061\": 2}")
        assert_faulty(str_of(text), "'a' is given twice");
}

MODEL_TEST(deep_nesting_is_refused)
{
    struct buf json = {0};
    for (int i = 0; i < 100000; i++)
        buf_append_literal(&json, "{\"a\":");
    assert_refused(read_json(buf_str(&json)), "byte");
    buf_free(&json);
}

MODEL_TEST(a_hundred_thousand_are_read_and_one_name_twice_among_them_is_found)
{
    struct buf json = {0};
    buf_append_byte(&json, '{');
    for (int i = 0; i < 100000; i++)
        buf_printf(&json, "%s\"p%d\":%d", i ? "," : "", i, i);
    size_t size = json.size;
    buf_append_byte(&json, '}');
    assert_ok(read_json(buf_str(&json)));
    assert_int_equal(model.parameters.count, 100000);
    assert_int_equal(parameters_find(&model.parameters, "p99999")->int64, 99999);
    json.size = size;
    buf_append_literal(&json, ",\"p7\":7}");
    assert_refused(read_json(buf_str(&json)), "'p7' is given twice");
    buf_free(&json);
}

MODEL_TEST(an_arena_that_gives_out_is_an_error)
{
    size_t budget = 0;
    enum status_code code;
    do {
        arena_free(&model.arena);
        model.arena = arena_new(budget += 64);
        model.parameters = (struct parameters){0};
        code = read_json(STR("{\"a\": \"text\", \"b\": {}}")).code;
        assert_int_equal(model.parameters.count, 0);
        assert_true(code == STATUS_RESOURCE_EXHAUSTED || code == STATUS_INVALID_ARGUMENT);
    } while (code == STATUS_RESOURCE_EXHAUSTED);
}
