/* cJSON holds the report and prints it. Texts and large numbers are added as finished JSON, because cJSON would end a
 * text at a NUL, accept bytes that are no UTF-8, and make every number a double. */
#include "report/headline.h"
#include "report/remarks.h"

#include "base/search.h"
#include "support/memory.h"
#include "support/printable.h"
#include "support/utc.h"
#include "support/version.h"
#include "json/writer.h"

#include <cjson/cJSON.h>

/* Adds the text in `json` as the member's value, and frees it. */
static void add_raw(cJSON *object, const char *member, struct buf *json)
{
    buf_append_byte(json, '\0');
    cJSON_AddRawToObject(object, member, json->data);
    buf_free(json);
}

static void add_text(cJSON *object, const char *member, struct str value)
{
    struct buf json = {0};
    json_write_string(&json, value);
    add_raw(object, member, &json);
}

static void add_text_if_any(cJSON *object, const char *member, struct str value)
{
    if (value.size)
        add_text(object, member, value);
}

static void add_number(cJSON *object, const char *member, uint64_t value)
{
    struct buf json = {0};
    json_write_uint64(&json, value);
    add_raw(object, member, &json);
}

static void add_seconds(cJSON *object, const char *member, double value)
{
    struct buf json = {0};
    buf_printf(&json, "%.6f", value);
    add_raw(object, member, &json);
}

static void add_counts(cJSON *object, const char *member, const size_t *of)
{
    cJSON *counts = cJSON_AddObjectToObject(object, member);
    for (int verdict = 0; verdict < VERDICT_COUNT; verdict++)
        add_number(counts, verdict_name((enum verdict)verdict), of[verdict]);
}

static cJSON *add_item(cJSON *list)
{
    cJSON *item = cJSON_CreateObject();
    cJSON_AddItemToArray(list, item);
    return item;
}

/* Adds what is told of the exchange that was judged. */
static void add_exchange(cJSON *item, const struct result *result)
{
    add_text_if_any(item, "observed", result->observed);
    add_text_if_any(item, "why", result->why);
    add_text_if_any(item, "expected", result->expected);
    add_text_if_any(item, "received", result->received);
    add_text_if_any(item, "asked", result->asked);
    add_text_if_any(item, "answered", result->outcome);
    add_text_if_any(item, "sent", result->sent);
    add_text_if_any(item, "command", result->command);
    add_text_if_any(item, "grpcurl", result->grpcurl);
    add_text_if_any(item, "refused_by", result->refused_by);
}

static void add_result(cJSON *results, const struct result *result)
{
    const struct assertion *assertion = result->assertion;
    cJSON *item = add_item(results);
    add_text(item, "id", assertion->id);
    add_text(item, "case", assertion->play->group->family->path);
    add_text(item, "says", assertion->play->says);
    add_text(item, "encoding", assertion->play->group->encoding->name);
    add_text(item, "key", assertion->requirement->key);
    add_text(item, "level", str_of(level_name(assertion->requirement->level)));
    add_text(item, "layer", str_of(layer_name(assertion->requirement->layer)));
    add_text(item, "verdict", str_of(verdict_name(result->verdict)));
    struct result told = *result;
    if (verdict_passes(told.verdict)) /* there are thousands */
        told.asked = told.outcome = (struct str){0};
    add_exchange(item, &told);
    if (result->replay)
        cJSON_AddTrueToObject(item, "replay");
    add_seconds(item, "seconds", result->seconds);
}

/* Whether a result of the list is reported and has this requirement. */
static bool is_reported(const struct run *run, const struct requirement *requirement)
{
    return ANY(i, run->result_count,
               run->results[i].assertion->requirement == requirement && run->results[i].verdict != VERDICT_DISABLED);
}

