/* Orders to the model repository: what is served after each, and what a model in use goes through. */
#include "orders.h"

#include "base/search.h"

#include <malloc.h>

/* Opens a repository that has a model, and what the test has put there. */
static void open_model(void)
{
    put_model("one/model/1", "simple");
    open_loaded(in_folder("one"), NULL, NULL);
}

/* Returns the row of a version in the list; NULL if it is not there. */
static const struct model_row *row(const char *name, const char *version)
{
    struct model_row *rows;
    size_t count;
    assert_ok(repository_list(repository, &arena, &rows, &count));
    return FIND(rows, i, count, str_is(rows[i].name, name) && str_is(rows[i].version, version));
}

static void assert_row(const char *name, const char *version, enum model_state state, const char *reason)
{
    const struct model_row *found = row(name, version);
    assert_non_null(found);
    assert_int_equal(found->state, state);
    if (!str_is(found->reason, reason))
        fail_msg("the reason is: %.*s", STR_ARG(found->reason));
}

/* Waits until a version has that state. The time for it is not limited; a test that hangs fails. */
static void wait_for(const char *name, const char *version, enum model_state state)
{
    while (row(name, version)->state != state)
        sched_yield();
}

static struct model_hold hold(const char *name)
{
    struct model_hold held;
    assert_ok(repository_find(repository, str_of(name), STR(""), &arena, &held));
    return held;
}

static void assert_not_ready(const char *name, const char *why)
{
    struct model_hold held = hold(name);
    struct status status = model_readiness(held.model, &arena);
    assert_broken(status, STATUS_FAILED_PRECONDITION, "model-ready");
    assert_says(status, SAYS(name, why));
    model_release(&held);
}

/* --- Load and unload --- */

static int take_one_arena(void **)
{
    mallopt(M_ARENA_MAX, 1); /* mallinfo2 sees one arena of malloc alone */
    return 0;
}

const struct unit_group unit_group = {take_one_arena, NULL};

FOLDER_TEST(an_unloaded_model_is_not_ready_until_it_is_loaded_again)
{
    put_model("one/other/1", "simple");
    open_model();
    for (int i = 0; i < 2; i++) {
        assert_ok(give(ORDER_UNLOAD, "model"));
        assert_not_ready("model", "unload");
        wait_for("model", "1", MODEL_UNAVAILABLE);
        assert_row("model", "1", MODEL_UNAVAILABLE, "unloaded");
        assert_false(row("model", "1")->is_wanted);
        assert_versions("model", SAYS(NULL));
        assert_true(repository_ready(repository)); /* it is not wanted */
        assert_ok(give(ORDER_UNLOAD, "model"));
        assert_ok(give(ORDER_LOAD, "model"));
        assert_row("model", "1", MODEL_READY, "");
        assert_true(row("model", "1")->is_wanted);
        assert_versions("model", SAYS("1"));
    }
}

FOLDER_TEST(a_model_in_use_is_unloading_until_it_is_released)
{
    open_model();
    struct model_hold held = hold("model");
    assert_ok(give(ORDER_UNLOAD, "model"));
    assert_ok(give(ORDER_INDEX, ""));
    assert_row("model", "1", MODEL_UNLOADING, "");
    assert_not_ready("model", "it is being unloaded");
    assert_true(str_is(held.model->inputs[0].name, "INPUT0"));
    assert_non_null(held.model->implementation);
    model_release(&held);
    wait_for("model", "1", MODEL_UNAVAILABLE);
}

FOLDER_TEST(a_model_can_be_loaded_while_the_old_one_is_still_in_use)
{
    open_model();
    struct model_hold first = hold("model");
    assert_ok(give(ORDER_UNLOAD, "model"));
    assert_ok(give(ORDER_LOAD, "model"));
    struct model_hold second = hold("model");
    assert_ptr_not_equal(first.model, second.model);
    assert_ok(give(ORDER_UNLOAD, "model"));
    model_release(&first);
    assert_ok(give(ORDER_INDEX, ""));
    assert_row("model", "1", MODEL_UNLOADING, ""); /* of the second, which is held */
    model_release(&second);
    wait_for("model", "1", MODEL_UNAVAILABLE);
}

FOLDER_TEST(a_changed_model_takes_the_place_of_the_old_one)
{
    open_model();
    struct model_hold held = hold("model");
    put_model("one/model/2", "identity_fp32");
    assert_ok(give(ORDER_LOAD, "model"));
    assert_versions("model", SAYS("2"));
    assert_null(row("model", "1"));
    assert_int_equal(held.model->input_count, 2);
    assert_int_equal(atomic_load(&held.model->state), MODEL_READY);
    model_release(&held);
}

