/* Typed data: InferTensorContents and tensors (000, "GRPC": Inference, message InferTensorContents). */
#ifndef PREDICT_V2_GRPC_CONTENTS_H
#define PREDICT_V2_GRPC_CONTENTS_H

#include "tensor/tensor.h"
#include <v2.pb-c.h>

#define CONTENTS_FIELDS 9 /* fields 1 to 8 */

/* Elements of an encoded InferTensorContents, by field number. Fields may be packed or not, and come in parts. */
struct contents_counts {
    size_t elements[CONTENTS_FIELDS];
    size_t bytes; /* of all elements of bytes_contents */
};

/* Adds what `contents` holds to *counts. The message is well-formed (wire_check). */
void contents_count(struct str contents, struct contents_counts *counts);

/* The name of a field: "fp32_contents". */
const char *contents_field_name(size_t field);

/* Looks for the first element of the datatype's field that its datatype cannot hold (300 in int_contents for INT8).
 * True if there is one; *position is its place among the field's elements. */
bool contents_misfit(struct str contents, enum datatype datatype, size_t *position, int64_t *value);

/* Writes the elements of the datatype's field to `to`, which has room for as many as were counted, in raw form (each
 * BYTES element behind its length), and returns where they end. An integer that does not fit is cut to its low bits. */
char *contents_read(struct str contents, enum datatype datatype, char *to);

/* A tensor's data as contents, in the arena. RESOURCE_EXHAUSTED. The datatype must have a field. */
struct status contents_of_tensor(const struct tensor *tensor, struct arena *arena, V2__InferTensorContents **contents);

#endif
