/* A model that adds and subtracts whole numbers that are texts: OUTPUT0 is INPUT0 + INPUT1, and OUTPUT1 is INPUT0 -
 * INPUT1, element by element. */
#include "backends/builtin/builtin.h"

#include "tensor/raw.h"
#include <stdio.h>

#define TEXT_MAX 24 /* of a number of 64 bits */

static bool is_text(const struct tensor_spec *specs, size_t count)
{
    return count == 2 && specs[0].datatype == DATATYPE_BYTES && specs[1].datatype == DATATYPE_BYTES;
}

static struct status check(const struct model *model)
{
    if (is_text(model->inputs, model->input_count) && is_text(model->outputs, model->output_count))
        return STATUS_IS_OK;
    return status_plain(STATUS_INVALID_ARGUMENT, "a model of this kind has two inputs and two outputs, all BYTES");
}

static bool read_number(const struct tensor *tensor, size_t *offset, int64_t *number)
{
    struct str text;
    unsigned long long size;
    if (!raw_next_bytes(tensor, offset, &text))
        return false;
    bool is_negative = str_starts(text, STR("-"));
    if (!str_to_uint64(str_from(text, is_negative), &size) || size > INT64_MAX)
        return false;
    *number = is_negative ? -(int64_t)size : (int64_t)size;
    return true;
}

/* Appends a number as an element of raw data (tensor.h). */
static void append(struct tensor *tensor, int64_t number)
{
    char *to = (char *)tensor->data + tensor->size;
    uint32_t size = (uint32_t)snprintf(to + sizeof(size), TEXT_MAX, "%lld", (long long)number);
    memcpy(to, &size, sizeof(size));
    tensor->size += sizeof(size) + size;
}

static struct status compute(struct execution *execution)
{
    const struct tensor *a = &execution->inputs[0], *b = &execution->inputs[1];
    size_t at = 0, bt = 0;
    if (a->count != b->count)
        return status_invalid(execution->arena, "INPUT0 and INPUT1 have different shapes");
    for (size_t i = 0; i < 2; i++) {
        builtin_forward(execution, i);
        struct tensor *output = &execution->outputs[i].tensor;
        output->data = arena_alloc(execution->arena, a->count * (sizeof(uint32_t) + TEXT_MAX));
        output->size = 0;
        NEED(output->data);
    }
    for (size_t i = 0; i < a->count; i++) {
        int64_t x, y, sum, difference;
        if (!read_number(a, &at, &x) || !read_number(b, &bt, &y) || __builtin_add_overflow(x, y, &sum) ||
            __builtin_sub_overflow(x, y, &difference))
            return status_invalid(execution->arena,
                                  "element %zu is not a whole number that can be added and subtracted", i);
        append(&execution->outputs[0].tensor, sum);
        append(&execution->outputs[1].tensor, difference);
    }
    execution->emit(execution);
    return STATUS_IS_OK;
}

static void execute(struct model *, struct execution *execution)
{
    execution->done(execution, compute(execution));
}

const struct builtin builtin_add_sub_text = {
    .kind = "add_sub_text",
    .check = check,
    .backend = {.name = BUILTIN_NAME, .execute = execute},
};
