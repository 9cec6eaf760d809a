/* TreeEnsembleClassifier and TreeEnsembleRegressor of ai.onnx.ml. The attributes list the nodes of all trees. They are
 * made into one array in which a node knows the positions of its children; a leaf knows its weights. A child must stand
 * after its parent in a walk from the root that meets no node twice, so that every walk ends. */
#include "base/search.h"
#include "engine/families.h"
#include "engine/ml.h"

#include <math.h>
#include <stdlib.h>

enum mode { LEAF, BRANCH_LEQ, BRANCH_LT, BRANCH_GTE, BRANCH_GT, BRANCH_EQ, BRANCH_NEQ, NO_MODE };

enum { SUM_OF_TREES, AVERAGE }; /* aggregate_function */

struct branch {
    enum mode mode;
    float value;
    bool missing_is_true; /* where NaN goes */
    bool is_child;        /* some node leads here */
    uint32_t feature;
    uint32_t next[2];               /* if the condition is true; if not */
    uint32_t weights, weight_count; /* of a leaf */
};

struct weight {
    uint32_t target;
    float value;
};

struct trees {
    struct branch *branches;
    uint32_t *roots;
    size_t branch_count, root_count, targets, features;
    struct weight *weights;
    struct floats base;
    bool has_one_target, all_positive; /* of the weights */
};

/* --- Reading --- */

struct id {
    int64_t tree, node;
    size_t at;
};

static int by_id(const void *a, const void *b)
{
    const struct id *x = a, *y = b;
    if (x->tree != y->tree)
        return x->tree < y->tree ? -1 : 1;
    return x->node == y->node ? 0 : x->node < y->node ? -1 : 1;
}

static struct branch *find_branch(const struct trees *trees, const struct id *ids, int64_t tree, int64_t node)
{
    const struct id key = {tree, node, 0}, *found = bsearch(&key, ids, trees->branch_count, sizeof(*ids), by_id);
    return found ? &trees->branches[found->at] : NULL;
}

static struct status refuse(const struct node *node, struct arena *arena, const char *what)
{
    return node_refuse(node, arena, "its trees have %s", what);
}

static const char *const modes[] = {"LEAF",      "BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE",
                                    "BRANCH_GT", "BRANCH_EQ",  "BRANCH_NEQ"};

/* The lists that describe the nodes, all of one length. */
struct lists {
    const Onnx__AttributeProto *trees, *nodes, *features, *yes, *no, *modes, *values, *missing;
};

static struct status read_branches(const struct node *node, const struct lists *lists, const struct id *ids,
                                   struct trees *trees, struct arena *arena)
{
    for (size_t i = 0; i < trees->branch_count; i++) {
        struct branch *branch = &trees->branches[i];
        int64_t feature = lists->features->ints[i];
        const struct str mode = {(const char *)lists->modes->strings[i].data, lists->modes->strings[i].len};
        branch->mode = FIRST(j, COUNT_OF(modes), str_is(mode, modes[j]), (enum mode)j, NO_MODE);
        if (branch->mode == NO_MODE)
            return refuse(node, arena, "a mode that is not known");
        if (branch->mode == LEAF)
            continue;
        branch->value = lists->values->floats[i];
        branch->missing_is_true =
            lists->missing && lists->missing->n_ints == trees->branch_count && lists->missing->ints[i];
        if (feature < 0 || feature > INT32_MAX)
            return refuse(node, arena, "a feature that is no position");
        branch->feature = (uint32_t)feature;
        if ((size_t)feature >= trees->features)
            trees->features = (size_t)feature + 1;
        for (int side = 0; side < 2; side++) {
            struct branch *child =
                find_branch(trees, ids, lists->trees->ints[i], (side ? lists->no : lists->yes)->ints[i]);
            if (!child || child->is_child)
                return refuse(node, arena, child ? "a node with two parents" : "a branch to no node");
            child->is_child = true;
            branch->next[side] = (uint32_t)(child - trees->branches);
        }
    }
    for (size_t i = 0; i < trees->branch_count; i++) /* each node has one parent at most, so a root is in no circle */
        if (!trees->branches[i].is_child)
            trees->roots[trees->root_count++] = (uint32_t)i;
    return STATUS_IS_OK;
}