/* Adds the requirements of the results, so that the report can be read without the ledger. */
static void add_requirements(cJSON *root, const struct report *report, struct arena *arena)
{
    const struct ledger *ledger = &report->suite->ledger;
    cJSON *requirements = cJSON_AddObjectToObject(root, "requirements");
    FOR_EACH(row, ledger->rows, ledger->count) {
        if (!is_reported(report->run, row))
            continue;
        cJSON *item = cJSON_AddObjectToObject(requirements, arena_copy(arena, row->key).data);
        add_text(item, "level", str_of(level_name(row->level)));
        add_text(item, "layer", str_of(layer_name(row->layer)));
        add_text(item, "says", row->says);
        add_text(item, "source", row->source);
    }
}

static void add_lines(cJSON *list, struct str lines)
{
    while (lines.size) {
        struct buf json = {0};
        json_write_string(&json, str_take(&lines, '\n'));
        buf_append_byte(&json, '\0');
        cJSON_AddItemToArray(list, cJSON_CreateRaw(json.data));
        buf_free(&json);
    }
}

/* Adds the names of models that discovery found. */
static void add_models(cJSON *object, const char *name, const struct tree *models, const struct secrets *secrets,
                       struct arena *arena)
{
    cJSON *list = cJSON_AddArrayToObject(object, name);
    FOR_EACH_IN(one, tree_first(models))
        add_lines(list, secrets_hide(secrets, one->name, arena));
}

/* Adds the models that the target lists and that nobody asked, with the reason. */
static void add_unasked(cJSON *object, const struct plan_target *target, struct arena *arena)
{
    const struct tree *unasked = target->discovery.unasked;
    cJSON *list = cJSON_AddArrayToObject(object, "unasked");
    FOR_EACH_IN(why, tree_first(unasked)) {
        cJSON *item = add_item(list);
        add_text(item, "why", why->name);
        cJSON *models = cJSON_AddArrayToObject(item, "models");
        FOR_EACH_IN(one, why->first)
            add_lines(models, secrets_hide(target->secrets, one->text, arena));
    }
}

/* Adds what two runs need to be compared: programs, fixtures, time, and what discovery found. */
static void add_provenance(cJSON *root, const struct report *report, struct arena *arena)
{
    add_text(root, "started", utc_text(report->started, "%Y-%m-%dT%H:%M:%SZ", arena));
    cJSON *suite = cJSON_AddObjectToObject(root, "suite");
    add_text(suite, "version", STR(PROGRAM_VERSION));
    add_text(suite, "fixtures", report->suite_digest);
    if (report->edited)
        cJSON_AddBoolToObject(suite, "edited", true);
    cJSON *documents = cJSON_AddObjectToObject(suite, "documents");
    const struct tree *digests = suite_document_digests(report->suite, arena);
    FOR_EACH_IN(one, digests->first)
        add_text(documents, arena_copy(arena, one->name).data, one->text);
    add_text(root, "evidence", str_of(report->evidence));
    if (report->tape.size) {
        cJSON *tape = cJSON_AddObjectToObject(root, "tape");
        add_text(tape, "file", report->tape);
        add_text(tape, "digest", report->tape_digest);
    }
    cJSON *discovery = cJSON_AddObjectToObject(root, "discovery");
    add_text(discovery, "edition", report->target->discovery.edition);
    add_models(discovery, "kit_models", report->target->discovery.models, report->target->secrets, arena);
    add_models(discovery, "probed", report->target->discovery.probes, report->target->secrets, arena);
    add_unasked(discovery, report->target, arena);
    cJSON_AddBoolToObject(discovery, "versionless_refused", report->target->discovery.versionless_refused);
    cJSON *notes = cJSON_AddArrayToObject(discovery, "notes");
    add_lines(notes, report->notes);
    add_lines(notes, report->requests);
}

static void add_target(cJSON *root, const struct report *report, struct arena *arena)
{
    cJSON *target = cJSON_AddObjectToObject(root, "target");
    for (size_t i = 0; i < ENDPOINTS_MAX; i++)
        if (report->addresses[i].at.size)
            add_text(target, arena_copy(arena, report->addresses[i].endpoint->name).data, report->addresses[i].at);
    add_text_if_any(target, "server_name", report->server_name);
    add_text_if_any(target, "server_version", report->server_version);
}

