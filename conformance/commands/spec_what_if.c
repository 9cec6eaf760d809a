#include "commands/spec_what_if.h"

#include "base/count.h"
#include "support/files.h"
#include "support/memory.h"

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

/* How a server stands to a requirement, as its report says. */
enum stand { STAND_FAILS, STAND_WARNS, STAND_HOLDS, STAND_UNKNOWN };

/* What becomes of a server, by how it stands. */
static const char *const fates[][4] = {
    [EFFECT_WEAKER] = {"excused", "kept", "kept", "unknown"},
    [EFFECT_STRONGER] = {"broken already", "newly broken", "kept", "unknown"},
    [EFFECT_GONE] = {"excused", "excused", "kept", "unknown"},
    [EFFECT_OTHER] = {"broken today", "warned today", "kept today", "unknown"},
};

struct server {
    struct str name; /* "kserve 0.21.0" */
    const struct tree *results;
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

/* --- Reports --- */

static struct status read_report(const char *file, struct arena *arena, struct server *server)
{
    struct str text;
    struct tree *report = NULL;
    struct status status = disk_read(file, FILE_SIZE_MAX, arena, &text);
    if (is_ok(status))
        status = tree_parse(text, arena, &report);
    const struct tree *results = is_ok(status) ? tree_member(report, "results") : NULL;
    const struct tree *target = is_ok(status) ? tree_member(report, "target") : NULL;
    if (!results || results->type != TREE_ARRAY || !target)
        return status_error(arena, STATUS_INVALID_ARGUMENT, "'%s' is no report that --json of a run wrote",
                            str_printable(arena, str_of(file)));
    struct str name = tree_text(target, "server_name"), version = tree_text(target, "server_version");
    server->name = name.size ? arena_printf(arena, "%s%s%s", str_printable(arena, name), version.size ? " " : "",
                                            version.size ? str_printable(arena, version) : "")
                             : str_of(file);
    server->results = results;
    return STATUS_IS_OK;
}

/* Sets how many cases show how the server stands. */
static enum stand stand_of(const struct server *server, struct str key, size_t *cases)
{
    static const struct {
        const char *verdict;
        enum stand stand;
    } stands[] = {{"fail", STAND_FAILS},
                  {"timeout", STAND_FAILS},
                  {"waived", STAND_FAILS},
                  {"warn", STAND_WARNS},
                  {"pass", STAND_HOLDS}};
    size_t counts[STAND_UNKNOWN + 1] = {0};
    for (const struct tree *result = server->results->first; result; result = result->next)
        for (size_t i = 0; i < COUNT_OF(stands) && str_equal(tree_text(result, "key"), key); i++)
            counts[stands[i].stand] += str_is(tree_text(result, "verdict"), stands[i].verdict);
    enum stand stand = STAND_FAILS;
    while (stand < STAND_UNKNOWN && !counts[stand])
        stand++;
    *cases = counts[stand];
    return stand;
}

/* --- The report --- */

/* Appends a line for each fate that a server has, the gravest first. */
static void append_servers(enum effect effect, struct str key, const struct server *servers, size_t count,
                           struct buf *out)
{
    for (enum stand stand = STAND_FAILS; stand <= STAND_UNKNOWN; stand++) {
        bool is_first = true;
        for (size_t i = 0; i < count; i++) {
            size_t cases;
            if (stand_of(&servers[i], key, &cases) != stand)
                continue;
            if (is_first)
                buf_printf(out, "         %s: ", fates[effect][stand]);
            buf_printf(out, "%s%.*s", is_first ? "" : ", ", STR_ARG(servers[i].name));
            if (stand < STAND_HOLDS)
                buf_printf(out, " (%zu case%s)", cases, cases == 1 ? "" : "s");
            is_first = false;
        }
        if (!is_first)
            buf_append_byte(out, '\n');
    }
}

struct status spec_what_if(const struct spec_findings *findings, const struct values *reports, struct arena *arena,
                           struct buf *out)
{
    struct server *servers = arena_alloc_zero(arena, reports->count + 1, sizeof *servers);
    size_t touched = 0;
    for (size_t i = 0; i < reports->count; i++) {
        struct status status = read_report(reports->items[i], arena, &servers[i]);
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
