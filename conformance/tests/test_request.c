/* Requests that probes make from a model's metadata. */
#include "notation/data.h"
#include "probe/learn.h"
#include "probe/request.h"
#include "probe/steps.h"
#include "tests/scratch.h"

static struct status make(const char *metadata, struct request_sizes sizes, uint64_t seed, struct tree **inputs)
{
    return request_from_metadata(parse(metadata), STR("m"), sizes, seed, &arena, inputs);
}

static void check_shape(const struct tree *inputs, size_t index, const char *shape)
{
    assert_string_equal(text_of(tree_member(tree_at(inputs, index), "shape")), shape);
}

/* What cannot be probed stays so, for the same reason. */
TEST(metadata_beyond_the_limits_is_kept_up_to_them)
{
    struct buf text = {0}, name = {0};
    for (size_t i = 0; i < 5 * REQUEST_NAME_MAX; i++)
        buf_append_byte(&name, 'x');
    buf_append_literal(&text, "{\"name\":\"m\",\"versions\":[\"1\",\"2\"],\"inputs\":[");
    for (size_t i = 0; i < 3 * REQUEST_INPUTS_MAX; i++)
        buf_printf(&text, "%s{\"name\":\"%.*s\",\"datatype\":\"FP32\",\"shape\":[1,-1]}", i ? "," : "",
                   STR_ARG(buf_str(&name)));
    buf_append_literal(&text, "]}");
    const struct tree *whole = parse(arena_take(&arena, &text).data);
    const struct tree *bounded = metadata_bounded(&arena, whole), *first = tree_at(tree_member(bounded, "inputs"), 0);
    assert_int_equal(tree_member(bounded, "inputs")->count, REQUEST_INPUTS_MAX + 1);
    assert_int_equal(tree_text(first, "name").size, REQUEST_NAME_MAX + 1);
    assert_string_equal(text_of(tree_member(first, "shape")), "[1,-1]");
    assert_string_equal(text_of(tree_member(bounded, "versions")), "[\"1\",\"2\"]");
    assert_false(request_is_makeable(bounded, STR("m")));
    const struct tree *small = parse("{'inputs':[{'name':'a','datatype':'FP32','shape':[1]}],'outputs':[]}");
    assert_true(tree_equal(small, metadata_bounded(&arena, small)));
    buf_free(&name);
}

TEST(variable_dimensions_get_the_sizes_that_are_tried)
{
    struct tree *inputs;
    const char *metadata = "{\"inputs\":[{\"name\":\"a\",\"datatype\":\"FP32\",\"shape\":[-1,3,-1]},"
                           "{\"name\":\"b\",\"datatype\":\"INT64\",\"shape\":[-1]},"
                           "{\"name\":\"c\",\"datatype\":\"BOOL\",\"shape\":[]}]}";
    assert_ok(make(metadata, (struct request_sizes){1, 4}, 1, &inputs));
    check_shape(inputs, 0, "[1,3,4]");
    check_shape(inputs, 1, "[4]");
    check_shape(inputs, 2, "[]");
    assert_int_equal(tree_member(tree_at(inputs, 0), "data")->count, 12);
    assert_int_equal(tree_member(tree_at(inputs, 2), "data")->count, 1);
    assert_int_equal(request_elements(inputs), 17);
    assert_true(request_varies(parse(metadata)));
    assert_false(request_varies(parse("{'inputs':[{'shape':[3,224]}]}")));
}

TEST(every_datatype_is_filled_with_data_that_packs)
{
    for (enum datatype datatype = DATATYPE_BOOL; datatype < DATATYPE_COUNT; datatype++) {
        struct tree *inputs;
        struct str text = arena_printf(&arena, "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"%s\",\"shape\":[2,50]}]}",
                                       datatype_name(datatype));
        assert_ok(make(text.data, (struct request_sizes){1, 1}, 3, &inputs));
        struct buf bytes = {0};
        assert_ok(data_raw(tree_member(tree_at(inputs, 0), "data"), datatype, &arena, &bytes));
        assert_int_equal(bytes.size, datatype == DATATYPE_BYTES ? 500 : 100 * datatype_size(datatype));
        buf_free(&bytes);
    }
}