static void add_row_counts(cJSON *object, const struct row_counts *counts)
{
    add_number(object, "asked", counts->asked);
    add_number(object, "met", counts->met);
    add_number(object, "failed", counts->failed);
    add_number(object, "waived", counts->waived);
    add_number(object, "met_so_far", counts->partly);
    add_number(object, "not_tried", counts->untried);
}

static void add_must_rows(cJSON *root, const struct summary *summary)
{
    cJSON *rows = cJSON_AddObjectToObject(root, "must_rows");
    add_row_counts(rows, &summary->must_rows);
    cJSON *untried = cJSON_AddArrayToObject(rows, "untried");
    for (size_t i = 0; i < summary->untried_count; i++) {
        cJSON *row = add_item(untried);
        add_text(row, "key", summary->untried[i].requirement->key);
        add_text(row, "why", summary->untried[i].why);
    }
}

/* Adds the profiles with their conclusions, and the texts that they build on. */
static void add_names(cJSON *root, const struct summary *summary, struct arena *arena)
{
    cJSON *profiles = cJSON_AddObjectToObject(root, "profiles"), *texts = cJSON_AddObjectToObject(root, "texts");
    FOR_EACH(counts, summary->names, summary->name_count) {
        cJSON *item = cJSON_AddObjectToObject(counts->is_text ? texts : profiles, arena_copy(arena, counts->name).data);
        if (!counts->is_text)
            add_text(item, "conclusion", str_of(conclusion_name(counts->conclusion)));
        add_row_counts(cJSON_AddObjectToObject(item, "must_rows"), &counts->must);
        add_counts(item, "counts", counts->counts);
    }
}

static void add_atlas(cJSON *root, const struct summary *summary)
{
    cJSON *atlas = cJSON_AddArrayToObject(root, "atlas");
    for (size_t i = 0; i < summary->atlas_count; i++) {
        cJSON *sighting = add_item(atlas);
        add_text(sighting, "key", summary->atlas[i].requirement->key);
        add_text(sighting, "observed", summary->atlas[i].name);
        add_number(sighting, "count", summary->atlas[i].count);
    }
}

static void add_claim(cJSON *findings, const struct unjudged_claim *claim)
{
    cJSON *item = add_item(findings);
    add_text(item, "claim", claim->claim);
    add_text(item, "level", str_of(level_name(LEVEL_SHOULD)));
    add_text(item, "layer", str_of(layer_name(LAYER_ANSWERS)));
    cJSON *profiles = cJSON_AddArrayToObject(item, "profiles");
    for (size_t i = 0; i < claim->profile_count; i++)
        add_lines(profiles, claim->profiles[i]->name);
    add_text(item, "why", claim->why);
}

static void add_finding(cJSON *findings, const struct finding *finding)
{
    cJSON *item = add_item(findings);
    add_text(item, "requirement", finding->requirement->key);
    add_text(item, "level", str_of(level_name(finding->requirement->level)));
    add_text(item, "layer", str_of(layer_name(finding->requirement->layer)));
    add_text(item, "profile", result_exchange(finding->witness)->group->profile->name);
    add_text(item, "witness", finding->witness->assertion->id);
    add_number(item, "cases", finding->count);
    cJSON *also = cJSON_AddArrayToObject(item, "also");
    for (size_t i = 0; i < finding->also_count; i++)
        add_lines(also, finding->also[i]->key);
}

/* Adds what is broken, in the order in which to fix it, and what is to be done next. */
static void add_findings(cJSON *root, const struct summary *summary)
{
    const struct findings *failures = &summary->failures;
    struct next next = next_of(summary);
    cJSON *findings = cJSON_AddArrayToObject(root, "findings");
    for (size_t i = 0; i < failures->count; i++)
        add_finding(findings, &failures->items[i]);
    for (size_t i = 0; i < summary->claim_count; i++)
        add_claim(findings, &summary->claims[i]);
    cJSON *transport = cJSON_AddObjectToObject(root, "transport");
    cJSON_AddBoolToObject(transport, "demanded", summary->report->demands.layers[LAYER_TRANSPORT]);
    add_number(transport, "findings", failures->layer_count[LAYER_TRANSPORT]);
    add_text(transport, "says", transport_conclusion(summary));
    add_row_counts(cJSON_AddObjectToObject(transport, "must_rows"), &summary->transport);
    cJSON *to_do = cJSON_AddObjectToObject(root, "next");
    add_text(to_do, "says", next.sentence);
    add_text(to_do, "command", next.command);
}

