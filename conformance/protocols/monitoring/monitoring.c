#include "protocols/monitoring/monitoring.h"

#include "protocols/monitoring/exposition.h"

/* Adds to the answer what its metrics say: `metrics` (exposition.h). */
static void decode(struct answer_reading *reading, struct tree *tree)
{
    const struct answer *answer = reading->answer;
    if (answer->truncated || answer->status != 200 || !str_is(reading->request->method, "GET"))
        return;
    struct tree *metrics = exposition_read(answer->body, reading->arena);
    if (metrics)
        tree_add(tree, STR("metrics"), metrics);
    else
        reading_note(reading, "the metrics have more lines than are read");
}

const struct protocol monitoring = {
    .name = "monitoring",
    .inquiries = monitoring_inquiries,
    .decode = decode,
    .read = reflection_read,
};
