/* Uses any bytes as one file of a suite that has no other faults: loads, lints and plans it, and makes every request.
 * The first byte chooses the file. Planning must accept what the lint accepts. */
#include "base/search.h"
#include "lint/lint.h"
#include "plan/request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOOD_SUITE "conformance/tests/lint/good"

static const char *const files[] = {"v2/infer/sum.json", "v2-rest/health/live.json",    "requirements/v2-rest.json",
                                    "encodings.json",    "deviations/v2-rest.json",     "servers.json",
                                    "tables/bytes.json", "v2-rest/metadata/server.json"};
static char folder[] = "/tmp/fuzz-fixture-XXXXXX";

static void shell(const char *format, const char *what)
{
    char command[256];
    snprintf(command, sizeof command, format, what, folder);
    if (system(command) != 0)
        abort();
}

static void clean_up(void)
{
    shell("%s %s", "rm -r");
}

int LLVMFuzzerInitialize(int *, char ***)
{
    if (mkdtemp(folder) == NULL)
        abort();
    shell("cp -r %s/. %s", GOOD_SUITE);
    shell("%s %s/tables", "mkdir -p");
    return atexit(clean_up);
}

/* Writes the file; without bytes, removes it. */
static void put(const char *name, const char *bytes, size_t size)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    remove(path);
    FILE *file = size > 0 ? fopen(path, "wb") : NULL;
    if (file == NULL)
        return;
    fwrite(bytes, 1, size, file);
    fclose(file);
}

static void restore(const char *name)
{
    static char text[64 * 1024];
    char path[128];
    snprintf(path, sizeof path, GOOD_SUITE "/%s", name);
    FILE *file = fopen(path, "rb");
    size_t size = file ? fread(text, 1, sizeof text, file) : 0;
    if (file)
        fclose(file);
    put(name, text, size);
}

static void plan_and_build(struct suite *suite, bool faultless)
{
    struct plan_target target = plan_nominal(suite, &suite->arena);
    struct plan plan;
    struct status status = plan_make(suite, &target, &plan);
    if (faultless && !is_ok(status))
        abort();
    for (size_t i = 0; is_ok(status) && i < plan.play_count; i++) {
        struct arena arena = arena_new((size_t)1 << 30);
        struct request request;
        if (plan.plays[i].not_applicable.size == 0 && plan.plays[i].step_count == 0 && !plan.plays[i].watches)
            (void)play_request(&plan.plays[i], &target, &arena, &request);
        arena_free(&arena);
    }
    plan_free(&plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    if (size == 0)
        return 0;
    const char *name = files[bytes[0] % COUNT_OF(files)];
    put(name, (const char *)bytes + 1, size - 1);
    struct suite suite;
    if (is_ok(suite_load(folder, &suite))) {
        struct buf findings = {0};
        size_t count = lint_suite(&suite, &findings);
        plan_and_build(&suite, count == 0);
        buf_free(&findings);
    }
    suite_free(&suite);
    restore(name);
    return 0;
}
