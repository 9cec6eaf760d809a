#include "commands/spec/spec.h"

#include "base/search.h"
#include "editions/schema.h"
#include "support/listing.h"

#include <stdio.h>

#define SCHEMA_SHARE 0.3 /* of the members of a schema that the ledger knows are there in an edition of it */
#define NAMED        5   /* members that are named of a whole file that is new or gone */

static bool is_schema(const struct edition_file *file)
{
    return file->kind != EDITION_PROSE;
}

static struct status read_schema(const struct edition_file *file, struct arena *arena, struct schema *schema)
{
    struct status status = file->kind == EDITION_PROTO ? schema_of_proto(file->text, arena, schema)
                                                       : schema_of_openapi(file->text, arena, schema);
    return is_ok(status) ? status
                         : status_invalid(arena, "%s: %.*s", str_printable(arena, file->name), STR_ARG(status.message));
}

/* Returns the schema of the ledger with the largest share of members there; NULL if none reaches SCHEMA_SHARE. */
static const struct known_schema *known_as(const struct suite *suite, const struct schema *schema)
{
    const struct known_schema *best = NULL;
    double best_share = SCHEMA_SHARE;
    FOR_EACH(known, suite->schemas.items, suite->schemas.count) {
        size_t there = SUM(k, known->count, schema_find(schema, known->items[k].at) != NULL);
        double share = known->count ? (double)there / (double)known->count : 0;
        if (share >= best_share) {
            best = known;
            best_share = share;
        }
    }
    return best;
}

static struct schema schema_of_known(const struct known_schema *known, struct arena *arena)
{
    struct schema schema = {0};
    for (size_t i = 0; known && i < known->count; i++)
        schema_add(&schema, known->items[i].at, known->items[i].is, 0, arena);
    return schema;
}

/* --- Findings --- */

struct difference {
    const struct suite *suite;
    const struct known_schema *known; /* may be NULL */
    struct str file, name;            /* of the schema */
    struct arena *arena;
    struct spec_findings *findings;
};

static void add_rows(const struct difference *difference, struct str at, struct spec_finding *finding)
{
    const struct known_member *known = difference->known ? known_schema_find(difference->known, at) : NULL;
    const struct tree *keys = known ? known->keys : NULL;
    finding->rows = arena_alloc_zero(difference->arena, (keys ? keys->count : 0) + 1, sizeof *finding->rows);
    FOR_EACH_IN(key, tree_first(keys)) {
        const struct requirement *row = ledger_find(&difference->suite->ledger, key->text);
        if (row)
            finding->rows[finding->row_count++] = row;
    }
    finding->why = known ? known->why : STR("");
}

static void add_finding(const struct difference *difference, enum finding kind, const struct schema_member *was,
                        const struct schema_member *is)
{
    static const char *const names[] = {"", "moved", "changed", "gone", "new"};
    struct spec_findings *findings = difference->findings;
    findings->counts[kind]++;
    if (kind == UNIT_STANDS)
        return;
    struct spec_finding finding = {
        .what = names[kind],
        .text = difference->name,
        .place = is ? is->at : was->at,
        .was = was ? was->is : STR(""),
        .now = is ? is->is : STR(""),
        .file = difference->file,
        .line = is ? is->line : 0,
    };
    add_rows(difference, finding.place, &finding);
    if (kind == UNIT_GONE && finding.why.size)
        finding.group = SPEC_OTHER; /* the ledger knows that no requirement is based on it */
    else
        finding.group = !finding.row_count ? SPEC_NEW : kind == UNIT_GONE ? SPEC_LOST : SPEC_CHANGED;
    spec_add(findings, &finding, difference->arena);
}

/* Says of a whole file that it is new, or gone, and what its first members are. */
static void add_file(const struct difference *difference, enum finding kind, const struct schema *schema)
{
    struct listing members = {.arena = difference->arena, .most = NAMED};
    for (size_t i = 0; i < schema->count; i++)
        listing_add(&members, schema->items[i].at);
    struct str text = listing_text(&members);
    if (schema->count > NAMED)
        text = arena_printf(difference->arena, "%.*s members", STR_ARG(text));
    struct schema_member all = {difference->file, text, kind == TEXT_NEW};
    add_finding(difference, kind, kind == UNIT_GONE ? &all : NULL, kind == TEXT_NEW ? &all : NULL);
}

static void compare_schemas(const struct difference *difference, const struct schema *old, const struct schema *new)
{
    for (size_t i = 0; i < new->count; i++) {
        const struct schema_member *is = &new->items[i], *was = schema_find(old, is->at);
        add_finding(difference, !was ? TEXT_NEW : str_equal(was->is, is->is) ? UNIT_STANDS : UNIT_CHANGED, was, is);
    }
    for (size_t i = 0; i < old->count; i++)
        if (!schema_find(new, old->items[i].at))
            add_finding(difference, UNIT_GONE, &old->items[i], NULL);
}

