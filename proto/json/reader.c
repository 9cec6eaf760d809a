/* A pull parser. One cursor moves over the text, and each token is checked when it is consumed. So the values that a
 * caller skips are checked too. The NUL after the text ends every loop, because no token starts with it or contains
 * it.
 *
 * No library does what is needed here (see CONTRIBUTING.md): keep the spelling of numbers and duplicate members, check
 * skipped values, write the elements of a tensor directly to their memory, and need no memory for the text itself. */
#include "json/reader.h"

#include "base/buf.h"
#include "json/escape.h"
#include "json/number.h"
#include <stdint.h>
#include <stdlib.h>

#define STRINGS_LEAST ((size_t)16 << 10) /* bytes for decoded strings that the first allocation gets */

/* Where the cursor stands: before a value; inside a container, before its first member; or after a value. */
enum place { BEFORE_VALUE, ENTERED, AFTER_VALUE };

/* This fault and half_a_pair are allowed by the grammar of JSON, but not by this reader. They have names of their
 * own in status.broken. */
static const char too_deep[] = "arrays and objects nested too deep";

static const char not_closed[] = "a string that is not closed";
static const char not_utf8[] = "bytes that are not UTF-8";

enum fault_code { SOUND, BROKEN_TEXT, TOO_LARGE, NO_MEMORY };

struct json_reader {
    const char *text, *end;
    const char *cursor; /* the next token, or at or after `end` if there is none */

    enum place place;
    unsigned depth;
    char closers[JSON_DEPTH +
                 1]; /* for each depth, the character that ends the container; NUL outside of all containers */

    struct buf strings; /* the decoded strings of this text; together they are never longer than the text */

    enum fault_code fault;
    size_t fault_offset;
    const char *expected; /* NULL if `found` is the whole message */
    const char *found;
};

struct json_reader *json_reader_create(struct lease *lease)
{
    struct json_reader *reader = calloc(1, sizeof(*reader));
    if (reader)
        reader->strings.lease = lease;
    return reader;
}

void json_reader_destroy(struct json_reader *reader)
{
    if (!reader)
        return;
    buf_free(&reader->strings);
    free(reader);
}

/* --- Faults --- */

static size_t offset_of(const struct json_reader *reader, const char *at)
{
    return (size_t)(at - reader->text);
}

__attribute__((cold)) static bool fail(struct json_reader *reader, const char *at, const char *expected,
                                       const char *found)
{
    if (reader->fault != SOUND)
        return false;
    reader->fault = BROKEN_TEXT;
    reader->fault_offset = offset_of(reader, at);
    reader->expected = expected;
    reader->found = found;
    reader->cursor = reader->end;
    reader->place = AFTER_VALUE; /* and depth 0: every further call fails */
    reader->depth = 0;
    return false;
}

__attribute__((cold)) static bool fail_without_memory(struct json_reader *reader)
{
    fail(reader, reader->text, NULL, NULL);
    reader->fault = NO_MEMORY;
    return false;
}

/* The type of a value by its first byte. A table is faster than a chain of comparisons, which a processor predicts
 * badly. */
static const uint8_t types[256] = {
    ['{'] = JSON_OBJECT, ['['] = JSON_ARRAY,  ['"'] = JSON_STRING, ['t'] = JSON_BOOL,   ['f'] = JSON_BOOL,
    ['n'] = JSON_NULL,   ['-'] = JSON_NUMBER, ['0'] = JSON_NUMBER, ['1'] = JSON_NUMBER, ['2'] = JSON_NUMBER,
    ['3'] = JSON_NUMBER, ['4'] = JSON_NUMBER, ['5'] = JSON_NUMBER, ['6'] = JSON_NUMBER, ['7'] = JSON_NUMBER,
    ['8'] = JSON_NUMBER, ['9'] = JSON_NUMBER,
};

static inline enum json_type type_of(char first)
{
    return (enum json_type)types[(unsigned char)first];
}

static const char *name_of(char first)
{
    static const char *const names[] = {NULL, "null", "true or false", "a number", "a string", "an array", "an object"};
    if (type_of(first) != JSON_NONE)
        return names[type_of(first)];
    switch (first) {
    case '}':
        return "'}'";
    case ']':
        return "']'";
    case ':':
        return "':'";
    case ',':
        return "','";
    default:
        return "something that is not JSON";
    }
}

