/* The model repository: folders, versions, loads and unloads. */
#include "base/search.h"
#include "folder.h"

static void open_one(void)
{
    open_loaded(in_folder("repository"), NULL, NULL);
}

static struct model *find(const char *name, const char *version)
{
    return kit_find(repository, name, version);
}

static void assert_unavailable(const char *name, const char *const *words)
{
    struct model *model = find(name, "");
    assert_int_equal(model->state, MODEL_UNAVAILABLE);
    assert_says((struct status){STATUS_INTERNAL, model->reason, NULL}, words);
    assert_false(repository_ready(repository));
}

FOLDER_TEST(a_folder_that_is_not_there_is_an_error)
{
    assert_fails(open_folders(in_folder("nothing"), NULL, NULL), STATUS_NOT_FOUND, "nothing", "No such file");
    assert_null(repository);
}

FOLDER_TEST(a_folder_without_models_is_an_error)
{
    make_directory("empty/.hidden");
    put_text("empty/README", "no model");
    assert_fails(open_folders(in_folder("empty"), NULL, NULL), STATUS_NOT_FOUND, "empty", "holds no model");
}

FOLDER_TEST(the_folder_of_a_model_is_no_repository)
{
    put_model("above/simple/1", "simple");
    assert_fails(open_folders(in_folder("above/simple"), NULL, NULL), STATUS_INVALID_ARGUMENT,
                 "above/simple is the folder of one model", "name the folder above it");
}

FOLDER_TEST(a_model_in_two_repositories_is_an_error_that_names_both)
{
    put_model("one/same/1", "simple");
    put_model("two/same/1", "simple");
    assert_fails(open_folders(in_folder("one"), in_folder("two"), NULL), STATUS_ALREADY_EXISTS, "'same'",
                 "in two repositories", "/one' as", "/one/same", "/two' as", "/two/same");
    assert_fails(open_folders(in_folder("one"), arena_printf(&arena, "mine=%s", in_folder("two")).data, NULL),
                 STATUS_ALREADY_EXISTS, "/one' as", "/one/same", "in 'mine' as", "/two/same");
}

FOLDER_TEST(a_repository_may_have_a_name)
{
    put_model("one/first/1", "simple");
    put_model("t=wo/second/1", "simple");
    open_loaded(arena_printf(&arena, "mine=%s", in_folder("one")).data, in_folder("t=wo"), NULL);
    assert_int_equal(find("first", "")->state, MODEL_READY);
    assert_int_equal(find("second", "")->state, MODEL_READY);
}

static void put_four_versions(const char *config)
{
    EACH(text, "1", "2", "9", "10", "01", "x", "0", "-3")
        put_model(arena_printf(&arena, "repository/model/%s", text).data, "simple");
    if (config)
        put_text("repository/model/config.pbtxt", config);
}

FOLDER_TEST(the_policy_says_which_versions_are_served_and_ten_is_later_than_nine)
{
    const struct {
        const char *config, *const *served, *latest;
    } rows[] = {
        {NULL, SAYS("10"), "10"},
        {"version_policy { all { } }", SAYS("1", "2", "9", "10"), "10"},
        {"version_policy { latest { num_versions: 2 } }", SAYS("9", "10"), "10"},
        {"version_policy { specific { versions: [9, 1] } }", SAYS("1", "9"), "9"},
    };
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        put_four_versions(rows[i].config);
        open_one();
        assert_versions("model", rows[i].served);
        assert_true(str_is(find("model", "")->version, rows[i].latest));
        assert_true(repository_ready(repository));
        close_repository();
    }
}

FOLDER_TEST(a_specific_version_that_is_not_there_is_unavailable)
{
    put_four_versions("version_policy { specific { versions: [1, 5] } }");
    open_one();
    struct model *missing = find("model", "5");
    assert_int_equal(missing->state, MODEL_UNAVAILABLE);
    assert_says((struct status){STATUS_INTERNAL, missing->reason, NULL}, SAYS("5/model.onnx", "No such file"));
    assert_true(str_is(find("model", "")->version, "1"));
    assert_false(repository_ready(repository));
}

#define OIP(kind)      "backend: 'oip' parameters { key: 'kind' value { string_value: '" kind "' } }"
#define LABELS_OUTPUT1 "output { name: 'OUTPUT1' label_filename: 'labels.txt' }"

/* Models that cannot be loaded: a model of the kit as version 1, if one is named, and a file, which may be made larger
 * with nothing in it, or a folder, which has no text. */
