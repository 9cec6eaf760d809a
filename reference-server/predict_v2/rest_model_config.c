/* The configuration of a model over REST, which is Triton's: GET v2/models/NAME[/versions/VERSION]/config. */
#include "predict_v2/rest.h"

#include "models/config.h"

/* model-configuration-rest.config model-configuration-rest.tensors model-configuration-rest.batch
 * model-configuration-rest.parameters model-configuration-rest.versioned model-configuration-rest.model-known
 * model-configuration-rest.version-known */
void rest_model_config(struct rest_call *call)
{
    struct model_hold hold = {0};
    struct model_config config;
    struct status status =
        predict_v2_find_config(call->shared->repository, call->model, call->version, call->arena, &hold, &config);
    if (is_ok(status))
        status = config_show_json(&config, call->arena, &call->http->answer_buf);
    model_release(&hold);
    rest_answer(call, status);
}
