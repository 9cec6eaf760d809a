/* Runs ONNX's own test data. Each case is a model of one node, its inputs, and the outputs of ONNX's reference. What
 * the engine loads, it must compute correctly. onnx_nodes.txt lists the cases that do not pass; no line may be added to
 * it. It is about the data of Debian 12; newer data have other cases and operators of newer versions.
 *
 * With TABLE=1 in the environment, it also prints a line for each case, which passes or says why it does not. */
#include "base/disk.h"
#include "engine/operator.h"
#include "graph.h"
#include "tensor/cast.h"

#include <dirent.h>
#include <math.h>

#define CASES          "/usr/share/libonnx-testdata/data/node"
#define FAILING        "reference-server/tests/onnx_nodes.txt"
#define CASES_OF_LIST  932 /* libonnx-testdata 1.12 */
#define FILE_MAX       ((size_t)64 << 20)
#define RELATIVE_ERROR 1e-3 /* ONNX's own runner allows as much */
#define ABSOLUTE_ERROR 1e-7

enum result { PASSES, NOT_SUPPORTED, WRONG };

struct outcome {
    enum result result;
    char *reason; /* why the model does not load or run, or NULL */
};

/* Returns the bytes of a file, in that memory; null data if there is no such file. */
static struct str file_bytes(struct arena *memory, const char *path)
{
    struct str bytes;
    return is_ok(disk_read(path, FILE_MAX, memory, &bytes)) ? bytes : (struct str){0};
}

static void *allocate(void *memory, size_t size)
{
    return arena_alloc(memory, size);
}

static void keep(void *, void *)
{
}

/* Reads a tensor of the case, for example "input" 0. Returns false if the server has no such tensor, or if its datatype
 * is not the model's (some data have BFLOAT16 written as UINT16). */
static bool read_tensor(struct arena *memory, const char *name, const char *kind, size_t i,
                        const struct tensor_spec *declared, struct tensor *tensor)
{
    const char *path = arena_printf(memory, CASES "/%s/test_data_set_0/%s_%zu.pb", name, kind, i).data;
    struct str bytes = file_bytes(memory, path);
    ProtobufCAllocator allocator = {allocate, keep, memory};
    Onnx__TensorProto *source =
        bytes.data ? onnx__tensor_proto__unpack(&allocator, bytes.size, (const uint8_t *)bytes.data) : NULL;
    return source && is_ok(weights_read(source, memory, tensor)) && tensor->datatype == declared->datatype;
}

static bool shapes_equal(const struct tensor *a, const struct tensor *b)
{
    bool equal = a->datatype == b->datatype && a->rank == b->rank && a->count == b->count;
    for (size_t i = 0; equal && i < a->rank; i++)
        equal = a->shape[i] == b->shape[i];
    return equal;
}

static bool close_to(double got, double wanted)
{
    if (isnan(wanted) || isnan(got))
        return isnan(wanted) && isnan(got);
    return got == wanted || fabs(got - wanted) <= ABSOLUTE_ERROR + RELATIVE_ERROR * fabs(wanted);
}

/* Compares floats with the error that ONNX allows, and everything else bit by bit. */
static bool tensors_agree(const struct tensor *got, const struct tensor *wanted, struct arena *memory)
{
    if (!shapes_equal(got, wanted))
        return false;
    if (!datatype_is_float(got->datatype))
        return got->size == wanted->size && (got->size == 0 || memcmp(got->data, wanted->data, got->size) == 0);
    struct tensor a, b;
    if (!tensor_cast(got, DATATYPE_FP64, memory, &a) || !tensor_cast(wanted, DATATYPE_FP64, memory, &b))
        return false;
    for (size_t i = 0; i < got->count; i++)
        if (!close_to(((const double *)a.data)[i], ((const double *)b.data)[i]))
            return false;
    return true;
}

