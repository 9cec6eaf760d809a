/* One tensor element, read from JSON or raw bytes and converted to its datatype, so that two can be compared. */
#pragma once

#include "tensor/datatype.h"
#include "tree/tree.h"
#include <stdint.h>

struct element {
    enum datatype datatype;
    uint64_t bits;    /* for every datatype but BYTES: the bytes of the element, little-endian, zero-extended */
    struct str bytes; /* for BYTES */
};

/* Where the JSON comes from. A fixture may write a number as a string ("-0.0", "9223372036854775807", "NaN"). An answer
 * may do so only with NaN and the infinities, because JSON has no numbers for them. */
enum element_side { ELEMENT_EXPECTED, ELEMENT_RECEIVED };

/* Reads an element. False if the tree is no element of that datatype: wrong JSON type, out of range, no integer. For
 * BOOL, 0 and 1 are accepted too. */
bool element_read(const struct tree *tree, enum datatype datatype, enum element_side side, struct element *element);

/* Takes the first element from packed bytes and moves `packed` after it. False if too few bytes are left. */
bool element_unpack(struct str *packed, enum datatype datatype, struct element *element);

/* Whether the values are the same: bit by bit, but every NaN equals every NaN. -0 is not 0. */
bool element_equal(const struct element *a, const struct element *b);

/* Whether at most `distance` steps from one float to the next lie between them. Other datatypes must be equal. */
bool element_within(const struct element *a, const struct element *b, uint64_t distance);

/* Whether two floats differ by no more than another order of arithmetic, or a shorter spelling, explains. Other
 * datatypes must be equal. */
bool element_close(const struct element *a, const struct element *b);

/* Whether the element is zero, false or empty. A comparison with such an element shows little. */
bool element_is_zero(const struct element *element);

/* Returns the element as JSON has it, in the arena: NaN and the infinities are strings. */
struct tree *element_tree(const struct element *element, struct arena *arena);

/* Prints the element for a person, in the arena: "5", "0x7ff0...". */
struct str element_text(const struct element *element, struct arena *arena);
