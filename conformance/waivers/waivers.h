/* Waivers: failures that the owner of a server knows, and excuses for a while. A file of waivers lets a CI be green
 * although some assertions fail, and red again as soon as anything else fails, or a waiver is no longer needed.
 *
 *     {"waivers": [{"requirement": "v2-rest.error-body", "observed": ["/json/error: expected a string, got nothing"],
 *                   "reason": "answers of the framework have no body", "owner": "Ann", "expires": "2027-03-31"}]}
 *
 * A waiver names an `assertion` by its ID, or one `requirement` by its key, and with `observed` what was seen: an
 * assertion that fails in another way still fails. In a string of `observed`, and in an ID before the `#`, `*` stands
 * for any bytes. With `"sometimes": true` the failure may also be absent.
 *
 * The folder waivers/ excuses results of a run. It uses judge/ and support/, and may not include report/ or
 * commands/. */
#pragma once

#include "judge/run.h"

#include <time.h>

#define WAIVER_DAYS     366 /* the longest time from today until a waiver expires */
#define WAIVER_OBSERVED 12  /* the least number of bytes, apart from `*`, of a string of `observed` */

struct waiver {
    struct str assertion, requirement; /* one of them is empty */
    const struct tree *observed;       /* a list of texts */
    struct str reason, owner, expires; /* "2027-03-31": the last day on which it holds */
    bool sometimes;
};

struct waivers {
    struct waiver *items;
    size_t count;
};

/* Reads the file. INVALID_ARGUMENT names the file, the waiver and what is wrong with its form; texts lie in the arena.
 * A path that is NULL gives no waivers. */
struct status waivers_read(const char *path, struct arena *arena, struct waivers *waivers);

/* Turns each result that fails or timed out, and that a waiver excuses, into WAIVED; `why` then says who waived it,
 * until when and why, and what was seen. Returns what is wrong with the waivers, joined by "; ": those that expired
 * before the day of `now`, those that are too broad, and the stale ones, whose assertions were judged and did not fail
 * in that way, or which name nothing that the suite has. They excuse all the same, so that the rest of the report shows
 * what else fails. Empty: nothing is wrong. */
struct str waivers_apply(const struct waivers *waivers, const struct suite *suite, const struct plan *plan, time_t now,
                         struct run *run);

/* Writes a waiver for each requirement that has a failure, with all that was observed. Reason and owner are empty, and
 * waivers_read refuses them so: a person has to fill them in. Each expires 90 days after `now`. */
void waivers_write(const struct run *run, time_t now, struct buf *out);
