/* Reads JSON text (RFC 8259) piece by piece, strictly.
 *
 * A cursor stands before one value. The caller consumes every value once, in order, with the call that fits its type. A
 * fault (of the text, or of a caller that asks for the wrong type) is sticky: from then on every call returns false or
 * an empty value at once, and json_end gives the status. So a decoder is straight-line code with one check at its end.
 *
 *     if (json_enter_object(r))
 *         while (json_next_member(r, &name))
 *             if (str_is(name, "id")) json_read_string(r, &id); else json_skip(r, NULL);
 *     status = json_end(r);
 *
 * Refused: text that is not UTF-8, a byte order mark, anything after the value, lone surrogates in escapes, nesting
 * deeper than JSON_DEPTH, texts of 4 GB and more. Duplicate member names are the caller's to see. NUL in a string
 * (\u0000) is kept. Cost: no allocation per value; strings with escapes are decoded into the reader's memory. Not
 * thread-safe. */
#ifndef JSON_READER_H
#define JSON_READER_H

#include "base/arena.h"
#include "base/status.h"
#include "base/str.h"
#include <stdint.h>

#define JSON_DEPTH   64 /* nested arrays and objects */
#define JSON_PADDING 64 /* readable bytes that must follow a text given to json_begin, the first of them NUL */

enum json_type { JSON_NONE, JSON_NULL, JSON_BOOL, JSON_NUMBER, JSON_STRING, JSON_ARRAY, JSON_OBJECT };

struct json_reader;

/* A reader to keep and use for many texts, one after the other; it keeps as much memory as the longest text with an
 * escape in a string had bytes. NULL without memory. */
struct json_reader *json_reader_create(void);
void json_reader_destroy(struct json_reader *reader);

/* Starts on `text`, whose memory must stay and be followed by JSON_PADDING readable bytes. Strings handed out stay
 * valid until the next json_begin on this reader. Faults show at json_end. */
void json_begin(struct json_reader *reader, struct str text);

/* OK if every value was consumed and nothing but blanks is left, else INVALID_ARGUMENT with what is wrong and at which
 * byte offset ("byte 17: ..."), the message in `arena`. `broken` is "lone-surrogate" or "depth-limit" for these, else
 * NULL. */
struct status json_end(struct json_reader *reader, struct arena *arena);

bool json_failed(const struct json_reader *reader);

/* Type of the value at the cursor; does not consume it. JSON_NONE after a fault. (NaN, 01 and the like show as faults
 * when the value is read.) */
enum json_type json_type(struct json_reader *reader);

bool json_enter_object(struct json_reader *reader);
bool json_next_member(struct json_reader *reader, struct str *name); /* false: the object is left, or a fault */
bool json_enter_array(struct json_reader *reader);
bool json_next_element(struct json_reader *reader); /* false: the array is left, or a fault */

bool json_read_null(struct json_reader *reader);
bool json_read_bool(struct json_reader *reader, bool *value);
bool json_read_string(struct json_reader *reader, struct str *value); /* decoded */
bool json_read_number(struct json_reader *reader,
                      struct str *spelling); /* exactly as written, grammar of RFC 8259 checked */

/* The elements of the innermost array that come next, for a caller that reads what a program writes (a list of numbers)
 * by itself, without a call for each:
 *
 *     struct json_run run = json_run_begin(r, most);
 *     while ((text = json_run_element(&run)) && json_run_take(&run, end_of_the_element_at(text)))
 *         continue;
 *     count = json_run_end(r, run);
 *
 * json_run_end consumes what was taken. Then json_next_element and the calls above go on: with an element that was not
 * taken, behind `most`, or at the end of the array. */
struct json_run {
    const char *element; /* the next one */
    const char *behind;  /* the token behind the element taken last */
    const char *end;     /* of the text */
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

/* Text of the next element, or of what stands there instead; NULL: no more are wanted. */
static inline const char *json_run_element(const struct json_run *run)
{
    return run->count < run->most ? run->element : NULL;
}

/* Takes the element if it ends at `at` (NULL: not read) and a comma or the end of the array follows; whether another
 * may follow. */
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

/* Consumes the value whatever it is, checking all of it. `span` (may be NULL) gets its text, which can be given to
 * another reader's json_begin: what follows it in the same text serves as padding. */
bool json_skip(struct json_reader *reader, struct str *span);

/* Byte offset of the cursor in the text, for messages; and of the end of what was consumed last (blanks lie between).
 */
size_t json_offset(struct json_reader *reader);
size_t json_consumed(const struct json_reader *reader);

#endif
