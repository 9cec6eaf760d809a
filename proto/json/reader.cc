/* A pull parser over simdjson's first stage. That stage reads the whole text with vector instructions: it checks UTF-8,
 * control characters in strings and that the last string is closed, and lists the offset of every token: each of {}[]:,
 * each opening quote, and the first byte of each other run of bytes that are no blanks. What is on the list is checked
 * and read here, token by token and each in its place, so nothing that a caller passes over goes unchecked (simdjson's
 * On-Demand, which works on the same list, does not look at what nobody asks for).
 *
 * A token ends where the next one starts, less the blanks between. A string therefore ends with the last quote before
 * the next token, and a number or a word must fill its token. */
extern "C" {
#include "json/reader.h"
#include "json/number.h"
}

#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <simdjson.h>

/* Bytes of text for which there is room from the first one on. */
static constexpr size_t least_capacity = size_t(16) << 10;

/* Where the cursor stands: before a value; just inside a container, before its first member; after a value. */
enum place { BEFORE_VALUE, ENTERED, AFTER_VALUE };

/* Two faults have a name of their own (status.broken): what the grammar of JSON allows and this reader does not. */
static const char *const half_a_pair = "half of a surrogate pair, which is no character";
static const char *const too_deep = "arrays and objects nested too deep";

enum fault_code { SOUND, BROKEN_TEXT, TOO_LARGE, NO_MEMORY };

struct json_reader {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> tokenizer;
    size_t capacity; /* bytes of text the tokenizer is ready for */

    const char *text;
    size_t size;
    bool has_backslash; /* anywhere: else no string has to be searched for one */
    const uint32_t *tokens;
    size_t count, at; /* tokens, and the one at the cursor */
    char first;       /* byte at the cursor; NUL, with which no token may start, at the end of the text */

    enum place place;
    unsigned depth;
    char closers[JSON_DEPTH + 1]; /* by depth, what ends the container; NUL outside of all */

    char *strings; /* decoded strings of this text, which are never longer than it */
    size_t strings_capacity, strings_size;

    enum fault_code fault;
    size_t fault_offset;
    const char *expected; /* NULL: `found` says it all */
    const char *found;
};

extern "C" struct json_reader *json_reader_create(void)
{
    return new (std::nothrow) json_reader();
}

extern "C" void json_reader_destroy(struct json_reader *reader)
{
    if (!reader)
        return;
    free(reader->strings);
    delete reader;
}

/* --- Faults --- */

[[gnu::cold]] static bool fail(json_reader *reader, size_t offset, const char *expected, const char *found)
{
    if (reader->fault != SOUND)
        return false;
    reader->fault = BROKEN_TEXT;
    reader->fault_offset = offset;
    reader->expected = expected;
    reader->found = found;
    reader->count = reader->at = reader->depth = 0; /* no token is left, so every further call stops */
    reader->first = '\0';
    return false;
}

static bool fail_without_memory(json_reader *reader)
{
    fail(reader, 0, NULL, NULL);
    reader->fault = NO_MEMORY;
    return false;
}

static size_t offset_of(const json_reader *reader, size_t token)
{
    return token < reader->count ? reader->tokens[token] : reader->size;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline void set_cursor(json_reader *reader, size_t token)
{
    reader->at = token;
    reader->first = token < reader->count ? reader->text[reader->tokens[token]] : '\0';
}

/* What a value is, by its first byte; a table, for a chain of comparisons would guess wrongly at every other sign. */
struct type_table {
    uint8_t types[256];
};

static constexpr type_table make_types()
{
    type_table table = {};
    table.types[static_cast<int>('{')] = JSON_OBJECT;
    table.types[static_cast<int>('[')] = JSON_ARRAY;
    table.types[static_cast<int>('"')] = JSON_STRING;
    table.types[static_cast<int>('t')] = table.types[static_cast<int>('f')] = JSON_BOOL;
    table.types[static_cast<int>('n')] = JSON_NULL;
    table.types[static_cast<int>('-')] = JSON_NUMBER;
    for (int digit = '0'; digit <= '9'; digit++)
        table.types[digit] = JSON_NUMBER;
    return table;
}

static constexpr type_table types_by_first_byte = make_types();

static inline enum json_type type_of(char first)
{
    return static_cast<enum json_type>(types_by_first_byte.types[static_cast<unsigned char>(first)]);
}

static const char *name_of(char first)
{
    static const char *const types[] = {NULL, "null", "true or false", "a number", "a string", "an array", "an object"};
    if (type_of(first) != JSON_NONE)
        return types[type_of(first)];
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
        return "something that is no JSON";
    }
}

