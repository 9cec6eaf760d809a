/* The pattern is walked, never the answer: what a server adds beyond it is not looked at, and depth is bounded by the
 * fixture's.
 *
 * `place` is a chain of stack frames back to the root, from which a pointer is written only when there is a difference
 * to tell. A matcher that tries ($not, $any, $optional, $unordered) walks with a copy of the matching whose differences
 * go nowhere; a fault of the suite goes to the one who asked, however deep it was found. */
#include "judge/match.h"

#include "fixture/codec.h"
#include "judge/describe.h"
#include "judge/element.h"
#include "json/number.h"

#include <inttypes.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>

struct matching {
    struct arena *arena;
    struct str *why;        /* first difference; NULL when only tried */
    struct str *fault;      /* of the suite */
    struct str *names;      /* $any names that matched */
    bool literal;           /* the pattern is an answer: nothing in it is a matcher or a codec */
    enum datatype datatype; /* inside "data" */
    bool outputs_by_name;   /* at the root */
    bool by_name;           /* this value is the list "outputs" */
    bool only;              /* and may hold no more */
};

struct place {
    const struct place *parent; /* NULL: the root */
    struct str name;            /* of a member; else null and an index */
    size_t index;
    struct str tensor; /* the name of an output, said behind the pointer */
};

static bool match_at(const struct matching *m, const struct place *at, const struct tree *pattern,
                     const struct tree *value);

/* --- What is said about a difference ---------------------------------------------------------------------------------
 */

static void write_place(const struct place *at, struct buf *out)
{
    if (!at->parent)
        return;
    write_place(at->parent, out);
    buf_append_byte(out, '/');
    if (!at->name.data)
        buf_printf(out, "%zu", at->index);
    for (size_t i = 0; i < at->name.size; i++)
        if (at->name.data[i] == '~' || at->name.data[i] == '/')
            buf_printf(out, at->name.data[i] == '~' ? "~0" : "~1");
        else
            buf_append_byte(out, at->name.data[i]);
}

static struct str place_text(const struct matching *m, const struct place *at)
{
    struct buf out = {0};
    write_place(at, &out);
    for (const struct place *p = at; p; p = p->parent)
        if (p->tensor.data)
            buf_printf(&out, " (%s)", str_printable(m->arena, p->tensor));
    struct str text = arena_copy(m->arena, buf_str(&out));
    buf_free(&out);
    return text.size ? text : STR("answer");
}

