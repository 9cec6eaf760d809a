#include "engine/plan.h"
#include "base/search.h"

#include "base/budget.h"
#include <stdlib.h>
#include <sys/mman.h>

#define PLANS_MAX       ((size_t)16)
#define NODES_MAX       ((size_t)65536)     /* of all plans that are kept; one plan is kept in any case */
#define KEPT_MAX        ((size_t)128 << 20) /* bytes of idle blocks that a network keeps */
#define BLOCK_ALIGNMENT ((size_t)64)
#define HUGE_PAGE       ((size_t)2 << 20)

/* --- Making a plan --- */

/* Removes the nodes whose outputs nobody uses. */
static bool sweep(struct network *network)
{
    bool *used = arena_alloc_zero(&network->arena, network->value_count, sizeof(*used));
    if (!used)
        return false;
    for (size_t i = 0; i < network->output_count; i++)
        used[network->outputs[i]] = true;
    for (size_t n = network->node_count; n-- > 0;) {
        struct node *node = &network->nodes[n];
        bool wanted = ANY(i, node->output_count, used[node->outputs[i]]);
        for (size_t i = 0; i < node->input_count && wanted; i++)
            if (node->inputs[i] != NO_VALUE)
                used[node->inputs[i]] = true;
        if (!wanted) {
            node_unload(node);
            node->op = NULL;
        }
    }
    nodes_compact(network);
    return true;
}

/* Makes the copy, with room for values and nodes that passes add. */
static bool copy_network(const struct network *network, struct network *copy)
{
    *copy = (struct network){.arena = arena_new(ARENA_NO_BUDGET),
                             .opset = network->opset,
                             .opset_ml = network->opset_ml,
                             .value_count = network->value_count,
                             .constant_count = network->constant_count,
                             .input_count = network->input_count,
                             .output_count = network->output_count,
                             .packs = network->packs};
    copy->nodes = arena_alloc_zero(&copy->arena, network->node_count, sizeof(*copy->nodes));
    copy->values = arena_alloc_zero(&copy->arena, 2 * network->value_count + 1, sizeof(*copy->values));
    copy->scratch = arena_alloc_zero(&copy->arena, network->value_count + 1, sizeof(*copy->scratch));
    copy->outputs = arena_alloc_zero(&copy->arena, network->output_count, sizeof(*copy->outputs));
    if (!copy->nodes || !copy->values || !copy->scratch || !copy->outputs)
        return false;
    memcpy(copy->values, network->values, network->value_count * sizeof(*copy->values));
    memcpy(copy->outputs, network->outputs, network->output_count * sizeof(*copy->outputs));
    return true;
}

static struct status specialise(const struct network *network, const struct tensor *inputs, struct network *copy)
{
    NEED(copy_network(network, copy));
    for (size_t i = 0; i < network->input_count; i++) {
        const int64_t *shape = shape_copy(inputs[i].shape, inputs[i].rank, &copy->arena);
        NEED(shape);
        copy->values[network->constant_count + i].type = (struct type){inputs[i].datatype, inputs[i].rank, shape};
    }
    for (size_t i = 0; i < network->node_count; i++) {
        struct node *node = &copy->nodes[copy->node_count];
        *node = network->nodes[i];
        node->state = NULL;
        node->primitives = NULL;
        copy->node_count++; /* from here on, the node is unloaded with the plan */
        TRY(node_load(copy, node));
        if (node_fold(copy, node)) {
            node_unload(node);
            copy->node_count--;
        }
    }
    return STATUS_IS_OK;
}

static void workspace_free(struct workspace *workspace)
{
    for (size_t i = 0; workspace && i < SCRATCHES; i++)
        free(workspace->scratch[i].data);
    free(workspace);
}

static size_t workspace_size(const struct workspace *workspace)
{
    return workspace->size + SUM(i, SCRATCHES, workspace->scratch[i].size);
}

