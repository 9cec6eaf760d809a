/* Runs one model for ci/models/compare, which measures the engine beside onnxruntime.
 *
 *     engine MODEL.onnx       reads requests from standard input until it ends
 *
 * A request is the line "REPEATS INPUTS", then each input as the line "DATATYPE RANK DIMENSION..." and its raw bytes.
 * The answer is the line "CPU_NS WALL_NS OUTPUTS", or "error TEXT", then the outputs in the same form. */
#include "base/disk.h"
#include "engine/network.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#define LINE_MAX_SIZE 1024

__attribute__((noreturn)) static void fail(const char *text)
{
    fprintf(stderr, "engine: %s\n", text);
    exit(2);
}

/* Reads a line into memory of LINE_MAX_SIZE bytes. Returns false at the end of the input. */
static bool read_line(char *line)
{
    return fgets(line, LINE_MAX_SIZE, stdin) != NULL;
}

/* Reads the next number of a line. */
static int64_t next_number(char **at)
{
    char *end;
    int64_t number = strtoll(*at, &end, 10);
    if (end == *at || number < 0)
        fail("a number is missing");
    *at = end;
    return number;
}

static void read_tensor(struct tensor *tensor, struct arena *arena)
{
    char line[LINE_MAX_SIZE], *at;
    int64_t *shape = arena_alloc_zero(arena, TENSOR_RANK_MAX, sizeof(*shape));
    if (!shape || !read_line(line) || !(at = strchr(line, ' ')))
        fail("this is no tensor");
    tensor->datatype = datatype_from_name((struct str){line, (size_t)(at - line)});
    tensor->rank = (size_t)next_number(&at);
    for (size_t i = 0; i < tensor->rank && tensor->rank <= TENSOR_RANK_MAX; i++)
        shape[i] = next_number(&at);
    tensor->shape = shape;
    if (tensor->rank > TENSOR_RANK_MAX || !shape_count(shape, tensor->rank, &tensor->count))
        fail("this is no shape");
    tensor->size = tensor->count * datatype_size(tensor->datatype);
    tensor->data = tensor->size ? arena_alloc(arena, tensor->size) : NULL;
    if ((tensor->size && !tensor->data) || fread(tensor->data, 1, tensor->size, stdin) != tensor->size)
        fail("the data of a tensor is cut short");
}

static void write_tensor(const struct tensor *tensor)
{
    printf("%s %zu", datatype_name(tensor->datatype), tensor->rank);
    for (size_t i = 0; i < tensor->rank; i++)
        printf(" %" PRId64, tensor->shape[i]);
    putchar('\n');
    fwrite(tensor->data, 1, tensor->size, stdout);
}

static int64_t time_of(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Runs the model again and again, each time with an arena that was used before, as the server does. */
static void answer(const struct model *model, struct network *network, const struct tensor *inputs, int64_t repeats,
                   struct arena *arena)
{
    struct model_output *outputs = arena_alloc_zero(arena, model->output_count, sizeof(*outputs));
    struct arena run = arena_new(ARENA_NO_BUDGET);
    struct status status = STATUS_IS_OK;
    int64_t cpu_begin = time_of(CLOCK_PROCESS_CPUTIME_ID), wall_begin = time_of(CLOCK_MONOTONIC);
    for (int64_t i = 0; i < repeats && is_ok(status); i++) {
        arena_reset(&run, ARENA_NO_BUDGET);
        struct execution execution = {.arena = &run, .inputs = inputs, .outputs = outputs};
        status = network_run(network, &execution, true);
    }
    int64_t cpu = time_of(CLOCK_PROCESS_CPUTIME_ID) - cpu_begin, wall = time_of(CLOCK_MONOTONIC) - wall_begin;
    if (is_ok(status))
        printf("%" PRId64 " %" PRId64 " %zu\n", cpu, wall, model->output_count);
    else
        printf("error %.*s\n", STR_ARG(status.message));
    for (size_t i = 0; is_ok(status) && i < model->output_count; i++)
        write_tensor(&outputs[i].tensor);
    fflush(stdout);
    arena_free(&run);
}

int main(int argc, char **argv)
{
    struct arena file = arena_new(ARENA_NO_BUDGET);
    struct model model = {.arena = arena_new(ARENA_NO_BUDGET)};
    struct network *network = NULL;
    if (argc != 2)
        fail("usage: engine MODEL.onnx");
    struct str bytes;
    struct status status = disk_read(argv[1], SIZE_MAX, &file, &bytes);
    if (is_ok(status))
        status = network_load(bytes, &model, &network);
    arena_free(&file);
    if (!is_ok(status)) {
        printf("error %.*s\n", STR_ARG(status.message));
        return 1;
    }
    puts("loaded");
    fflush(stdout);
    char line[LINE_MAX_SIZE];
    while (read_line(line)) {
        char *at = line;
        int64_t repeats = next_number(&at), count = next_number(&at);
        struct arena arena = arena_new(ARENA_NO_BUDGET);
        struct tensor *inputs = arena_alloc_zero(&arena, model.input_count, sizeof(*inputs));
        if ((size_t)count != model.input_count || !inputs)
            fail("a request must have all inputs");
        for (size_t i = 0; i < model.input_count; i++)
            read_tensor(&inputs[i], &arena);
        answer(&model, network, inputs, repeats, &arena);
        arena_free(&arena);
    }
    network_free(network);
    arena_free(&model.arena);
    return 0;
}