static const struct bad_model {
    const char *name, *onnx, *file, *text;
    off_t size;               /* to which the file is made larger; 0: it is not */
    const char *const *words; /* of the reason */
} bad_models[] = {
    {"no_version", NULL, "", NULL, 0, SAYS("no version")},
    {"no_file", NULL, "1/", NULL, 0, SAYS("1/model.onnx", "No such file")},
    {"file_is_a_folder", NULL, "1/model.onnx/", NULL, 0, SAYS("model.onnx", "is not a regular file")},
    {"sparse", NULL, "1/model.onnx", "", 5000000000, SAYS("model.onnx", "5000000000 bytes", "2147483647")},
    {"large_config", "simple", "config.pbtxt", "", 5000000, SAYS("config.pbtxt has 5000000 bytes", "at most 4194304")},
    {"large_labels", "simple", "labels.txt", "", 70000000, SAYS("labels.txt has 70000000 bytes", "at most 67108864")},
    {"garbage", NULL, "1/model.onnx", "this is no model", 0, SAYS("not an ONNX model")},
    {"empty", NULL, "1/model.onnx", "", 0, SAYS("imports no version")},
    {"bad_config", "simple", "config.pbtxt", "nonsense", 0, SAYS("config.pbtxt", "line 1", "nonsense")},
    {"other_name", "simple", "config.pbtxt", "name: 'another'", 0, SAYS("config.pbtxt", "another", "other_name")},
    {"other_backend", "simple", "config.pbtxt", "backend: 'tensorflow'", 0,
     SAYS("tensorflow", "it has \"onnxruntime\" and \"oip\"")},
    {"other_input", "simple", "config.pbtxt", "input { name: 'INPUT9' }", 0, SAYS("config.pbtxt", "INPUT9")},
    {"other_datatype", "simple", "config.pbtxt", "output { name: 'OUTPUT1' data_type: TYPE_FP32 dims: [-1, 16] }", 0,
     SAYS("config.pbtxt", "OUTPUT1", "FP32", "INT32")},
    {"no_labels", "simple", "config.pbtxt", LABELS_OUTPUT1, 0, SAYS("labels.txt", "No such file")},
    {"no_kind", NULL, "config.pbtxt", "backend: 'oip'", 0,
     SAYS("\"oip\"",
          "\"failing\", \"gate\", \"parameters\", \"never-loads\", \"sequence\", \"add_sub_text\", \"repeat\" "
          "or \"tokens\"")},
    {"bad_gate", NULL, "config.pbtxt", OIP("gate"), 0, SAYS("gate", "BYTES [1]")},
    {"bad_parameters", NULL, "config.pbtxt", OIP("parameters"), 0, SAYS("one input and two outputs")},
    {"bad_defaults", "simple", "config.pbtxt",
     "parameters { key: 'default_parameters.INPUT9' value { string_value: '{}' } }", 0,
     SAYS("config.pbtxt", "default_parameters.INPUT9")},
    {"outside", "simple", "config.pbtxt", "default_model_filename: '../1/model.onnx'", 0,
     SAYS("config.pbtxt", "default_model_filename", "../1/model.onnx")},
};

static void put_bad_model(const struct bad_model *model)
{
    const char *path = arena_printf(&arena, "repository/%s/%s", model->name, model->file).data;
    if (model->onnx)
        put_model(arena_printf(&arena, "repository/%s/1", model->name).data, model->onnx);
    if (!model->text) {
        make_directory(path);
        return;
    }
    put_text(path, model->text);
    if (model->size)
        assert_int_equal(truncate(in_folder(path), model->size), 0);
}

FOLDER_TEST(each_bad_model_is_unavailable_with_its_reason_and_the_good_one_ready)
{
    put_model("repository/good/1", "simple");
    put_text("repository/large_labels/config.pbtxt", LABELS_OUTPUT1);
    for (size_t i = 0; i < COUNT_OF(bad_models); i++)
        put_bad_model(&bad_models[i]);
    open_one();
    assert_int_equal(find("good", "")->state, MODEL_READY);
    for (size_t i = 0; i < COUNT_OF(bad_models); i++)
        assert_unavailable(bad_models[i].name, bad_models[i].words);
}

