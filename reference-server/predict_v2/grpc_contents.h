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

/* Looks for the first element, in the field of the datatype, that the datatype cannot hold (300 in int_contents for
 * INT8). Returns true if there is one; *position is its position in the field. */
bool contents_misfit(struct str contents, enum datatype datatype, size_t *position, int64_t *value);

/* Writes the elements of the datatype's field to `to` in raw form (BYTES elements with their length before them), and
 * returns their end. `to` must have room for all elements that were counted. An integer that does not fit is cut to its
 * low bits. */
char *contents_read(struct str contents, enum datatype datatype, char *to);

/* Makes contents of a tensor's data, in the arena. Fails with RESOURCE_EXHAUSTED. The datatype must have a field. */
struct status contents_of_tensor(const struct tensor *tensor, struct arena *arena, V2__InferTensorContents **contents);
