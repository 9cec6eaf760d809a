/* Which duties are switched off: how a deviation reaches code that does not know deviations.
 *
 * A duty is the key of a requirement: the profile under which a request is judged, a dot, and a slug
 * ("v2-rest.data-count"). Code names duties by their slug, because the profile comes with the request: so the core
 * serves every profile, and a duty of one profile may be off while another's of the same slug stands. A name with a dot
 * in it is a whole key. NULL means that every duty stands, and costs one comparison. */
#ifndef INFERENCE_SWITCHES_H
#define INFERENCE_SWITCHES_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

struct switches {
    const char *profile; /* under which the request is judged: "v2-rest" */
    const char **off;    /* whole keys, static storage */
    size_t count;
};

/* `switches` is not NULL. */
bool switched_off(const struct switches *switches, const char *duty) __attribute__((cold));

static inline bool duty_is_off(const struct switches *switches, const char *duty)
{
    return switches && switched_off(switches, duty);
}

/* The whole key of a duty, in the arena: "v2-rest.data-count" of the profile "v2-rest" and the slug "data-count". Null
 * data without memory. */
struct str whole_key(const char *profile, const char *duty, struct arena *arena);

#endif
