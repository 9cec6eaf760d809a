/* The JSON Schema of the fixtures, which `oip-conformance lint --schema` prints. */
#pragma once

#include "base/buf.h"

/* Appends a JSON Schema (draft 2020-12). Its root describes a case as grammar_check checks it; the other objects stand
 * below $defs. */
void schema_write(struct buf *out);
