/* Classification: an output that becomes its largest elements. Triton's extension `classification` and 003's
 * classification_count are parameters of a requested output; SPEC_NOTES.md, "Classification", says what they mean. */
#pragma once

#include "inference/infer.h"

/* Checks the parameters of all requested outputs. Fails with INVALID_ARGUMENT if one asks for something else than a
 * positive number of classes, for both forms at once, or for classes of an output that has no numbers. */
struct status classify_check(const struct infer_request *request);

/* Makes an output its classes if it was asked for so; else leaves it. Classes are sorted by value, largest first, and
 * then by index; there are as many as asked for, or as many as the output has. If the model takes batches, each
 * element of the first dimension has classes of its own. The new data lies in the arena. Fails without memory. */
struct status classify(const struct infer_requested_output *requested, const struct model *model, struct arena *arena,
                       struct model_output *output);

/* The largest elements of an output, for protocols that have a form of their own for classes. */
struct classes {
    size_t rows;           /* elements of the batch; 1 without a batch */
    size_t kept;           /* classes of each row: as many as wanted, or as many as it has */
    const size_t *indices; /* row by row, in the order of `classify` */
    const float *values;
};

/* Finds the classes of an output of numbers, in the arena. Returns false without memory. */
bool classes_find(const struct tensor *tensor, bool is_batch, size_t wanted, struct arena *arena,
                  struct classes *classes);