/* Reads the weights of the leaves. */
static struct status read_weights(const struct node *node, const struct id *ids, struct trees *trees,
                                  struct arena *arena)
{
    const bool classifies = is_classifier(node);
    const Onnx__AttributeProto *tree = node_attribute(node, classifies ? "class_treeids" : "target_treeids"),
                               *leaf = node_attribute(node, classifies ? "class_nodeids" : "target_nodeids"),
                               *target = node_attribute(node, classifies ? "class_ids" : "target_ids"),
                               *value = node_attribute(node, classifies ? "class_weights" : "target_weights");
    const size_t count = value ? value->n_floats : 0;
    if (!tree || !leaf || !target || !value || tree->n_ints != count || leaf->n_ints != count ||
        target->n_ints != count)
        return refuse(node, arena, "lists of weights of different lengths");
    trees->weights = arena_alloc_zero(arena, count, sizeof(*trees->weights));
    struct branch **owners = arena_alloc_zero(arena, count, sizeof(struct branch *));
    NEED(trees->weights && owners);
    trees->has_one_target = trees->all_positive = true;
    for (size_t i = 0; i < count; i++) {
        struct branch *owner = find_branch(trees, ids, tree->ints[i], leaf->ints[i]);
        if (!owner || owner->mode != LEAF)
            return refuse(node, arena, "a weight that is on no leaf");
        if (target->ints[i] < 0 || (uint64_t)target->ints[i] >= trees->targets)
            return refuse(node, arena, "a weight for a target that does not exist");
        owners[i] = owner;
        owner->weight_count++;
        trees->has_one_target &= target->ints[i] == target->ints[0];
        trees->all_positive &= value->floats[i] >= 0;
    }
    uint32_t begin = 0;
    for (size_t i = 0; i < trees->branch_count; i++) {
        trees->branches[i].weights = begin;
        begin += trees->branches[i].weight_count;
        trees->branches[i].weight_count = 0;
    }
    for (size_t i = 0; i < count; i++)
        trees->weights[owners[i]->weights + owners[i]->weight_count++] =
            (struct weight){(uint32_t)target->ints[i], value->floats[i]};
    return STATUS_IS_OK;
}

/* Reads an attribute that has so many integers, or floats or strings. */
static bool read_list(const struct node *node, const char *name, char kind, size_t count,
                      const Onnx__AttributeProto **list)
{
    const Onnx__AttributeProto *given = *list = node_attribute(node, name);
    return given && (kind == 'i' ? given->n_ints : kind == 'f' ? given->n_floats : given->n_strings) == count;
}

static struct status read_trees(const struct node *node, struct trees *trees, struct arena *arena)
{
    struct lists lists = {.trees = node_attribute(node, "nodes_treeids"),
                          .missing = node_attribute(node, "nodes_missing_value_tracks_true")};
    const size_t count = lists.trees ? lists.trees->n_ints : 0;
    if (!count || count > INT32_MAX || !read_list(node, "nodes_nodeids", 'i', count, &lists.nodes) ||
        !read_list(node, "nodes_featureids", 'i', count, &lists.features) ||
        !read_list(node, "nodes_truenodeids", 'i', count, &lists.yes) ||
        !read_list(node, "nodes_falsenodeids", 'i', count, &lists.no) ||
        !read_list(node, "nodes_modes", 's', count, &lists.modes) ||
        !read_list(node, "nodes_values", 'f', count, &lists.values))
        return refuse(node, arena, "lists of nodes of different lengths");
    struct id *ids = arena_alloc_zero(arena, count, sizeof(*ids));
    trees->branch_count = count;
    trees->branches = arena_alloc_zero(arena, count, sizeof(*trees->branches));
    trees->roots = arena_alloc_zero(arena, count, sizeof(*trees->roots));
    NEED(ids && trees->branches && trees->roots);
    for (size_t i = 0; i < count; i++)
        ids[i] = (struct id){lists.trees->ints[i], lists.nodes->ints[i], i};
    qsort(ids, count, sizeof(*ids), by_id);
    for (size_t i = 1; i < count; i++)
        if (by_id(&ids[i - 1], &ids[i]) == 0)
            return refuse(node, arena, "two nodes of one number");
    TRY(read_branches(node, &lists, ids, trees, arena));
    TRY(read_weights(node, ids, trees, arena));
    trees->base = node_floats(node, "base_values");
    return trees->base.count > 1 && trees->base.count != trees->targets
               ? refuse(node, arena, "another number of base values than of targets")
               : STATUS_IS_OK;
}

