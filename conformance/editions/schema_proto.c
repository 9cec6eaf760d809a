/* Reads a .proto file: its package, messages, fields, enums and services. Options, imports and comments mean nothing on
 * the wire and are read over. The file is read by one recursion, which follows messages within messages. */
#include "editions/schema.h"

#include "base/buf.h"

#include <ctype.h>
#include <string.h>

#define DEPTH_MAX 32 /* messages within messages */

struct reading {
    const char *at, *end;
    size_t line;
    struct str token; /* the current one; empty at the end of the file */
    struct schema *schema;
    struct arena *arena;
    struct status status;
};

static bool is_of_name(char byte)
{
    return isalnum((unsigned char)byte) || byte == '_' || byte == '.';
}

/* Moves behind blanks and comments. */
static void skip(struct reading *reading)
{
    while (reading->at < reading->end) {
        size_t left = (size_t)(reading->end - reading->at);
        const char *end = NULL;
        if (left > 1 && memcmp(reading->at, "//", 2) == 0)
            end = memchr(reading->at, '\n', left);
        else if (left > 1 && memcmp(reading->at, "/*", 2) == 0)
            end = memmem(reading->at + 2, left - 2, "*/", 2);
        else if (!isspace((unsigned char)*reading->at))
            return;
        else
            end = reading->at;
        end = end ? end : reading->end - 1;
        for (end += *end == '*'; reading->at <= end; reading->at++)
            reading->line += *reading->at == '\n';
    }
}

static void next(struct reading *reading)
{
    skip(reading);
    const char *begin = reading->at;
    if (begin < reading->end && (*begin == '"' || *begin == '\'')) {
        const char *end = memchr(begin + 1, *begin, (size_t)(reading->end - begin - 1));
        reading->at = end ? end + 1 : reading->end;
    } else if (begin < reading->end && is_of_name(*begin)) {
        while (reading->at < reading->end && is_of_name(*reading->at))
            reading->at++;
    } else if (begin < reading->end) {
        reading->at++;
    }
    reading->token = (struct str){begin, (size_t)(reading->at - begin)};
}

static bool is(const struct reading *reading, const char *token)
{
    return str_is(reading->token, token);
}

static bool fail(struct reading *reading, const char *expected)
{
    if (is_ok(reading->status))
        reading->status = status_error(
            reading->arena, STATUS_INVALID_ARGUMENT, "line %zu: expected %s, got '%s'", reading->line, expected,
            reading->token.size ? str_printable(reading->arena, reading->token) : "the end of the file");
    return false;
}

static bool take(struct reading *reading, const char *token)
{
    if (!is(reading, token))
        return fail(reading, token);
    next(reading);
    return true;
}

/* Reads a name, or anything that is no sign. */
static bool take_name(struct reading *reading, struct str *name)
{
    *name = reading->token;
    if (!name->size || !is_of_name(name->data[0]))
        return fail(reading, "a name");
    next(reading);
    return true;
}

/* Reads over the rest of a statement, with all brackets in it. */
static bool skip_statement(struct reading *reading)
{
    for (size_t depth = 0; reading->token.size; next(reading)) {
        depth += is(reading, "{") || is(reading, "[");
        depth -= (is(reading, "}") || is(reading, "]")) && depth > 0;
        if (depth == 0 && (is(reading, ";") || is(reading, "}"))) {
            next(reading);
            return true;
        }
    }
    return fail(reading, "';'");
}

static struct str inside(struct reading *reading, struct str place, struct str name)
{
    return place.size ? arena_printf(reading->arena, "%.*s.%.*s", STR_ARG(place), STR_ARG(name))
                      : arena_copy(reading->arena, name);
}

/* Reads the type of a field: a name, or map<KEY, VALUE>. */
static bool take_type(struct reading *reading, struct str *type)
{
    struct str key, value;
    if (!take_name(reading, type) || !str_is(*type, "map"))
        return is_ok(reading->status);
    if (!take(reading, "<") || !take_name(reading, &key) || !take(reading, ",") || !take_name(reading, &value) ||
        !take(reading, ">"))
        return false;
    *type = arena_printf(reading->arena, "map<%.*s, %.*s>", STR_ARG(key), STR_ARG(value));
    return true;
}

/* Reads "[repeated|optional] TYPE NAME = NUMBER [options];". */
static bool field(struct reading *reading, struct str message, struct str oneof)
{
    struct str label = {0}, type, name, number;
    size_t line = reading->line;
    if (is(reading, "repeated") || is(reading, "optional") || is(reading, "required")) {
        label = reading->token;
        next(reading);
    }
    if (!take_type(reading, &type) || !take_name(reading, &name) || !take(reading, "=") || !take_name(reading, &number))
        return false;
    struct buf what = {0};
    if (oneof.size)
        buf_printf(&what, "oneof %.*s: ", STR_ARG(oneof));
    buf_printf(&what, "%.*s%s%.*s = %.*s", STR_ARG(label), label.size ? " " : "", STR_ARG(type), STR_ARG(number));
    schema_add(reading->schema, inside(reading, message, name), arena_copy(reading->arena, buf_str(&what)), line,
               reading->arena);
    buf_free(&what);
    return skip_statement(reading);
}

