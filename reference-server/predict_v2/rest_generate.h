/* The form of requests to `generate`, a flat object, and how an inference is made of it. */
#pragma once

#include "models/model.h"

/* Writes the body as that of an inference by the model: in the arena, with JSON_PADDING behind it (json/reader.h).
 * Fails with INVALID_ARGUMENT if it is no object. Whether the values fit is left to whoever reads the inference. */
struct status rest_generate_translate(const struct model *model, struct str body, struct arena *arena,
                                      struct str *text);
