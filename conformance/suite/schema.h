/* The JSON Schema of the fixtures, which `oip-conformance lint --schema` prints. */
#ifndef SUITE_SCHEMA_H
#define SUITE_SCHEMA_H

#include "base/buf.h"

/* Appends a JSON Schema (draft 2020-12). Its root describes a case as grammar_check checks it; the other objects stand
 * below $defs. */
void schema_write(struct buf *out);

#endif
