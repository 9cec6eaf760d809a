#include "notation/events.h"

struct events_reading {
    struct arena *arena;
    struct tree *events;
    struct buf data;     /* the lines of the event so far, each with a line feed after it */
    struct str type, id; /* of the event so far; the last id stays */
    size_t nodes_room;   /* values of JSON that may still be read */
    bool is_too_long;
};

/* Takes the next line from the text; it ends at CR, LF or CRLF. False: no line ends any more. */
static bool next_line(struct str *text, struct str *line)
{
    size_t size = str_until(*text, "\r\n").size;
    if (size == text->size)
        return false;
    bool both = text->data[size] == '\r' && size + 1 < text->size && text->data[size + 1] == '\n';
    *line = (struct str){text->data, size};
    *text = str_from(*text, size + 1 + both);
    return true;
}

static void dispatch(struct events_reading *reading)
{
    struct arena *arena = reading->arena;
    if (reading->data.size > 0) {
        struct str data = arena_copy(arena, (struct str){reading->data.data, reading->data.size - 1});
        struct tree *event = tree_new(arena, TREE_OBJECT), *json = NULL;
        size_t nodes = tree_most_nodes(data);
        reading->is_too_long = reading->events->count == EVENTS_MAX || nodes > reading->nodes_room;
        if (reading->is_too_long)
            return;
        reading->nodes_room -= nodes;
        tree_add(event, STR("event"), tree_string(arena, reading->type.size ? reading->type : STR("message")));
        tree_add(event, STR("data"), tree_string(arena, data));
        if (is_ok(tree_parse(data, arena, &json)))
            tree_add(event, STR("json"), json);
        if (reading->id.size)
            tree_add(event, STR("id"), tree_string(arena, reading->id));
        tree_append(reading->events, event);
    }
    reading->data.size = 0;
    reading->type = (struct str){0};
}

static void read_field(struct events_reading *reading, struct str name, struct str value)
{
    if (str_is(name, "data")) {
        buf_append_str(&reading->data, value);
        buf_append_byte(&reading->data, '\n');
    } else if (str_is(name, "event")) {
        reading->type = value;
    } else if (str_is(name, "id") && !str_has(value, '\0')) {
        reading->id = value;
    }
}

static void read_line(struct events_reading *reading, struct str line)
{
    struct str value = line, name = str_take(&value, ':');
    if (str_starts(value, STR(" ")))
        value = str_from(value, 1);
    if (line.size == 0)
        dispatch(reading);
    else if (name.size > 0) /* a line that begins with a colon is a comment */
        read_field(reading, name, value);
}

struct status events_parse(struct str text, struct arena *arena, struct tree **events)
{
    struct events_reading reading = {
        .arena = arena, .events = tree_new(arena, TREE_ARRAY), .nodes_room = EVENTS_NODES_MAX};
    struct str line;
    if (str_starts(text, STR("\xef\xbb\xbf")))
        text = str_from(text, 3);
    while (!reading.is_too_long && next_line(&text, &line))
        read_line(&reading, line);
    buf_free(&reading.data);
    *events = reading.events;
    if (reading.is_too_long)
        return status_error(arena, STATUS_RESOURCE_EXHAUSTED, "there are more events than are read");
    return STATUS_IS_OK;
}
