/* Server-sent events: a body of text/event-stream, read as WHATWG's HTML has it ("Server-sent events", 9.2.6). */
#pragma once

#include "base/arena.h"
#include "base/status.h"
#include "tree/tree.h"

#define EVENTS_MAX       10000   /* events of one body that are read */
#define EVENTS_NODES_MAX 1000000 /* values of JSON in one body that are read */

/* Returns the events of the text, in the arena: a list of {"event": its type, "message" if it says none, "data": its
 * lines, "json": its data if that is JSON, "id": the last id, if there was one}. An event without data, or without the
 * blank line at its end, is none. RESOURCE_EXHAUSTED: there are more than are read. */
struct status events_parse(struct str text, struct arena *arena, struct tree **events);
