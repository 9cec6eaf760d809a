#include "commands/spec/spec.h"

#include "base/search.h"
#include "commands/past_run.h"
#include "support/expression.h"

#define LINES_MAX 90 /* in the short form */

/* What an edition does to a requirement. One on several sentences is gone if all are, so that comes last. */
enum effect { EFFECT_WEAKER, EFFECT_STRONGER, EFFECT_OTHER, EFFECT_GONE };

/* A requirement that the edition touches. */
struct touched {
    const struct requirement *row;
    enum effect effect;
    struct str now;        /* the words that have the effect; empty if they are gone */
    bool changes_verdicts; /* of a server at least */
};

static const char *const effects[] = {
    [EFFECT_WEAKER] = "would no longer be a MUST",
    [EFFECT_STRONGER] = "would be a MUST",
    [EFFECT_OTHER] = "would be worded differently: a person must decide whether it demands the same",
    [EFFECT_GONE] = "would be gone",
};

/* What becomes of a server, by how it stands. */
static const char *const consequences[][STANDS] = {
    [EFFECT_WEAKER] = {"excused", "excused", "kept", "kept", "unknown"},
    [EFFECT_STRONGER] = {"broken already", "broken already", "newly broken", "kept", "unknown"},
    [EFFECT_OTHER] = {"broken today", "broken and waived today", "warned today", "kept today", "unknown"},
    [EFFECT_GONE] = {"excused", "excused", "excused", "kept", "unknown"},
};

/* Whether a server that stands so is newly broken or excused. */
static const bool changes[][STANDS] = {
    [EFFECT_WEAKER] = {[STAND_FAILS] = true, [STAND_WAIVED] = true},
    [EFFECT_STRONGER] = {[STAND_WARNS] = true},
    [EFFECT_OTHER] = {false},
    [EFFECT_GONE] = {[STAND_FAILS] = true, [STAND_WAIVED] = true, [STAND_WARNS] = true},
};

/* --- Demands --- */

/* Each is found where it stands alone, in any case of letters. */
#define MUSTS STR("(?i)(^|[^a-z0-9])(must|shall|required)([^a-z0-9]|$)")
#define LESS  STR("(?i)(^|[^a-z0-9])(should|may|can|could|recommended|optional|optionally)([^a-z0-9]|$)")

/* Whether one of the words stands among those that are marked as new. */
static bool has_new_word(struct str now, struct str words)
{
    bool has = false;
    for (const char *at = now.data, *end = now.data + now.size; at < end && !has;) {
        const char *opens = memmem(at, (size_t)(end - at), "{+", 2);
        const char *closes = opens ? memmem(opens, (size_t)(end - opens), "+}", 2) : NULL;
        has = closes && expression_meets(words, (struct str){opens + 2, (size_t)(closes - opens - 2)});
        at = closes ? closes : end;
    }
    return has;
}

static enum effect effect_of(const struct spec_finding *finding, const struct requirement *row)
{
    if (finding->group == SPEC_LOST)
        return finding->beside.size ? EFFECT_OTHER : EFFECT_GONE;
    if (row->level == LEVEL_MUST && !expression_meets(MUSTS, finding->now) && has_new_word(finding->now, LESS))
        return EFFECT_WEAKER;
    return row->level != LEVEL_MUST && has_new_word(finding->now, MUSTS) ? EFFECT_STRONGER : EFFECT_OTHER;
}

/* --- What is touched --- */

static enum stand stand_of(const struct past_run *server, const struct requirement *row)
{
    const struct past_row *past = past_run_row(server, row->key);
    return past ? past->stand : STAND_UNKNOWN;
}

static struct touched *find_touched(struct touched *all, size_t *count, const struct requirement *row)
{
    for (size_t i = 0; i < *count; i++)
        if (all[i].row == row)
            return &all[i];
    all[*count] = (struct touched){.row = row, .effect = EFFECT_GONE};
    return &all[(*count)++];
}

