#include "predict_v2/model_config.h"

#include "models/repository.h"

struct status predict_v2_find_config(struct repository *repository, struct str name, struct str version,
                                     struct arena *arena, struct model_hold *hold, struct model_config *config)
{
    struct status status = predict_v2_find_ready(repository, name, version, arena, hold);
    if (is_ok(status))
        status = model_show_config(hold->model, arena, config);
    if (!is_ok(status))
        model_release(hold);
    return status;
}
