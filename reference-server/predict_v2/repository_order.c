#include "predict_v2/repository_order.h"

#include "base/search.h"
#include "inference/infer.h"
#include "services/token.h"

struct status order_is_allowed(const struct predict_v2 *v2, enum order_kind kind, struct str authorization,
                               struct arena *arena)
{
    if (v2->repository_token.size > 0 && !token_is_shown(v2->repository_token, authorization))
        return status_error(arena, STATUS_UNAUTHENTICATED, "%s: send \"Authorization: Bearer TOKEN\"",
                            authorization.data ? "this is not the token of the model repository"
                                               : "the model repository of this server needs a token");
    if (kind == ORDER_INDEX)
        return STATUS_IS_OK;
    if (!v2->may_change)
        return status_error(arena, STATUS_PERMISSION_DENIED,
                            "clients may not load and unload models: the server has --model-control none");
    if (infer_draining())
        return (struct status){STATUS_UNAVAILABLE, STR("the server is shutting down"), NULL};
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

struct status order_set_config(struct order *order, struct str json)
{
    if (json.size == 0 || json.size > ORDER_CONFIG_MAX)
        return status_error(order->arena, STATUS_INVALID_ARGUMENT,
                            "the parameter '" ORDER_CONFIG "' must have 1 to %zu bytes, not %zu", ORDER_CONFIG_MAX,
                            json.size);
    order->config = json;
    return STATUS_IS_OK;
}

struct str order_file_path(struct str parameter)
{
    struct str before = STR(ORDER_FILE);
    return str_starts(parameter, before) ? str_from(parameter, before.size) : (struct str){0};
}

/* The list has room for a power of two. */
static bool make_room(struct order *order)
{
    size_t count = order->file_count;
    if (count & (count - 1))
        return true;
    struct model_file *files = arena_alloc_zero(order->arena, count ? 2 * count : 1, sizeof(*files));
    if (files && count)
        memcpy(files, order->files, count * sizeof(*files));
    order->files = files;
    return files != NULL;
}

struct status order_add_file(struct order *order, struct str path, struct str content)
{
    if (!path_stays_below(path))
        return status_error(order->arena, STATUS_INVALID_ARGUMENT,
                            "the path in '" ORDER_FILE "%s' is not in the folder of the model",
                            str_printable(order->arena, path));
    struct model_file *given = FIND(order->files, i, order->file_count, str_equal(order->files[i].path, path));
    if (given) { /* the last one counts, as for every key of a map */
        given->content = content;
        return STATUS_IS_OK;
    }
    if (order->file_count == ORDER_FILES_MAX)
        return status_error(order->arena, STATUS_INVALID_ARGUMENT, "a load may bring %zu files at most",
                            ORDER_FILES_MAX);
    if (!make_room(order))
        return status_no_memory();
    order->files[order->file_count++] = (struct model_file){path, content};
    return STATUS_IS_OK;
}

struct status order_wrong_kind(const struct order *order, struct str parameter, const char *wanted)
{
    return status_error(order->arena, STATUS_INVALID_ARGUMENT, "the parameter '%s' must be %s",
                        str_printable(order->arena, parameter), wanted);
}
