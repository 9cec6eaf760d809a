/* Compares received bytes with codecs and with joined pieces: part of the recursion of match.c. */
#include "pattern/matching.h"

#include "notation/codec.h"

bool bytes_of(const struct matching *m, const struct value_place *at, const struct tree *pattern, struct str *bytes)
{
    struct buf out = {0};
    struct status status = codec_bytes(pattern, NULL, NULL, m->arena, &out);
    *bytes = arena_take(m->arena, &out);
    return is_ok(status) || faulty(m, at, "%.*s", STR_ARG(status.message));
}

static bool match_bytes(const struct matching *m, const struct value_place *at, struct str expected,
                        struct str received)
{
    if (str_equal(expected, received))
        return true;
    size_t same = str_common(expected, received);
    struct str left = str_from(expected, same), right = str_from(received, same);
    struct buf out = {0};
    for (size_t side = 0; side < 2; side++) {
        struct str rest = side ? right : left;
        buf_printf(&out, "%s%s", side ? ", got " : "expected ", rest.size ? "" : "the end");
        for (size_t i = 0; i < rest.size && i < 16; i++)
            buf_printf(&out, "%02x", (unsigned char)rest.data[i]);
        buf_printf(&out, "%s", rest.size > 16 ? "..." : "");
    }
    differ(m, at, "byte %zu of %zu (%zu expected): %.*s", same, received.size, expected.size, (int)out.size, out.data);
    buf_free(&out);
    return false;
}

static bool is_message(const struct tree *pattern)
{
    return codec_is(pattern) && codec_is_message(pattern->first->name);
}

/* Appends the bytes of a piece of an expected body. False if its length is not known ($json, a message, a matcher). */
static bool piece_bytes(const struct matching *m, const struct tree *piece, struct buf *out, struct status *status)
{
    if (piece->type == TREE_OBJECT && (tree_member(piece, "$json") || is_message(piece) || match_is_matcher(piece)))
        return false;
    *status = codec_bytes(piece, NULL, NULL, m->arena, out);
    return true;
}

/* Compares a list of BYTES with a body. Pieces of known length are compared from both ends; what is left must match the
 * one piece of unknown length. */
bool match_pieces(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    struct str value = at->value->text;
    struct buf sides[2] = {0};
    const struct tree *unknown = NULL;
    struct status status = STATUS_IS_OK;
    for (const struct tree *piece = pattern->first; piece && is_ok(status); piece = piece->next)
        if (!piece_bytes(m, piece, &sides[unknown != NULL], &status)) {
            if (unknown)
                status = status_invalid(m->arena, "two pieces have no known length");
            unknown = piece;
        }
    struct str front = arena_take(m->arena, &sides[0]), back = arena_take(m->arena, &sides[1]);
    if (!is_ok(status))
        return faulty(m, at, "%.*s", STR_ARG(status.message));
    if (!unknown)
        return match_bytes(m, at, front, value);
    if (value.size < front.size + back.size)
        return differ(m, at, "expected at least %zu bytes, got %zu", front.size + back.size, value.size);
    size_t behind = value.size - back.size;
    const struct tree rest = {.type = TREE_STRING, .text = {value.data + front.size, behind - front.size}};
    struct value_place middle = *at;
    middle.value = &rest;
    return match_bytes(m, at, front, (struct str){value.data, front.size}) && match_at(m, &middle, unknown) &&
           match_bytes(m, at, back, str_from(value, behind));
}

/* Compares a message by value: its members with the pattern's. */
static bool match_message(const struct matching *m, const struct value_place *at, const struct tree *pattern,
                          struct str received)
{
    struct tree *message = NULL;
    struct status status = codec_read_message(pattern->name, received, m->arena, &message);
    if (!is_ok(status))
        return differ(m, at, "expected %.*s: %.*s", STR_ARG(pattern->name), STR_ARG(status.message));
    struct matching inner = *m;
    inner.datatype = DATATYPE_NONE;
    struct value_place there = *at;
    there.value = message;
    return match_at(&inner, &there, pattern);
}

bool match_codec(const struct matching *m, const struct value_place *at, const struct tree *pattern)
{
    if (!at->value || at->value->type != TREE_STRING)
        return differ_values(m, at, pattern);
    if (is_message(pattern))
        return match_message(m, at, pattern->first, at->value->text);
    struct str bytes;
    return bytes_of(m, at, pattern, &bytes) && match_bytes(m, at, bytes, at->value->text);
}
