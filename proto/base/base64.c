#include "base/base64.h"

#include <stdint.h>

/* Returns the value of a digit, or 64 if the character is none. */
static uint32_t digit_of(char c)
{
    if (c >= 'A' && c <= 'Z')
        return (uint32_t)(c - 'A');
    if (c >= 'a' && c <= 'z')
        return (uint32_t)(c - 'a') + 26;
    if (c >= '0' && c <= '9')
        return (uint32_t)(c - '0') + 52;
    return c == '+' ? 62 : c == '/' ? 63 : 64;
}

/* Four digits are three bytes; with one or two "=" instead of the last digits, two or one. */
bool base64_read(struct str text, struct arena *arena, struct str *bytes)
{
    *bytes = (struct str){0};
    size_t padding = 0;
    while (padding < 2 && padding < text.size && text.data[text.size - 1 - padding] == '=')
        padding++;
    char *to = text.size % 4 ? NULL : arena_alloc(arena, text.size / 4 * 3), *start = to;
    uint32_t bits = 0;
    for (size_t i = 0; to && i < text.size; i++) {
        uint32_t digit = i < text.size - padding ? digit_of(text.data[i]) : 0;
        if (digit == 64)
            return false;
        bits = bits << 6 | digit;
        if (i % 4 != 3)
            continue;
        *to++ = (char)(bits >> 16);
        *to++ = (char)(bits >> 8);
        *to++ = (char)bits;
        bits = 0;
    }
    if (!to)
        return false;
    *bytes = (struct str){start, (size_t)(to - start) - padding};
    return true;
}

struct str base64_write(struct str bytes, struct arena *arena)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    size_t size = (bytes.size + 2) / 3 * 4;
    char *text = arena_alloc(arena, size);
    for (size_t i = 0, at = 0; text && i < bytes.size; i += 3, at += 4) {
        size_t left = bytes.size - i;
        uint32_t bits = 0;
        for (size_t j = 0; j < 3; j++)
            bits = bits << 8 | (j < left ? (unsigned char)bytes.data[i + j] : 0);
        for (size_t j = 0; j < 4; j++)
            text[at + j] = j <= left ? digits[bits >> (18 - 6 * j) & 63] : '=';
    }
    return (struct str){text, text ? size : 0};
}
