/* The configuration of a model as both transports show it: config.pbtxt, completed by what the server knows. */
#pragma once

#include "models/config.h"
#include "predict_v2/predict_v2.h"

/* Finds the model and holds it, if it is ready, and sets its configuration, for config_show. It lies in the arena and
 * in the memory of the model, which the caller releases. Fails as predict_v2_find_ready does; then no model is held. */
struct status predict_v2_find_config(struct repository *repository, struct str name, struct str version,
                                     struct arena *arena, struct model_hold *hold, struct model_config *config);
