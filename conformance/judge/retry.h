/* Finds out whether an exchange that did not pass fails again: alone, or only after others on its connection. */
#pragma once

#include "judge/exchange.h"
#include "judge/play_options.h"

/* What must be sent so that an exchange fails again in the same way. */
struct retry {
    bool by_curl;                     /* its request alone is enough, as curl sends it */
    const struct play *const *before; /* otherwise these plays must be sent before it, over the same connection */
    size_t before_count;
};

/* Finds that out for an exchange that did not pass and that is its whole play. It repeats the request over new
 * connections, first alone, then after more and more of the plays that preceded it. If it never fails again, or must
 * not be repeated, the result is by_curl. `base` and `results` as for exchange_judge. */
struct retry retry_find(const struct play_options *options, const struct play *play, const struct tree *base,
                        const struct exchange *exchange, const struct result *results);