__attribute__((cold)) static bool fail_here(struct json_reader *reader, const char *expected)
{
    const char *at = reader->cursor;
    if (at >= reader->end)
        return fail(reader, reader->end, expected, "the end of the text");
    if (str_utf8_first((struct str){at, (size_t)(reader->end - at)}) == 0)
        return fail(reader, at, NULL, not_utf8);
    return fail(reader, at, expected, name_of(*at));
}

__attribute__((cold)) static bool fail_at_value(struct json_reader *reader, const char *expected)
{
    return fail_here(reader,
                     reader->place == BEFORE_VALUE ? expected : "the caller to ask for the next member or element");
}

/* --- The cursor --- */

/* Moves the cursor to the token at `at`, or to the one after the blanks there. */
static inline void move_to(struct json_reader *reader, const char *at)
{
    reader->cursor = json_behind_blanks(at);
}

static inline void move_behind_value(struct json_reader *reader, const char *at)
{
    move_to(reader, at);
    reader->place = AFTER_VALUE;
}

/* Says whether the cursor stands before a value that starts with `first`. */
static inline bool at_value(const struct json_reader *reader, char first)
{
    return *reader->cursor == first && reader->place == BEFORE_VALUE;
}

/* --- Beginning and end --- */

void json_begin(struct json_reader *reader, struct str text)
{
    reader->text = text.data;
    reader->end = text.data + text.size;
    reader->place = BEFORE_VALUE;
    reader->depth = 0;
    reader->strings.size = 0;
    reader->fault = SOUND;
    move_to(reader, text.data);
    if (text.size >= UINT32_MAX) {
        fail(reader, text.data, NULL, NULL);
        reader->fault = TOO_LARGE;
    } else if (str_starts(text, STR("\xEF\xBB\xBF"))) {
        fail(reader, text.data, NULL, "a byte order mark, which JSON must not start with");
    } else if (reader->cursor >= reader->end) {
        fail_here(reader, "a value");
    }
}

struct status json_end(struct json_reader *reader, struct arena *arena)
{
    if (reader->fault == SOUND) {
        if (reader->place != AFTER_VALUE || reader->depth > 0)
            fail_here(reader, "a value or the end of its container to be read");
        else if (reader->cursor < reader->end)
            fail_here(reader, "nothing more after the value");
    }
    switch (reader->fault) {
    case SOUND:
        return STATUS_IS_OK;
    case NO_MEMORY:
        return status_no_memory();
    case TOO_LARGE:
        return status_invalid(arena, "a JSON text of %zu bytes is too large: the limit is 4 GB",
                              offset_of(reader, reader->end));
    case BROKEN_TEXT:
        break;
    }
    if (!reader->expected)
        return status_breaks(arena,
                             reader->found == half_a_pair ? "lone-surrogate"
                             : reader->found == too_deep  ? "depth-limit"
                                                          : NULL,
                             "byte %zu: %s", reader->fault_offset, reader->found);
    return status_invalid(arena, "byte %zu: expected %s, found %s", reader->fault_offset, reader->expected,
                          reader->found);
}

bool json_failed(const struct json_reader *reader)
{
    return reader->fault != SOUND;
}

size_t json_offset(struct json_reader *reader)
{
    return reader->fault == SOUND ? offset_of(reader, reader->cursor) : reader->fault_offset;
}

size_t json_consumed(const struct json_reader *reader)
{
    size_t size = offset_of(reader, reader->cursor);
    while (size > 0 && json_is_blank(reader->text[size - 1]))
        size--;
    return size;
}

/* --- Strings --- */

/* Bytes that need more than a copy in a string: quotes, backslashes, control characters (so also the NUL after the
 * text), and all bytes that are not ASCII. */
static const bool is_special[256] = {
    [0 ... 0x1F] = true,
    ['"'] = true,
    ['\\'] = true,
    [0x80 ... 0xFF] = true,
};

static inline const char *next_special(const char *at)
{
    while (!is_special[(unsigned char)*at])
        at++;
    return at;
}

static bool make_room_for_strings(struct json_reader *reader)
{
    size_t size = offset_of(reader, reader->end);
    if (reader->strings.capacity >= size)
        return true;
    /* This is the first decoded string of the text. All later ones fit into the memory that is allocated now. */
    buf_free(&reader->strings);
    return buf_reserve(&reader->strings, size < STRINGS_LEAST ? STRINGS_LEAST : size) || fail_without_memory(reader);
}

