#include "support/secrets.h"

#include "base/buf.h"
#include "base/search.h"
#include "support/spelling.h"

#define ZLIB_CONST /* its input is const */
#include <openssl/evp.h>
#include <zlib.h>

#define CUT_MIN    6         /* bytes of the beginning of a secret that are found where a text was cut */
#define ANY_HEADER (15 + 32) /* tells zlib that the header is gzip's or its own */

/* --- Forms of a secret --- */

struct secrets {
    struct arena *arena;
    struct list forms;           /* struct form: all that is searched for */
    struct list by_first[256];   /* struct form: by its first byte */
    struct list by_two[1 << 16]; /* struct form: those that a text may hold if these are its next two bytes */
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
    list_append(&secrets->by_first[(unsigned char)small[0]], form, secrets->arena);
    list_append(&secrets->by_two[index_of(small)], form, secrets->arena);
    for (size_t i = 0; i < COUNT_OF(spelling_marks); i++)
        list_append(&secrets->by_two[index_of((char[]){small[0], spelling_marks[i]})], form, secrets->arena);
}

/* Returns the bytes of the text as numbers, one after the other. */
static struct str numbers_of(struct str text, const char *format, struct arena *arena)
{
    struct buf out = {0};
    for (size_t i = 0; i < text.size; i++)
        buf_printf(&out, format, (unsigned char)text.data[i]);
    return arena_take(arena, &out);
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

/* Adds a text as it is and in each encoding, of which so many may stand one in the other. */
static void add_encoded(struct secrets *secrets, struct str text, size_t encodings)
{
    struct arena *arena = secrets->arena;
    add_form(secrets, text, false);
    if (!encodings)
        return;
    add_encoded(secrets, numbers_of(text, "%02x", arena), encodings - 1);
    for (size_t before = 0; before < 3; before++) {
        struct str digits = base64_inside(text, before, arena);
        add_encoded(secrets, digits, encodings - 1);
        add_encoded(secrets, base64_of_url(digits, arena), encodings - 1);
    }
}

void secrets_add(struct secrets *secrets, struct str secret)
{
    while (secret.size && secret.data[secret.size - 1] == '=') /* padding of base64, which many leave out */
        secret.size--;
    bool alone = secret.size < SECRET_LONG;
    if (secret.size < SECRET_MIN)
        return;
    if (alone) {
        add_form(secrets, secret, true);
        return;
    }
    add_encoded(secrets, secret, 2);
    add_form(secrets, numbers_of(secret, "%d", secrets->arena), false); /* as in the data of a tensor */
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
    return rest.size == 0 || rest.data[0] == '\n' || str_starts(rest, STR("...")) || str_starts(rest, STR("\u2026"));
}

/* Returns how many bytes of the text are the form, or the beginning of it that a cut has left. */
static size_t size_of_form(const struct form *form, struct str text, size_t at)
{
    struct agreed agreed = spelling_compare(form->text, text, at);
    if (form->alone && agreed.loosely)
        return 0;
    if (agreed.wanted == form->text.size)
        return !form->alone || stands_alone(text, at, agreed.text) ? agreed.text : 0;
    bool is_most = !form->alone && agreed.wanted >= form->text.size / 4 * 3;
    return is_most || (agreed.wanted >= CUT_MIN && is_cut(text, at + agreed.text)) ? agreed.text : 0;
}

static size_t longest_of(const struct list *forms, struct str text, size_t at, size_t longest)
{
    for (size_t i = 0; i < forms->count; i++) {
        size_t size = size_of_form(forms->items[i], text, at);
        longest = size > longest ? size : longest;
    }
    return longest;
}

/* Returns how many bytes of the text are secret there. */
static size_t size_of_secret(const struct secrets *secrets, struct str text, size_t at)
{
    char first[SPELLING_WAYS];
    size_t size = longest_of(&secrets->by_two[index_of(text.data + at)], text, at, 0);
    for (size_t count = spelling_first(str_from(text, at), first); count > 0; count--)
        size = longest_of(&secrets->by_first[(unsigned char)spelling_fold(first[count - 1])], text, at, size);
    return size;
}

static struct str hide_plain(const struct secrets *secrets, struct str text, struct arena *arena)
{
    struct buf out = {0};
    size_t kept = 0; /* the text before is in the buffer */
    for (size_t at = 0; at + 1 < text.size; at++) {
        size_t size = size_of_secret(secrets, text, at);
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

/* Whether a header of gzip or zlib begins the text (RFC 1952, 2.3.1; RFC 1950, 2.2). */
static bool is_compressed(struct str text)
{
    return str_starts(text, STR("\x1f\x8b")) ||
           (text.size > 1 && text.data[0] == 'x' && ('x' << 8 | (unsigned char)text.data[1]) % 31 == 0);
}

/* Whether there is a secret in the beginning of what is compressed in the text. */
static bool has_compressed_secret(const struct secrets *secrets, struct str text, struct arena *arena)
{
    z_stream stream = {.next_in = (const Bytef *)text.data, .avail_in = (uInt)text.size};
    char *out = memory_zeroed(INFLATED_MAX);
    stream.next_out = (Bytef *)out;
    stream.avail_out = (uInt)INFLATED_MAX;
    if (inflateInit2(&stream, ANY_HEADER) != Z_OK)
        memory_exhausted();
    inflate(&stream, Z_SYNC_FLUSH);
    inflateEnd(&stream);
    bool found = hide_plain(secrets, (struct str){out, INFLATED_MAX - stream.avail_out}, arena).data != out;
    free(out);
    return found;
}

struct str secrets_hide(const struct secrets *secrets, struct str text, struct arena *arena)
{
    if (!secrets)
        return text;
    if (is_compressed(text) && has_compressed_secret(secrets, text, arena))
        return STR(SECRET_HIDDEN);
    return hide_plain(secrets, text, arena);
}

struct str secrets_keep(const struct secrets *secrets, struct str text, struct arena *arena)
{
    struct str hidden = secrets_hide(secrets, text, arena);
    return hidden.data == text.data ? arena_copy(arena, text) : hidden;
}