static bool differ(const struct matching *m, const struct place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool differ(const struct matching *m, const struct place *at, const char *format, ...)
{
    if (!m->why || m->why->size)
        return false;
    va_list arguments;
    va_start(arguments, format);
    struct str text = arena_vprintf(m->arena, format, arguments);
    va_end(arguments);
    struct str place = place_text(m, at);
    *m->why = arena_printf(m->arena, "%.*s: %.*s", STR_ARG(place), STR_ARG(text));
    return false;
}

static bool faulty(const struct matching *m, const struct place *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool faulty(const struct matching *m, const struct place *at, const char *format, ...)
{
    if (m->fault->size)
        return false;
    va_list arguments;
    va_start(arguments, format);
    struct str text = arena_vprintf(m->arena, format, arguments);
    va_end(arguments);
    struct str place = place_text(m, at);
    *m->fault = arena_printf(m->arena, "suite: %.*s: %.*s", STR_ARG(place), STR_ARG(text));
    return false;
}

static const char *tree_line(const struct matching *m, const struct tree *tree)
{
    if (!tree)
        return "nothing";
    struct buf text = {0}, line = {0};
    tree_write(tree, &text);
    append_printable(&line, buf_str(&text), 160);
    struct str kept = arena_copy(m->arena, buf_str(&line));
    buf_free(&text);
    buf_free(&line);
    return kept.data;
}

static bool differ_values(const struct matching *m, const struct place *at, const struct tree *pattern,
                          const struct tree *value)
{
    return m->why ? differ(m, at, "expected %s, got %s", tree_line(m, pattern), tree_line(m, value)) : false;
}

/* A copy that finds out without saying. */
static struct matching trial(const struct matching *m)
{
    struct matching tried = *m;
    tried.why = NULL;
    return tried;
}

static void add_name(const struct matching *m, struct str name)
{
    if (m->names)
        *m->names = m->names->size ? arena_printf(m->arena, "%.*s, %.*s", STR_ARG(*m->names), STR_ARG(name)) : name;
}

/* --- Tensor data
 * ------------------------------------------------------------------------------------------------------- */

/* The leaves of nested lists, in order. */
struct leaves {
    const struct tree **items;
    size_t count, capacity;
};

static void gather_leaves(const struct tree *tree, struct arena *arena, struct leaves *leaves)
{
    if (tree->type == TREE_ARRAY) {
        for (const struct tree *child = tree->first; child; child = child->next)
            gather_leaves(child, arena, leaves);
        return;
    }
    if (leaves->count == leaves->capacity) {
        size_t capacity = leaves->capacity ? 2 * leaves->capacity : 64;
        const struct tree **grown = arena_alloc_zero(arena, capacity, sizeof(*grown));
        if (!grown)
            return;
        if (leaves->count)
            memcpy(grown, leaves->items, leaves->count * sizeof(*grown));
        leaves->items = grown;
        leaves->capacity = capacity;
    }
    leaves->items[leaves->count++] = tree;
}

static bool match_received_element(const struct matching *m, const struct place *at, const struct element *expected,
                                   const struct tree *value)
{
    struct element received;
    bool said = element_read(value, m->datatype, ELEMENT_RECEIVED, &received);
    if (m->datatype == DATATYPE_BOOL && !m->outputs_by_name && !m->literal && value->type != TREE_BOOL)
        said = false; /* in the acts whose bytes are the point, 1 is not true */
    if (!said)
        return m->why ? differ(m, at, "expected %s as %s, got %s", element_text(expected, m->arena).data,
                               datatype_name(m->datatype), tree_line(m, value))
                      : false;
    if (element_equal(expected, &received))
        return true;
    struct str left = m->why ? element_text(expected, m->arena) : STR(""), right = left;
    if (m->why)
        right = element_text(&received, m->arena);
    return differ(m, at, "expected %.*s, got %.*s", STR_ARG(left), STR_ARG(right));
}

static bool match_scalar(const struct matching *m, const struct place *at, const struct tree *pattern,
                         const struct tree *value)
{
    if (pattern->type == value->type) {
        if (pattern->type == TREE_NULL || (pattern->type == TREE_BOOL && pattern->boolean == value->boolean) ||
            (pattern->type == TREE_NUMBER && number_equal(pattern->text, value->text)) ||
            (pattern->type == TREE_STRING && str_equal(pattern->text, value->text)))
            return true;
    }
    return differ_values(m, at, pattern, value);
}

static bool match_element(const struct matching *m, const struct place *at, const struct tree *pattern,
                          const struct tree *value)
{
    struct element expected;
    struct tree bytes = {.type = TREE_STRING};
    if (!m->literal && codec_is(pattern)) {
        struct buf out = {0};
        struct status status = codec_bytes(pattern, NULL, NULL, m->arena, &out);
        bytes.text = arena_copy(m->arena, buf_str(&out));
        buf_free(&out);
        if (!is_ok(status))
            return faulty(m, at, "%.*s", STR_ARG(status.message));
        pattern = &bytes;
    }
    if (!element_read(pattern, m->datatype, ELEMENT_EXPECTED, &expected))
        return m->literal ? match_scalar(m, at, pattern, value)
                          : faulty(m, at, "%s is no %s", tree_line(m, pattern), datatype_name(m->datatype));
    return match_received_element(m, at, &expected, value);
}

/* Expected data as a codec: the tensor's packed bytes. */
static bool match_packed(const struct matching *m, const struct place *at, const struct tree *pattern,
                         const struct leaves *received)
{
    struct buf out = {0};
    struct status status = codec_bytes(pattern, NULL, NULL, m->arena, &out);
    struct str packed = arena_copy(m->arena, buf_str(&out));
    buf_free(&out);
    if (!is_ok(status))
        return faulty(m, at, "%.*s", STR_ARG(status.message));
    size_t count = 0;
    struct element expected;
    for (; packed.size; count++) {
        if (!element_unpack(&packed, m->datatype, &expected))
            return faulty(m, at, "its bytes are no whole elements of %s", datatype_name(m->datatype));
        if (count >= received->count)
            continue;
        const struct place here = {.parent = at, .index = count};
        if (!match_received_element(m, &here, &expected, received->items[count]))
            return false;
    }
    return count == received->count || differ(m, at, "expected %zu elements, got %zu", count, received->count);
}

/* `pattern` is a list or a codec, m->datatype is known. */
static bool match_data(const struct matching *m, const struct place *at, const struct tree *pattern,
                       const struct tree *value)
{
    if (!value || value->type != TREE_ARRAY)
        return differ_values(m, at, pattern, value);
    struct leaves expected = {0}, received = {0};
    gather_leaves(value, m->arena, &received);
    if (pattern->type == TREE_OBJECT)
        return match_packed(m, at, pattern, &received);
    gather_leaves(pattern, m->arena, &expected);
    if (expected.count != received.count)
        return differ(m, at, "expected %zu elements, got %zu", expected.count, received.count);
    for (size_t i = 0; i < expected.count; i++) {
        const struct place here = {.parent = at, .index = i};
        if (!match_at(m, &here, expected.items[i], received.items[i]))
            return false;
    }
    return true;
}

/* --- Objects and lists
 * ------------------------------------------------------------------------------------------------- */

static bool match_members(const struct matching *m, const struct place *at, const struct tree *pattern,
                          const struct tree *value, const struct tree *skipped)
{
    const struct tree *named = tree_member(pattern, "datatype");
    if (!named || named->type != TREE_STRING)
        named = tree_member(value, "datatype");
    enum datatype datatype = named ? datatype_from_name(named->text) : DATATYPE_NONE;
    for (const struct tree *member = pattern->first; member; member = member->next) {
        if (member == skipped)
            continue;
        struct matching inner = *m;
        inner.by_name = !at->parent && m->outputs_by_name && str_is(member->name, "outputs");
        inner.only = false;
        inner.datatype = str_is(member->name, "data") ? datatype : DATATYPE_NONE;
        const struct place here = {.parent = at, .name = member->name};
        if (!match_at(&inner, &here, member, tree_member_str(value, member->name)))
            return false;
    }
    return true;
}

static bool match_object(const struct matching *m, const struct place *at, const struct tree *pattern,
                         const struct tree *value)
{
    if (value->type != TREE_OBJECT)
        return differ_values(m, at, pattern, value);
    return match_members(m, at, pattern, value, NULL);
}

static const struct tree *find_tensor(const struct tree *list, struct str name, size_t *index)
{
    *index = 0;
    for (const struct tree *tensor = list->first; tensor; tensor = tensor->next, ++*index) {
        const struct tree *member = tree_member(tensor, "name");
        if (member && member->type == TREE_STRING && str_equal(member->text, name))
            return tensor;
    }
    return NULL;
}

static struct str names_of(const struct matching *m, const struct tree *list)
{
    struct buf out = {0};
    for (const struct tree *tensor = list->first; tensor; tensor = tensor->next)
        buf_printf(&out, "%s'%s'", out.size ? ", " : "", str_printable(m->arena, tree_text(tensor, "name")));
    struct str text = arena_copy(m->arena, buf_str(&out));
    buf_free(&out);
    return text.size ? text : STR("none");
}

static bool match_tensors(const struct matching *m, const struct place *at, const struct tree *pattern,
                          const struct tree *value)
{
    struct matching inner = *m;
    inner.by_name = inner.only = false;
    for (const struct tree *expected = pattern->first; expected; expected = expected->next) {
        struct str name = tree_text(expected, "name");
        if (!name.size)
            return faulty(m, at, "an expected output has no name");
        size_t index;
        const struct tree *received = find_tensor(value, name, &index);
        if (!received)
            return differ(m, at, "expected an output '%s', got %.*s", str_printable(m->arena, name),
                          STR_ARG(names_of(m, value)));
        const struct place here = {.parent = at, .index = index, .tensor = name};
        if (!match_at(&inner, &here, expected, received))
            return false;
    }
    if (m->only && value->count != pattern->count)
        return differ(m, at, "expected only %.*s, got %.*s", STR_ARG(names_of(m, pattern)),
                      STR_ARG(names_of(m, value)));
    return true;
}

static bool match_bytes(const struct matching *m, const struct place *at, struct str expected, struct str received)
{
    if (str_equal(expected, received))
        return true;
    size_t same = 0;
    while (same < expected.size && same < received.size && expected.data[same] == received.data[same])
        same++;
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

/* Bytes that a piece of an expected body stands for; false if it is of unknown length ($json, a matcher). */
static bool piece_bytes(const struct matching *m, const struct tree *piece, struct buf *out, struct status *status)
{
    if (piece->type == TREE_OBJECT && (tree_member(piece, "$json") || match_is_matcher(piece)))
        return false;
    *status = codec_bytes(piece, NULL, NULL, m->arena, out);
    return true;
}

/* A list of BYTES against a body: known pieces from both ends, what is left belongs to the one of unknown length. */
static bool match_pieces(const struct matching *m, const struct place *at, const struct tree *pattern,
                         const struct tree *value)
{
    struct buf sides[2] = {0};
    const struct tree *unknown = NULL;
    struct status status = STATUS_IS_OK;
    for (const struct tree *piece = pattern->first; piece && is_ok(status); piece = piece->next)
        if (!piece_bytes(m, piece, &sides[unknown != NULL], &status)) {
            if (unknown)
                status = status_error(m->arena, STATUS_INVALID_ARGUMENT, "two pieces have no known length");
            unknown = piece;
        }
    struct str front = arena_copy(m->arena, buf_str(&sides[0])), back = arena_copy(m->arena, buf_str(&sides[1]));
    buf_free(&sides[0]);
    buf_free(&sides[1]);
    if (!is_ok(status))
        return faulty(m, at, "%.*s", STR_ARG(status.message));
    if (!unknown)
        return match_bytes(m, at, front, value->text);
    if (value->text.size < front.size + back.size)
        return differ(m, at, "expected at least %zu bytes, got %zu", front.size + back.size, value->text.size);
    struct tree middle = {.type = TREE_STRING,
                          .text = {value->text.data + front.size, value->text.size - front.size - back.size}};
    return match_bytes(m, at, front, (struct str){value->text.data, front.size}) && match_at(m, at, unknown, &middle) &&
           match_bytes(m, at, back, str_from(value->text, value->text.size - back.size));
}

static bool match_list(const struct matching *m, const struct place *at, const struct tree *pattern,
                       const struct tree *value)
{
    if (value->type == TREE_STRING)
        return match_pieces(m, at, pattern, value);
    if (value->type != TREE_ARRAY)
        return differ_values(m, at, pattern, value);
    if (m->by_name)
        return match_tensors(m, at, pattern, value);
    if (pattern->count != value->count)
        return differ(m, at, "expected a list of %zu, got %zu: %s", pattern->count, value->count, tree_line(m, value));
    size_t index = 0;
    const struct tree *received = value->first;
    for (const struct tree *expected = pattern->first; expected; expected = expected->next, received = received->next) {
        const struct place here = {.parent = at, .index = index++, .tensor = tree_text(expected, "name")};
        if (!match_at(m, &here, expected, received))
            return false;
    }
    return true;
}

/* --- Matchers
 * ------------------------------------------------------------------------------------------------------------ */

static bool match_any(const struct matching *m, const struct place *at, const struct tree *argument,
                      const struct tree *value)
{
    if (argument->type != TREE_OBJECT || argument->count == 0)
        return faulty(m, at, "$any needs an object of named patterns");
    struct str found = {0};
    for (const struct tree *choice = argument->first; choice; choice = choice->next) {
        struct matching tried = trial(m);
        struct str names = {0};
        tried.names = &names;
        if (!match_at(&tried, at, choice, value))
            continue;
        if (found.data)
            return faulty(m, at, "both '%.*s' and '%.*s' of $any match", STR_ARG(found), STR_ARG(choice->name));
        found = choice->name;
    }
    if (!found.data)
        return differ(m, at, "%s is none of the named observations", tree_line(m, value));
    add_name(m, found);
    return true;
}

static bool match_not(const struct matching *m, const struct place *at, const struct tree *argument,
                      const struct tree *value)
{
    struct matching tried = trial(m);
    tried.names = NULL;
    if (!match_at(&tried, at, argument, value))
        return true;
    return differ(m, at, "expected anything but %s, got %s", tree_line(m, argument), tree_line(m, value));
}

static bool match_absent(const struct matching *m, const struct place *at, const struct tree *argument,
                         const struct tree *value)
{
    if (argument->type != TREE_BOOL || !argument->boolean)
        return faulty(m, at, "$absent needs true");
    return !value || differ(m, at, "expected nothing here, got %s", tree_line(m, value));
}

static bool match_optional(const struct matching *m, const struct place *at, const struct tree *argument,
                           const struct tree *value)
{
    return !value || match_at(m, at, argument, value);
}

static bool is_integer(struct str spelling)
{
    int64_t low;
    uint64_t high;
    return number_read_int64(spelling, &low) || number_read_uint64(spelling, &high);
}

static bool match_type(const struct matching *m, const struct place *at, const struct tree *argument,
                       const struct tree *value)
{
    static const struct {
        const char *name;
        enum tree_type type;
        bool integer;
    } types[] = {{"string", TREE_STRING, false}, {"integer", TREE_NUMBER, true}, {"number", TREE_NUMBER, false},
                 {"boolean", TREE_BOOL, false},  {"array", TREE_ARRAY, false},   {"object", TREE_OBJECT, false},
                 {"null", TREE_NULL, false}};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
        if (argument->type == TREE_STRING && str_is(argument->text, types[i].name)) {
            if (value && value->type == types[i].type && (!types[i].integer || is_integer(value->text)))
                return true;
            return differ(m, at, "expected %s %s, got %s", strchr("aio", *types[i].name) ? "an" : "a", types[i].name,
                          tree_line(m, value));
        }
    return faulty(m, at, "$type knows no %s", tree_line(m, argument));
}

/* <0, 0, >0; exact for integers of 64 bits, else as doubles. */
static int compare_numbers(struct str a, struct str b)
{
    int64_t low_a, low_b;
    uint64_t high_a, high_b;
    double x, y;
    if (number_read_int64(a, &low_a) && number_read_int64(b, &low_b))
        return (low_a > low_b) - (low_a < low_b);
    if (number_read_uint64(a, &high_a) && number_read_uint64(b, &high_b))
        return (high_a > high_b) - (high_a < high_b);
    bool read_a = number_read_double(a, &x), read_b = number_read_double(b, &y);
    if (!read_a || !read_b) /* what overflows lies outside of every range, on the side of its sign */
        return !read_a ? (a.data[0] == '-' ? -1 : 1) : (b.data[0] == '-' ? 1 : -1);
    return (x > y) - (x < y);
}

static bool match_range(const struct matching *m, const struct place *at, const struct tree *argument,
                        const struct tree *value)
{
    const struct tree *low = tree_at(argument, 0), *high = tree_at(argument, 1);
    if (argument->type != TREE_ARRAY || argument->count != 2 || (low->type != TREE_NUMBER && low->type != TREE_NULL) ||
        (high->type != TREE_NUMBER && high->type != TREE_NULL))
        return faulty(m, at, "$range needs [lowest, highest]");
    if (value && value->type == TREE_NUMBER && value->text.size &&
        (low->type == TREE_NULL || compare_numbers(low->text, value->text) <= 0) &&
        (high->type == TREE_NULL || compare_numbers(value->text, high->text) <= 0))
        return true;
    return differ(m, at, "expected a number from %s to %s, got %s", tree_line(m, low), tree_line(m, high),
                  tree_line(m, value));
}

static bool match_expression(const struct matching *m, const struct place *at, const struct tree *argument,
                             const struct tree *value)
{
    regex_t regex;
    struct str expression = argument->type == TREE_STRING ? arena_copy(m->arena, argument->text) : (struct str){0};
    if (!expression.data || strlen(expression.data) != expression.size ||
        regcomp(&regex, expression.data, REG_EXTENDED | REG_NOSUB) != 0)
        return faulty(m, at, "$match needs an extended regular expression, not %s", tree_line(m, argument));
    bool matches = false;
    if (value && value->type == TREE_STRING) {
        regmatch_t range = {.rm_so = 0, .rm_eo = (regoff_t)value->text.size};
        matches = regexec(&regex, value->text.data ? value->text.data : "", 0, &range, REG_STARTEND) == 0;
    }
    regfree(&regex);
    return matches ||
           differ(m, at, "expected text that matches %s, got %s", tree_line(m, argument), tree_line(m, value));
}

static bool match_each(const struct matching *m, const struct place *at, const struct tree *argument,
                       const struct tree *value)
{
    if (!value || value->type != TREE_ARRAY)
        return differ(m, at, "expected a list, got %s", tree_line(m, value));
    struct matching inner = *m;
    inner.by_name = inner.only = false;
    size_t index = 0;
    for (const struct tree *element = value->first; element; element = element->next) {
        const struct place here = {.parent = at, .index = index++};
        if (!match_at(&inner, &here, argument, element))
            return false;
    }
    return true;
}

static bool match_all(const struct matching *m, const struct place *at, const struct tree *argument,
                      const struct tree *value)
{
    if (argument->type != TREE_ARRAY)
        return faulty(m, at, "$all needs a list of patterns");
    for (const struct tree *pattern = argument->first; pattern; pattern = pattern->next)
        if (!match_at(m, at, pattern, value))
            return false;
    return true;
}

static bool match_only(const struct matching *m, const struct place *at, const struct tree *argument,
                       const struct tree *value)
{
    struct matching inner = *m;
    inner.only = true;
    if (argument->type != TREE_OBJECT)
        return match_at(&inner, at, argument, value);
    if (!match_at(m, at, argument, value))
        return false;
    for (const struct tree *member = value->first; member; member = member->next)
        if (!tree_member_str(argument, member->name))
            return differ(m, at, "a member '%s' is not expected", str_printable(m->arena, member->name));
    return true;
}

/* Whether expected element `i` can be given a received one of its own (augmenting paths, as in a bipartite matching).
 */
struct pairing {
    const struct matching *m;
    const struct place *at;
    const struct tree **expected, **received;
    size_t *owner; /* expected + 1 of each received; 0: free */
    bool *tried;
    size_t count;
};

static bool pair_up(struct pairing *pairing, size_t i)
{
    for (size_t k = 0; k < pairing->count; k++) {
        if (pairing->tried[k])
            continue;
        struct matching tried = trial(pairing->m);
        tried.names = NULL;
        if (!match_at(&tried, pairing->at, pairing->expected[i], pairing->received[k]))
            continue;
        pairing->tried[k] = true;
        if (pairing->owner[k] == 0 || pair_up(pairing, pairing->owner[k] - 1)) {
            pairing->owner[k] = i + 1;
            return true;
        }
    }
    return false;
}

static bool match_unordered(const struct matching *m, const struct place *at, const struct tree *argument,
                            const struct tree *value)
{
    if (argument->type != TREE_ARRAY)
        return faulty(m, at, "$unordered needs a list");
    if (!value || value->type != TREE_ARRAY)
        return differ(m, at, "expected a list, got %s", tree_line(m, value));
    if (argument->count != value->count)
        return differ(m, at, "expected a list of %zu, got %zu: %s", argument->count, value->count, tree_line(m, value));
    struct matching inner = *m;
    inner.by_name = inner.only = false;
    size_t count = argument->count, i = 0;
    struct pairing pairing = {.m = &inner,
                              .at = at,
                              .expected = arena_alloc_zero(m->arena, count, sizeof(*pairing.expected)),
                              .received = arena_alloc_zero(m->arena, count, sizeof(*pairing.received)),
                              .owner = arena_alloc_zero(m->arena, count, sizeof(*pairing.owner)),
                              .tried = arena_alloc_zero(m->arena, count, sizeof(*pairing.tried)),
                              .count = count};
    for (const struct tree *e = argument->first, *r = value->first; e; e = e->next, r = r->next, i++) {
        pairing.expected[i] = e;
        pairing.received[i] = r;
    }
    for (i = 0; i < count; i++) {
        memset(pairing.tried, 0, count * sizeof(*pairing.tried));
        if (!pair_up(&pairing, i))
            return differ(m, at, "expected %s somewhere in the list, got %s", tree_line(m, pairing.expected[i]),
                          tree_line(m, value));
    }
    return true;
}

static bool match_ulps(const struct matching *m, const struct place *at, const struct tree *argument,
                       const struct tree *value)
{
    const struct tree *distance = tree_at(argument, 0), *expected = tree_at(argument, 1);
    int64_t ulps;
    if (argument->type != TREE_ARRAY || argument->count != 2 || !tree_to_int64(distance, &ulps) || ulps < 0)
        return faulty(m, at, "$ulps needs [distance, value]");
    enum datatype datatype = m->datatype ? m->datatype : DATATYPE_FP64;
    if (!value)
        return differ(m, at, "expected %s, got nothing", tree_line(m, expected));
    struct leaves left = {0}, right = {0};
    gather_leaves(expected, m->arena, &left);
    gather_leaves(value, m->arena, &right);
    if (left.count != right.count)
        return differ(m, at, "expected %zu elements, got %zu", left.count, right.count);
    for (size_t i = 0; i < left.count; i++) {
        const struct place element = {.parent = at, .index = i};
        const struct place *here = value->type == TREE_ARRAY ? &element : at;
        struct element a, b;
        if (!element_read(left.items[i], datatype, ELEMENT_EXPECTED, &a))
            return faulty(m, here, "%s is no %s", tree_line(m, left.items[i]), datatype_name(datatype));
        if (!element_read(right.items[i], datatype, ELEMENT_RECEIVED, &b) || !element_within(&a, &b, (uint64_t)ulps))
            return differ(m, here, "expected %s within %" PRId64 " units in the last place, got %s",
                          tree_line(m, left.items[i]), ulps, tree_line(m, right.items[i]));
    }
    return true;
}

/* $json against text: the text parsed. */
static bool match_json(const struct matching *m, const struct place *at, const struct tree *argument,
                       const struct tree *value)
{
    if (!value || value->type != TREE_STRING)
        return match_at(m, at, argument, value);
    struct tree *parsed;
    struct status status = tree_parse(value->text, m->arena, &parsed);
    if (!is_ok(status))
        return differ(m, at, "expected JSON, got %s: %.*s", tree_line(m, value), STR_ARG(status.message));
    return match_at(m, at, argument, parsed);
}

static const struct matcher {
    const char *name;
    bool (*match)(const struct matching *m, const struct place *at, const struct tree *argument,
                  const struct tree *value);
} matchers[] = {
    {"$any", match_any},   {"$not", match_not},     {"$absent", match_absent},       {"$optional", match_optional},
    {"$type", match_type}, {"$range", match_range}, {"$match", match_expression},    {"$each", match_each},
    {"$all", match_all},   {"$only", match_only},   {"$unordered", match_unordered}, {"$ulps", match_ulps},
    {"$json", match_json},
};

static const struct matcher *find_matcher(const struct tree *pattern)
{
    if (pattern->type == TREE_OBJECT && pattern->count == 1)
        for (size_t i = 0; i < sizeof(matchers) / sizeof(matchers[0]); i++)
            if (str_is(pattern->first->name, matchers[i].name))
                return &matchers[i];
    return NULL;
}

bool match_is_matcher(const struct tree *pattern)
{
    const struct matcher *matcher = pattern ? find_matcher(pattern) : NULL;
    return matcher && matcher->match != match_json;
}

static bool match_codec(const struct matching *m, const struct place *at, const struct tree *pattern,
                        const struct tree *value)
{
    if (!value || value->type != TREE_STRING)
        return differ_values(m, at, pattern, value);
    struct buf out = {0};
    struct status status = codec_bytes(pattern, NULL, NULL, m->arena, &out);
    bool matches =
        is_ok(status) ? match_bytes(m, at, buf_str(&out), value->text) : faulty(m, at, "%.*s", STR_ARG(status.message));
    buf_free(&out);
    return matches;
}

static bool has_dollar(const struct tree *pattern)
{
    if (pattern->type == TREE_OBJECT)
        for (const struct tree *member = pattern->first; member; member = member->next)
            if (member->name.size && member->name.data[0] == '$')
                return true;
    return false;
}

static bool match_at(const struct matching *m, const struct place *at, const struct tree *pattern,
                     const struct tree *value)
{
    const struct matcher *matcher = m->literal ? NULL : find_matcher(pattern);
    if (matcher)
        return matcher->match(m, at, pattern->first, value);
    bool codec = !m->literal && codec_is(pattern);
    if (!m->literal && !codec && has_dollar(pattern))
        return faulty(m, at, "%s is no matcher: an object with a $ key has only that key", tree_line(m, pattern));
    if (!value)
        return differ_values(m, at, pattern, value);
    bool scalar = value->type != TREE_ARRAY && value->type != TREE_OBJECT;
    if (m->datatype && (codec || pattern->type == TREE_ARRAY) && !scalar)
        return match_data(m, at, pattern, value);
    if (m->datatype && scalar && (codec || pattern->type != TREE_OBJECT) && pattern->type != TREE_ARRAY)
        return match_element(m, at, pattern, value);
    if (codec)
        return match_codec(m, at, pattern, value);
    if (pattern->type == TREE_OBJECT)
        return match_object(m, at, pattern, value);
    if (pattern->type == TREE_ARRAY)
        return match_list(m, at, pattern, value);
    return match_scalar(m, at, pattern, value);
}

/* --- The face
 * ------------------------------------------------------------------------------------------------------------ */

static bool match_whole(const struct tree *pattern, const struct tree *value, bool by_name, struct arena *arena,
                        struct str *why, struct str *name)
{
    struct str difference = {0}, fault = {0}, names = {0};
    const struct matching m = {
        .arena = arena, .why = why ? &difference : NULL, .fault = &fault, .names = &names, .outputs_by_name = by_name};
    const struct place root = {0};
    bool matches = match_at(&m, &root, pattern, value) && !fault.size;
    if (why)
        *why = matches ? (struct str){0} : fault.size ? fault : difference;
    if (name)
        *name = matches ? names : (struct str){0};
    return matches;
}

bool match(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why, struct str *name)
{
    return match_whole(pattern, value, true, arena, why, name);
}

bool match_in_order(const struct tree *pattern, const struct tree *value, struct arena *arena, struct str *why,
                    struct str *name)
{
    return match_whole(pattern, value, false, arena, why, name);
}

bool match_is_suite_fault(struct str why)
{
    return str_starts(why, STR("suite: "));
}

/* "200" and "201" are one class; gRPC codes are compared by name. */
static bool same_status(const struct tree *expected, const struct tree *value)
{
    const struct tree *a = tree_member(expected, "status"), *b = tree_member(value, "status");
    int64_t status_a, status_b;
    if (a && b && tree_to_int64(a, &status_a) && tree_to_int64(b, &status_b))
        return status_a / 100 == status_b / 100;
    a = tree_member(expected, "code");
    b = tree_member(value, "code");
    return a && b && tree_equal(a, b);
}

bool match_same(const struct tree *expected, const struct tree *value, struct arena *arena, struct str *why)
{
    static const char *const members[] = {"datatype", "shape", "data"};
    struct str difference = {0}, fault = {0};
    struct matching m = {.arena = arena, .why = &difference, .fault = &fault, .literal = true};
    const struct place root = {0}, list = {.parent = &root, .name = STR("outputs")};
    bool same = true;
    if (!same_status(expected, value)) {
        const struct tree *a = tree_member(expected, "status"), *b = tree_member(value, "status");
        same = differ(&m, &root, "expected the base's answer again (%s), got %s",
                      tree_line(&m, a ? a : tree_member(expected, "code")),
                      tree_line(&m, b ? b : tree_member(value, "code")));
    }
    const struct tree *model = tree_member(expected, "model_name"), *outputs = tree_member(expected, "outputs");
    const struct tree *received = tree_member(value, "outputs");
    if (same && model) {
        const struct place here = {.parent = &root, .name = STR("model_name")};
        same = match_at(&m, &here, model, tree_member(value, "model_name"));
    }
    if (same && outputs && outputs->type == TREE_ARRAY) {
        if (!received || received->type != TREE_ARRAY || received->count != outputs->count)
            same = differ_values(&m, &list, outputs, received);
        for (const struct tree *tensor = outputs->first; tensor && same; tensor = tensor->next) {
            size_t index;
            const struct tree *other = find_tensor(received, tree_text(tensor, "name"), &index);
            const struct place here = {.parent = &list, .index = index, .tensor = tree_text(tensor, "name")};
            if (!other)
                same = differ(&m, &list, "expected an output '%s' as in the base's answer, got %.*s",
                              str_printable(arena, here.tensor), STR_ARG(names_of(&m, received)));
            m.datatype = DATATYPE_NONE;
            for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && same; i++) {
                const struct tree *left = tree_member(tensor, members[i]);
                const struct place member = {.parent = &here, .name = str_of(members[i])};
                m.datatype = i == 2 ? datatype_from_name(tree_text(tensor, "datatype")) : DATATYPE_NONE;
                if (left)
                    same = match_at(&m, &member, left, tree_member(other, members[i]));
            }
        }
    }
    if (why)
        *why = same ? (struct str){0} : difference;
    return same;
}
