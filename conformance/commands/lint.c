/* `lint`: checks the fixtures against the rules of their form. With --fix, it lays the files out first; with --schema,
 * it prints the form as a JSON Schema. */
#include "commands/commands.h"

#include "lint/lint.h"
#include "report/report.h"
#include "suite/grammar.h"
#include "suite/layout.h"
#include "support/inside.h"
#include "support/printable.h"
#include <stdio.h>

static int print_schema(void)
{
    fwrite(grammar_schema().data, 1, grammar_schema().size, stdout);
    return EXIT_CONFORMANT;
}

/* Writes each file whose layout is not the right one. */
static struct status fix(const char *fixtures, struct arena *arena)
{
    struct suite suite;
    struct status status = suite_load(fixtures, &suite);
    size_t fixed = 0;
    for (size_t i = 0; i < suite.file_count && is_ok(status); i++) {
        const struct suite_file *file = &suite.files[i];
        struct buf text = {0};
        layout_write(file, &text);
        if (!str_equal(buf_str(&text), file->text)) {
            status = report_save(&text, arena_printf(arena, "%s/%.*s", fixtures, STR_ARG(file->path)).data, arena);
            printf("%s was reformatted\n", str_printable(arena, file->path));
            fixed++;
        }
        buf_free(&text);
    }
    status.message = arena_copy(arena, status.message);
    if (is_ok(status) && fixed == 0)
        printf("every file was formatted already\n");
    suite_free(&suite);
    return status;
}

static int check(const struct options *options)
{
    struct suite suite;
    struct buf findings = {0}, printable = {0};
    int code = EXIT_SUITE;
    struct status status = suite_load(options->fixtures, &suite);
    if (is_ok(status)) {
        size_t count = lint_suite(&suite, &findings);
        append_printable_lines(&printable, buf_str(&findings));
        if (count)
            fwrite(printable.data, 1, printable.size, stdout);
        printf("%zu files, %zu requirements, %zu deviations: %zu finding%s\n", suite.family_count, suite.ledger.count,
               suite.deviation_count, count, count == 1 ? "" : "s");
        code = count ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
    } else
        complain(status.message);
    buf_free(&printable);
    buf_free(&findings);
    suite_free(&suite);
    return code;
}

int command_lint(const struct options *options)
{
    if (options->schema)
        return print_schema();
    if (options->fix && inside_has(options->fixtures)) {
        complain(STR("--fix changes files, and those inside the program cannot be changed: --fixtures DIR"));
        return EXIT_USAGE;
    }
    struct arena arena = memory_arena();
    int code = options->fix && complain_of(fix(options->fixtures, &arena)) ? EXIT_SUITE : check(options);
    arena_free(&arena);
    return code;
}
