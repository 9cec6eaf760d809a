#include "commands/nominal.h"

#include "protocols/protocol.h"

bool nominal_open(const struct options *options, struct nominal *nominal)
{
    *nominal = (struct nominal){0};
    struct status status = suite_load(options->fixtures, &nominal->suite);
    if (is_ok(status))
        status = protocols_check(&nominal->suite.registry, &nominal->suite.arena);
    if (is_ok(status)) {
        nominal->target = plan_nominal(&nominal->suite, &nominal->suite.arena);
        nominal->target.selected = options->selected;
        status = plan_make(&nominal->suite, &nominal->target, &nominal->plan);
    }
    return !complain_of(status);
}

void nominal_close(struct nominal *nominal)
{
    plan_free(&nominal->plan);
    suite_free(&nominal->suite);
}

int nominal_run(const struct options *options, int (*command)(struct nominal *nominal, const struct options *options))
{
    struct nominal nominal;
    int code = nominal_open(options, &nominal) ? command(&nominal, options) : EXIT_SUITE;
    nominal_close(&nominal);
    return code;
}