[[gnu::cold]] static bool fail_here(json_reader *reader, const char *expected)
{
    bool at_end = reader->at >= reader->count;
    return fail(reader, offset_of(reader, reader->at), expected,
                at_end ? "the end of the text" : name_of(reader->first));
}

/* Finds what the first stage only names, for the message. */
static void find_byte_fault(json_reader *reader)
{
    str rest = {reader->text, reader->size};
    size_t opened = 0;
    bool in_string = false;
    while (rest.size > 0) {
        size_t offset = reader->size - rest.size, length = str_utf8_first(rest);
        unsigned char c = static_cast<unsigned char>(rest.data[0]);
        if (length == 0) {
            fail(reader, offset, NULL, "bytes that are not UTF-8");
            return;
        }
        if (in_string && c < 0x20) {
            fail(reader, offset, NULL, "a control character in a string; it must be written with a backslash");
            return;
        }
        if (c == '"') {
            in_string = !in_string;
            opened = offset;
        } else if (in_string && c == '\\' && rest.size > 1 && static_cast<unsigned char>(rest.data[1]) < 0x80) {
            if (static_cast<unsigned char>(rest.data[1]) >= 0x20)
                length = 2;
        }
        rest = str_from(rest, length);
    }
    if (in_string)
        fail(reader, opened, NULL, "a string that is not closed");
    else
        fail(reader, 0, NULL, "a text that is no JSON");
}

/* --- Beginning and end --- */

static bool make_room(json_reader *reader)
{
    if (reader->tokenizer && reader->capacity >= reader->size)
        return true;

    size_t wanted = reader->size < least_capacity ? least_capacity : reader->size;
    reader->tokenizer.reset();
    reader->capacity = 0;
    if (simdjson::get_active_implementation()->create_dom_parser_implementation(wanted, 1, reader->tokenizer) !=
        simdjson::SUCCESS) {
        reader->tokenizer.reset();
        return false;
    }
    reader->capacity = wanted;
    return true;
}

extern "C" void json_begin(struct json_reader *reader, struct str text)
{
    reader->text = text.data;
    reader->size = text.size;
    reader->tokens = NULL;
    reader->count = reader->at = 0;
    reader->first = '\0';
    reader->place = BEFORE_VALUE;
    reader->depth = 0;
    reader->strings_size = 0;
    reader->fault = SOUND;

    if (text.size >= simdjson::SIMDJSON_MAXSIZE_BYTES) {
        fail(reader, 0, NULL, NULL);
        reader->fault = TOO_LARGE;
        return;
    }
    if (text.size == 0) {
        fail_here(reader, "a value");
        return;
    }
    if (str_starts(text, STR("\xEF\xBB\xBF"))) {
        fail(reader, 0, NULL, "a byte order mark, which JSON must not start with");
        return;
    }
    if (!make_room(reader)) {
        fail_without_memory(reader);
        return;
    }
    simdjson::error_code error = reader->tokenizer->stage1(reinterpret_cast<const uint8_t *>(text.data), text.size,
                                                           simdjson::stage1_mode::regular);
    switch (error) {
    case simdjson::SUCCESS:
        reader->tokens = reader->tokenizer->structural_indexes.get();
        reader->count = reader->tokenizer->n_structural_indexes;
        reader->has_backslash = memchr(text.data, '\\', text.size) != NULL;
        set_cursor(reader, 0);
        break;
    case simdjson::EMPTY:
        fail_here(reader, "a value");
        break;
    case simdjson::MEMALLOC:
        fail_without_memory(reader);
        break;
    default:
        find_byte_fault(reader);
    }
}

