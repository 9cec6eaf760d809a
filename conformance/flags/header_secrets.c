#include "flags/header_secrets.h"

#include "base/count.h"
#include "base/search.h"

#include <openssl/evp.h>

static bool begins_ignoring_case(struct str text, struct str with)
{
    return text.size >= with.size && str_equal_ignoring_case((struct str){text.data, with.size}, with);
}

/* Whether the header proves who asks, as far as its name says so. */
static bool is_proof(struct str name)
{
    static const char *const marks[] = {"auth", "cookie", "cred", "key", "pass", "secret", "session", "sign", "token"};
    for (size_t i = 0; i < name.size; i++)
        for (size_t k = 0; k < COUNT_OF(marks); k++)
            if (begins_ignoring_case(str_from(name, i), str_of(marks[k])))
                return true;
    return false;
}

/* Whether the header is about the message or its way. */
static bool is_open(struct str name)
{
    static const char *const beginnings[] = {"accept", "content-", "forwarded", "host", "user-agent", "x-forwarded-"};
    return ANY(i, COUNT_OF(beginnings), begins_ignoring_case(name, str_of(beginnings[i])));
}

/* Whether the text is as long and as mixed as a key is. */
static bool looks_like_key(struct str text)
{
    bool letter = false, digit = false;
    for (size_t i = 0; i < text.size; i++) {
        char c = text.data[i];
        letter |= (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
        digit |= c >= '0' && c <= '9';
    }
    return text.size >= SECRET_LONG && letter && digit;
}

static void add_word(struct secrets *secrets, struct str word, bool proof)
{
    if (proof ? word.size >= SECRET_LONG : looks_like_key(word))
        secrets_add(secrets, word);
}

/* Adds the words of a value, and of NAME=VALUE and NAME:VALUE the second part, too. */
static void add_words(struct secrets *secrets, struct str value, bool proof)
{
    while (value.size) {
        size_t size = 0, mark = 0;
        for (; size < value.size && !strchr(" \t,;\"'", value.data[size]); size++)
            mark = !mark && strchr("=:", value.data[size]) ? size : mark;
        struct str word = {value.data, size};
        add_word(secrets, word, proof);
        if (mark)
            add_word(secrets, str_from(word, mark + 1), proof);
        value = str_from(value, size < value.size ? size + 1 : size);
    }
}

/* Adds what `Basic` stands before: NAME:PASSWORD in base64. */
static void add_basic(struct secrets *secrets, struct str base64, struct arena *arena)
{
    size_t size = base64.size, whole = (size + 3) / 4 * 4;
    unsigned char *text = arena_alloc(arena, whole + 1), *digits = arena_alloc(arena, whole + 1);
    memset(digits, '=', whole);
    memcpy(digits, base64.data, size);
    while (size > 0 && base64.data[size - 1] == '=')
        size--;
    if (EVP_DecodeBlock(text, digits, (int)whole) < 0)
        return;
    struct str both = {(const char *)text, size * 6 / 8};
    if (!str_has(both, ':'))
        return;
    secrets_add(secrets, both);
    secrets_add(secrets, str_from(both, str_before(both, ':').size + 1));
}

/* Adds what stands behind the scheme of an Authorization. */
static void add_credentials(struct secrets *secrets, struct str value, struct arena *arena)
{
    struct str rest = str_from(value, str_before(value, ' ').size);
    while (rest.size && rest.data[0] == ' ')
        rest = str_from(rest, 1);
    secrets_add(secrets, rest);
    if (begins_ignoring_case(value, STR("basic ")))
        add_basic(secrets, rest, arena);
    add_words(secrets, rest, true);
}

static bool is_authorization(struct str name)
{
    const struct str end = STR("authorization"); /* of Proxy-Authorization, too */
    return name.size >= end.size && str_equal_ignoring_case(str_from(name, name.size - end.size), end);
}

void header_secrets_add(struct secrets *secrets, struct header header, struct arena *arena)
{
    bool proof = is_proof(header.name);
    if (!proof && is_open(header.name))
        return;
    if (proof || looks_like_key(header.value))
        secrets_add(secrets, header.value);
    if (is_authorization(header.name))
        add_credentials(secrets, header.value, arena);
    else
        add_words(secrets, header.value, proof);
}

const struct secrets *header_secrets_of(const struct values *headers, struct arena *arena)
{
    struct secrets *secrets = headers->count ? secrets_new(arena) : NULL;
    for (size_t i = 0; i < headers->count; i++)
        header_secrets_add(secrets, header_of_line(headers->items[i]), arena);
    return secrets;
}