/* --- Which schemas belong together --- */

/* Returns the file of an earlier edition of which most members are in the schema, if it has any of them. */
static struct status earlier(const struct edition_files *old, const struct schema *schema, struct arena *arena,
                             struct schema *found, size_t *which)
{
    size_t most = 0;
    *which = old->count;
    for (size_t i = 0; i < old->count; i++) {
        struct schema other;
        if (!is_schema(&old->items[i]))
            continue;
        struct status status = read_schema(&old->items[i], arena, &other);
        if (!is_ok(status))
            return status;
        size_t there = SUM(k, other.count, schema_find(schema, other.items[k].at) != NULL);
        if (there > most) {
            most = there;
            *found = other;
            *which = i;
        }
    }
    return STATUS_IS_OK;
}

static struct status find_file(const struct suite *suite, const struct edition_file *file,
                               const struct edition_files *old, bool *is_met, struct arena *arena,
                               struct spec_findings *findings)
{
    struct schema schema, other = {0};
    size_t which = 0;
    struct status status = read_schema(file, arena, &schema);
    if (!is_ok(status))
        return status;
    const struct known_schema *known = known_as(suite, &schema);
    struct difference difference = {suite, known, file->name, known ? known->name : STR("schema"), arena, findings};
    if (old)
        status = earlier(old, &schema, arena, &other, &which);
    else
        other = schema_of_known(known, arena);
    if (!is_ok(status))
        return status;
    if (old && which < old->count)
        is_met[which] = true;
    if (other.count)
        compare_schemas(&difference, &other, &schema);
    else
        add_file(&difference, TEXT_NEW, &schema);
    return STATUS_IS_OK;
}

struct status spec_find_schemas(const struct suite *suite, const struct edition_files *files,
                                const struct edition_files *old, struct arena *arena, struct spec_findings *findings)
{
    struct status status = STATUS_IS_OK;
    bool *is_met = arena_alloc_zero(arena, (old ? old->count : 0) + 1, sizeof *is_met);
    for (size_t i = 0; i < files->count && is_ok(status); i++)
        if (is_schema(&files->items[i]))
            status = find_file(suite, &files->items[i], old, is_met, arena, findings);
    for (size_t i = 0; old && i < old->count && is_ok(status); i++) {
        struct schema schema;
        if (is_met[i] || !is_schema(&old->items[i]))
            continue;
        status = read_schema(&old->items[i], arena, &schema);
        struct difference difference = {suite, NULL, old->items[i].name, STR("schema"), arena, findings};
        if (is_ok(status))
            add_file(&difference, UNIT_GONE, &schema);
    }
    return status;
}

bool spec_knows_schema(const struct suite *suite, const struct edition_files *files, struct arena *arena)
{
    for (size_t i = 0; i < files->count; i++) {
        struct schema schema;
        if (is_schema(&files->items[i]) && is_ok(read_schema(&files->items[i], arena, &schema)) &&
            known_as(suite, &schema))
            return true;
    }
    return false;
}

/* --- For authors --- */

struct status spec_print_members(const struct suite *suite, const char *file, struct arena *arena)
{
    struct edition_files files = {0};
    struct schema schema;
    struct tree *list = tree_new(arena, TREE_ARRAY);
    struct buf out = {0};
    struct status status = edition_files_at(file, arena, &files);
    if (is_ok(status) && (files.count != 1 || !is_schema(&files.items[0])))
        status = status_invalid(arena, "%s is neither a .proto nor a .yaml file", str_printable(arena, str_of(file)));
    if (is_ok(status))
        status = read_schema(&files.items[0], arena, &schema);
    if (!is_ok(status))
        return status;
    const struct known_schema *known = known_as(suite, &schema);
    for (size_t i = 0; i < schema.count; i++) {
        const struct known_member *member = known ? known_schema_find(known, schema.items[i].at) : NULL;
        struct str why = member ? member->why : STR("");
        tree_append(list, tree_object(arena, {"at", tree_string(arena, schema.items[i].at)},
                                      {"is", tree_string(arena, schema.items[i].is)},
                                      {"keys", member && member->keys ? tree_copy(arena, member->keys) : NULL},
                                      {"why", !member || why.size ? tree_string(arena, why) : NULL}));
    }
    tree_write(list, &out);
    printf("%.*s\n", STR_ARG(buf_str(&out)));
    buf_free(&out);
    return STATUS_IS_OK;
}