FOLDER_TEST(labels_are_the_lines_of_their_file)
{
    put_model("repository/model/1", "simple");
    put_text("repository/model/config.pbtxt", "output { name: 'OUTPUT1' label_filename: 'l.txt' }");
    put_text("repository/model/l.txt", "one\r\n\nthree\nfour");
    open_one();
    struct model *model = find("model", "");
    assert_int_equal(model->state, MODEL_READY);
    assert_int_equal(model->outputs[0].label_count, 0);
    assert_int_equal(model->outputs[1].label_count, 4);
    assert_true(str_is(model->outputs[1].labels[0], "one"));
    assert_int_equal(model->outputs[1].labels[1].size, 0);
    assert_true(str_is(model->outputs[1].labels[3], "four"));
}

FOLDER_TEST(another_file_name_may_be_configured)
{
    put_model("repository/model/1", "simple");
    assert_int_equal(rename(in_folder("repository/model/1/model.onnx"), in_folder("repository/model/1/net.bin")), 0);
    put_text("repository/model/config.pbtxt", "platform: 'onnxruntime_onnx' default_model_filename: 'net.bin'");
    open_one();
    struct model *model = find("model", "");
    assert_int_equal(model->state, MODEL_READY);
    assert_true(str_is(model->platform, "onnx_onnxv1"));
}

FOLDER_TEST(settings_reach_the_model)
{
    put_model("repository/model/1", "simple");
    put_text("repository/model/config.pbtxt", "parameters { key: 'k' value { string_value: 'v' } }");
    open_one();
    const struct parameter *parameter = parameters_find(&find("model", "")->settings, "k");
    assert_non_null(parameter);
    assert_true(str_is(parameter->string, "v"));
}

FOLDER_TEST(a_load_that_never_ends_leaves_the_others_ready_and_ends_at_close)
{
    put_model("repository/model/1", "simple");
    assert_ok(open_folders(in_folder("repository"), kit_path("loading"), NULL));
    while (atomic_load(&find("model", "")->state) == MODEL_LOADING)
        sched_yield();
    assert_int_equal(find("model", "")->state, MODEL_READY);
    assert_int_equal(find("never_loads", "")->state, MODEL_LOADING);
    assert_false(repository_ready(repository));
    assert_true(repository_is_loading(repository));
    struct str *versions;
    assert_int_equal(repository_versions(repository, STR("never_loads"), &arena, &versions), 0);
}

FOLDER_TEST(a_repository_closes_while_it_loads)
{
    assert_ok(open_folders(kit_path("kit"), kit_path("loading"), NULL));
}

FOLDER_TEST(all_models_are_listed)
{
    put_four_versions("version_policy { all { } }");
    put_model("repository/another/1", "simple");
    open_one();
    static const char *const versions[] = {"1", "1", "2", "9", "10"};
    struct model_row *rows;
    size_t count;
    assert_ok(repository_list(repository, &arena, &rows, &count));
    assert_int_equal(count, 5);
    for (size_t i = 0; i < count; i++) {
        assert_true(str_is(rows[i].name, i == 0 ? "another" : "model"));
        assert_true(str_is(rows[i].version, versions[i]));
        assert_int_equal(rows[i].state, MODEL_READY);
        assert_true(rows[i].is_wanted);
    }
}

static void *release(void *hold)
{
    model_release(hold);
    return NULL;
}

FOLDER_TEST(a_repository_closes_when_every_model_is_released_on_whatever_thread)
{
    put_model("repository/model/1", "simple");
    open_one();
    assert_int_equal(repository_holders(repository), 0);
    struct model_hold first, second;
    assert_ok(repository_find(repository, STR("model"), STR("1"), &arena, &first));
    assert_ok(repository_find(repository, STR("model"), STR(""), &arena, &second));
    assert_ptr_equal(first.model, second.model);
    assert_int_equal(repository_holders(repository), 2);

    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, release, &first), 0);
    pthread_join(thread, NULL);
    assert_null(first.model);
    assert_int_equal(repository_holders(repository), 1);
    assert_int_equal(repository_close(repository), 1);
    assert_true(str_is(second.model->name, "model"));
    model_release(&second);
    model_release(&second); /* now nothing is held any more */
}

FOLDER_TEST(a_hundred_models_are_all_found)
{
    for (int i = 0; i < 100; i++)
        put_model(arena_printf(&arena, "repository/model_%d/1", i).data, "simple");
    open_one();
    for (int i = 0; i < 100; i++)
        assert_int_equal(find(arena_printf(&arena, "model_%d", i).data, "1")->state, MODEL_READY);
    assert_true(repository_ready(repository));
}