FOLDER_TEST(a_load_that_fails_leaves_the_old_one_ready)
{
    put_text("one/model/config.pbtxt", "version_policy { all { } }");
    open_model();
    struct model_hold held = hold("model");
    put_text("one/model/2/model.onnx", "no model");
    assert_fails(give(ORDER_LOAD, "model"), STATUS_FAILED_PRECONDITION, "failed to load 'model'", "not an ONNX model");
    struct model_hold again = hold("model");
    assert_ptr_equal(held.model, again.model);
    assert_versions("model", SAYS("1"));
    assert_true(repository_ready(repository));
    model_release(&held);
    model_release(&again);
    put_model("one/model/2", "simple");
    assert_ok(give(ORDER_LOAD, "model"));
    assert_versions("model", SAYS("1", "2"));
}

FOLDER_TEST(a_model_that_cannot_be_loaded_has_a_reason_until_it_is_unloaded)
{
    open_model();
    put_text("one/bad/1/model.onnx", "no model");
    assert_int_equal(give(ORDER_LOAD, "bad").code, STATUS_FAILED_PRECONDITION);
    assert_int_equal(row("bad", "1")->state, MODEL_UNAVAILABLE);
    assert_not_ready("bad", "not an ONNX model");
    assert_false(repository_ready(repository));
    assert_ok(give(ORDER_UNLOAD, "bad"));
    assert_true(repository_ready(repository));
    wait_for("bad", "1", MODEL_UNAVAILABLE);
    assert_row("bad", "1", MODEL_UNAVAILABLE, "unloaded");
}

/* --- What is loaded at the start --- */

FOLDER_TEST(only_the_named_models_are_loaded_at_the_start)
{
    put_model("one/first/1", "simple");
    put_model("one/second/1", "simple");
    open_loaded(in_folder("one"), NULL, "second");
    assert_row("first", "1", MODEL_UNAVAILABLE, "never loaded");
    assert_false(row("first", "1")->is_wanted);
    assert_not_ready("first", "never loaded");
    assert_row("second", "1", MODEL_READY, "");
    assert_true(repository_ready(repository));
    assert_ok(give(ORDER_LOAD, "first"));
    assert_row("first", "1", MODEL_READY, "");
}

FOLDER_TEST(a_model_to_load_that_is_nowhere_is_an_error)
{
    put_model("one/first/1", "simple");
    assert_fails(open_folders(in_folder("one"), NULL, "firs"), STATUS_NOT_FOUND, "'firs'");
}

/* --- The index --- */

FOLDER_TEST(an_index_finds_new_folders_and_drops_those_that_have_gone)
{
    put_model("one/stays/1", "simple");
    open_model();
    put_model("one/fresh/3", "simple");
    assert_null(row("fresh", "3"));
    assert_ok(give(ORDER_INDEX, ""));
    assert_row("fresh", "3", MODEL_UNAVAILABLE, "never loaded");
    assert_true(repository_ready(repository));
    assert_ok(give(ORDER_UNLOAD, "model"));
    EACH(text, "one/fresh/3/model.onnx", "one/fresh/3", "one/fresh", "one/model/1/model.onnx", "one/model/1",
         "one/model", "one/stays/1/model.onnx", "one/stays/1", "one/stays")
        assert_int_equal(remove(in_folder(text)), 0);
    assert_ok(give(ORDER_INDEX, ""));
    assert_null(row("fresh", "3"));
    assert_null(row("model", "1"));
    assert_row("stays", "1", MODEL_READY, ""); /* it is loaded, wherever its folder is */
    assert_int_equal(give(ORDER_LOAD, "stays").code, STATUS_NOT_FOUND);
    assert_row("stays", "1", MODEL_READY, "");
}

/* --- Several repositories --- */

static const char *named(const char *name, const char *path)
{
    return arena_printf(&arena, "%s=%s", name, in_folder(path)).data;
}

static struct status give_named(enum order_kind kind, const char *root, const char *model)
{
    struct given *given = new_order(kind, model);
    given->order.repository = str_of(root);
    struct status status = carried_out(given);
    free_order(given);
    return status;
}