/* Reads a string whose first special byte is at `at`. */
__attribute__((noinline)) static bool read_special_string(struct json_reader *reader, const char *at, struct str *value)
{
    const char *start = reader->cursor + 1, *plain = start; /* everything before `plain` is decoded already */
    char *decoded = NULL, *out = NULL;
    for (; at >= reader->end || *at != '"'; at = next_special(at)) {
        if (at >= reader->end)
            return fail(reader, reader->cursor, NULL, not_closed);
        unsigned char byte = (unsigned char)*at;
        if (byte < 0x20)
            return fail(reader, at, NULL, "a control character in a string; it must be written with a backslash");
        if (byte != '\\') {
            size_t length = str_utf8_first((struct str){at, (size_t)(reader->end - at)});
            if (length == 0)
                return fail(reader, at, NULL, not_utf8);
            at += length;
            continue;
        }
        if (!decoded) {
            if (!make_room_for_strings(reader))
                return false;
            decoded = out = reader->strings.data + reader->strings.size;
        }
        memcpy(out, plain, (size_t)(at - plain));
        out += at - plain;
        if (at + 1 >= reader->end)
            return fail(reader, reader->cursor, NULL, not_closed);
        const char *found = NULL, *escape = at;
        at = plain = decode_escape(escape, reader->end, &out, &found);
        if (!at)
            return fail(reader, escape, NULL, found);
    }
    *value = (struct str){start, (size_t)(at - start)};
    if (decoded) {
        memcpy(out, plain, (size_t)(at - plain));
        out += at - plain;
        *value = (struct str){decoded, (size_t)(out - decoded)};
        reader->strings.size += value->size;
    }
    move_to(reader, at + 1);
    return true;
}

/* Reads the string at the cursor. */
static inline bool read_string(struct json_reader *reader, struct str *value)
{
    const char *start = reader->cursor + 1, *at = next_special(start);
    if (*at != '"' || at >= reader->end)
        return read_special_string(reader, at, value);
    *value = (struct str){start, (size_t)(at - start)};
    move_to(reader, at + 1);
    return true;
}

bool json_read_string(struct json_reader *reader, struct str *value)
{
    *value = (struct str){0};
    if (!at_value(reader, '"'))
        return fail_at_value(reader, "a string");
    if (!read_string(reader, value))
        return false;
    reader->place = AFTER_VALUE;
    return true;
}

/* --- Scalars --- */

/* Says whether a number or a word may end before `at`. */
static bool is_border(const struct json_reader *reader, const char *at)
{
    if (at >= reader->end || json_is_blank(*at))
        return true;
    switch (*at) {
    case ',':
    case ']':
    case '}':
    case ':':
    case '[':
    case '{':
    case '"':
        return true;
    default:
        return false;
    }
}

static bool read_word(struct json_reader *reader, struct str word)
{
    struct str rest = {reader->cursor, (size_t)(reader->end - reader->cursor)};
    if (!str_starts(rest, word) || !is_border(reader, rest.data + word.size))
        return fail(reader, reader->cursor, NULL, "a word other than true, false and null");
    move_behind_value(reader, rest.data + word.size);
    return true;
}

bool json_read_null(struct json_reader *reader)
{
    if (!at_value(reader, 'n'))
        return fail_at_value(reader, "null");
    return read_word(reader, STR("null"));
}

bool json_read_bool(struct json_reader *reader, bool *value)
{
    *value = at_value(reader, 't');
    if (!*value && !at_value(reader, 'f'))
        return fail_at_value(reader, "true or false");
    if (read_word(reader, *value ? STR("true") : STR("false")))
        return true;
    *value = false;
    return false;
}

bool json_read_number(struct json_reader *reader, struct str *spelling)
{
    *spelling = (struct str){0};
    if (reader->place != BEFORE_VALUE || type_of(*reader->cursor) != JSON_NUMBER)
        return fail_at_value(reader, "a number");
    struct str number = {reader->cursor, (size_t)(reader->end - reader->cursor)};
    number.size = number_first(number);
    if (number.size == 0 || !is_border(reader, number.data + number.size))
        return fail(reader, reader->cursor, NULL, "a number that is not written as JSON writes numbers");
    *spelling = number;
    move_behind_value(reader, number.data + number.size);
    return true;
}

