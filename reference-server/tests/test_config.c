/* Configurations of models: what is read, completed and shown. */
#include "kit.h"

#include "base/buf.h"
#include "models/config.h"

static struct model_config read_text(const char *text)
{
    struct model_config config;
    assert_ok(config_read(str_of(text), &arena, &config));
    return config;
}

/* Returns what is shown of a configuration, as JSON. */
static struct str shown(const struct model_config *config)
{
    struct buf json = {0};
    assert_ok(config_show_json(config, &arena, &json));
    return arena_take(&arena, &json);
}

const struct unit_group unit_group = {make_arena, drop_arena};

TEST(what_is_shown_is_completed)
{
    static const int64_t dims[] = {-1, 3};
    static const struct config_tensor tensors[] = {
        {.name = {"A", 1}, .datatype = DATATYPE_FP32, .dims = dims, .rank = 2},
        {.name = {"B", 1}, .datatype = DATATYPE_BYTES, .dims = dims + 1, .rank = 1}};
    struct model_config config =
        read_text("max_batch_size: 8 input { name: 'B' data_type: TYPE_STRING dims: 9223372036854775807 }"
                  "dynamic_batching { priority_queue_policy { key: 7 value { max_queue_size: 2 } } }");
    config.name = STR("m");
    config.backend = STR("oip");
    config.inputs = tensors;
    config.input_count = 2;
    struct str json = shown(&config);
    assert_has(json, "{\"name\":\"m\",\"platform\":\"\",\"backend\":\"oip\",");
    assert_has(json, "\"version_policy\":{\"latest\":{\"num_versions\":1}},\"max_batch_size\":8,");
    assert_has(json, "\"input\":[{\"name\":\"B\",\"data_type\":\"TYPE_STRING\",\"format\":\"FORMAT_NONE\","
                     "\"dims\":[9223372036854775807],\"is_shape_tensor\":false,");
    EACH(text, "{\"name\":\"A\",\"data_type\":\"TYPE_FP32\",\"format\":\"FORMAT_NONE\",\"dims\":[-1,3],",
         "\"output\":[],", "\"priority_queue_policy\":{\"7\":{\"timeout_action\":\"REJECT\",", "\"parameters\":{}")
        assert_has(json, text);

    struct model_config again;
    assert_ok(config_read_json(json, &arena, &again));
    assert_int_equal(again.input_count, 2);
    assert_int_equal(again.inputs[0].dims[0], INT64_MAX);
    struct str message;
    assert_ok(config_show(&config, &arena, &message));
    assert_int_equal(message.data[0], 1 << 3 | 2); /* the field name */
}

TEST(an_empty_text_is_the_default)
{
    struct model_config config = read_text("# nothing but a comment\n");
    assert_int_equal(config.version_policy, VERSIONS_LATEST);
    assert_int_equal(config.latest, 1);
    assert_int_equal(config.name.size, 0);
    assert_int_equal(config.input_count, 0);
    assert_int_equal(config.parameters.count, 0);
    struct model_config none = config_default();
    assert_int_equal(none.latest, 1);
}

TEST(everything_that_the_server_acts_on_is_read)
{
    struct model_config config =
        read_text("name: 'größe' backend: \"oip\" platform: 'p' max_batch_size: 8 default_model_filename: 'm.onnx'\n"
                  "input [ { name: 'A' data_type: TYPE_INT8 dims: [ -1, 3 ] }, { name: 'B' data_type: TYPE_STRING } ]\n"
                  "output { name: 'C' data_type: TYPE_BF16 dims: 1 label_filename: 'l.txt' }\n"
                  "parameters { key: 'z' value { string_value: '1' } }\n"
                  "parameters { key: 'a' value { string_value: 'zwei\\000drei' } }\n"
                  "instance_group { count: 2 kind: KIND_CPU } dynamic_batching { }");
    assert_true(str_is(config.name, "größe"));
    assert_true(str_is(config.backend, "oip"));
    assert_true(str_is(config.platform, "p"));
    assert_true(str_is(config.default_model_filename, "m.onnx"));
    assert_int_equal(config.max_batch_size, 8);
    assert_int_equal(config.input_count, 2);
    assert_true(str_is(config.inputs[0].name, "A"));
    assert_int_equal(config.inputs[0].datatype, DATATYPE_INT8);
    assert_int_equal(config.inputs[0].rank, 2);
    assert_int_equal(config.inputs[0].dims[0], -1);
    assert_int_equal(config.inputs[0].dims[1], 3);
    assert_int_equal(config.inputs[1].datatype, DATATYPE_BYTES);
    assert_int_equal(config.inputs[1].rank, 0);
    assert_int_equal(config.output_count, 1);
    assert_int_equal(config.outputs[0].datatype, DATATYPE_BF16);
    assert_true(str_is(config.outputs[0].label_filename, "l.txt"));
    assert_int_equal(config.parameters.count, 2);
    assert_true(str_is(config.parameters.list[0].name, "a"));
    assert_int_equal(config.parameters.list[0].kind, PARAMETER_STRING);
    assert_int_equal(config.parameters.list[0].string.size, 9);
    assert_true(str_is(config.parameters.list[1].string, "1"));
}