static bool oneof(struct reading *reading, struct str message)
{
    struct str name;
    next(reading);
    if (!take_name(reading, &name) || !take(reading, "{"))
        return false;
    while (is_ok(reading->status) && !is(reading, "}"))
        if (is(reading, "option"))
            skip_statement(reading);
        else
            field(reading, message, name);
    return take(reading, "}");
}

static bool enumeration(struct reading *reading, struct str place)
{
    struct str name, value, number;
    next(reading);
    if (!take_name(reading, &name) || !take(reading, "{"))
        return false;
    place = inside(reading, place, name);
    while (is_ok(reading->status) && !is(reading, "}")) {
        size_t line = reading->line;
        if (is(reading, "option") || is(reading, "reserved")) {
            skip_statement(reading);
            continue;
        }
        bool is_negative = false;
        if (!take_name(reading, &value) || !take(reading, "="))
            return false;
        if (is(reading, "-")) {
            is_negative = true;
            next(reading);
        }
        if (!take_name(reading, &number))
            return false;
        schema_add(reading->schema, inside(reading, place, value),
                   arena_printf(reading->arena, "= %s%.*s", is_negative ? "-" : "", STR_ARG(number)), line,
                   reading->arena);
        skip_statement(reading);
    }
    return take(reading, "}");
}

static bool message(struct reading *reading, struct str place, size_t depth)
{
    struct str name;
    size_t line = reading->line;
    next(reading);
    if (depth == DEPTH_MAX)
        return fail(reading, "fewer messages within messages");
    if (!take_name(reading, &name) || !take(reading, "{"))
        return false;
    place = inside(reading, place, name);
    schema_add(reading->schema, place, STR("message"), line, reading->arena);
    while (is_ok(reading->status) && !is(reading, "}"))
        if (is(reading, "message"))
            message(reading, place, depth + 1);
        else if (is(reading, "enum"))
            enumeration(reading, place);
        else if (is(reading, "oneof"))
            oneof(reading, place);
        else if (is(reading, "option") || is(reading, "reserved") || is(reading, "extensions") || is(reading, ";"))
            skip_statement(reading);
        else
            field(reading, place, STR(""));
    return take(reading, "}");
}

/* Reads "(TYPE)" or "(stream TYPE)". */
static bool take_message(struct reading *reading, struct str *type)
{
    bool streams;
    if (!take(reading, "("))
        return false;
    streams = is(reading, "stream");
    if (streams)
        next(reading);
    if (!take_name(reading, type) || !take(reading, ")"))
        return false;
    if (streams)
        *type = arena_printf(reading->arena, "stream %.*s", STR_ARG(*type));
    return true;
}

static bool service(struct reading *reading)
{
    struct str place, name, request, response;
    next(reading);
    if (!take_name(reading, &place) || !take(reading, "{"))
        return false;
    while (is_ok(reading->status) && !is(reading, "}")) {
        size_t line = reading->line;
        if (!is(reading, "rpc")) {
            skip_statement(reading);
            continue;
        }
        next(reading);
        if (!take_name(reading, &name) || !take_message(reading, &request) || !take(reading, "returns") ||
            !take_message(reading, &response))
            return false;
        schema_add(reading->schema, inside(reading, place, name),
                   arena_printf(reading->arena, "(%.*s) returns (%.*s)", STR_ARG(request), STR_ARG(response)), line,
                   reading->arena);
        if (is(reading, "{") || is(reading, ";"))
            skip_statement(reading);
    }
    return take(reading, "}");
}

static void package(struct reading *reading)
{
    struct str name;
    size_t line = reading->line;
    next(reading);
    if (take_name(reading, &name))
        schema_add(reading->schema, STR("package"), arena_copy(reading->arena, name), line, reading->arena);
    if (is_ok(reading->status))
        skip_statement(reading);
}

struct status schema_of_proto(struct str text, struct arena *arena, struct schema *schema)
{
    struct reading reading = {
        .at = text.data, .end = text.data + text.size, .line = 1, .schema = schema, .arena = arena};
    *schema = (struct schema){0};
    next(&reading);
    while (is_ok(reading.status) && reading.token.size)
        if (is(&reading, "package"))
            package(&reading);
        else if (is(&reading, "message"))
            message(&reading, STR(""), 0);
        else if (is(&reading, "enum"))
            enumeration(&reading, STR(""));
        else if (is(&reading, "service"))
            service(&reading);
        else
            skip_statement(&reading);
    return reading.status;
}