FOLDER_TEST(a_model_belongs_to_the_repository_that_it_was_loaded_from)
{
    put_model("one/first/1", "simple");
    put_model("two/second/2", "simple");
    open_loaded(named("a", "one"), named("b", "two"), NULL);
    assert_int_equal(give_named(ORDER_UNLOAD, "b", "first").code, STATUS_NOT_FOUND);
    assert_int_equal(give_named(ORDER_UNLOAD, "c", "first").code, STATUS_NOT_FOUND);
    assert_int_equal(give_named(ORDER_LOAD, "b", "first").code, STATUS_NOT_FOUND);
    assert_int_equal(give_named(ORDER_LOAD, "c", "first").code, STATUS_NOT_FOUND);
    assert_int_equal(give_named(ORDER_INDEX, "c", "").code, STATUS_NOT_FOUND);
    assert_row("first", "1", MODEL_READY, "");
    assert_ok(give_named(ORDER_UNLOAD, "a", "first"));
    assert_ok(give_named(ORDER_LOAD, "a", "first"));

    put_model("two/first/7", "simple"); /* now both have one */
    assert_ok(give(ORDER_LOAD, "first"));
    assert_versions("first", SAYS("1"));
    assert_ok(give_named(ORDER_LOAD, "b", "first"));
    assert_versions("first", SAYS("7"));
    assert_int_equal(give_named(ORDER_UNLOAD, "a", "first").code, STATUS_NOT_FOUND);
    assert_ok(give_named(ORDER_UNLOAD, "b", "first"));
}

FOLDER_TEST(an_index_of_one_repository_lists_its_models_alone)
{
    put_model("one/first/1", "simple");
    put_model("two/second/2", "simple");
    open_loaded(in_folder("one"), named("b", "two"), NULL);
    struct given *given = new_order(ORDER_INDEX, "");
    given->order.repository = STR("b");
    assert_ok(carried_out(given));
    assert_int_equal(given->order.row_count, 1);
    assert_true(str_is(given->order.rows[0].name, "second"));
    free_order(given);
}

FOLDER_TEST(two_repositories_of_one_name_are_an_error)
{
    put_model("one/first/1", "simple");
    put_model("two/second/1", "simple");
    assert_int_equal(open_folders(named("a", "one"), named("a", "two"), NULL).code, STATUS_ALREADY_EXISTS);
}

/* --- What a load brings --- */

static struct status load_with(const char *model, const char *config, struct model_file *files, size_t count)
{
    struct given *given = new_order(ORDER_LOAD, model);
    given->order.config = str_of(config);
    given->order.files = files;
    given->order.file_count = count;
    struct status status = carried_out(given);
    free_order(given);
    return status;
}

FOLDER_TEST(names_in_a_fault_are_escaped_once)
{
    open_model();
    assert_fails(load_with("model", "{\"backend\": \"a\\u001bb\"}", NULL, 0), STATUS_INVALID_ARGUMENT,
                 "backend 'a\\x1bb'");
    put_text("one/bad/config.pbtxt", "backend: 'a\\033b'");
    assert_fails(give(ORDER_LOAD, "bad"), STATUS_FAILED_PRECONDITION, "backend 'a\\x1bb'");
    assert_not_ready("bad", "backend 'a\\x1bb'");
}

FOLDER_TEST(deeply_nested_configurations_are_refused)
{
    open_model();
    struct buf deep = {0};
    buf_append_literal(&deep, "{\"parameters\":");
    for (int i = 0; i < 100000; i++)
        buf_append_byte(&deep, '[');
    buf_append_byte(&deep, '\0');
    assert_int_equal(load_with("model", deep.data, NULL, 0).code, STATUS_INVALID_ARGUMENT);
    buf_free(&deep);
}

FOLDER_TEST(files_of_the_load_stand_for_the_folder_and_are_written_nowhere)
{
    open_model();
    struct str other = arena_copy(&arena, kit_model("identity_fp32"));
    struct model_file files[] = {{STR("4/model.onnx"), other},
                                 {STR("5/model.onnx"), other},
                                 {STR("labels.txt"), STR("a\nb\n")},
                                 {STR("config.pbtxt"), STR("output { name: 'OUTPUT0' label_filename: 'labels.txt' }")}};
    assert_ok(load_with("model", NULL, files, 4));
    assert_versions("model", SAYS("5"));
    struct model_hold held = hold("model");
    assert_int_equal(held.model->outputs[0].label_count, 2);
    model_release(&held);
    assert_ok(load_with("model", "{\"version_policy\": {\"all\": {}}}", files, 2));
    assert_versions("model", SAYS("4", "5"));
    assert_int_not_equal(access(in_folder("one/model/5"), F_OK), 0);
    assert_int_not_equal(access(in_folder("one/model/labels.txt"), F_OK), 0);
    assert_ok(give(ORDER_LOAD, "model"));
    assert_versions("model", SAYS("1"));

    assert_ok(load_with("brought", NULL, files, 1)); /* there is no such folder */
    assert_versions("brought", SAYS("4"));
    assert_int_not_equal(access(in_folder("one/brought"), F_OK), 0);
    assert_ok(give(ORDER_UNLOAD, "brought"));
    assert_int_equal(give(ORDER_LOAD, "brought").code, STATUS_NOT_FOUND);
    assert_ok(give(ORDER_INDEX, ""));
    assert_null(row("brought", "4"));
}

