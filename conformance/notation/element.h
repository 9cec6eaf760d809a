/* One element of a tensor, as JSON says it or raw bytes hold it, converted to its datatype so that it can be compared.
 */
#ifndef NOTATION_ELEMENT_H
#define NOTATION_ELEMENT_H

#include "tensor/datatype.h"
#include "tree/tree.h"
#include <stdint.h>

struct element {
    enum datatype datatype;
    uint64_t bits;    /* of every datatype but BYTES: the element's bytes, little-endian, zero-extended */
    struct str bytes; /* BYTES */
};

/* Who says the element: a fixture may write a number as a string ("-0.0", "9223372036854775807", "NaN"), an answer only
 * NaN and the infinities, which JSON cannot say as numbers. */
enum element_side { ELEMENT_EXPECTED, ELEMENT_RECEIVED };

/* False if the tree says no element of that datatype: wrong JSON type, out of range, no integer. BOOL may be said as 0
 * and 1. */
bool element_read(const struct tree *tree, enum datatype datatype, enum element_side side, struct element *element);

/* The element at the head of packed bytes, which move behind it; false if too few are left. */
bool element_unpack(struct str *packed, enum datatype datatype, struct element *element);

/* The same value: bit by bit, but every NaN equals every NaN. -0 is not 0. */
bool element_equal(const struct element *a, const struct element *b);

/* At most `distance` representable numbers apart (floats only; false for others unless equal). */
bool element_within(const struct element *a, const struct element *b, uint64_t distance);

/* Floats that differ by no more than arithmetic in another order, or a shorter spelling, explains; other datatypes:
 * equal.
 */
bool element_close(const struct element *a, const struct element *b);

/* Whether it is zero, false or empty: comparing it shows little. */
bool element_is_zero(const struct element *element);

/* For a person: "5", "0x7ff0...". In the arena. */
struct str element_text(const struct element *element, struct arena *arena);

#endif
