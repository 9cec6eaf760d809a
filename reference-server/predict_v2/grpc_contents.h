/* Converts between typed data and tensors (000, "GRPC Tensor Data", message InferTensorContents). */
#pragma once

#include "tensor/tensor.h"
#include <v2.pb-c.h>

#define CONTENTS_FIELDS 9 /* fields 1 to 8 */

/* How many elements an encoded InferTensorContents has, by field number. Fields may be packed or not, and may come in
 * several parts. */
struct contents_counts {
    size_t elements[CONTENTS_FIELDS];
    size_t all;   /* elements of all fields */
    size_t bytes; /* bytes of all elements of bytes_contents */
};

/* Adds the elements of `contents` to *counts. The message must be well-formed (wire_check). */
void contents_count(struct str contents, struct contents_counts *counts);

/* Returns the name of a field: "fp32_contents". */
const char *contents_field_name(size_t field);

/* The first element that its datatype cannot hold: 300 in int_contents for INT8. All zero at first. */
struct contents_misfit {
    bool is_found;
    size_t position; /* integers before it */
    int64_t value;
};

/* Writes the elements of the datatype's field to `to` in raw form (BYTES elements with their length before them), and
 * returns their end. `to` must have room for all elements that were counted. An integer that does not fit is cut to its
 * low bits, and noted. */
char *contents_read(struct str contents, enum datatype datatype, char *to, struct contents_misfit *misfit);

/* Makes contents of a tensor's data, in the arena. Fails with RESOURCE_EXHAUSTED. The datatype must have a field. */
struct status contents_of_tensor(const struct tensor *tensor, struct arena *arena, V2__InferTensorContents **contents);
