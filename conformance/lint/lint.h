/* The rules of the fixture form. fixtures/README.md lists them by their names ("What lint refuses"); for each there is
 * a wrong fixture in conformance/tests/lint/ that it rejects.
 *
 * The folder lint/ finds faults of the suite and sends nothing. It uses suite/, plan/, protocols/, notation/, editions/
 * and judge/ (to judge the answers of null servers offline); it may not include mutation/, report/ or commands/. */
#pragma once

#include "base/buf.h"
#include "suite/suite.h"

/* Checks the whole suite. Appends one line for each finding, "PATH: POINTER: [rule] sentence", and returns their
 * number. If an object has not the members of its form, nothing but the forms is checked, and a last line says so. */
size_t lint_suite(const struct suite *suite, struct buf *out);
