/* The JSON Schema of the fixtures (oip-conformance lint --schema). */
#ifndef SUITE_SCHEMA_H
#define SUITE_SCHEMA_H

#include "base/buf.h"

/* Appends a JSON Schema (draft 2020-12) that says of a case what grammar_check checks, and below $defs of the other
 * objects. */
void schema_write(struct buf *out);

#endif
