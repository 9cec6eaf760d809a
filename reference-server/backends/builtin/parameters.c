/* A model that gives back its parameters. The answer has the parameters of the request; OUTPUT0 has those of INPUT0;
 * OUTPUT1 has those of the requested output OUTPUT1. OUTPUT0 and OUTPUT1 are INPUT0. */
#include "backends/builtin/builtin.h"

static struct status check(const struct model *model)
{
    if (model->input_count == 1 && model->output_count == 2 &&
        model->outputs[0].datatype == model->inputs[0].datatype &&
        model->outputs[1].datatype == model->inputs[0].datatype)
        return STATUS_IS_OK;
    return status_plain(STATUS_INVALID_ARGUMENT,
                        "a model of parameters has one input and two outputs, all of one datatype");
}

static void execute(struct model *, struct execution *execution)
{
    builtin_forward(execution, 0);
    builtin_forward(execution, 1);
    execution->answer_parameters = execution->parameters;
    execution->outputs[0].parameters = execution->input_parameters[0];
    execution->outputs[1].parameters = execution->requested_parameters[1];
    execution->emit(execution);
    execution->done(execution, STATUS_IS_OK);
}

const struct builtin builtin_parameters = {
    .kind = "parameters",
    .check = check,
    .backend = {.name = BUILTIN_NAME, .execute = execute},
};
