/* The duties that are switched off for a request. Deviations set them; other code reads them and need not know
 * deviations.
 *
 * A duty is the key of a requirement: the profile under which a request is judged, a dot, and a slug
 * ("v2-rest.data-count"). Code names a duty by its slug, because the profile comes with the request. So one piece of
 * code serves every profile, and a duty can be off for one profile while the duty of the same slug is on for another. A
 * name with a dot in it is a whole key. NULL means that no duty is off; to check this costs one comparison. */
#ifndef INFERENCE_SWITCHES_H
#define INFERENCE_SWITCHES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct switches {
    const char *profile; /* the profile under which the request is judged: "v2-rest" */
    const char **off;    /* whole keys, in static storage */
    size_t count;
};

/* `switches` must not be NULL. */
bool switched_off(const struct switches *switches, const char *duty) __attribute__((cold));

static inline bool duty_is_off(const struct switches *switches, const char *duty)
{
    return switches && switched_off(switches, duty);
}

/* Returns the whole key of a duty, in the arena: "v2-rest.data-count" for the profile "v2-rest" and the slug
 * "data-count". Without memory the result has null data. */
struct str whole_key(const char *profile, const char *duty, struct arena *arena);

#endif
