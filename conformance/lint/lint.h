/* The rules of the fixture form. Each rule is a row of a table with a name; for each there is a bad fixture in
 * conformance/tests/lint/ that it rejects. */
#ifndef LINT_LINT_H
#define LINT_LINT_H

#include "base/buf.h"
#include "suite/suite.h"

struct lint_rule {
    const char *name;
    const char *says; /* what must hold */
};

extern const struct lint_rule lint_rules[];
extern const size_t lint_rule_count;

/* Checks the whole suite; appends a line per finding, "PATH: POINTER: [rule] sentence". Returns the number of findings.
 */
size_t lint_suite(const struct suite *suite, struct buf *out);

#endif
