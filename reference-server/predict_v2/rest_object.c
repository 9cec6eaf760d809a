/* Reads the objects of an inference request by the tables that describe them, and writes the messages of refusals. */
#include "base/search.h"
#include "predict_v2/rest_decode.h"

#include <stdlib.h>

/* --- Refusals --- */

static const char *const type_names[] = {
    [JSON_NONE] = "nothing",    [JSON_NULL] = "null",      [JSON_BOOL] = "a boolean",   [JSON_NUMBER] = "a number",
    [JSON_STRING] = "a string", [JSON_ARRAY] = "an array", [JSON_OBJECT] = "an object",
};

const char *type_name(enum json_type type)
{
    return type_names[type];
}

const char *place(const struct decode *decode)
{
    if (!decode->list)
        return "the request";
    const char *text = arena_printf(decode->arena, "%s[%zu]", decode->list, decode->index).data;
    return text ? text : decode->list;
}

bool refuse(struct decode *decode, const char *slug, const char *format, ...)
{
    va_list arguments;
    if (!is_ok(decode->status) || json_failed(decode->json))
        return false;
    va_start(arguments, format);
    struct str message = arena_vprintf(decode->arena, format, arguments);
    va_end(arguments);
    decode->status = message.data ? (struct status){STATUS_INVALID_ARGUMENT, message, slug} : status_no_memory();
    return false;
}

bool no_memory(struct decode *decode)
{
    decode->status = status_no_memory();
    return false;
}

bool read_text(struct decode *decode, void *text)
{
    return json_read_string(decode->json, text);
}

/* --- Objects --- */

void *grow_list(struct decode *decode, void *list, size_t count, size_t size)
{
    void *more = arena_room(list, count, size, decode->arena);
    if (!more)
        no_memory(decode);
    return more;
}

#define NAMES_MAX   65536 /* in one object; only an attack on the memory needs more */
#define NAMES_CHECK 1024

/* If there are many names, they are also compared whenever their number is a power of two, so that one name that is
 * repeated without end is refused before it fills the memory. */
bool add_name(struct decode *decode, struct names *names, struct str name)
{
    names->list = grow_list(decode, names->list, names->count, sizeof(*names->list));
    if (!names->list)
        return false;
    if (names->count == NAMES_MAX) {
        decode->status = status_error(decode->arena, STATUS_RESOURCE_EXHAUSTED, "%s has more than %d members",
                                      place(decode), NAMES_MAX);
        return false;
    }
    names->list[names->count++] = name;
    bool is_checked = names->count >= NAMES_CHECK && (names->count & (names->count - 1)) == 0;
    return !is_checked || names_differ(decode, names);
}

static int compare_names(const void *a, const void *b)
{
    return str_compare(*(const struct str *)a, *(const struct str *)b);
}

static bool given_twice(struct decode *decode, struct str name)
{
    return refuse(decode, "member-once", "%s has the member \"%s\" twice", place(decode),
                  str_printable(decode->arena, name));
}

bool names_differ(struct decode *decode, struct names *names)
{
    if (names->count < 2)
        return true;
    qsort(names->list, names->count, sizeof(*names->list), compare_names);
    for (size_t i = 1; i < names->count; i++)
        if (str_equal(names->list[i - 1], names->list[i]))
            return given_twice(decode, names->list[i]);
    return true;
}

static bool read_member(struct decode *decode, const struct member *member, void *target, bool *seen)
{
    enum json_type type = json_type(decode->json);
    if (type == member->type) {
        *seen = true;
        return member->read(decode, (char *)target + member->place);
    }
    if (type == JSON_NULL && !member->required) /* v2-rest.null-optional: null counts as absent */
        return json_skip(decode->json, NULL);
    return json_skip(decode->json, NULL) &&
           refuse(decode, member->mistyped, "%s: \"%s\" must be %s, not %s", place(decode), member->name.data,
                  type_name(member->type), type_name(type));
}

/* Sets seen[i] if the object has the member of row i. v2-rest.member-once v2-rest.unknown-member */
static bool read_members(struct decode *decode, const struct member *table, size_t count, void *target, bool *seen)
{
    struct names others = {0};
    struct str name;
    json_enter_object(decode->json);
    while (json_next_member(decode->json, &name)) {
        const struct member *member = FIND(table, i, count, str_equal(table[i].name, name));
        if (!member) {
            if (!add_name(decode, &others, name) || !json_skip(decode->json, NULL))
                return false;
            continue;
        }
        bool *this_one = &seen[member - table];
        if (*this_one)
            return given_twice(decode, name);
        if (!read_member(decode, member, target, this_one))
            return false;
    }
    return goes_on(decode) && names_differ(decode, &others);
}

static bool all_required(struct decode *decode, const struct member *table, size_t count, const void *target,
                         const bool *seen)
{
    for (size_t i = 0; i < count; i++)
        if (table[i].required && !seen[i] && !(table[i].given_otherwise && table[i].given_otherwise(decode, target)))
            return refuse(decode, table[i].required, "%s has no \"%s\"", place(decode), table[i].name.data);
    return true;
}

#define MEMBERS_MAX 8

bool read_object(struct decode *decode, const struct member *table, size_t count, void *target)
{
    bool seen[MEMBERS_MAX] = {false};
    return read_members(decode, table, count, target, seen) && all_required(decode, table, count, target, seen);
}

bool read_objects(struct decode *decode, const char *list, const char *not_object, bool (*read)(struct decode *decode))
{
    decode->list = list;
    json_enter_array(decode->json);
    for (decode->index = 0; json_next_element(decode->json); decode->index++) {
        enum json_type type = json_type(decode->json);
        if (type != JSON_OBJECT)
            return json_skip(decode->json, NULL) &&
                   refuse(decode, not_object, "%s must be an object, not %s", place(decode), type_name(type));
        if (!read(decode))
            return false;
    }
    decode->list = NULL;
    return true;
}
