/* The body of a request to the model repository, as clients send it; no document has it. It may be empty. An index has
 * {"ready": true}; a load and an unload have {"parameters": {...}}. */
#include "predict_v2/rest_repository.h"

#include "base/base64.h"
#include "tree/tree.h"

/* --- Parameters --- */

/* repository-rest.load-files repository-rest.load-file-valid repository-rest.load-file-inside */
static struct status take_file(struct order *order, const struct tree *parameter, struct str path)
{
    struct str content;
    if (parameter->type != TREE_STRING || !base64_read(parameter->text, order->arena, &content))
        return order_wrong_kind(order, parameter->name, "a file in base64");
    return order_add_file(order, path, content);
}

/* Other parameters are ignored. No model depends on another one here, so unload_dependents has no effect.
 * repository-rest.load-config repository-rest.load-config-valid repository-rest.unload-dependents
 * repository-rest.unload-dependents-boolean repository-rest.parameter-unknown */
static struct status take_parameter(struct order *order, const struct tree *parameter)
{
    struct str path = order_file_path(parameter->name);
    if (order->kind == ORDER_UNLOAD && str_is(parameter->name, "unload_dependents"))
        return parameter->type == TREE_BOOL ? STATUS_IS_OK : order_wrong_kind(order, parameter->name, "true or false");
    if (order->kind != ORDER_LOAD)
        return STATUS_IS_OK;
    if (path.data)
        return take_file(order, parameter, path);
    if (!str_is(parameter->name, ORDER_CONFIG))
        return STATUS_IS_OK;
    return parameter->type == TREE_STRING ? order_set_config(order, parameter->text)
                                          : order_wrong_kind(order, parameter->name, "a text: a ModelConfig in JSON");
}

static struct status take_parameters(struct order *order, const struct tree *parameters)
{
    struct status status = STATUS_IS_OK;
    if (parameters->type != TREE_OBJECT && parameters->type != TREE_NULL)
        return status_error(order->arena, STATUS_INVALID_ARGUMENT, "\"parameters\" must be an object, not %s",
                            tree_type_name(parameters->type));
    for (const struct tree *parameter = parameters->first; parameter && is_ok(status); parameter = parameter->next)
        status = take_parameter(order, parameter);
    return status;
}

/* --- The body --- */

static struct status take_ready(struct rest_order *made, const struct tree *ready)
{
    if (ready->type != TREE_BOOL && ready->type != TREE_NULL)
        return status_error(made->order.arena, STATUS_INVALID_ARGUMENT, "\"ready\" must be a boolean, not %s",
                            tree_type_name(ready->type));
    made->only_ready = ready->type == TREE_BOOL && ready->boolean;
    return STATUS_IS_OK;
}

/* repository-rest.body-optional repository-rest.body-object repository-rest.ready-boolean
 * repository-rest.parameters-optional */
struct status rest_read_order(struct rest_order *made, struct str body)
{
    struct tree *json;
    if (body.size == 0)
        return STATUS_IS_OK;
    struct status status = tree_parse(body, made->order.arena, &json);
    if (!is_ok(status))
        return status;
    if (json->type != TREE_OBJECT)
        return status_error(made->order.arena, STATUS_INVALID_ARGUMENT, "the body must be a JSON object, not %s",
                            tree_type_name(json->type));
    const struct tree *ready = tree_member(json, "ready"), *parameters = tree_member(json, "parameters");
    if (made->order.kind == ORDER_INDEX)
        return ready ? take_ready(made, ready) : STATUS_IS_OK;
    return parameters ? take_parameters(&made->order, parameters) : STATUS_IS_OK;
}

void rest_order(struct rest_call *call, enum order_kind kind, void (*done)(struct order *order, struct status status))
{
    struct rest_order *made = arena_new_of(call->arena, struct rest_order);
    struct str body = {0};
    struct status status = made ? STATUS_IS_OK : status_no_memory();
    if (is_ok(status))
        status = order_is_allowed(call->v2, kind, http_header_value(call->http, "Authorization"), call->arena);
    if (status.code == STATUS_UNAUTHENTICATED) /* RFC 9110, 15.5.2 */
        http_answer_header(call->http, STR("WWW-Authenticate"), STR("Bearer realm=\"model repository\""));
    if (is_ok(status))
        status = http_read_body(call->http, &body);
    if (is_ok(status)) {
        made->call = call;
        made->order = (struct order){
            .kind = kind,
            .arena = call->arena,
            .repository = call->repository,
            .model = call->model,
            .done = done,
            .context = made,
        };
        status = rest_read_order(made, body);
    }
    if (is_ok(status))
        repository_order(call->v2->repository, &made->order);
    else
        rest_refuse(call, status);
}

void rest_order_done(struct order *order, struct status status)
{
    const struct rest_order *made = order->context;
    if (is_ok(status))
        http_answer(made->call->http, 200, NULL);
    else
        rest_refuse(made->call, status);
}