extern "C" struct status json_end(struct json_reader *reader, struct arena *arena)
{
    if (reader->fault == SOUND) {
        if (reader->place != AFTER_VALUE || reader->depth > 0)
            fail_here(reader, "a value or the end of its container to be read");
        else if (reader->at < reader->count)
            fail_here(reader, "nothing more after the value");
    }
    switch (reader->fault) {
    case SOUND:
        return {};
    case NO_MEMORY:
        return status_no_memory();
    case TOO_LARGE:
        return status_error(arena, STATUS_INVALID_ARGUMENT, "a JSON text of %zu bytes is too large: the limit is 4 GB",
                            reader->size);
    case BROKEN_TEXT:
        break;
    }
    if (!reader->expected) {
        struct status status =
            status_error(arena, STATUS_INVALID_ARGUMENT, "byte %zu: %s", reader->fault_offset, reader->found);
        status.broken = reader->found == half_a_pair ? "lone-surrogate"
                        : reader->found == too_deep  ? "depth-limit"
                                                     : NULL;
        return status;
    }
    return status_error(arena, STATUS_INVALID_ARGUMENT, "byte %zu: expected %s, found %s", reader->fault_offset,
                        reader->expected, reader->found);
}

extern "C" bool json_failed(const struct json_reader *reader)
{
    return reader->fault != SOUND;
}

extern "C" size_t json_offset(struct json_reader *reader)
{
    return reader->fault == SOUND ? offset_of(reader, reader->at) : reader->fault_offset;
}

extern "C" size_t json_consumed(const struct json_reader *reader)
{
    size_t end = offset_of(reader, reader->at);
    while (end > 0 && is_blank(reader->text[end - 1]))
        end--;
    return end;
}

/* --- Tokens --- */

/* Text of the token at the cursor, up to the next one. */
static inline str token_text(const json_reader *reader)
{
    size_t start = reader->tokens[reader->at], end = offset_of(reader, reader->at + 1);
    while (is_blank(reader->text[end - 1])) /* stops at the token's first byte */
        end--;
    return {reader->text + start, end - start};
}

static inline void consume(json_reader *reader)
{
    set_cursor(reader, reader->at + 1);
}

static inline void consume_value(json_reader *reader)
{
    consume(reader);
    reader->place = AFTER_VALUE;
}

/* Whether the cursor stands before a value that starts so. */
static inline bool at_value(const json_reader *reader, char first)
{
    return reader->first == first && reader->place == BEFORE_VALUE;
}

[[gnu::cold]] static bool fail_at_value(json_reader *reader, const char *expected)
{
    if (reader->fault == SOUND && reader->place != BEFORE_VALUE)
        return fail_here(reader, "the caller to ask for the next member or element");
    return fail_here(reader, expected);
}

/* --- Strings --- */

