/* The SHA-256 of a text. */
#ifndef SUPPORT_SHA256_H
#define SUPPORT_SHA256_H

#include "base/str.h"

#define SHA256_DIGITS 64

/* Writes the SHA-256 of the text as hexadecimal digits, with a NUL behind them. */
void sha256_digits(struct str text, char digits[SHA256_DIGITS + 1]);

#endif
