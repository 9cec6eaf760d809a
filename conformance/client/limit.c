#include "client/limit.h"

#include "client/transport.h"

#include <curl/curl.h>
#include <time.h>

#define STATUS_LIMITED 429
#define WAIT_MAX       30.0 /* seconds that one request may wait in all */
#define TRIES_MAX      100

/* Returns the seconds that Retry-After asks for: a number, or the time until a date. Without a readable one the pauses
 * grow: 1, 2, 4, ... */
static double pause_of(const struct limit *limit, const struct answer *answer, struct str *said)
{
    const struct header_list headers = {answer->headers, answer->header_count, answer->header_count};
    char text[64] = "";
    unsigned long long seconds;
    *said = header_value(&headers, "retry-after");
    if (said->size && str_to_uint64(*said, &seconds))
        return (double)seconds;
    if (said->size < sizeof text)
        memcpy(text, said->data ? said->data : "", said->size);
    time_t date = curl_getdate(text, NULL);
    if (date == (time_t)-1)
        return limit->tries < 16 ? (double)(1 << limit->tries) : WAIT_MAX + 1;
    double left = difftime(date, time(NULL));
    return left > 0 ? left : 0;
}

bool limit_asks_again(struct limit *limit, struct answer *answer, struct arena *arena)
{
    if (answer->outcome != OUTCOME_ANSWERED || answer->status != STATUS_LIMITED)
        return false;
    struct str said;
    double pause = pause_of(limit, answer, &said);
    if (limit->waited + pause > WAIT_MAX || limit->tries == TRIES_MAX) {
        answer->outcome = OUTCOME_LIMITED;
        answer->trouble = arena_printf(arena, "the target limits requests: 429%s%s, after %.0f s of waiting",
                                       said.size ? ", Retry-After: " : "", said.size ? str_printable(arena, said) : "",
                                       limit->waited);
        return false;
    }
    nanosleep(&(struct timespec){.tv_sec = (time_t)pause, .tv_nsec = (long)((pause - (double)(time_t)pause) * 1e9)},
              NULL);
    limit->waited += pause;
    limit->tries++;
    return true;
}
