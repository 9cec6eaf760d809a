/* What the endpoints of the model repository share, over both transports: they make an order of a request
 * (models/order.h). */
#pragma once

#include "models/order.h"
#include "predict_v2/predict_v2.h"

/* Checks that the client shows the token, if one is needed; and, unless it asks for an index, that clients may load and
 * unload models at all, and that the server does not end. Fails with UNAUTHENTICATED, PERMISSION_DENIED or UNAVAILABLE.
 * `authorization` is the header of that name, or null. */
struct status order_is_allowed(const struct predict_v2 *v2, enum order_kind kind, struct str authorization,
                               struct arena *arena);

/* The name of a state in an index: "READY". */
const char *order_state_name(enum model_state state);

/* The parameters of a request to load a model. A convention of servers: `config` is a ModelConfig in JSON that stands
 * for config.pbtxt, and each `file:PATH` is a file; together they stand for the folder of the model. */
#define ORDER_CONFIG "config"
#define ORDER_FILE   "file:"

/* Returns what follows `file:` in the name of a parameter; null data if it is none of a file. */
struct str order_file_path(struct str parameter);

#define ORDER_CONFIG_MAX ((size_t)1 << 20) /* bytes; a configuration takes many times its size in memory */
#define ORDER_FILES_MAX  ((size_t)1024)

/* Sets the configuration of a load; the text is not copied. Fails with INVALID_ARGUMENT if it is empty or too large. */
struct status order_set_config(struct order *order, struct str json);

/* Adds a file to a load; the content is not copied. Fails with INVALID_ARGUMENT if the path leads out of the folder of
 * the model or was given before, or if there are too many files. */
struct status order_add_file(struct order *order, struct str path, struct str content);

/* Fails with INVALID_ARGUMENT: the parameter has the wrong kind. */
struct status order_wrong_kind(const struct order *order, struct str parameter, const char *wanted);
