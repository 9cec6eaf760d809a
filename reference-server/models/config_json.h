/* The JSON form of ModelConfig. */
#pragma once

#include "base/buf.h"
#include "base/status.h"

/* Reads JSON as a ModelConfig on the wire, in the arena. Fails with INVALID_ARGUMENT and the reason. */
struct status config_message_of_json(struct str json, struct arena *arena, struct str *message);

/* Appends a ModelConfig as JSON by the names of the schema, with all scalars and lists. Fails without memory. */
struct status config_json_of_message(struct str message, struct arena *arena, struct buf *json);