static bool nobody_waits(const struct order *)
{
    return false;
}

FOLDER_TEST(an_order_that_nobody_waits_for_is_not_carried_out)
{
    const enum order_kind kinds[] = {ORDER_UNLOAD, ORDER_INDEX};
    open_model();
    for (size_t i = 0; i < COUNT_OF(kinds); i++) {
        struct given *given = new_order(kinds[i], "model");
        given->order.is_awaited = nobody_waits;
        assert_int_equal(carried_out(given).code, STATUS_CANCELLED);
        assert_int_equal(given->order.row_count, 0);
        free_order(given);
    }
    assert_row("model", "1", MODEL_READY, "");
}

FOLDER_TEST(labels_that_would_fill_the_memory_are_refused)
{
    const size_t most = (size_t)1 << 20;
    const char *config = "{\"output\": [{\"name\": \"OUTPUT0\", \"label_filename\": \"l\"}]}";
    open_model();
    char *lines = arena_alloc(&arena, most + 1);
    memset(lines, '\n', most + 1);
    struct model_file files[] = {{STR("1/model.onnx"), arena_copy(&arena, kit_model("simple"))},
                                 {STR("l"), {lines, most}}};
    assert_ok(load_with("model", config, files, 2));
    files[1].content.size++;
    assert_fails(load_with("model", config, files, 2), STATUS_INVALID_ARGUMENT, "label_filename 'l' has 1048577 lines");
}

/* --- Loads that take long --- */

FOLDER_TEST(an_unload_ends_a_load_that_does_not_end)
{
    put_model("one/model/1", "simple");
    put_builtin("one", "slow", "never-loads");
    open_loaded(in_folder("one"), NULL, "model");
    struct given *given = new_order(ORDER_LOAD, "slow");
    repository_order(repository, &given->order);
    wait_for("slow", "1", MODEL_LOADING);
    assert_not_ready("slow", "still loading");
    assert_false(repository_ready(repository));
    assert_ok(give(ORDER_LOAD, "model")); /* others are not held up */
    assert_ok(give(ORDER_UNLOAD, "slow"));
    assert_int_equal(answered(given).code, STATUS_FAILED_PRECONDITION);
    free_order(given);
    assert_true(repository_ready(repository));
}

FOLDER_TEST(orders_that_wait_are_refused_at_the_end)
{
    put_model("one/model/1", "simple");
    put_builtin("one", "slow", "never-loads");
    open_loaded(in_folder("one"), NULL, "model");
    struct given *given[3];
    for (int i = 0; i < 3; i++) {
        given[i] = new_order(ORDER_LOAD, "slow");
        repository_order(repository, &given[i]->order);
    }
    wait_for("slow", "1", MODEL_LOADING);
    close_repository();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(answered(given[i]).code, STATUS_UNAVAILABLE);
        free_order(given[i]);
    }
}

FOLDER_TEST(loads_and_unloads_leave_no_memory_behind)
{
    put_model("one/model/1", "convnet");
    open_loaded(in_folder("one"), NULL, NULL);
    size_t before = 0;
    for (int i = 0; i < 60; i++) {
        if (i == 10) /* caches are filled by now */
            before = mallinfo2().uordblks;
        assert_ok(give(ORDER_LOAD, "model"));
        assert_ok(give(ORDER_UNLOAD, "model"));
        assert_ok(give(ORDER_LOAD, "model"));
        struct model_hold held = hold("model");
        assert_ok(give(ORDER_UNLOAD, "model"));
        model_release(&held);
        while (true) { /* the arena of the test must not grow */
            struct arena own = arena;
            arena = arena_new(ARENA_NO_BUDGET);
            bool is_gone = row("model", "1")->state == MODEL_UNAVAILABLE;
            arena_free(&arena);
            arena = own;
            if (is_gone)
                break;
        }
    }
    size_t after = mallinfo2().uordblks; /* 0 under the sanitizers, which look for leaks themselves */
    if (after > before + 512 * (size_t)1024)
        fail_msg("50 rounds left %zu bytes behind", after - before);
}