TEST(dynamic_batching_is_read)
{
    struct model_config config =
        read_text("dynamic_batching { preferred_batch_size: [ 4, 8 ] preferred_batch_size: -1\n"
                  "max_queue_delay_microseconds: 18446744073709551615\n"
                  "default_queue_policy { max_queue_size: 7 } preserve_ordering: true }");
    assert_true(config.batching.is_wanted);
    assert_int_equal(config.batching.preferred_count, 3);
    assert_int_equal(config.batching.preferred[0], 4);
    assert_int_equal(config.batching.preferred[1], 8);
    assert_int_equal(config.batching.preferred[2], -1);
    assert_true(config.batching.delay_us == UINT64_MAX);
    assert_int_equal(config.batching.queue_max, 7);
    config = read_text("dynamic_batching { }");
    assert_true(config.batching.is_wanted);
    assert_int_equal(config.batching.preferred_count, 0);
    assert_int_equal(config.batching.delay_us, 0);
    assert_false(read_text("max_batch_size: 8").batching.is_wanted);
}

TEST(version_policies_are_read)
{
    assert_int_equal(read_text("version_policy { all { } }").version_policy, VERSIONS_ALL);
    assert_int_equal(read_text("version_policy { latest { num_versions: 3 } }").latest, 3);
    assert_int_equal(read_text("version_policy { latest { } }").latest, 1);
    struct model_config config = read_text("version_policy: { specific: { versions: [2, 4] } }");
    assert_int_equal(config.version_policy, VERSIONS_SPECIFIC);
    assert_int_equal(config.version_count, 2);
    assert_int_equal(config.versions[1], 4);
}

TEST(a_fault_is_told_with_its_line)
{
    static const struct {
        const char *text, *line, *word;
    } faults[] = {
        {"name: \"a\"\nbakend: \"oip\"", "line 2", "bakend"},
        {"name: 7", "line 1", "string"},
        {"input { name: \"x\"", "line 1", "identifier"},
        {"name: \"a\" name: \"b\"", "line 1", "name"},
        {"\n\nmax_batch_size: 99999999999", "line 3", "range"},
        {"dynamic_batching {\nmax_queue_delay_microseconds: -1 }", "line 2", "integer"},
        {"version_policy { all { } latest { } }", "line 1", "latest"},
    };
    EACH_ROW(row, faults, row->text) {
        struct model_config config;
        assert_fails(config_read(str_of(row->text), &arena, &config), STATUS_INVALID_ARGUMENT, "config.pbtxt",
                     row->line, row->word);
    }
}

TEST(deep_nesting_is_refused)
{
    struct buf text = {0};
    for (int i = 0; i < 300; i++)
        buf_append_literal(&text, "input { ");
    struct model_config config;
    assert_int_equal(config_read(buf_str(&text), &arena, &config).code, STATUS_INVALID_ARGUMENT);
    buf_free(&text);
}

TEST(bytes_that_are_no_text_are_refused)
{
    char bytes[256];
    for (int i = 0; i < 256; i++)
        bytes[i] = (char)i;
    struct model_config config;
    assert_int_equal(config_read((struct str){bytes, 256}, &arena, &config).code, STATUS_INVALID_ARGUMENT);
    assert_ok(config_read((struct str){NULL, 0}, &arena, &config));
}