enum json_type json_type(struct json_reader *reader)
{
    enum json_type type = reader->place == BEFORE_VALUE ? type_of(*reader->cursor) : JSON_NONE;
    if (type == JSON_NONE && reader->place == BEFORE_VALUE)
        fail_here(reader, "a value");
    return type;
}

/* --- Containers --- */

static inline bool enter(struct json_reader *reader, char opener, char closer, const char *expected)
{
    if (!at_value(reader, opener))
        return fail_at_value(reader, expected);
    if (reader->depth == JSON_DEPTH)
        return fail(reader, reader->cursor, NULL, too_deep);
    reader->closers[++reader->depth] = closer;
    move_to(reader, reader->cursor + 1);
    reader->place = ENTERED;
    return true;
}

/* Moves on in the innermost container: after the comma (true), or out of the container at its end (false). */
static inline bool next(struct json_reader *reader, char closer, const char *expected)
{
    if (reader->closers[reader->depth] != closer || reader->place == BEFORE_VALUE)
        return fail_here(reader, "the caller to read the value first");
    if (*reader->cursor == closer) {
        reader->depth--;
        move_behind_value(reader, reader->cursor + 1);
        return false;
    }
    if (reader->place == AFTER_VALUE) {
        if (*reader->cursor != ',')
            return fail_here(reader, expected);
        move_to(reader, reader->cursor + 1);
    }
    reader->place = BEFORE_VALUE;
    return true;
}

bool json_enter_object(struct json_reader *reader)
{
    return enter(reader, '{', '}', "an object");
}

bool json_enter_array(struct json_reader *reader)
{
    return enter(reader, '[', ']', "an array");
}

bool json_next_element(struct json_reader *reader)
{
    return next(reader, ']', "',' or ']'");
}

bool json_next_member(struct json_reader *reader, struct str *name)
{
    *name = (struct str){0};
    if (!next(reader, '}', "',' or '}'"))
        return false;
    if (*reader->cursor != '"')
        return fail_here(reader, "a member name in quotes");
    if (!read_string(reader, name))
        return false;
    if (*reader->cursor != ':')
        return fail_here(reader, "':' after the member name");
    move_to(reader, reader->cursor + 1);
    return true;
}

struct json_run json_run_begin(struct json_reader *reader, size_t most)
{
    struct json_run run = {.element = reader->cursor, .end = reader->end};
    if (reader->closers[reader->depth] != ']' || reader->place == BEFORE_VALUE)
        return run;
    if (reader->place == AFTER_VALUE && *run.element != ',')
        return run;
    if (reader->place == AFTER_VALUE)
        run.element = json_behind_blanks(run.element + 1);
    run.most = most;
    return run;
}

size_t json_run_end(struct json_reader *reader, struct json_run run)
{
    if (run.count > 0)
        move_behind_value(reader, run.behind);
    return run.count;
}

/* --- Skipping --- */

static bool skip_scalar_or_enter(struct json_reader *reader)
{
    struct str text;
    bool boolean;
    switch (json_type(reader)) {
    case JSON_OBJECT:
        return json_enter_object(reader);
    case JSON_ARRAY:
        return json_enter_array(reader);
    case JSON_STRING:
        return json_read_string(reader, &text);
    case JSON_NUMBER:
        return json_read_number(reader, &text);
    case JSON_BOOL:
        return json_read_bool(reader, &boolean);
    case JSON_NULL:
        return json_read_null(reader);
    case JSON_NONE:
        break;
    }
    return fail_at_value(reader, "a value");
}

bool json_skip(struct json_reader *reader, struct str *span)
{
    if (span)
        *span = (struct str){0};
    unsigned outside = reader->depth;
    size_t start = json_offset(reader);
    if (!skip_scalar_or_enter(reader))
        return false;
    while (reader->depth > outside) {
        struct str name;
        bool more = reader->closers[reader->depth] == ']' ? json_next_element(reader) : json_next_member(reader, &name);
        if (more && !skip_scalar_or_enter(reader))
            return false;
        if (reader->fault != SOUND)
            return false;
    }
    if (span)
        *span = (struct str){reader->text + start, json_consumed(reader) - start};
    return true;
}
