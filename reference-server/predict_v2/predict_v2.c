#include "predict_v2/predict_v2.h"

#include "models/config.h"

const char *const predict_v2_extensions[PREDICT_V2_EXTENSIONS] = {
    "binary_tensor_data",  /* rest_binary.c */
    "classification",      /* inference/classify.c */
    "sequence",            /* backends/builtin/sequence.c */
    "schedule_policy",     /* inference/policy.c */
    "kserve_v2",           /* what 003 adds to 000 over REST: rest_models.c, and its error codes */
    "model_configuration", /* models/config.c */
    "statistics",          /* models/statistics.h */
    "streaming",           /* grpc_stream.c */
    "generate",            /* rest_generate.c */
    "model_repository",    /* repository_order.c */
};

struct status predict_v2_find_ready(struct repository *repository, struct str name, struct str version,
                                    struct arena *arena, struct model_hold *hold)
{
    struct status status = repository_find(repository, name, version, arena, hold);
    if (is_ok(status))
        status = model_readiness(hold->model, arena);
    if (!is_ok(status))
        model_release(hold);
    return status;
}

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

bool predict_v2_is_decoupled(struct repository *repository, struct str name, struct str version, struct arena *arena)
{
    struct model_hold hold;
    bool is_decoupled =
        is_ok(repository_find(repository, name, version, arena, &hold)) && hold.model->config->is_decoupled;
    model_release(&hold);
    return is_decoupled;
}

struct status predict_v2_find_described(struct repository *repository, struct str name, struct str version,
                                        struct arena *arena, struct model_hold *hold)
{
    struct status status = predict_v2_find_ready(repository, name, version, arena, hold);
    if (status.broken && strcmp(status.broken, "model-known") == 0)
        status.broken = "metadata-model-known";
    if (status.broken && strcmp(status.broken, "version-known") == 0)
        status.broken = "metadata-version-known";
    return status;
}