TEST(the_seed_decides_the_data)
{
    struct tree *first, *again, *other;
    const char *metadata = "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"INT32\",\"shape\":[64]}]}";
    assert_ok(make(metadata, (struct request_sizes){1, 1}, 1, &first));
    assert_ok(make(metadata, (struct request_sizes){1, 1}, 1, &again));
    assert_ok(make(metadata, (struct request_sizes){1, 1}, 2, &other));
    assert_true(tree_equal(first, again));
    assert_false(tree_equal(first, other));
}

TEST(the_data_of_a_large_tensor_are_packed)
{
    struct tree *inputs, *list;
    const char *metadata = "{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[3,224,224]}]}";
    assert_ok(make(metadata, (struct request_sizes){1, 1}, 1, &inputs));
    const struct tree *data = tree_member(tree_at(inputs, 0), "data");
    assert_int_equal(tree_text(data, "$hex").size, 8 * 150528);
    assert_ok(data_elements(data, DATATYPE_FP32, &arena, &list));
    assert_int_equal(list->count, 150528);
}

TEST(metadata_that_cannot_be_used_is_told)
{
    static const char *const bad[][2] = {
        {"{}", "lists no inputs"},
        {"{\"inputs\":3}", "lists no inputs"},
        {"{\"inputs\":[{\"datatype\":\"FP32\",\"shape\":[1]}]}", "no name"},
        {"{\"inputs\":[{\"name\":\"x\",\"shape\":[1]}]}", "no datatype"},
        {"{\"inputs\":[{\"name\":\"x\",\"datatype\":\"STRING\",\"shape\":[1]}]}", "'STRING' is not a datatype"},
        {"{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\"}]}", "no shape"},
        {"{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[\"1\"]}]}", "neither a size nor -1"},
        {"{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[-2]}]}", "neither a size nor -1"},
        {"{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[9223372036854775807,4]}]}", "more elements"},
        {"{\"inputs\":[\"x\"]}", "no name"},
        {"{\"inputs\":[{\"name\":\"x\",\"datatype\":\"FP32\",\"shape\":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,"
         "1,1,1,1,1,"
         "1,1,1,1,1]}]}",
         "more dimensions"},
    };
    EACH_ROW(row, bad, (*row)[0]) {
        struct tree *inputs;
        assert_has(make((*row)[0], (struct request_sizes){1, 1}, 1, &inputs).message, (*row)[1]);
        assert_false(request_is_makeable(parse((*row)[0]), STR("m")));
    }
    struct str text = arena_printf(&arena, "{'inputs':[{'name':'%05000d','datatype':'FP32','shape':[1]}]}", 0);
    struct tree *inputs;
    struct str why = make(text.data, (struct request_sizes){1, 1}, 1, &inputs).message;
    assert_has(why, "longer");
    assert_true(why.size < 300);
}

TEST(plans_without_a_target_have_a_model_to_speak_of)
{
    const struct tree *probe = learn_nothing(&arena);
    assert_int_equal(tree_member(tree_member(probe, "request"), "inputs")->count, 2);
    assert_text(tree_text(tree_member(tree_member(probe, "outputs"), "last"), "name"), "output-1");
    assert_text(tree_text(tree_member(probe, "other-case"), "input"), "INPUT-0");
    assert_null(tree_member(probe, "refused"));
    assert_string_equal(text_of(tree_member(tree_member(probe, "outputs"), "shapes")),
                        "[{\"name\":\"output-0\",\"shape\":[{\"$range\":[0,null]},4]},"
                        "{\"name\":\"output-1\",\"shape\":[{\"$range\":[0,null]},4]}]");
}