static int hex_of(const char *digits)
{
    int value = 0;
    for (int i = 0; i < 4; i++) {
        char c = digits[i];
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static char *put_utf8(char *out, uint32_t code)
{
    if (code < 0x80) {
        *out++ = static_cast<char>(code);
    } else if (code < 0x800) {
        *out++ = static_cast<char>(0xC0 | code >> 6);
        *out++ = static_cast<char>(0x80 | (code & 0x3F));
    } else if (code < 0x10000) {
        *out++ = static_cast<char>(0xE0 | code >> 12);
        *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
        *out++ = static_cast<char>(0x80 | (code & 0x3F));
    } else {
        *out++ = static_cast<char>(0xF0 | code >> 18);
        *out++ = static_cast<char>(0x80 | (code >> 12 & 0x3F));
        *out++ = static_cast<char>(0x80 | (code >> 6 & 0x3F));
        *out++ = static_cast<char>(0x80 | (code & 0x3F));
    }
    return out;
}

/* The character of a \u escape, or of two that make a surrogate pair; *at stands after the u and is moved behind it. -1
 * for wrong digits, -2 for half a pair. */
static int32_t unicode_escape(const char **at, const char *end)
{
    int code = end - *at >= 4 ? hex_of(*at) : -1;
    if (code < 0)
        return -1;
    *at += 4;
    if (code < 0xD800 || code > 0xDFFF)
        return code;
    int low = code < 0xDC00 && end - *at >= 6 && (*at)[0] == '\\' && (*at)[1] == 'u' ? hex_of(*at + 2) : -1;
    if (low < 0xDC00 || low > 0xDFFF)
        return -2;
    *at += 6;
    return 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
}

static char simple_escape(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return '\0';
    }
}

/* Decodes what stands between two quotes, of which `first` is the first backslash. */
static bool decode(json_reader *reader, str raw, const char *first, str *value)
{
    if (reader->strings_capacity < reader->size) {
        /* Before the first decoded string of this text: later ones find the capacity. */
        free(reader->strings);
        size_t capacity = reader->size < least_capacity ? least_capacity : reader->size;
        reader->strings = static_cast<char *>(malloc(capacity));
        reader->strings_capacity = reader->strings ? capacity : 0;
        if (!reader->strings)
            return fail_without_memory(reader);
    }
    char *start = reader->strings + reader->strings_size, *out = start;
    const char *at = raw.data, *end = raw.data + raw.size, *backslash = first;
    while (backslash) {
        memcpy(out, at, static_cast<size_t>(backslash - at));
        out += backslash - at;
        at = backslash + 1;
        size_t offset = static_cast<size_t>(backslash - reader->text);
        if (at == end)
            return fail(reader, offset, NULL, "a string that is not closed");
        char c = *at++;
        if (c == 'u') {
            int32_t code = unicode_escape(&at, end);
            if (code == -1)
                return fail(reader, offset, NULL, "\\u without four hexadecimal digits");
            if (code == -2)
                return fail(reader, offset, NULL, half_a_pair);
            out = put_utf8(out, static_cast<uint32_t>(code));
        } else {
            char plain = simple_escape(c);
            if (plain == '\0')
                return fail(reader, offset, NULL, "a backslash before a character that is not escaped so");
            *out++ = plain;
        }
        backslash = static_cast<const char *>(memchr(at, '\\', static_cast<size_t>(end - at)));
    }
    memcpy(out, at, static_cast<size_t>(end - at));
    out += end - at;
    *value = {start, static_cast<size_t>(out - start)};
    reader->strings_size += value->size;
    return true;
}

/* What stands between two quotes, in a text that has a backslash somewhere. */
[[gnu::noinline]] static bool read_escaped(json_reader *reader, str raw, str *value)
{
    const char *backslash = static_cast<const char *>(memchr(raw.data, '\\', raw.size));
    if (backslash)
        return decode(reader, raw, backslash, value);
    *value = raw;
    return true;
}

static inline bool read_string(json_reader *reader, str *value)
{
    str token = token_text(reader);
    if (token.size < 2 || token.data[token.size - 1] != '"')
        return fail(reader, static_cast<size_t>(token.data - reader->text), NULL, "a string that is not closed");
    str raw = {token.data + 1, token.size - 2};
    if (!reader->has_backslash)
        *value = raw;
    else if (!read_escaped(reader, raw, value))
        return false;
    consume(reader);
    return true;
}

extern "C" bool json_read_string(struct json_reader *reader, struct str *value)
{
    *value = {};
    if (!at_value(reader, '"'))
        return fail_at_value(reader, "a string");
    if (!read_string(reader, value))
        return false;
    reader->place = AFTER_VALUE;
    return true;
}

/* --- Scalars --- */

static bool read_word(json_reader *reader, str word)
{
    str token = token_text(reader);
    size_t start = static_cast<size_t>(token.data - reader->text);
    if (!str_equal(token, word))
        return fail(reader, start, NULL, "a word that is none of true, false and null");
    consume_value(reader);
    return true;
}

extern "C" bool json_read_null(struct json_reader *reader)
{
    if (!at_value(reader, 'n'))
        return fail_at_value(reader, "null");
    return read_word(reader, STR("null"));
}

extern "C" bool json_read_bool(struct json_reader *reader, bool *value)
{
    *value = at_value(reader, 't');
    if (!*value && !at_value(reader, 'f'))
        return fail_at_value(reader, "true or false");
    if (read_word(reader, *value ? STR("true") : STR("false")))
        return true;
    *value = false;
    return false;
}

/* Reads the number that the cursor stands before. A number that reaches to the next token needs no search for its end.
 */
static inline bool read_number(json_reader *reader, str *spelling)
{
    size_t start = reader->tokens[reader->at], next = offset_of(reader, reader->at + 1);
    str token = {reader->text + start, number_first({reader->text + start, reader->size - start})};
    if (token.size == 0 || (start + token.size != next && token.size != token_text(reader).size))
        return fail(reader, start, NULL, "a number that is not written as JSON writes numbers");
    consume_value(reader);
    *spelling = token;
    return true;
}

extern "C" bool json_read_number(struct json_reader *reader, struct str *spelling)
{
    *spelling = {};
    if (reader->place != BEFORE_VALUE || type_of(reader->first) != JSON_NUMBER)
        return fail_at_value(reader, "a number");
    return read_number(reader, spelling);
}

extern "C" enum json_type json_type(struct json_reader *reader)
{
    enum json_type type = reader->place == BEFORE_VALUE ? type_of(reader->first) : JSON_NONE;
    if (type == JSON_NONE && reader->place == BEFORE_VALUE)
        fail_here(reader, "a value");
    return type;
}

/* --- Containers --- */

static inline bool enter(json_reader *reader, char opener, char closer, const char *expected)
{
    if (!at_value(reader, opener))
        return fail_at_value(reader, expected);
    if (reader->depth == JSON_DEPTH)
        return fail(reader, offset_of(reader, reader->at), NULL, too_deep);
    reader->closers[++reader->depth] = closer;
    consume(reader);
    reader->place = ENTERED;
    return true;
}

/* Moves on in the innermost container: to its end, which is left (false), or behind the comma (true). */
static inline bool next(json_reader *reader, char closer, const char *expected)
{
    if (reader->closers[reader->depth] != closer || reader->place == BEFORE_VALUE)
        return fail_here(reader, "the caller to read the value first");
    if (reader->first == closer) {
        reader->depth--;
        consume_value(reader);
        return false;
    }
    if (reader->place == AFTER_VALUE) {
        if (reader->first != ',')
            return fail_here(reader, expected);
        consume(reader);
    }
    reader->place = BEFORE_VALUE;
    return true;
}

extern "C" bool json_enter_object(struct json_reader *reader)
{
    return enter(reader, '{', '}', "an object");
}

extern "C" bool json_enter_array(struct json_reader *reader)
{
    return enter(reader, '[', ']', "an array");
}

extern "C" bool json_next_element(struct json_reader *reader)
{
    return next(reader, ']', "',' or ']'");
}

extern "C" bool json_next_member(struct json_reader *reader, struct str *name)
{
    *name = {};
    if (!next(reader, '}', "',' or '}'"))
        return false;
    if (reader->first != '"')
        return fail_here(reader, "a member name in quotes");
    if (!read_string(reader, name))
        return false;
    if (reader->first != ':')
        return fail_here(reader, "':' after the member name");
    consume(reader);
    return true;
}

extern "C" struct json_run json_run_begin(struct json_reader *reader, size_t most)
{
    struct json_run run = {};
    bool goes_on = reader->place == AFTER_VALUE;
    if (reader->closers[reader->depth] != ']' || reader->place == BEFORE_VALUE || (goes_on && reader->first != ','))
        return run;
    size_t first = reader->at + goes_on;
    size_t pairs = (reader->count - first) / 2; /* behind an element there is a token: the end of the array at least */
    run.text = reader->text;
    run.tokens = reader->tokens + first;
    run.most = most < pairs ? most : pairs;
    return run;
}

extern "C" size_t json_run_end(struct json_reader *reader, struct json_run run)
{
    if (run.count > 0) {
        set_cursor(reader, static_cast<size_t>(run.tokens - reader->tokens) + 2 * run.count - 1);
        reader->place = AFTER_VALUE;
    }
    return run.count;
}

/* --- Passing over --- */

static bool skip_scalar_or_enter(json_reader *reader)
{
    str text;
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

extern "C" bool json_skip(struct json_reader *reader, struct str *span)
{
    if (span)
        *span = {};
    unsigned outside = reader->depth;
    size_t start = json_offset(reader);
    if (!skip_scalar_or_enter(reader))
        return false;
    while (reader->depth > outside) {
        str name;
        bool more = reader->closers[reader->depth] == ']' ? json_next_element(reader) : json_next_member(reader, &name);
        if (more && !skip_scalar_or_enter(reader))
            return false;
        if (reader->fault != SOUND)
            return false;
    }
    if (span)
        *span = {reader->text + start, json_consumed(reader) - start};
    return true;
}
