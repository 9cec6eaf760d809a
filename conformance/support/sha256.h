/* The SHA-256 of a text. */
#pragma once

#include "base/str.h"

#define SHA256_DIGITS 64

/* Writes the SHA-256 of the text as hexadecimal digits, with a NUL behind them. */
void sha256_digits(struct str text, char digits[SHA256_DIGITS + 1]);
