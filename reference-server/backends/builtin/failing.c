/* A model that fails every request with INTERNAL. */
#include "backends/builtin/builtin.h"

static void execute(struct model *model, struct execution *execution)
{
    execution->done(execution, status_error(execution->arena, STATUS_INTERNAL,
                                            "model '%s' failed: it is made to fail every request",
                                            str_printable(execution->arena, model->name)));
}

const struct builtin builtin_failing = {.kind = "failing", .backend = {.name = BUILTIN_NAME, .execute = execute}};
