/* Reads an OpenAPI document: its operations with what they take and answer, and its schemas with their members. What a
 * type is written as follows schemas within schemas by one recursion. */
#include "editions/schema.h"

#include "base/buf.h"
#include "base/count.h"
#include "base/search.h"
#include "editions/yaml.h"

#include <ctype.h>

#define DEPTH_MAX 20 /* of types within types, and members within members */

static const char *const methods[] = {"get", "put", "post", "delete", "options", "head", "patch", "trace"};

/* What limits a value, in the order in which it is written. */
static const char *const limits[] = {"format",           "default",          "minimum",   "maximum",
                                     "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
                                     "minItems",         "maxItems",         "pattern",   "nullable"};

static void append_type(const struct yaml *type, size_t depth, struct buf *out);

/* Appends the types of a list, with a sign between them. */
static void append_types(const struct yaml *types, const char *sign, size_t depth, struct buf *out)
{
    for (const struct yaml *one = types->first; one; one = one->next) {
        if (one != types->first)
            buf_append_str(out, str_of(sign));
        append_type(one, depth + 1, out);
    }
}

static void append_limits(const struct yaml *type, struct buf *out)
{
    const struct yaml *choices = yaml_member(type, "enum");
    for (const struct yaml *one = choices ? choices->first : NULL; one; one = one->next)
        buf_printf(out, "%s%.*s", one == choices->first ? ", one of " : " ", STR_ARG(one->text));
    for (size_t i = 0; i < COUNT_OF(limits); i++) {
        struct str limit = yaml_text(type, limits[i]);
        if (limit.size)
            buf_printf(out, ", %s %.*s", limits[i], STR_ARG(limit));
    }
}

static void append_type(const struct yaml *type, size_t depth, struct buf *out)
{
    static const struct {
        const char *name, *sign;
    } unions[] = {{"anyOf", " | "}, {"oneOf", " | "}, {"allOf", " & "}};
    struct str reference = yaml_text(type, "$ref"), name = yaml_text(type, "type");
    const struct yaml *items = yaml_member(type, "items"), *more = yaml_member(type, "additionalProperties");
    if (depth > DEPTH_MAX)
        return;
    if (reference.size)
        buf_append_str(out, str_behind_last(reference, '/'));
    for (size_t i = 0; i < COUNT_OF(unions); i++)
        if (yaml_member(type, unions[i].name))
            append_types(yaml_member(type, unions[i].name), unions[i].sign, depth, out);
    if (items) {
        buf_append_byte(out, '[');
        append_type(items, depth + 1, out);
        buf_append_byte(out, ']');
    } else if (more && more->kind == YAML_MAP && more->first) {
        buf_append_literal(out, "map of ");
        append_type(more, depth + 1, out);
    } else {
        buf_append_str(out, name);
    }
    append_limits(type, out);
}

static bool has(const struct yaml *list, struct str name)
{
    return ANY_IN(one, list && list->kind == YAML_LIST ? list->first : NULL, str_equal(one->text, name));
}

static void add_unit(struct schema *schema, struct str at, const struct buf *is, size_t line, struct arena *arena)
{
    schema_add(schema, at, arena_copy(arena, buf_str(is)), line, arena);
}

static void add_properties(const struct yaml *type, struct str place, size_t depth, struct schema *schema,
                           struct arena *arena)
{
    const struct yaml *properties = yaml_member(type, "properties"), *required = yaml_member(type, "required");
    for (const struct yaml *one = properties ? properties->first : NULL; one && depth < DEPTH_MAX; one = one->next) {
        struct str at = arena_printf(arena, "%.*s.%.*s", STR_ARG(place), STR_ARG(one->name));
        struct buf is = {0};
        if (has(required, one->name))
            buf_append_literal(&is, "required ");
        append_type(one, 0, &is);
        add_unit(schema, at, &is, one->line, arena);
        buf_free(&is);
        add_properties(one, at, depth + 1, schema, arena);
    }
}

static void add_schemas(const struct yaml *schemas, struct schema *schema, struct arena *arena)
{
    for (const struct yaml *one = schemas ? schemas->first : NULL; one; one = one->next) {
        struct buf is = {0};
        append_type(one, 0, &is);
        add_unit(schema, one->name, &is, one->line, arena);
        buf_free(&is);
        add_properties(one, one->name, 0, schema, arena);
    }
}

/* Adds what a body is: each media type with its schema. */
static void add_body(const struct yaml *body, struct str at, struct schema *schema, struct arena *arena)
{
    const struct yaml *content = yaml_member(body, "content");
    struct buf is = {0};
    for (const struct yaml *one = content ? content->first : NULL; one; one = one->next) {
        buf_printf(&is, "%s%.*s ", is.size ? ", " : "", STR_ARG(one->name));
        append_type(yaml_member(one, "schema"), 0, &is);
    }
    if (!is.size)
        buf_append_literal(&is, "no body");
    add_unit(schema, at, &is, body->line, arena);
    buf_free(&is);
}

static void add_operation(const struct yaml *operation, struct str path, struct schema *schema, struct arena *arena)
{
    struct buf method = {0};
    for (size_t i = 0; i < operation->name.size; i++)
        buf_append_byte(&method, (char)toupper((unsigned char)operation->name.data[i]));
    struct str at = arena_printf(arena, "%.*s %.*s", STR_ARG(buf_str(&method)), STR_ARG(path));
    const struct yaml *request = yaml_member(operation, "requestBody"), *answers = yaml_member(operation, "responses");
    buf_free(&method);
    schema_add(schema, at, STR("operation"), operation->line, arena);
    if (request)
        add_body(request, arena_printf(arena, "%.*s request", STR_ARG(at)), schema, arena);
    for (const struct yaml *one = answers ? answers->first : NULL; one; one = one->next)
        add_body(one, arena_printf(arena, "%.*s %.*s", STR_ARG(at), STR_ARG(one->name)), schema, arena);
}

struct status schema_of_openapi(struct str text, struct arena *arena, struct schema *schema)
{
    struct yaml *root;
    struct status status = yaml_read(text, arena, &root);
    *schema = (struct schema){0};
    if (!is_ok(status))
        return status;
    const struct yaml *paths = yaml_member(root, "paths");
    if (!yaml_text(root, "openapi").size || !paths)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "line 1: this is not an OpenAPI document");
    for (const struct yaml *path = paths->first; path; path = path->next)
        for (const struct yaml *one = path->kind == YAML_MAP ? path->first : NULL; one; one = one->next)
            for (size_t i = 0; i < COUNT_OF(methods); i++)
                if (str_is(one->name, methods[i]))
                    add_operation(one, path->name, schema, arena);
    add_schemas(yaml_member(yaml_member(root, "components"), "schemas"), schema, arena);
    return STATUS_IS_OK;
}
