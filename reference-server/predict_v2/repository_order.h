/* What the endpoints of the model repository share, over both transports: they make an order of a request
 * (models/order.h). */
#pragma once

#include "models/order.h"
#include "predict_v2/predict_v2.h"

/* Makes an order of that kind. Checks that the client shows the token, if one is needed; and, unless it asks for an
 * index, that clients may load and unload models at all, and that the server does not end. Fails with UNAUTHENTICATED,
 * PERMISSION_DENIED or UNAVAILABLE. `authorization` is the header of that name, or null. */
struct status order_new(const struct shared *shared, enum order_kind kind, struct str authorization,
                        struct arena *arena, struct order **order);

/* The name of a state in an index: "READY". */
const char *order_state_name(enum model_state state);

/* A parameter of a request to load or unload a model. The kinds are numbered as the fields of Triton's
 * ModelRepositoryParameter. */
struct order_parameter {
    struct str name;
    enum order_value { ORDER_OTHER, ORDER_BOOL, ORDER_INT64, ORDER_TEXT, ORDER_BYTES } kind;
    struct str content;    /* of a text or bytes */
    const char *bytes_are; /* how the transport writes bytes, for a refusal */
};

/* Returns what follows `file:` in the name of a parameter; null data if it is none of a file. */
struct str order_file_path(struct str parameter);

/* Takes a parameter, whose content is not copied. A convention of servers: of a load, `config` is a ModelConfig in JSON
 * that stands for config.pbtxt, and each `file:PATH` is a file; together they stand for the folder of the model. No
 * model depends on another one here, so unload_dependents has no effect. Others are ignored. Fails with
 * INVALID_ARGUMENT if the content is of the wrong kind or size, if a path leads out of the folder, or if there are too
 * many files. */
struct status order_take_parameter(struct order *order, const struct order_parameter *parameter);
