#include "predict_v2/repository_order.h"

#include "base/search.h"
#include "inference/infer.h"
#include "services/token.h"

struct status order_new(const struct shared *shared, enum order_kind kind, struct str authorization,
                        struct arena *arena, struct order **order)
{
    *order = arena_new_of(arena, struct order);
    NEED(*order);
    **order = (struct order){.kind = kind, .arena = arena};
    if (shared->repository_token.size > 0 && !token_is_shown(shared->repository_token, authorization))
        return status_error(arena, STATUS_UNAUTHENTICATED, "%s: send \"Authorization: Bearer TOKEN\"",
                            authorization.data ? "this is not the token of the model repository"
                                               : "the model repository of this server needs a token");
    if (kind == ORDER_INDEX)
        return STATUS_IS_OK;
    if (!predict_v2_may_change(shared))
        return status_error(arena, STATUS_PERMISSION_DENIED,
                            "clients may not load and unload models: the server runs with --model-control none");
    if (infer_draining())
        return status_plain(STATUS_UNAVAILABLE, "the server is shutting down");
    return STATUS_IS_OK;
}

const char *order_state_name(enum model_state state)
{
    static const char *const names[] = {
        [MODEL_LOADING] = "LOADING",
        [MODEL_READY] = "READY",
        [MODEL_UNAVAILABLE] = "UNAVAILABLE",
        [MODEL_UNLOADING] = "UNLOADING",
    };
    return names[state];
}

/* --- Parameters --- */

#define CONFIG     "config"
#define FILE_PATH  "file:"
#define CONFIG_MAX ((size_t)1 << 20) /* bytes; a configuration takes many times its size in memory */
#define FILES_MAX  ((size_t)1024)

static struct status set_config(struct order *order, struct str json)
{
    if (json.size == 0 || json.size > CONFIG_MAX)
        return status_invalid(order->arena, "the parameter '" CONFIG "' must have 1 to %zu bytes, not %zu", CONFIG_MAX,
                              json.size);
    order->config = json;
    return STATUS_IS_OK;
}

struct str order_file_path(struct str parameter)
{
    struct str before = STR(FILE_PATH);
    return str_starts(parameter, before) ? str_from(parameter, before.size) : (struct str){0};
}

static struct status add_file(struct order *order, struct str path, struct str content)
{
    if (!path_stays_below(path))
        return status_invalid(order->arena, "the path in '" FILE_PATH "%s' is not in the folder of the model",
                              str_printable(order->arena, path));
    struct model_file *given = FIND(order->files, i, order->file_count, str_equal(order->files[i].path, path));
    if (given) { /* the last one counts, as for every key of a map */
        given->content = content;
        return STATUS_IS_OK;
    }
    if (order->file_count == FILES_MAX)
        return status_invalid(order->arena, "a load may bring %zu files at most", FILES_MAX);
    struct model_file *files = arena_room(order->files, order->file_count, sizeof(*files), order->arena);
    NEED(files);
    order->files = files;
    files[order->file_count++] = (struct model_file){path, content};
    return STATUS_IS_OK;
}

struct status order_take_parameter(struct order *order, const struct order_parameter *parameter)
{
    struct str path = order_file_path(parameter->name);
    const char *wanted = NULL;
    if (order->kind == ORDER_UNLOAD && str_is(parameter->name, "unload_dependents")) {
        wanted = parameter->kind == ORDER_BOOL ? NULL : "true or false";
    } else if (order->kind == ORDER_LOAD && path.data) {
        if (parameter->kind == ORDER_BYTES)
            return add_file(order, path, parameter->content);
        wanted = parameter->bytes_are;
    } else if (order->kind == ORDER_LOAD && str_is(parameter->name, CONFIG)) {
        if (parameter->kind == ORDER_TEXT)
            return set_config(order, parameter->content);
        wanted = "a text: a ModelConfig in JSON";
    }
    if (!wanted)
        return STATUS_IS_OK;
    return status_invalid(order->arena, "the parameter '%s' must be %s", str_printable(order->arena, parameter->name),
                          wanted);
}
