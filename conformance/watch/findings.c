#include "watch/findings.h"

#include "base/search.h"
#include "support/printable.h"
#include "support/version.h"
#include "support/wrap.h"
#include "tree/tree.h"

#define INDENT     8    /* columns before what is said of a finding */
#define QUOTED_MAX 600  /* bytes of a difference that are printed */
#define SHOWN_MAX  4000 /* bytes of an answer that are kept for the report */

static const char *const sides[SIDES] = {[SIDE_CLIENT] = "client", [SIDE_SERVER] = "server"};

static struct traffic_finding *find_known(const struct traffic_findings *findings,
                                          const struct traffic_finding *finding)
{
    struct traffic_finding **known = (struct traffic_finding **)findings->list.items;
    return FIRST(i, findings->list.count,
                 known[i]->side == finding->side && known[i]->row == finding->row &&
                     str_equal(known[i]->asked, finding->asked),
                 known[i], NULL);
}

/* Appends who breaks what: "client  must  v2-rest.data-count". */
static void append_name(const struct traffic_finding *finding, struct buf *out)
{
    buf_printf(out, "%s  %-6s  %.*s", sides[finding->side], level_name(finding->row->level),
               STR_ARG(finding->row->key));
}

static void append_said(struct str text, size_t most, struct buf *out)
{
    buf_printf(out, "%*s", INDENT, "");
    append_wrapped_printable(out, text, most, INDENT);
    buf_append_byte(out, '\n');
}

static void print_finding(const struct traffic_finding *finding, FILE *console)
{
    struct buf out = {0};
    append_name(finding, &out);
    buf_append_byte(&out, '\n');
    append_said(finding->row->says, SIZE_MAX, &out);
    append_said(finding->asked, QUOTED_MAX, &out);
    append_said(finding->why, QUOTED_MAX, &out);
    fwrite(out.data, 1, out.size, console);
    fflush(console);
    buf_free(&out);
}

static struct str copy_start(struct traffic_findings *findings, struct str text)
{
    return arena_copy(&findings->arena, (struct str){text.data, text.size < SHOWN_MAX ? text.size : SHOWN_MAX});
}

void findings_add(struct traffic_findings *findings, const struct traffic_finding *finding)
{
    struct traffic_finding *known = find_known(findings, finding);
    findings->faults[finding->side][finding->row->level]++;
    if (known)
        known->count++;
    if (known || findings->list.count == FINDINGS_MAX)
        return;
    struct traffic_finding *kept = arena_new_of(&findings->arena, struct traffic_finding);
    *kept = *finding;
    kept->asked = copy_start(findings, finding->asked);
    kept->why = copy_start(findings, finding->why);
    kept->received = copy_start(findings, finding->received);
    kept->count = 1;
    list_append(&findings->list, kept, &findings->arena);
    print_finding(kept, findings->console);
}

void findings_add_unjudged(struct traffic_findings *findings, struct str why)
{
    struct unjudged **all = (struct unjudged **)findings->unjudged.items;
    struct unjudged *known = FIRST(i, findings->unjudged.count, str_equal(all[i]->why, why), all[i], NULL);
    if (!known) {
        known = arena_new_of(&findings->arena, struct unjudged);
        known->why = arena_copy(&findings->arena, why);
        list_append(&findings->unjudged, known, &findings->arena);
    }
    known->count++;
}

bool findings_fail(const struct traffic_findings *findings)
{
    return findings->faults[SIDE_CLIENT][LEVEL_MUST] || findings->faults[SIDE_SERVER][LEVEL_MUST];
}

/* --- At the end --- */

void findings_write(const struct traffic_findings *findings, struct buf *out)
{
    buf_printf(out, "\n%zu exchanges went through, %zu were judged\n", findings->exchanges, findings->judged);
    for (size_t i = 0; i < findings->unjudged.count; i++) {
        const struct unjudged *unjudged = findings->unjudged.items[i];
        buf_printf(out, "not judged, %zu times: ", unjudged->count);
        append_wrapped(out, unjudged->why, 2);
        buf_append_byte(out, '\n');
    }
    for (size_t i = 0; i < findings->list.count; i++) {
        const struct traffic_finding *finding = findings->list.items[i];
        append_name(finding, out);
        buf_printf(out, ", %zu time%s\n", finding->count, finding->count == 1 ? "" : "s");
        append_said(finding->asked, QUOTED_MAX, out);
        append_said(finding->row->cites, SIZE_MAX, out);
    }
    if (findings->list.count == FINDINGS_MAX)
        buf_printf(out, "more than %d different findings: the rest are only counted\n", FINDINGS_MAX);
    for (int side = 0; side < SIDES; side++) {
        const size_t *faults = findings->faults[side];
        buf_printf(out, "%s: %zu must, %zu should, %zu open\n", sides[side], faults[LEVEL_MUST], faults[LEVEL_SHOULD],
                   faults[LEVEL_OPEN]);
    }
}

static struct tree *tree_of(const struct traffic_finding *finding, struct arena *arena)
{
    const struct requirement *row = finding->row;
    return tree_object(arena, {"side", tree_string(arena, str_of(sides[finding->side]))},
                       {"key", tree_string(arena, row->key)},
                       {"level", tree_string(arena, str_of(level_name(row->level)))},
                       {"layer", tree_string(arena, str_of(layer_name(row->layer)))},
                       {"says", tree_string(arena, row->says)}, {"source", tree_string(arena, row->source)},
                       {"asked", tree_string(arena, finding->asked)}, {"why", tree_string(arena, finding->why)},
                       {"received", finding->received.size ? tree_string(arena, finding->received) : NULL},
                       {"count", tree_uint(arena, finding->count)});
}

void findings_json(const struct traffic_findings *findings, struct buf *out)
{
    struct arena arena = memory_arena();
    struct tree *unjudged = tree_new(&arena, TREE_ARRAY), *found = tree_new(&arena, TREE_ARRAY);
    for (size_t i = 0; i < findings->unjudged.count; i++) {
        const struct unjudged *reason = findings->unjudged.items[i];
        tree_append(unjudged, tree_object(&arena, {"why", tree_string(&arena, reason->why)},
                                          {"count", tree_uint(&arena, reason->count)}));
    }
    for (size_t i = 0; i < findings->list.count; i++)
        tree_append(found, tree_of(findings->list.items[i], &arena));
    tree_write(tree_object(&arena, {"version", tree_string(&arena, STR(PROGRAM_VERSION))},
                           {"exchanges", tree_uint(&arena, findings->exchanges)},
                           {"judged", tree_uint(&arena, findings->judged)}, {"unjudged", unjudged},
                           {"findings", found}),
               out);
    buf_append_byte(out, '\n');
    arena_free(&arena);
}
