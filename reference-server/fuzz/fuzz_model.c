/* The input is a model file. If it loads, it is run once, on zeros in the smallest shapes of its inputs. */
#include "engine/network.h"

#include <stdlib.h>

#define RUN_MAX ((size_t)1 << 16) /* elements of an input; the speed of the engine is not tested here */

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

static bool make_input(const struct tensor_spec *spec, struct tensor *tensor, struct arena *arena)
{
    int64_t *shape = arena_alloc_zero(arena, spec->rank, sizeof(*shape));
    size_t count;
    if (!shape)
        return false;
    for (size_t i = 0; i < spec->rank; i++)
        shape[i] = spec->shape[i] < 0 ? 1 : spec->shape[i];
    if (!shape_count(shape, spec->rank, &count) || count > RUN_MAX)
        return false;
    size_t element = spec->datatype == DATATYPE_BYTES ? 4 : datatype_size(spec->datatype);
    *tensor = (struct tensor){.datatype = spec->datatype,
                              .shape = shape,
                              .rank = spec->rank,
                              .count = count,
                              .data = arena_alloc_zero(arena, count, element),
                              .size = count * element};
    return tensor->data != NULL;
}

static void run(const struct model *model, struct network *network)
{
    struct arena arena = arena_new((size_t)64 << 20);
    struct tensor *tensors = arena_alloc_zero(&arena, model->input_count, sizeof(*tensors));
    struct model_output *outputs = arena_alloc_zero(&arena, model->output_count, sizeof(*outputs));
    bool fits = tensors && outputs;
    for (size_t i = 0; fits && i < model->input_count; i++)
        fits = make_input(&model->inputs[i], &tensors[i], &arena);
    if (fits) {
        struct execution execution = {.arena = &arena, .inputs = tensors, .outputs = outputs};
        struct status status = network_run(network, &execution, false);
        for (size_t i = 0; is_ok(status) && i < model->output_count; i++)
            if (outputs[i].tensor.size && !outputs[i].tensor.data)
                abort();
    }
    arena_free(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct model model = {.arena = arena_new((size_t)64 << 20)};
    struct network *network = NULL;
    struct status status = network_load((struct str){(const char *)bytes, size}, &model, &network);
    if (is_ok(status) != (network != NULL) || (!is_ok(status) && status.message.size == 0))
        abort();
    if (network)
        run(&model, network);
    network_free(network);
    arena_free(&model.arena);
    return 0;
}
