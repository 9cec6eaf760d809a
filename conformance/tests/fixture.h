/* A suite of a folder, its plan, and a run of it. A test has one at a time: the next takes its place. */
#pragma once

#include "folder.h"
#include "judge/play_options.h"
#include "judge/run.h"

static struct fixture {
    struct folder folder;
    struct suite suite;
    struct plan_target target;
    struct plan plan;
    struct run run;
} fixture;

/* Frees what the last test has left. */
static inline void fixture_free(void)
{
    if (!*fixture.folder.path)
        return;
    run_free(&fixture.run);
    plan_free(&fixture.plan);
    suite_free(&fixture.suite);
    folder_free(&fixture.folder);
    fixture = (struct fixture){0};
}

/* Begins with lint/good and these files, the texts of which have ' in place of "; a name may be NULL. */
static inline void fixture_begin(const char *name, const char *text, const char *other_name, const char *other)
{
    fixture_free();
    fixture.folder = folder_new();
    if (name)
        folder_write_json(&fixture.folder, name, text);
    if (other_name)
        folder_write_json(&fixture.folder, other_name, other);
}

static inline void fixture_load(void)
{
    assert_ok(suite_load(fixture.folder.path, &fixture.suite));
    fixture.target = plan_nominal(&fixture.suite, &fixture.suite.arena);
}

static inline void fixture_plan(void)
{
    plan_free(&fixture.plan);
    assert_ok(plan_make(&fixture.suite, &fixture.target, &fixture.plan));
}

/* Loads the suite and plans the cases of that glob; NULL: all. */
static inline void fixture_choose(const char *glob)
{
    const char **filter = arena_new_of(&arena, const char *);
    *filter = glob;
    fixture_load();
    fixture.target.selected.filters = (struct values){filter, glob != NULL};
    fixture_plan();
}

/* Returns options to play the plan against a server at that endpoint. */
static inline struct run_options fixture_options(const char *endpoint, const char *address)
{
    static const struct called called = {"build/judge", {" --flags", 8}};
    struct run_options options = {
        .client = {.timeout = 5, .max_message = 1 << 20}, .target = &fixture.target, .jobs = 4, .called = &called};
    const struct endpoint *at = registry_endpoint(&fixture.suite.registry, str_of(endpoint));
    options.client.addresses[at->index] = (struct address){at, str_of(address)};
    return options;
}

static inline const struct result *fixture_result(const char *id)
{
    for (size_t i = 0; i < fixture.run.result_count; i++)
        if (str_is(fixture.run.results[i].assertion->id, id))
            return &fixture.run.results[i];
    fail_msg("there is no result '%s'", id);
    return NULL;
}
