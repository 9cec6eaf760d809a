#include "commands/spec_what_if.h"

#include "commands/judged.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* What an edition does to a requirement. */
enum effect { EFFECT_WEAKER, EFFECT_STRONGER, EFFECT_GONE, EFFECT_OTHER };

static const char *const effects[] = {
    [EFFECT_WEAKER] = "would be no MUST any more",
    [EFFECT_STRONGER] = "would be a MUST",
    [EFFECT_GONE] = "would be gone",
    [EFFECT_OTHER] = "would read otherwise: whether it demands the same, a person must decide",
};

/* What becomes of a server, by how it stands. */
static const char *const fates[][STANDS] = {
    [EFFECT_WEAKER] = {"excused", "excused", "kept", "kept", "unknown"},
    [EFFECT_STRONGER] = {"broken already", "broken already", "newly broken", "kept", "unknown"},
    [EFFECT_GONE] = {"excused", "excused", "excused", "kept", "unknown"},
    [EFFECT_OTHER] = {"broken today", "broken and waived today", "warned today", "kept today", "unknown"},
};

/* --- Demands --- */

/* Whether one of the words stands alone in the text, in any case of letters. */
static bool has_word(struct str text, const char *const *words)
{
    for (; *words; words++) {
        size_t size = strlen(*words);
        for (size_t at = 0; at + size <= text.size; at++) {
            bool begins = at == 0 || !isalnum((unsigned char)text.data[at - 1]);
            bool ends = at + size == text.size || !isalnum((unsigned char)text.data[at + size]);
            if (begins && ends && strncasecmp(text.data + at, *words, size) == 0)
                return true;
        }
    }
    return false;
}

/* Whether one of the words stands among those that are marked as new. */
static bool has_new_word(struct str now, const char *const *words)
{
    bool has = false;
    for (const char *at = now.data, *end = now.data + now.size; at < end && !has;) {
        const char *opens = memmem(at, (size_t)(end - at), "{+", 2);
        const char *closes = opens ? memmem(opens, (size_t)(end - opens), "+}", 2) : NULL;
        has = closes && has_word((struct str){opens + 2, (size_t)(closes - opens - 2)}, words);
        at = closes ? closes : end;
    }
    return has;
}

static enum effect effect_of(const struct spec_finding *finding, const struct requirement *row)
{
    static const char *const musts[] = {"must", "shall", "required", NULL};
    static const char *const less[] = {"should", "may", "can", "could", "recommended", "optional", "optionally", NULL};
    if (finding->group == SPEC_LOST)
        return finding->beside.size ? EFFECT_OTHER : EFFECT_GONE;
    if (row->level == LEVEL_MUST && !has_word(finding->now, musts) && has_new_word(finding->now, less))
        return EFFECT_WEAKER;
    return row->level != LEVEL_MUST && has_new_word(finding->now, musts) ? EFFECT_STRONGER : EFFECT_OTHER;
}

/* --- The report --- */

/* Appends a line for each fate that a server has, the gravest first. */
static void append_servers(enum effect effect, struct str key, const struct judged *servers, size_t count,
                           struct buf *out)
{
    for (enum stand stand = STAND_FAILS; stand < STANDS; stand++) {
        bool is_first = true;
        for (size_t i = 0; i < count; i++) {
            const struct judged_row *row = judged_find(&servers[i], key);
            if ((row ? row->stand : STAND_UNKNOWN) != stand)
                continue;
            if (is_first)
                buf_printf(out, "         %s: ", fates[effect][stand]);
            buf_printf(out, "%s%.*s", is_first ? "" : ", ", STR_ARG(servers[i].name));
            if (stand < STAND_HOLDS)
                buf_printf(out, " (%zu case%s)", row->counts[stand], row->counts[stand] == 1 ? "" : "s");
            is_first = false;
        }
        if (!is_first)
            buf_append_byte(out, '\n');
    }
}

struct status spec_what_if(const struct spec_findings *findings, const struct values *reports, struct arena *arena,
                           struct buf *out)
{
    struct judged *servers = arena_alloc_zero(arena, reports->count + 1, sizeof *servers);
    size_t touched = 0;
    for (size_t i = 0; i < reports->count; i++) {
        struct status status = judged_read(reports->items[i], arena, &servers[i]);
        if (!is_ok(status))
            return status;
    }
    for (size_t i = 0; i < findings->count; i++) {
        const struct spec_finding *finding = &findings->items[i];
        bool is_touched = finding->group == SPEC_CHANGED || finding->group == SPEC_LOST;
        for (size_t r = 0; r < finding->row_count && is_touched; r++, touched++) {
            const struct requirement *row = finding->rows[r];
            enum effect effect = effect_of(finding, row);
            buf_printf(out, "%.*s (%s) %s\n", STR_ARG(row->key), level_name(row->level), effects[effect]);
            if (finding->now.size)
                buf_printf(out, "         now: %.*s\n", STR_ARG(finding->now));
            append_servers(effect, row->key, servers, reports->count, out);
        }
    }
    buf_printf(out, "%.*s: %zu requirement%s touched, %zu report%s\n", STR_ARG(findings->title), touched,
               touched == 1 ? "" : "s", reports->count, reports->count == 1 ? "" : "s");
    return STATUS_IS_OK;
}
