/* Which datatype and shape pack the data of an inference: those of the base, so that a neighbour that changes a name, a
 * datatype or a shape alters only what is declared. */
#ifndef PROTOCOLS_PACKING_H
#define PROTOCOLS_PACKING_H

#include "protocols/protocol.h"
#include "tensor/datatype.h"

/* The base's input that packs the data of the act's input number `index`: the one of the same name; for an input that
 * was renamed, the base's at that place; else the input itself. */
const struct tree *packing_input(const struct meaning *meaning, const struct tree *input, size_t index);

/* The datatype that packs; DATATYPE_NONE if the base declares none that is known. */
enum datatype packing_datatype(const struct tree *packing);

#endif
