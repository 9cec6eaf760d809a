/* The datatype and shape by which the data of an inference is packed. They are those of the base, so that a neighbour
 * that changes a name, a datatype or a shape changes only what it declares. And parameters in the form of messages. */
#pragma once

#include "protocols/protocol.h"
#include "tensor/datatype.h"

/* The input of the base by which input number `index` of the act is packed: the one of the same name; if the input was
 * renamed, the one at the same place; else the input itself. */
const struct tree *packing_input(const struct meaning *meaning, const struct tree *input, size_t index);

/* The datatype by which the data is packed; DATATYPE_NONE if the base declares no known one. */
enum datatype packing_datatype(const struct tree *packing);

/* Turns parameters as JSON has them into those of a message, {"a": {"int64_param": 1}, "b": {"bool_param": true}}, in
 * the arena; NULL has none. UNIMPLEMENTED: a message cannot say one of them. */
struct status packing_parameters(const struct tree *parameters, struct arena *arena, struct tree **map);