static enum result run_case(struct graph *g, const char *name, char **reason)
{
    struct arena *memory = &g->arena;
    struct str onnx = file_bytes(memory, arena_printf(memory, CASES "/%s/model.onnx", name).data);
    const struct model *model = &g->model;
    struct status status = onnx.data ? network_load(onnx, &g->model, &g->network) : status_no_memory();
    if (!is_ok(status))
        *reason = strndup(status.message.data, status.message.size);
    if (!is_ok(status) || model->input_count > GRAPH_LIST_MAX || model->output_count > GRAPH_LIST_MAX)
        return NOT_SUPPORTED;
    for (; g->given_count < model->input_count; g->given_count++)
        if (!read_tensor(memory, name, "input", g->given_count, &model->inputs[g->given_count],
                         &g->given[g->given_count]))
            return NOT_SUPPORTED;
    status = graph_run(g);
    if (!is_ok(status))
        *reason = strndup(status.message.data, status.message.size);
    if (!is_ok(status))
        return status.code == STATUS_UNIMPLEMENTED ? NOT_SUPPORTED : WRONG;
    for (size_t i = 0; i < model->output_count; i++) {
        struct tensor wanted;
        if (!read_tensor(memory, name, "output", i, &model->outputs[i], &wanted))
            return NOT_SUPPORTED;
        if (!tensors_agree(&g->made[i], &wanted, memory))
            return WRONG;
    }
    return PASSES;
}

/* --- All cases --- */

/* The first test makes them, and they stay until the program ends. */
static struct dirent **cases;
static int case_count;
static struct outcome *outcomes;

static int is_case(const struct dirent *entry)
{
    return strncmp(entry->d_name, "test_", 5) == 0;
}

/* With TABLE=1, prints of each case whether it passes or why not. */
static void print_table(void)
{
    for (int i = 0; i < case_count && getenv("TABLE"); i++)
        printf("%s\t%s\n", cases[i]->d_name,
               outcomes[i].result == PASSES  ? "passes"
               : outcomes[i].reason          ? outcomes[i].reason
               : outcomes[i].result == WRONG ? "gives other outputs"
                                             : "its data are not tensors of the model's types");
}

TEST(there_are_cases_to_run)
{
    case_count = scandir(CASES, &cases, is_case, alphasort);
    assert_true(case_count > 0);
    outcomes = calloc((size_t)case_count, sizeof *outcomes);
    for (int i = 0; i < case_count; i++) {
        struct graph *g = graph_new(0);
        outcomes[i].result = run_case(g, cases[i]->d_name, &outcomes[i].reason);
    }
    print_table();
}

static int index_of(const char *name)
{
    for (int i = 0; i < case_count; i++)
        if (strcmp(cases[i]->d_name, name) == 0)
            return i;
    return -1;
}

TEST(what_loads_computes_what_onnx_says)
{
    int wrong = 0;
    for (int i = 0; i < case_count; i++)
        if (outcomes[i].result == WRONG && ++wrong)
            print_error("%s: loads, and does not give ONNX's outputs\n", cases[i]->d_name);
    assert_int_equal(wrong, 0);
}

TEST(the_list_names_the_cases_that_do_not_pass)
{
    if (case_count != CASES_OF_LIST)
        skip();
    FILE *list = fopen(FAILING, "r");
    assert_non_null(list);
    bool *listed = calloc((size_t)case_count, sizeof *listed);
    int faults = 0;
    for (char line[256]; fgets(line, sizeof line, list);) {
        line[strcspn(line, "\n")] = '\0';
        int i = index_of(line);
        if (i >= 0)
            listed[i] = true;
        if ((i < 0 || outcomes[i].result == PASSES) && ++faults)
            print_error("%s: passes, or is no case; remove it from " FAILING "\n", line);
    }
    fclose(list);
    for (int i = 0; i < case_count; i++)
        if (outcomes[i].result != PASSES && !listed[i] && ++faults)
            print_error("%s: does not pass, and is not in " FAILING "\n", cases[i]->d_name);
    free(listed);
    assert_int_equal(faults, 0);
}
