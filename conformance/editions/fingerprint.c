#include "editions/fingerprint.h"

#include "support/expression.h"

#include <openssl/sha.h>

static const char hex[] = "0123456789abcdef";

static struct str fingerprint(struct str text, struct arena *arena)
{
    unsigned char digest[SHA256_DIGEST_LENGTH];
    SHA256((const unsigned char *)text.data, text.size, digest);
    return arena_printf(arena, "sha256:%02x%02x%02x%02x%02x%02x%02x%02x", digest[0], digest[1], digest[2], digest[3],
                        digest[4], digest[5], digest[6], digest[7]);
}

struct str fingerprint_of(const struct word *words, size_t count, struct arena *arena)
{
    struct buf joined = {0};
    for (size_t i = 0; i < count; i++) {
        if (i)
            buf_append_byte(&joined, ' ');
        buf_append_str(&joined, words[i].text);
    }
    struct str result = fingerprint(buf_str(&joined), arena);
    buf_free(&joined);
    return result;
}

struct str fingerprint_of_angles(const struct word *words, size_t count, struct arena *arena)
{
    struct buf joined = {0};
    for (size_t i = 0; i < count; i++) {
        buf_append_str(&joined, words[i].angles);
        if (words[i].angles.size)
            buf_append_byte(&joined, '\n');
    }
    struct str result = joined.size ? fingerprint(buf_str(&joined), arena) : (struct str){0};
    buf_free(&joined);
    return result;
}

struct str digits_of(const struct word *words, size_t count, struct arena *arena)
{
    char *digits = arena_alloc(arena, 2 * count + 1);
    for (size_t i = 0; i < count; i++) {
        digits[2 * i] = hex[words[i].digest >> 4];
        digits[2 * i + 1] = hex[words[i].digest & 15];
    }
    digits[2 * count] = '\0';
    return (struct str){digits, 2 * count};
}

bool is_fingerprint(struct str text)
{
    return expression_meets(STR("^sha256:[0-9a-f]{16}$"), text);
}

const unsigned char *digits_read(struct str digits, size_t *count, struct arena *arena)
{
    unsigned char *bytes = arena_alloc(arena, digits.size / 2 + 1);
    if (digits.size % 2 || !expression_meets(STR("^[0-9a-f]*$"), digits))
        return NULL;
    for (size_t i = 0; i < digits.size; i++) {
        unsigned value = (unsigned)hex_digit(digits.data[i]);
        bytes[i / 2] = (unsigned char)(i % 2 ? bytes[i / 2] | value : value << 4);
    }
    *count = digits.size / 2;
    return bytes;
}