static void plan_free(struct plan *plan)
{
    struct workspace *next;
    for (struct workspace *workspace = plan->idle; workspace; workspace = next) {
        next = workspace->next;
        workspace_free(workspace);
    }
    for (size_t i = 0; i < plan->network.node_count; i++)
        node_unload(&plan->network.nodes[i]);
    arena_free(&plan->network.arena);
    free(plan);
}

static struct status plan_new(const struct network *network, const struct execution *execution, struct plan **made)
{
    struct plan *plan = calloc(1, sizeof(*plan));
    *made = NULL;
    NEED(plan);
    struct status status = specialise(network, execution->inputs, &plan->network);
    if (is_ok(status) &&
        !(sweep(&plan->network) && network_fuse(&plan->network) && network_arrange(&plan->network) && plan_place(plan)))
        status = status_no_memory();
    if (is_ok(status)) {
        *made = plan;
        return status;
    }
    status.message = arena_copy(execution->arena, status.message);
    plan_free(plan);
    return status;
}

/* --- Keeping plans --- */

/* Says whether a plan was made for inputs of these shapes. */
static bool suits(const struct plan *plan, const struct tensor *inputs)
{
    const struct value *values = plan->network.values + plan->network.constant_count;
    return ALL(i, plan->network.input_count,
               inputs[i].rank == values[i].type.rank &&
                   ALL(d, inputs[i].rank, inputs[i].shape[d] == values[i].type.shape[d]));
}

/* Finds the plan and moves it to the front. */
static struct plan *find(struct network *network, const struct tensor *inputs)
{
    for (struct plan **at = &network->plans; *at; at = &(*at)->next) {
        struct plan *plan = *at;
        if (!suits(plan, inputs))
            continue;
        *at = plan->next;
        plan->next = network->plans;
        network->plans = plan;
        return plan;
    }
    return NULL;
}

/* Takes the plan that was not used for the longest time out of the list if there are too many. */
static struct plan *drop_one(struct network *network)
{
    struct plan **last = NULL, *dropped;
    size_t count = 0;
    for (struct plan **at = &network->plans; *at; at = &(*at)->next, count++)
        if ((*at)->users == 0)
            last = at;
    size_t most = NODES_MAX / (network->node_count + 1);
    if (!last || count <= (most < 1 ? 1 : most > PLANS_MAX ? PLANS_MAX : most))
        return NULL;
    dropped = *last;
    *last = dropped->next;
    for (struct workspace *workspace = dropped->idle; workspace; workspace = workspace->next)
        network->kept -= workspace_size(workspace);
    return dropped;
}

static struct status take(struct network *network, struct execution *execution, struct plan **taken)
{
    struct status status = STATUS_IS_OK;
    struct plan *made = NULL, *dropped = NULL;
    pthread_mutex_lock(&network->mutex);
    *taken = find(network, execution->inputs);
    if (!*taken) {
        pthread_mutex_unlock(&network->mutex); /* others may run while this plan is made */
        status = plan_new(network, execution, &made);
        pthread_mutex_lock(&network->mutex);
        *taken = find(network, execution->inputs); /* by another thread meanwhile */
        if (!*taken && made) {
            *taken = made;
            made->next = network->plans;
            network->plans = made;
            made = NULL;
        }
    }
    if (*taken) {
        (*taken)->users++;
        dropped = drop_one(network);
        status = STATUS_IS_OK;
    }
    pthread_mutex_unlock(&network->mutex);
    if (made)
        plan_free(made);
    if (dropped)
        plan_free(dropped);
    return status;
}

void plans_free(struct network *network)
{
    struct plan *next;
    for (struct plan *plan = network->plans; plan; plan = next) {
        next = plan->next;
        plan_free(plan);
    }
}

/* --- Blocks --- */

/* Writes the values as they are before a run: a place is room that tensor_make uses. */
static void set_before(const struct plan *plan, struct workspace *workspace)
{
    for (size_t i = 0; i < plan->network.value_count; i++) {
        const struct value *value = &plan->network.values[i];
        size_t size = 0;
        if (value->constant)
            workspace->before[i] = *value->constant;
        else if (plan->places[i] != NO_PLACE && type_is_known(&value->type, &size))
            workspace->before[i] = (struct tensor){.data = workspace->block + plan->places[i], .size = size};
        else
            workspace->before[i] = (struct tensor){0};
    }
}

