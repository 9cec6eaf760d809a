/* The tree is built by one recursion over the events of libyaml. */
#include "editions/yaml.h"

#include "base/search.h"
#include <yaml.h>

#define DEPTH_MAX 100

struct yaml_reading {
    yaml_parser_t parser;
    struct arena *arena;
    struct status status;
};

static bool fail(struct yaml_reading *reading, size_t line, const char *problem)
{
    if (is_ok(reading->status))
        reading->status = status_error(reading->arena, STATUS_INVALID_ARGUMENT, "line %zu: %s", line, problem);
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
    bool read = depth < DEPTH_MAX || fail(reading, line, "too many levels");
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

struct status yaml_read(struct str text, struct arena *arena, struct yaml **root)
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

const struct yaml *yaml_member(const struct yaml *map, const char *name)
{
    return FIND_IN(member, map && map->kind == YAML_MAP ? map->first : NULL, str_is(member->name, name));
}

struct str yaml_text(const struct yaml *map, const char *name)
{
    const struct yaml *member = yaml_member(map, name);
    return member && member->kind == YAML_TEXT ? member->text : STR("");
}