/* Returns each requirement that the findings touch, once. */
static struct touched *collect(const struct spec_findings *findings, const struct past_run *servers,
                               size_t server_count, struct arena *arena, size_t *count)
{
    size_t most = SUM(i, findings->count, findings->items[i].row_count);
    struct touched *all = arena_alloc_zero(arena, most + 1, sizeof *all);
    FOR_EACH(finding, findings->items, findings->count) {
        bool is_touched = finding->group == SPEC_CHANGED || finding->group == SPEC_LOST;
        for (size_t r = 0; r < finding->row_count && is_touched; r++) {
            struct touched *touched = find_touched(all, count, finding->rows[r]);
            enum effect effect = effect_of(finding, touched->row);
            if (effect < touched->effect) {
                touched->effect = effect;
                touched->now = finding->now;
            }
        }
    }
    for (size_t i = 0; i < *count; i++)
        for (size_t s = 0; s < server_count; s++)
            all[i].changes_verdicts |= changes[all[i].effect][stand_of(&servers[s], all[i].row)];
    return all;
}

/* The order of the report: what changes the verdict on a server, then what a person must decide, then the rest. */
static int rank_of(const struct touched *touched)
{
    return touched->changes_verdicts ? 0 : touched->effect == EFFECT_OTHER ? 1 : 2;
}

/* --- The report --- */

/* Appends a line for each way in which servers are affected, the gravest first. Returns how many. */
static size_t append_servers(const struct touched *touched, const struct past_run *servers, size_t count,
                             struct buf *out)
{
    size_t lines = 0;
    for (enum stand stand = STAND_FAILS; stand < STANDS; stand++) {
        bool is_first = true;
        for (size_t i = 0; i < count; i++) {
            if (stand_of(&servers[i], touched->row) != stand)
                continue;
            if (is_first)
                buf_printf(out, "         %s: ", consequences[touched->effect][stand]);
            buf_printf(out, "%s%.*s", is_first ? "" : ", ", STR_ARG(servers[i].name));
            size_t cases = stand < STAND_HOLDS ? past_run_row(&servers[i], touched->row->key)->counts[stand] : 0;
            if (cases)
                buf_printf(out, " (%zu case%s)", cases, cases == 1 ? "" : "s");
            is_first = false;
        }
        if (!is_first)
            buf_append_byte(out, '\n');
        lines += !is_first;
    }
    return lines;
}

static size_t append_touched(const struct touched *touched, const struct past_run *servers, size_t count,
                             struct buf *out)
{
    buf_printf(out, "%.*s (%s) %s\n", STR_ARG(touched->row->key), level_name(touched->row->level),
               effects[touched->effect]);
    if (touched->now.size)
        buf_printf(out, "         now: %.*s\n", STR_ARG(touched->now));
    return 1 + (touched->now.size > 0) + append_servers(touched, servers, count, out);
}

struct status spec_what_if(const struct spec_findings *findings, const struct values *reports, struct arena *arena,
                           struct buf *out)
{
    struct past_run *servers;
    struct status status = past_runs_read(reports, arena, &servers);
    if (!is_ok(status))
        return status;
    size_t count = 0, lines = 0, left = 0;
    struct touched *all = collect(findings, servers, reports->count, arena, &count);
    for (int rank = 0; rank <= 2; rank++)
        for (size_t i = 0; i < count; i++) {
            if (rank_of(&all[i]) != rank)
                continue;
            if (lines < LINES_MAX || findings->shows_all)
                lines += append_touched(&all[i], servers, reports->count, out);
            else
                left++;
        }
    if (left)
        buf_printf(out, "... and %zu more: --all shows them\n", left);
    buf_printf(out, "%.*s: %zu requirement%s touched, %zu report%s\n", STR_ARG(findings->title), count,
               count == 1 ? "" : "s", reports->count, reports->count == 1 ? "" : "s");
    return STATUS_IS_OK;
}
