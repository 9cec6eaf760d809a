/* `config` (004, "InferRequest"): the format is this server's own. It is a JSON object, whose members are the
 * parameters of the request: strings, numbers and booleans. An empty config has none. */
#include "graphpipe/graphpipe_call.h"

#include "tree/tree.h"

#define CONFIG_MAX ((size_t)64 * 1024) /* bytes; as a tree they take a hundred times as much memory */

static struct status refuse(const struct graphpipe_call *call, const char *what)
{
    return status_breaks(call->arena, "config-given", "config %s", what);
}

/* The original server passes any text to its model, and ours ignores what it does not understand in that dialect.
 * graphpipe.config-empty graphpipe.config-given */
struct status graphpipe_read_config(struct graphpipe_call *call, struct str config, struct parameters *parameters)
{
    struct tree *tree;
    size_t count = 0;
    if (config.size == 0)
        return STATUS_IS_OK;
    if (config.size > CONFIG_MAX)
        return status_error(call->arena, STATUS_RESOURCE_EXHAUSTED, "config has %zu bytes; this server takes %zu",
                            config.size, CONFIG_MAX);
    struct status status = tree_parse(config, call->arena, &tree);
    if (!is_ok(status) || tree->type != TREE_OBJECT)
        return call->service->is_lenient ? STATUS_IS_OK : refuse(call, "must be empty or a JSON object");
    struct parameter *list = arena_alloc_zero(call->arena, tree->count, sizeof(*list));
    NEED(list);
    for (const struct tree *member = tree->first; member; member = member->next) {
        list[count].name = member->name;
        if (parameter_set_value(&list[count], member))
            count++;
        else if (!call->service->is_lenient)
            return refuse(call, "may hold strings, numbers and booleans alone");
    }
    *parameters = (struct parameters){list, count};
    return STATUS_IS_OK;
}