static struct workspace *workspace_new(const struct plan *plan)
{
    size_t lists = 2 * plan->network.value_count * sizeof(struct tensor), head = sizeof(struct workspace) + lists;
    head = (head + BLOCK_ALIGNMENT - 1) / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
    size_t alignment = plan->size >= HUGE_PAGE ? HUGE_PAGE : BLOCK_ALIGNMENT;
    size_t size = (head + plan->size + alignment - 1) / alignment * alignment;
    struct workspace *workspace = aligned_alloc(alignment, size);
    if (!workspace)
        return NULL;
    if (alignment == HUGE_PAGE)
        madvise(workspace, size, MADV_HUGEPAGE); /* only a hint */
    struct tensor *before = (struct tensor *)(workspace + 1);
    *workspace = (struct workspace){.before = before,
                                    .values = before + plan->network.value_count,
                                    .size = size,
                                    .block = (char *)workspace + head};
    set_before(plan, workspace);
    return workspace;
}

/* The memory is paid for by the request while it runs. */
static struct workspace *take_workspace(struct network *network, struct plan *plan, struct arena *arena)
{
    if (plan->size > arena->left || !lease_take(arena->lease, plan->size))
        return NULL;
    pthread_mutex_lock(&network->mutex);
    struct workspace *workspace = plan->idle;
    if (workspace) {
        plan->idle = workspace->next;
        network->kept -= workspace_size(workspace);
    }
    pthread_mutex_unlock(&network->mutex);
    if (!workspace)
        workspace = workspace_new(plan);
    if (!workspace)
        lease_return(arena->lease, plan->size);
    return workspace;
}

static void give_back(struct network *network, struct plan *plan, struct workspace *workspace, struct arena *arena)
{
    if (workspace)
        lease_return(arena->lease, plan->size);
    pthread_mutex_lock(&network->mutex);
    if (workspace && workspace_size(workspace) <= KEPT_MAX - network->kept) {
        network->kept += workspace_size(workspace);
        workspace->next = plan->idle;
        plan->idle = workspace;
        workspace = NULL;
    }
    plan->users--;
    pthread_mutex_unlock(&network->mutex);
    workspace_free(workspace);
}

/* --- Running --- */

/* An output must stay valid when the network is gone, so a constant is copied. */
static bool give_output(const struct plan *plan, size_t value, const struct workspace *workspace,
                        struct execution *execution, struct tensor *output)
{
    struct str name = output->name;
    *output = workspace->values[value];
    output->name = name;
    if (!plan->network.values[value].is_constant_data || output->size == 0)
        return true;
    void *data = arena_alloc(execution->arena, output->size);
    if (data)
        output->data = memcpy(data, output->data, output->size);
    return data != NULL;
}

static struct status walk(const struct plan *plan, struct workspace *workspace, struct execution *execution,
                          bool in_team)
{
    const struct network *network = &plan->network;
    struct run run = {
        .arena = execution->arena, .values = workspace->values, .scratch = workspace->scratch, .in_team = in_team};
    memcpy(workspace->values, workspace->before, network->value_count * sizeof(*workspace->values));
    if (network->input_count)
        memcpy(workspace->values + network->constant_count, execution->inputs,
               network->input_count * sizeof(struct tensor));
    for (size_t i = 0; i < network->node_count; i++)
        TRY(node_run(&network->nodes[i], &run));
    for (size_t i = 0; i < network->output_count; i++)
        NEED(give_output(plan, network->outputs[i], workspace, execution, &execution->outputs[i].tensor));
    return STATUS_IS_OK;
}

struct status plan_run(struct network *network, struct execution *execution, bool in_team)
{
    struct plan *plan;
    TRY(take(network, execution, &plan));
    struct workspace *workspace = take_workspace(network, plan, execution->arena);
    struct status status = workspace ? walk(plan, workspace, execution, in_team) : status_no_memory();
    give_back(network, plan, workspace, execution->arena);
    return status;
}