LOAD(trees)
{
    struct labels labels = {0};
    struct call call = {.node = node, .arena = &network->arena};
    if (is_classifier(node))
        TRY(read_labels(&call, &labels));
    int64_t targets = is_classifier(node) ? (int64_t)labels.count : node_int(node, "n_targets", 1);
    if (targets < 1 || targets > INT32_MAX)
        return refuse(node, &network->arena, "no targets");
    trees->targets = (size_t)targets;
    return read_trees(node, trees, &network->arena);
}

INFER(trees)
{
    const struct trees *trees = call->node->state;
    const int64_t features = rows_of(call).features;
    return features >= 0 && (size_t)features < trees->features
               ? call_refuse(call, "its trees ask for feature %zu of %lld", trees->features - 1, (long long)features)
               : predictor_infer(call, made, trees->targets);
}

/* --- Running --- */

static bool goes_yes(const struct branch *branch, float x)
{
    const enum mode mode = branch->mode;
    if (isnan(x) && branch->missing_is_true)
        return true;
    if (x == branch->value)
        return mode == BRANCH_LEQ || mode == BRANCH_GTE || mode == BRANCH_EQ;
    return mode == BRANCH_NEQ || (x < branch->value && (mode == BRANCH_LEQ || mode == BRANCH_LT)) ||
           (x > branch->value && (mode == BRANCH_GTE || mode == BRANCH_GT));
}

/* Adds up the weights of the leaves that a row reaches. */
static void add_leaves(const struct trees *trees, const float *row, double *sums)
{
    memset(sums, 0, trees->targets * sizeof(*sums));
    for (size_t i = 0; i < trees->root_count; i++) {
        const struct branch *branch = &trees->branches[trees->roots[i]];
        while (branch->mode == BRANCH_LEQ && !isnan(row[branch->feature]))
            branch = &trees->branches[branch->next[row[branch->feature] > branch->value]];
        while (branch->mode != LEAF)
            branch = &trees->branches[branch->next[!goes_yes(branch, row[branch->feature])]];
        for (uint32_t j = 0; j < branch->weight_count; j++)
            sums[trees->weights[branch->weights + j].target] += (double)trees->weights[branch->weights + j].value;
    }
}

static double base_of(const struct trees *trees, size_t target)
{
    return trees->base.count == trees->targets ? (double)trees->base.list[target] : 0;
}

/* With two labels, and weights for only one of them, the score of the second label decides. If all weights are
 * positive, scores are probabilities, and the first label gets the rest to 1; otherwise it gets the negative. */
static size_t decide_for_two(const struct trees *trees, enum transform *transform, float *scores, double sum)
{
    double base = trees->base.count == 1 ? (double)trees->base.list[0] : base_of(trees, 1);
    scores[1] = (float)(sum + base);
    size_t chosen = scores[1] > (trees->all_positive ? 0.5F : 0);
    scores[0] = trees->all_positive ? 1 - scores[1] : -scores[1];
    if (trees->all_positive || *transform != TRANSFORM_LOGISTIC)
        *transform = TRANSFORM_NONE;
    return chosen;
}

/* What a run has for its rows. */
struct forest {
    const struct trees *trees;
    double *sums; /* room for one number for each target */
    bool is_average;
};

static size_t classify(const void *predictor, const float *row, float *scores, enum transform *transform)
{
    const struct forest *forest = predictor;
    const struct trees *trees = forest->trees;
    add_leaves(trees, row, forest->sums);
    if (trees->targets == 2 && trees->has_one_target)
        return decide_for_two(trees, transform, scores, forest->sums[0] + forest->sums[1]);
    for (size_t i = 0; i < trees->targets; i++)
        scores[i] = (float)(forest->sums[i] + base_of(trees, i));
    return largest(scores, trees->targets);
}

static size_t regress(const void *predictor, const float *row, float *out, enum transform *)
{
    const struct forest *forest = predictor;
    const struct trees *trees = forest->trees;
    add_leaves(trees, row, forest->sums);
    for (size_t i = 0; i < trees->targets; i++)
        out[i] = (float)((forest->is_average ? forest->sums[i] / (double)trees->root_count : forest->sums[i]) +
                         base_of(trees, i));
    return 0;
}

COMPUTE(trees)
{
    const bool classifies = is_classifier(call->node);
    struct forest forest = {.trees = call->node->state};
    forest.sums = arena_alloc(call->arena, forest.trees->targets * sizeof(*forest.sums));
    forest.is_average = !classifies && node_choice(call->node, "aggregate_function") == AVERAGE;
    return forest.sums ? predict(call, &forest, classifies ? classify : regress) : status_no_memory();
}
