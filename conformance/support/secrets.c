#include "support/secrets.h"

#include "base/buf.h"
#include "base/search.h"
#include "support/spelling.h"

#include <openssl/evp.h>

#define CUT_MIN 6 /* bytes of the beginning of a secret that are found where a text was cut */

/* --- Forms of a secret --- */

struct secrets {
    struct arena *arena;
    struct list forms;    /* struct form: all that is searched for */
    bool begins[1 << 16]; /* by the first two bytes: whether a form begins so */
};

/* A text that is searched for; its letters are small. */
struct form {
    struct str text;
    bool alone; /* it is found only where it stands alone */
};

static size_t index_of(const char *two)
{
    return (size_t)(unsigned char)spelling_fold(two[0]) << 8 | (unsigned char)spelling_fold(two[1]);
}

struct secrets *secrets_new(struct arena *arena)
{
    struct secrets *secrets = arena_new_of(arena, struct secrets);
    secrets->arena = arena;
    for (size_t i = 0; i < COUNT_OF(spelling_marks); i++)
        for (int next = 0; next < 256; next++)
            secrets->begins[index_of((char[]){spelling_marks[i], (char)next})] = true;
    return secrets;
}

static void add_form(struct secrets *secrets, struct str text, bool alone)
{
    char *small = arena_alloc(secrets->arena, text.size);
    for (size_t i = 0; i < text.size; i++)
        small[i] = spelling_fold(text.data[i]);
    struct form *form = arena_new_of(secrets->arena, struct form);
    *form = (struct form){{small, text.size}, alone};
    if (ANY(i, secrets->forms.count, str_equal(((const struct form *)secrets->forms.items[i])->text, form->text)))
        return;
    list_append(&secrets->forms, form, secrets->arena);
    secrets->begins[index_of(small)] = true;
    for (size_t i = 0; i < COUNT_OF(spelling_marks); i++)
        secrets->begins[index_of((char[]){small[0], spelling_marks[i]})] = true;
}

static void add_hexadecimal(struct secrets *secrets, struct str secret)
{
    struct buf out = {0};
    for (size_t i = 0; i < secret.size; i++)
        buf_printf(&out, "%02x", (unsigned char)secret.data[i]);
    add_form(secrets, buf_str(&out), false);
    buf_free(&out);
}

/* Returns the digits of base64 that say nothing but the secret, if `before` bytes and any others stand around it. */
static struct str base64_inside(struct str secret, size_t before, struct arena *arena)
{
    size_t size = before + secret.size;
    unsigned char *bytes = arena_alloc_zero(arena, size + 1, 1);
    char *digits = arena_alloc(arena, (size + 2) / 3 * 4 + 1);
    memcpy(bytes + before, secret.data, secret.size);
    EVP_EncodeBlock((unsigned char *)digits, bytes, (int)size);
    size_t from = (before * 8 + 5) / 6, to = size * 8 / 6;
    return (struct str){digits + from, to - from};
}

/* Returns the same digits in the alphabet of base64 for URLs. */
static struct str base64_of_url(struct str digits, struct arena *arena)
{
    char *other = arena_alloc(arena, digits.size);
    for (size_t i = 0; i < digits.size; i++)
        other[i] = digits.data[i] == '+' ? '-' : digits.data[i] == '/' ? '_' : digits.data[i];
    return (struct str){other, digits.size};
}

static void add_base64(struct secrets *secrets, struct str secret)
{
    for (size_t before = 0; before < 3; before++) {
        struct str digits = base64_inside(secret, before, secrets->arena);
        struct str other = base64_of_url(digits, secrets->arena);
        add_form(secrets, digits, false);
        if (!str_equal(digits, other))
            add_form(secrets, other, false);
    }
}

void secrets_add(struct secrets *secrets, struct str secret)
{
    while (secret.size && secret.data[secret.size - 1] == '=') /* padding of base64, which many leave out */
        secret.size--;
    bool alone = secret.size < SECRET_LONG;
    if (secret.size < SECRET_MIN)
        return;
    add_form(secrets, secret, alone);
    if (alone)
        return;
    add_hexadecimal(secrets, secret);
    add_base64(secrets, secret);
}

/* --- The search --- */

static bool is_word_byte(char c)
{
    char small = spelling_fold(c);
    return (small >= 'a' && small <= 'z') || (c >= '0' && c <= '9');
}

static bool stands_alone(struct str text, size_t at, size_t size)
{
    return (at == 0 || !is_word_byte(text.data[at - 1])) &&
           (at + size == text.size || !is_word_byte(text.data[at + size]));
}

/* Whether the text, or a line of it, ends there, perhaps because it was too long. */
static bool is_cut(struct str text, size_t at)
{
    struct str rest = str_from(text, at);
    return rest.size == 0 || rest.data[0] == '\n' || str_starts(rest, STR("..."));
}

/* Returns how many bytes of the text are the form, or the beginning of it that a cut has left. */
static size_t size_of_form(const struct form *form, struct str text, size_t at)
{
    struct agreed agreed = spelling_compare(form->text, text, at);
    if (agreed.wanted == form->text.size)
        return !form->alone || stands_alone(text, at, agreed.text) ? agreed.text : 0;
    return agreed.wanted >= CUT_MIN && is_cut(text, at + agreed.text) ? agreed.text : 0;
}

/* Returns how many bytes of the text are secret there. */
static size_t size_of_secret(const struct secrets *secrets, struct str text, size_t at)
{
    size_t longest = 0;
    for (size_t i = 0; i < secrets->forms.count; i++) {
        size_t size = size_of_form(secrets->forms.items[i], text, at);
        longest = size > longest ? size : longest;
    }
    return longest;
}

struct str secrets_hide(const struct secrets *secrets, struct str text, struct arena *arena)
{
    struct buf out = {0};
    size_t kept = 0; /* the text before is in the buffer */
    for (size_t at = 0; secrets && at + 1 < text.size; at++) {
        size_t size = secrets->begins[index_of(text.data + at)] ? size_of_secret(secrets, text, at) : 0;
        if (!size)
            continue;
        buf_append(&out, text.data + kept, at - kept);
        buf_append_literal(&out, SECRET_HIDDEN);
        kept = at + size;
        at = kept - 1;
    }
    if (!kept)
        return text;
    buf_append_str(&out, str_from(text, kept));
    return arena_take(arena, &out);
}

struct str secrets_keep(const struct secrets *secrets, struct str text, struct arena *arena)
{
    struct str hidden = secrets_hide(secrets, text, arena);
    return hidden.data == text.data ? arena_copy(arena, text) : hidden;
}
