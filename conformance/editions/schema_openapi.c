/* Reads an OpenAPI document: its operations with what they take and answer, and its schemas with their members. What a
 * type is written as follows schemas within schemas by one recursion. */
#include "editions/schema.h"

#include "base/buf.h"
#include "base/search.h"

#include <ctype.h>
#include <yaml.h>

/* --- YAML as a tree, by one recursion over the events of libyaml --- */

#define LEVELS_MAX 100 /* of nodes within nodes */

enum yaml_kind { YAML_TEXT, YAML_LIST, YAML_MAP };

struct yaml {
    enum yaml_kind kind;
    struct str text;    /* YAML_TEXT: of any scalar, as it was written */
    struct str name;    /* of the member of a map */
    struct yaml *first; /* elements, or members */
    struct yaml *next;
    size_t line; /* from 1 */
};

struct yaml_reading {
    yaml_parser_t parser;
    struct arena *arena;
    struct status status;
};

static bool fail(struct yaml_reading *reading, size_t line, const char *problem)
{
    if (is_ok(reading->status))
        reading->status = status_invalid(reading->arena, "line %zu: %s", line, problem);
    return false;
}

static bool take_event(struct yaml_reading *reading, yaml_event_t *event)
{
    if (yaml_parser_parse(&reading->parser, event))
        return true;
    const char *problem = reading->parser.problem;
    return fail(reading, reading->parser.problem_mark.line + 1, problem ? problem : "this is not YAML");
}

static struct yaml *node_of(struct yaml_reading *reading, const yaml_event_t *event, size_t depth);

/* Reads the elements or members up to the end of `node`. */
static bool read_parts(struct yaml_reading *reading, struct yaml *node, size_t depth)
{
    struct yaml **last = &node->first;
    yaml_event_type_t end = node->kind == YAML_MAP ? YAML_MAPPING_END_EVENT : YAML_SEQUENCE_END_EVENT;
    for (yaml_event_t event; take_event(reading, &event);) {
        struct str name = {0};
        size_t line = event.start_mark.line + 1;
        bool is_name = node->kind == YAML_MAP && event.type == YAML_SCALAR_EVENT;
        if (event.type == end) {
            yaml_event_delete(&event);
            return true;
        }
        if (is_name) {
            name = arena_copy(reading->arena,
                              (struct str){(const char *)event.data.scalar.value, event.data.scalar.length});
            yaml_event_delete(&event);
            if (!take_event(reading, &event))
                return false;
        } else if (node->kind == YAML_MAP) {
            yaml_event_delete(&event);
            return fail(reading, line, "the name of a member is no string");
        }
        *last = node_of(reading, &event, depth + 1);
        yaml_event_delete(&event);
        if (!*last)
            return false;
        (*last)->name = name;
        (*last)->line = line;
        last = &(*last)->next;
    }
    return false;
}

static struct yaml *node_of(struct yaml_reading *reading, const yaml_event_t *event, size_t depth)
{
    struct yaml *node = arena_new_of(reading->arena, struct yaml);
    size_t line = event->start_mark.line + 1;
    bool read = depth < LEVELS_MAX || fail(reading, line, "too many levels");
    *node = (struct yaml){.line = line};
    if (event->type == YAML_SCALAR_EVENT) {
        node->text =
            arena_copy(reading->arena, (struct str){(const char *)event->data.scalar.value, event->data.scalar.length});
    } else if (event->type == YAML_SEQUENCE_START_EVENT || event->type == YAML_MAPPING_START_EVENT) {
        node->kind = event->type == YAML_MAPPING_START_EVENT ? YAML_MAP : YAML_LIST;
        read = read && read_parts(reading, node, depth);
    } else {
        read = fail(reading, line, "an alias, which is not supported");
    }
    return read ? node : NULL;
}

/* Reads the first document of the text, by libyaml. INVALID_ARGUMENT says what is wrong in which line. Aliases are
 * refused, since a few of them can stand for more than any memory holds. */
static struct status yaml_read(struct str text, struct arena *arena, struct yaml **root)
{
    struct yaml_reading reading = {.arena = arena};
    *root = NULL;
    if (!yaml_parser_initialize(&reading.parser))
        return status_no_memory();
    yaml_parser_set_input_string(&reading.parser, (const unsigned char *)text.data, text.size);
    for (yaml_event_t event; !*root && take_event(&reading, &event);) {
        bool begins = event.type == YAML_STREAM_START_EVENT || event.type == YAML_DOCUMENT_START_EVENT;
        bool ends = event.type == YAML_STREAM_END_EVENT;
        if (!begins && !ends)
            *root = node_of(&reading, &event, 0);
        yaml_event_delete(&event);
        if (ends)
            fail(&reading, 1, "there is no document in it");
        if (!is_ok(reading.status))
            break;
    }
    yaml_parser_delete(&reading.parser);
    return reading.status;
}

/* Returns the member of a map; NULL if there is none, or if `map` is NULL or no map. */
static const struct yaml *yaml_member(const struct yaml *map, const char *name)
{
    return FIND_IN(member, map && map->kind == YAML_MAP ? map->first : NULL, str_is(member->name, name));
}

/* Returns the text of a member; empty if there is none, or no text. */
static struct str yaml_text(const struct yaml *map, const char *name)
{
    const struct yaml *member = yaml_member(map, name);
    return member && member->kind == YAML_TEXT ? member->text : STR("");
}

/* --- The document --- */

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
    FOR_EACH_IN(one, types->first) {
        if (one != types->first)
            buf_append_str(out, str_of(sign));
        append_type(one, depth + 1, out);
    }
}

static void append_limits(const struct yaml *type, struct buf *out)
{
    const struct yaml *choices = yaml_member(type, "enum");
    FOR_EACH_IN(one, choices ? choices->first : NULL)
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
    FOR_EACH_IN(one, schemas ? schemas->first : NULL) {
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
    FOR_EACH_IN(one, content ? content->first : NULL) {
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
    FOR_EACH_IN(one, answers ? answers->first : NULL)
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
        return status_invalid(arena, "line 1: this is not an OpenAPI document");
    FOR_EACH_IN(path, paths->first)
        FOR_EACH_IN(one, path->kind == YAML_MAP ? path->first : NULL)
            for (size_t i = 0; i < COUNT_OF(methods); i++)
                if (str_is(one->name, methods[i]))
                    add_operation(one, path->name, schema, arena);
    add_schemas(yaml_member(yaml_member(root, "components"), "schemas"), schema, arena);
    return STATUS_IS_OK;
}