/* Adds what did not come out alike each time, with the first exchange of each verdict. */
static void add_repeat(cJSON *root, const struct summary *summary)
{
    const struct flakes *flakes = &summary->flakes;
    cJSON *repeat = cJSON_AddObjectToObject(root, "repeat");
    add_number(repeat, "rounds", summary->report->run->rounds);
    add_number(repeat, "waiting", flakes->waiting);
    cJSON *list = cJSON_AddArrayToObject(repeat, "flaky");
    FOR_EACH(flake, flakes->items, flakes->count) {
        cJSON *item = add_item(list);
        add_text(item, "id", flake->result->assertion->id);
        add_text(item, "key", flake->result->assertion->requirement->key);
        cJSON *verdicts = cJSON_AddArrayToObject(item, "verdicts");
        for (int verdict = 0; verdict < VERDICT_COUNT; verdict++) {
            const struct result *first = flake->repeated->first[verdict];
            if (!flake->repeated->counts[verdict])
                continue;
            cJSON *one = add_item(verdicts);
            add_text(one, "verdict", str_of(verdict_name((enum verdict)verdict)));
            add_number(one, "count", flake->repeated->counts[verdict]);
            if (first)
                add_exchange(one, first);
        }
    }
}

static void add_not_offered(cJSON *root, const struct plan *plan)
{
    cJSON *list = cJSON_AddArrayToObject(root, "not_offered");
    FOR_EACH(missing, plan->not_offered, plan->not_offered_count) {
        cJSON *item = add_item(list);
        add_text(item, "profile", missing->profile->name);
        add_text(item, "encoding", missing->encoding->name);
        add_text(item, "why", missing->why);
    }
}

void report_json(const struct summary *summary, struct buf *out)
{
    const struct report *report = summary->report;
    struct arena *arena = summary->arena;
    cJSON *root = cJSON_CreateObject();
    add_text(root, "format", STR("oip-conformance-report"));
    add_number(root, "version", 2);
    add_text(root, "command", str_of(report->command));
    add_provenance(root, report, arena);
    add_target(root, report, arena);
    add_text(root, "conclusion", str_of(conclusion_name(summary->conclusion)));
    add_number(root, "exit_code", (uint64_t)report->exit_code);
    add_text(root, "reason", report->reason);
    cJSON_AddBoolToObject(root, "strict", report->demands.strict);
    cJSON_AddBoolToObject(root, "insecure", report->insecure);
    add_number(root, "jobs", report->jobs);
    add_number(root, "seed", report->seed);
    add_number(root, "planned", report->plan->assertion_count);
    add_number(root, "judged", run_judged(report->run));
    add_number(root, "exchanges", report->run->exchanges);
    add_seconds(root, "seconds", report->run->seconds);
    add_findings(root, summary);
    add_must_rows(root, summary);
    add_names(root, summary, arena);
    cJSON_AddBoolToObject(root, "values_checked", summary->values_checked);
    add_counts(root, "counts", summary->totals);
    add_number(root, "failed_replays", summary->replays);
    add_atlas(root, summary);
    if (report->run->repeated)
        add_repeat(root, summary);
    add_not_offered(root, report->plan);
    add_requirements(root, report, arena);
    cJSON *results = cJSON_AddArrayToObject(root, "results");
    for (size_t i = 0; i < report->run->result_count; i++)
        if (report->run->results[i].verdict != VERDICT_DISABLED)
            add_result(results, &report->run->results[i]);
    char *text = cJSON_Print(root);
    append_printable_json(out, str_of(text));
    buf_append_byte(out, '\n');
    cJSON_free(text);
    cJSON_Delete(root);
}
