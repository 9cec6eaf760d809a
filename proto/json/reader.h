/* proto/json/ reads and writes JSON text (RFC 8259). It may include base/ and nothing else.
 *
 * The reader takes a text piece by piece, strictly. A cursor stands before one value. The caller consumes every value
 * once, in order, with the call for its type. After a fault (of the text, or of a caller that asks for the wrong type),
 * every call returns false or an empty value at once, and json_end returns the status. So a decoder is straight code
 * with one check at its end.
 *
 *     if (json_enter_object(r))
 *         while (json_next_member(r, &name))
 *             if (str_is(name, "id")) json_read_string(r, &id); else json_skip(r, NULL);
 *     status = json_end(r);
 *
 * The reader refuses: text that is not UTF-8, a byte order mark, anything after the value, lone surrogates in escapes,
 * nesting deeper than JSON_DEPTH, and texts of 4 GB and more (SPEC_NOTES.md, note 35). Callers must check for duplicate
 * member names themselves. A NUL in a string (\u0000) is kept. No value costs an allocation; strings with escapes are
 * decoded into memory of the reader. A reader is not thread-safe. */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include <stdint.h>

#define JSON_DEPTH   64 /* levels of nested arrays and objects */
#define JSON_PADDING 64 /* readable bytes that must follow a text given to json_begin; the first of them is NUL */

enum json_type { JSON_NONE, JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_reader;

/* Returns a reader for many texts, one after the other, or NULL without memory. The caller frees it with
 * json_reader_destroy. It keeps as many bytes as the longest text in which a string had an escape; they are paid from
 * the lease, which may be NULL. */
struct json_reader *json_reader_create(struct lease *lease);
void json_reader_destroy(struct json_reader *reader);

/* Starts to read `text`. The caller keeps its memory, with JSON_PADDING readable bytes after it, until the next
 * json_begin on this reader; strings that the reader gives are valid as long. Faults are reported by json_end. */
void json_begin(struct json_reader *reader, struct str text);

/* Returns OK if every value was consumed and only blanks are left. Otherwise returns INVALID_ARGUMENT; the message, in
 * `arena`, says what is wrong and at which byte ("byte 17: ..."). `broken` is "lone-surrogate" or "depth-limit" for
 * these two faults, otherwise NULL. */
struct status json_end(struct json_reader *reader, struct arena *arena);

bool json_failed(const struct json_reader *reader);

/* Returns the type of the value at the cursor, without consuming it; JSON_NONE after a fault. It looks only at the
 * first byte: NaN, 01 and the like are found when the value is read. */
enum json_type json_type(struct json_reader *reader);

bool json_enter_object(struct json_reader *reader);
bool json_next_member(struct json_reader *reader, struct str *name); /* false: the object has ended, or a fault */
bool json_enter_array(struct json_reader *reader);
bool json_next_element(struct json_reader *reader); /* false: the array has ended, or a fault */

bool json_read_null(struct json_reader *reader);
bool json_read_bool(struct json_reader *reader, bool *value);
bool json_read_string(struct json_reader *reader, struct str *value); /* with its escapes decoded */
bool json_read_number(struct json_reader *reader,
                      struct str *spelling); /* exactly as written; the grammar of RFC 8259 is checked */

/* A run: the next elements of the innermost array. The caller parses the texts of the elements itself, without a call
 * of the reader for each; this is for long lists of numbers.
 *
 *     struct json_run run = json_run_begin(r, most);
 *     while ((text = json_run_element(&run)) && json_run_take(&run, end_of_the_element_at(text)))
 *         continue;
 *     count = json_run_end(r, run);
 *
 * json_run_end consumes the elements that were taken. Then json_next_element and the calls above continue with the
 * first element that was not taken, or with the end of the array. */
struct json_run {
    const char *element; /* the next element */
    const char *behind;  /* the token after the last element that was taken */
    const char *end;     /* the end of the text */
    size_t count, most;
};

struct json_run json_run_begin(struct json_reader *reader, size_t most);
size_t json_run_end(struct json_reader *reader, struct json_run run);

static inline bool json_is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r';
}

static inline const char *json_behind_blanks(const char *at)
{
    while (json_is_blank(*at))
        at++;
    return at;
}

/* Returns the text of the next element, or of what stands in its place. Returns NULL when `most` elements were
 * taken. */
static inline const char *json_run_element(const struct json_run *run)
{
    return run->count < run->most ? run->element : NULL;
}

/* Takes the element if it ends at `at` and a comma or the end of the array follows. NULL for `at` means that the caller
 * could not parse the element. Returns whether another element may follow. */
static inline bool json_run_take(struct json_run *run, const char *at)
{
    if (!at)
        return false;
    at = json_behind_blanks(at);
    if (*at != ',' && *at != ']')
        return false;
    run->behind = at;
    run->count++;
    run->element = json_behind_blanks(at + 1);
    return *at == ',';
}

/* Consumes and checks the value, whatever its type is. If `span` is not NULL, it gets the text of the value. This text
 * can be given to json_begin of another reader: what follows it in the same text serves as padding. */
bool json_skip(struct json_reader *reader, struct str *span);

/* json_offset returns the byte offset of the cursor in the text, for messages. json_consumed returns the offset of the
 * end of what was consumed last; blanks may lie between the two. */
size_t json_offset(struct json_reader *reader);
size_t json_consumed(const struct json_reader *reader);
