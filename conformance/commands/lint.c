/* `lint`: the fixtures against the rules of their form; with --schema, those rules as a JSON Schema. */
#include "commands/commands.h"

#include "lint/lint.h"
#include "suite/schema.h"
#include <stdio.h>

static int print_schema(void)
{
    struct buf schema = {0};
    schema_write(&schema);
    fwrite(schema.data, 1, schema.size, stdout);
    buf_free(&schema);
    return EXIT_CONFORMANT;
}

int command_lint(const struct options *options)
{
    if (options->schema)
        return print_schema();
    struct suite suite;
    struct buf findings = {0};
    int code = EXIT_SUITE;
    struct status status = suite_load(options->fixtures, &suite);
    if (is_ok(status)) {
        size_t count = lint_suite(&suite, &findings);
        if (count)
            fwrite(findings.data, 1, findings.size, stdout);
        printf("%zu files, %zu requirements, %zu deviations: %zu finding%s\n", suite.family_count, suite.ledger.count,
               suite.deviation_count, count, count == 1 ? "" : "s");
        code = count ? EXIT_NOT_CONFORMANT : EXIT_CONFORMANT;
    } else
        complain(status.message);
    buf_free(&findings);
    suite_free(&suite);
    return code;
}
