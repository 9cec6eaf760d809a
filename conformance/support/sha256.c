#include "support/sha256.h"

#include <openssl/sha.h>
#include <stdio.h>

void sha256_digits(struct str text, char digits[SHA256_DIGITS + 1])
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char *)text.data, text.size, digest);
    for (size_t i = 0; i < sizeof digest; i++)
        snprintf(digits + 2 * i, 3, "%02x", digest[i]);
}
