/* The model repository over REST (003, "Model Management"; 001, "RepositoryIndex"). No document has the body of a
 * request, which may be empty: an index has {"ready": true}; a load and an unload have {"parameters": {...}}. */
#include "predict_v2/repository_order.h"
#include "predict_v2/rest.h"

#include "base/base64.h"
#include "tree/tree.h"
#include "json/writer.h"

#define MEMBERS_MAX ((size_t)2048) /* of an object: a load brings 1,024 files at most */

/* Refuses an object that can be read in two ways. */
static struct status check_members(const struct tree *object, struct arena *arena)
{
    if (object->count > MEMBERS_MAX)
        return status_invalid(arena, "the request has more than %zu members in one object", MEMBERS_MAX);
    for (const struct tree *member = object->first; object->type == TREE_OBJECT && member; member = member->next)
        if (tree_member_str(object, member->name) != member)
            return status_invalid(arena, "the request has the member \"%s\" twice", str_printable(arena, member->name));
    return STATUS_IS_OK;
}

/* --- Parameters --- */

/* repository-rest.load-files repository-rest.load-file-valid repository-rest.load-file-inside
 * repository-rest.load-config repository-rest.load-config-valid repository-rest.unload-dependents
 * repository-rest.unload-dependents-boolean repository-rest.parameter-unknown */
static struct status take_parameter(struct order *order, const struct tree *value)
{
    struct order_parameter parameter = {.name = value->name, .content = value->text, .bytes_are = "a file in base64"};
    if (value->type == TREE_BOOL)
        parameter.kind = ORDER_BOOL;
    else if (value->type == TREE_STRING && !order_file_path(value->name).data)
        parameter.kind = ORDER_TEXT;
    else if (value->type == TREE_STRING && base64_read(value->text, order->arena, &parameter.content))
        parameter.kind = ORDER_BYTES;
    return order_take_parameter(order, &parameter);
}

static struct status take_parameters(struct order *order, const struct tree *parameters)
{
    if (parameters->type != TREE_OBJECT && parameters->type != TREE_NULL)
        return status_invalid(order->arena, "\"parameters\" must be an object, not %s",
                              tree_type_name(parameters->type));
    TRY(check_members(parameters, order->arena));
    for (const struct tree *parameter = parameters->first; parameter; parameter = parameter->next)
        TRY(take_parameter(order, parameter));
    return STATUS_IS_OK;
}

/* --- The body --- */

static struct status take_ready(struct order *order, const struct tree *ready)
{
    if (ready->type != TREE_BOOL && ready->type != TREE_NULL)
        return status_invalid(order->arena, "\"ready\" must be a boolean, not %s", tree_type_name(ready->type));
    order->only_ready = ready->type == TREE_BOOL && ready->boolean;
    return STATUS_IS_OK;
}

/* repository-rest.body-optional repository-rest.body-object repository-rest.ready-boolean
 * repository-rest.parameters-optional */
struct status rest_read_order(struct order *order, struct str body)
{
    struct tree *json;
    if (body.size == 0)
        return STATUS_IS_OK;
    TRY(tree_parse(body, order->arena, &json));
    if (json->type != TREE_OBJECT)
        return status_invalid(order->arena, "the body must be a JSON object, not %s", tree_type_name(json->type));
    TRY(check_members(json, order->arena));
    const struct tree *ready = tree_member(json, "ready"), *parameters = tree_member(json, "parameters");
    if (order->kind == ORDER_INDEX)
        return ready ? take_ready(order, ready) : STATUS_IS_OK;
    return parameters ? take_parameters(order, parameters) : STATUS_IS_OK;
}

/* Makes an order of the request, with the call as its context, and gives it to the repository; `done` answers. */
static void give_order(struct rest_call *call, enum order_kind kind,
                       void (*done)(struct order *order, struct status status))
{
    struct order *order;
    struct str body = {0}, authorization = http_header_value(call->http, "Authorization");
    struct status status = order_new(call->shared, kind, authorization, call->arena, &order);
    if (status.code == STATUS_UNAUTHENTICATED) /* RFC 9110, 15.5.2 */
        http_answer_header(call->http, STR("WWW-Authenticate"), STR("Bearer realm=\"model repository\""));
    if (is_ok(status))
        status = http_read_body(call->http, &body);
    if (is_ok(status)) {
        order->repository = call->repository;
        order->model = call->model;
        order->done = done;
        order->context = call;
        status = rest_read_order(order, body);
    }
    if (is_ok(status))
        repository_order(call->shared->repository, order);
    else
        rest_refuse(call, status);
}

/* --- The endpoints --- */

static void write_row(struct buf *out, const struct model_row *row)
{
    json_write_next(out);
    buf_append_byte(out, '{');
    json_write_member(out, "name", row->name);
    if (row->version.size)
        json_write_member(out, "version", row->version);
    json_write_member(out, "state", str_of(order_state_name(row->state)));
    if (row->reason.size)
        json_write_member(out, "reason", row->reason);
    buf_append_byte(out, '}');
}

static void answer_index(struct order *order, struct status status)
{
    struct rest_call *call = order->context;
    struct buf *out = &call->http->answer_buf;
    buf_append_byte(out, '[');
    for (size_t i = 0; i < order->row_count; i++)
        write_row(out, &order->rows[i]);
    buf_append_byte(out, ']');
    rest_answer(call, status);
}

/* POST v2/repository[/NAME]/index: a list with an object for each version of each model.
 * repository-rest.index repository-rest.index-array repository-rest.index-models repository-rest.index-state
 * repository-rest.index-reason repository-rest.index-ready repository-rest.index-repository */
void rest_repository_index(struct rest_call *call)
{
    give_order(call, ORDER_INDEX, answer_index);
}

static void answer_change(struct order *order, struct status status)
{
    struct rest_call *call = order->context;
    if (is_ok(status))
        http_answer(call->http, 200, NULL);
    else
        rest_refuse(call, status);
}

/* POST v2/repository[/NAME]/models/MODEL/load. A model that is served already is loaded again.
 * repository-rest.load repository-rest.load-again repository-rest.load-known repository-rest.load-inside
 * repository-rest.load-broken repository-rest.load-failed-keeps repository-rest.load-repository
 * repository-rest.refused-changes-nothing */
void rest_repository_load(struct rest_call *call)
{
    give_order(call, ORDER_LOAD, answer_change);
}

/* POST v2/repository[/NAME]/models/MODEL/unload. The answer comes when new requests are refused; requests in flight may
 * still run.
 * repository-rest.unload repository-rest.unload-again repository-rest.unload-known repository-rest.unload-repository
 * repository-rest.unload-in-flight repository-rest.index-unloading */
void rest_repository_unload(struct rest_call *call)
{
    give_order(call, ORDER_UNLOAD, answer_change);
}
