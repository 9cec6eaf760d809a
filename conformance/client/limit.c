#include "client/limit.h"

#include "base/status.h"
#include "support/complain.h"

#include <curl/curl.h>
#include <stdatomic.h>
#include <time.h>

#define STATUS_LIMITED 429
#define STATUS_BUSY    503
#define WAIT_MAX       30.0 /* seconds that one request may wait in all */
#define BUSY_MAX       5.0  /* the same for 503 */
#define TRIES_MAX      100
#define PRINTED_FROM   1.0 /* seconds: a pause so long is told */

static const char pushback[] = "grpc-retry-pushback-ms", retry_after[] = "Retry-After";

/* Returns what the target says about how long to wait, and in which field. The first one is that of gRPC's retries: if
 * it is no number, such as -1, the call must not be sent again, and the answer is what it is. */
static struct str asked_pause(const struct header_list *fields, const char **name)
{
    struct str said = header_value(fields, *name = pushback);
    if (said.size)
        return str_is_digits(said) ? said : (struct str){0};
    return header_value(fields, *name = retry_after);
}

/* Whether the answer says that the target limits requests. Only 429 always does: of the others, those that say how long
 * it lasts. RESOURCE_EXHAUSTED is also the answer to a message that is too large, and UNAVAILABLE and 503 to many
 * things. */
static bool is_limited(const struct answer *answer, const struct header_list *fields)
{
    bool may_be = answer->code == STATUS_RESOURCE_EXHAUSTED || answer->code == STATUS_UNAVAILABLE ||
                  answer->status == STATUS_BUSY;
    const char *name;
    return answer->status == STATUS_LIMITED || (may_be && asked_pause(fields, &name).size);
}

/* Returns the seconds that a field asks for: a number, or the time until a date. Without a readable one the pauses
 * grow: 1, 2, 4, ... A number that is too large to be one is longer than any wait. */
static double pause_of(const struct limit *limit, const struct header_list *fields, const char **name, struct str *said)
{
    char text[64] = "";
    unsigned long long number;
    *said = asked_pause(fields, name);
    bool is_number = said->size && str_digits_to_uint64(*said, &number);
    if (!is_number && str_is_digits(*said))
        return WAIT_MAX + 1;
    if (is_number)
        return *name == pushback ? (double)number / 1000 : (double)number;
    if (said->size < sizeof text)
        memcpy(text, said->data ? said->data : "", said->size);
    time_t date = curl_getdate(text, NULL);
    if (date == (time_t)-1)
        return limit->tries < 16 ? (double)(1 << limit->tries) : WAIT_MAX + 1;
    double left = difftime(date, time(NULL));
    return left > 0 ? left : 0;
}

static const char *status_of(const struct answer *answer, struct arena *arena)
{
    return answer->code ? status_code_name((enum status_code)answer->code)
                        : arena_printf(arena, "%d", answer->status).data;
}

/* Tells once that the judge waits, so that a person knows why nothing seems to happen. Nothing that the target says is
 * printed, since that may be a secret that was sent to it. */
static void print_pause(double pause, const char *status, struct arena *arena)
{
    static atomic_flag is_printed = ATOMIC_FLAG_INIT;
    if (pause >= PRINTED_FROM && !atomic_flag_test_and_set(&is_printed))
        complain(arena_printf(arena, "the target asks for a pause (%s); the judge waits %.0f s and asks again", status,
                              pause));
}

/* The fields that may say how long to wait. */
static const struct header_list *fields_of(const struct answer *answer)
{
    return answer->code ? &answer->trailers : &answer->headers;
}

bool limit_is_reached(const struct answer *answer)
{
    return is_limited(answer, fields_of(answer));
}

bool limit_asks_again(struct limit *limit, struct answer *answer, struct arena *arena)
{
    const struct header_list *fields = fields_of(answer);
    bool is_busy = answer->status == STATUS_BUSY; /* or it is not ready: if that lasts, it is the answer */
    if (answer->outcome != OUTCOME_ANSWERED || !is_limited(answer, fields) || (is_busy && limit->busy_lasts))
        return false;
    struct str said;
    const char *name;
    double pause = pause_of(limit, fields, &name, &said);
    const char *status = status_of(answer, arena);
    if (limit->waited + pause > (is_busy ? BUSY_MAX : WAIT_MAX) || limit->tries == TRIES_MAX) {
        if (is_busy) {
            limit->busy_lasts = true;
            return false;
        }
        answer->outcome = OUTCOME_LIMITED;
        answer->trouble = arena_printf(arena, "the target limits requests: %s%s%s%s%s, after %.0f s of waiting", status,
                                       said.size ? ", " : "", said.size ? name : "", said.size ? ": " : "",
                                       said.size ? str_printable(arena, said) : "", limit->waited);
        return false;
    }
    print_pause(pause, status, arena);
    nanosleep(&(struct timespec){.tv_sec = (time_t)pause, .tv_nsec = (long)((pause - (double)(time_t)pause) * 1e9)},
              NULL);
    limit->waited += pause;
    limit->tries++;
    return true;
}
