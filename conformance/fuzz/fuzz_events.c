/* Reads any bytes as server-sent events. Each event has a type and data, and what was read can be written. */
#include "notation/events.h"
#include "support/memory.h"

#include <stdint.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
    struct arena arena = memory_arena();
    struct tree *events = NULL;
    struct status status = events_parse((struct str){(const char *)bytes, size}, &arena, &events);
    struct buf written = {0};
    if (!is_ok(status) && status.code != STATUS_RESOURCE_EXHAUSTED)
        abort();
    for (const struct tree *event = events->first; event; event = event->next)
        if (!tree_text(event, "event").size || !tree_member(event, "data"))
            abort();
    tree_write(events, &written);
    if (written.failed || events->count > EVENTS_MAX)
        abort();
    buf_free(&written);
    arena_free(&arena);
    return 0;
}
