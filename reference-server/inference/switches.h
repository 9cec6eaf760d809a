/* Which duties are switched off: how a deviation reaches code that does not know deviations.
 *
 * A duty is a slug ("data-count"); the folder that decoded a request gives the core the slugs of its own profile that
 * are off for this request. NULL means that every duty stands, and costs one comparison. */
#ifndef INFERENCE_SWITCHES_H
#define INFERENCE_SWITCHES_H

#include <stdbool.h>
#include <stddef.h>

struct switches {
    const char **off; /* slugs, static storage */
    size_t count;
};

/* `switches` is not NULL. */
bool switched_off(const struct switches *switches, const char *slug) __attribute__((cold));

static inline bool duty_is_off(const struct switches *switches, const char *slug)
{
    return switches && switched_off(switches, slug);
}

#endif
