/* Whether an exchange that did not pass is judged so again: alone, or only behind others on its connection. */
#pragma once

#include "judge/exchange.h"
#include "judge/play_options.h"

/* What it takes to have an exchange judged once more as it was. */
struct retry {
    bool by_curl;                     /* its request alone, as a curl command sends it */
    const struct play *const *before; /* else these plays must be sent before it, over the same connection */
    size_t before_count;
};

/* Finds that out for an exchange that did not pass and that is all of its play: asks again over new connections, first
 * alone, then behind more and more of those that went before it. If nothing helps, and where it must not be asked
 * again, it is by_curl. `base` and `results` as for exchange_judge. */
struct retry retry_find(const struct play_options *options, const struct play *play, const struct tree *base,
                        const struct exchange *exchange, const struct result *results);
