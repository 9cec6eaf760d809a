#include "base/disk.h"
#include "base/embed.h"
#include "base/search.h"
#include "deviations/deviation.h"
#include "deviations/pattern.h"

#define FILE_MAX ((size_t)16 << 20) /* bytes */

EMBED(known_deviations, "deviations.json") /* an object of all files, the first of which is the registry */

static const struct tree *profiles;
static struct deviation *table;
static size_t table_size;
static bool by_header;
static size_t active;
static bool (*ready)(void *context);
static void *ready_context;

/* --- The list --- */

static struct deviation *find(struct str name)
{
    return FIND(table, i, table_size, str_is(name, table[i].name));
}

static struct status malformed(const char *file, struct str name, const char *what, struct arena *arena)
{
    return status_error(arena, STATUS_INTERNAL, "%s: deviation '%s' %s", file, str_printable(arena, name), what);
}

/* Returns the profile that a profile extends, or itself if it extends none. */
static struct str extended(struct str prefix)
{
    struct str profile = tree_text(tree_member_str(profiles, prefix), "extends");
    return profile.size ? profile : prefix;
}

static struct status patterns_are_right(const char *file, const struct deviation *deviation, struct arena *arena)
{
    static const char *const members[] = {"request", "answer"};
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < COUNT_OF(members) && is_ok(status); i++) {
        const struct tree *pattern = tree_member(deviation->on, members[i]);
        if (pattern)
            status = pattern_check(pattern, arena);
    }
    return is_ok(status)
               ? status
               : malformed(file, str_of(deviation->name),
                           arena_printf(arena, "has a wrong `on`: %.*s", STR_ARG(status.message)).data, arena);
}

static struct status read_one(const char *file, const struct tree *tree, struct arena *arena)
{
    struct str key = tree_text(tree, "breaks");
    struct tree *by = tree_member(tree, "by");
    struct deviation *deviation = &table[table_size];
    if (find(tree->name))
        return malformed(file, tree->name, "stands there twice", arena);
    if (!str_has(key, '.') || !by)
        return malformed(file, tree->name, "lacks `breaks` (the key of a requirement) or `by`", arena);
    *deviation = (struct deviation){
        .name = arena_copy(arena, tree->name).data,
        .key = arena_copy(arena, key).data,
        .accepts = by->type == TREE_STRING && str_is(by->text, "accept"),
        .alter = tree_member(by, "alter"),
        .on = tree_member(tree, "on"),
    };
    NEED(deviation->name && deviation->key);
    deviation->prefix = extended(str_before(str_of(deviation->key), '.'));
    if (by->type == TREE_STRING && str_is(by->text, "code"))
        deviation->code = deviation_code_named(deviation->name);
    if (!deviation->accepts && !deviation->alter && !deviation->code)
        return malformed(file, tree->name, "is neither accept nor alter nor a function of code.c", arena);
    table_size++;
    return patterns_are_right(file, deviation, arena);
}

static struct status read_list(const char *file, const struct tree *list, struct arena *arena)
{
    struct deviation *more = arena_alloc_zero(arena, table_size + list->count, sizeof(*more));
    NEED(more);
    if (table_size)
        memcpy(more, table, table_size * sizeof(*table));
    table = more;
    for (const struct tree *one = list->first; one; one = one->next)
        TRY(read_one(file, one, arena));
    return STATUS_IS_OK;
}

static struct status parse(const char *file, struct str json, struct arena *arena, struct tree **root)
{
    struct status status = tree_parse(json, arena, root);
    return is_ok(status) ? status : status_error(arena, STATUS_INTERNAL, "%s: %.*s", file, STR_ARG(status.message));
}

struct status deviations_load(struct arena *arena)
{
    struct tree *files;
    TRY(parse("fixtures/deviations", known_deviations(), arena, &files));
    profiles = tree_member(files->first, "profiles");
    for (const struct tree *file = files->first->next; file; file = file->next)
        TRY(read_list(arena_copy(arena, file->name).data, file, arena));
    return STATUS_IS_OK;
}

struct status deviations_load_file(const char *path, struct arena *arena)
{
    struct str json;
    struct tree *list;
    TRY(disk_read(path, FILE_MAX, arena, &json));
    TRY(parse(path, json, arena, &list));
    return read_list(path, list, arena);
}

void deviations_list(struct buf *out)
{
    for (size_t i = 0; i < table_size; i++)
        buf_printf(out, "%s\t%s\t%s\n", table[i].name, table[i].key,
                   table[i].accepts ? "accept"
                   : table[i].alter ? "alter"
                                    : "code");
}

/* --- Which hold --- */

struct status deviations_enable(const char *names, struct arena *arena)
{
    struct str left = str_of(names);
    while (left.size > 0) {
        struct str name = str_trimmed(str_take(&left, ','));
        struct deviation *deviation = find(name);
        if (!deviation)
            return status_error(arena, STATUS_NOT_FOUND,
                                "there is no deviation '%s'; --list-deviations prints those that exist",
                                str_printable(arena, name));
        active += !deviation->is_active;
        deviation->is_active = true;
    }
    return STATUS_IS_OK;
}

void deviations_enable_by_header(void)
{
    by_header = true;
}

void deviations_ask_ready(bool (*says_ready)(void *context), void *context)
{
    ready = says_ready;
    ready_context = context;
}

bool deviations_are_by_header(void)
{
    return by_header;
}

uint32_t deviations_bits(const char *list, uint32_t (*bit_of)(struct str name))
{
    uint32_t set = 0;
    for (size_t i = 0; i < table_size; i++) {
        const struct tree *names = table[i].is_active ? tree_member(table[i].alter, list) : NULL;
        for (const struct tree *name = tree_first(names); name; name = name->next)
            set |= bit_of(name->text);
    }
    return set;
}

bool deviations_are_possible(void)
{
    return by_header || active > 0;
}

static void choose(struct chosen *chosen, const struct deviation *deviation, const struct asked *asked,
                   struct arena *arena)
{
    if (deviation_fits(deviation, asked, arena))
        chosen->list[chosen->count++] = deviation;
}

static struct chosen *choose_all(const struct asked *asked, struct str names, struct arena *arena)
{
    if (active == 0 && names.size == 0)
        return NULL;
    size_t room = table_size + SUM(i, names.size, names.data[i] == ',');
    struct chosen *chosen = arena_new_of(arena, struct chosen);
    const struct deviation **list = arena_alloc_zero(arena, room + 1, sizeof(struct deviation *));
    if (!chosen || !list)
        return NULL;
    chosen->list = list;
    chosen->model = arena_copy(arena, asked->model);
    for (size_t i = 0; i < table_size && active > 0; i++)
        if (table[i].is_active)
            choose(chosen, &table[i], asked, arena);
    while (by_header && names.size > 0) {
        struct str name = str_trimmed(str_take(&names, ','));
        bool is_question = name.size > 0 && name.data[0] == '?';
        const struct deviation *deviation = find(str_from(name, is_question));
        if (is_question)
            chosen->is_known = deviation ? "known" : "unknown";
        else if (deviation)
            choose(chosen, deviation, asked, arena);
        else
            chosen->unknown = name;
    }
    return chosen->count > 0 || chosen->unknown.size > 0 || chosen->is_known ? chosen : NULL;
}

struct chosen *deviations_choose(const struct asked *asked, struct str names, struct arena *arena)
{
    struct chosen *chosen = choose_all(asked, names, arena);
    orders_remember(asked);
    return chosen;
}

/* --- Where they hold --- */

struct str deviation_key(const char *profile, const char *duty, struct arena *arena)
{
    if (!duty)
        return STR("");
    return strchr(duty, '.') ? arena_copy(arena, str_of(duty)) : arena_printf(arena, "%s.%s", profile, duty);
}

static bool segments_fit(struct str pattern, struct str path)
{
    bool fits = true;
    while (fits && pattern.size > 0 && path.size > 0) {
        fits = str_has(pattern, '/') == str_has(path, '/');
        struct str wanted = str_take(&pattern, '/'), given = str_take(&path, '/');
        fits = fits && (str_is(wanted, "*") || str_equal(wanted, given));
    }
    return fits && pattern.size == path.size;
}

static bool is_listed(struct str prefix, const char *const *list)
{
    while (list && *list && !str_is(prefix, *list))
        list++;
    return list && *list;
}

static bool prefix_fits(struct str prefix, const struct asked *asked)
{
    return str_is(prefix, asked->profile) || is_listed(prefix, asked->texts);
}

bool deviation_fits(const struct deviation *deviation, const struct asked *asked, struct arena *arena)
{
    struct str method = tree_text(deviation->on, "method"), path = tree_text(deviation->on, "path");
    struct str rpc = tree_text(deviation->on, "rpc"), model = tree_text(deviation->on, "model");
    struct str ordered = tree_text(deviation->on, "ordered");
    return prefix_fits(deviation->prefix, asked) && (!method.data || str_equal(method, asked->method)) &&
           (!path.data || segments_fit(path, asked->path)) && (!rpc.data || str_equal(rpc, asked->rpc)) &&
           (!model.data || str_equal(model, asked->model)) &&
           (!tree_is_true(deviation->on, "unready") || (ready && !ready(ready_context))) &&
           (!ordered.data || orders_fit(ordered, asked->model, arena));
}

/* `wanted` is "*", any failure; or a key, "" for a failure of which no requirement is known; or a list of keys. */
static bool refusal_fits(const struct tree *wanted, const struct exchanged *exchanged)
{
    if (wanted->type == TREE_ARRAY)
        return ANY_IN(one, wanted->first, refusal_fits(one, exchanged));
    return exchanged->fails && (str_is(wanted->text, "*") || str_equal(wanted->text, exchanged->refused_by));
}

bool deviation_alters(const struct deviation *deviation, const struct exchanged *exchanged, struct arena *arena)
{
    const struct tree *request = tree_member(deviation->on, "request"), *answer = tree_member(deviation->on, "answer");
    const struct tree *refused_by = tree_member(deviation->on, "refused_by");
    if (refused_by && !refusal_fits(refused_by, exchanged))
        return false;
    if (!refused_by && !answer && exchanged->fails && !deviation->code &&
        !str_is(exchanged->refused_by, deviation->key))
        return false;
    return (!answer || pattern_is_met(answer, exchanged->answer, arena)) &&
           (!request || pattern_is_met(request, exchanged->request, arena));
}

static bool acts_at_once(const struct deviation *deviation, const struct tree *request, struct arena *arena)
{
    const struct tree *asked = tree_member(deviation->on, "request");
    return !tree_member(deviation->on, "answer") && !tree_member(deviation->on, "refused_by") &&
           (!asked || pattern_is_met(asked, request, arena));
}

bool deviations_end_at_once(const struct chosen *chosen, const char *ending, const struct tree *request,
                            struct arena *arena)
{
    return chosen && ANY(i, chosen->count,
                         deviation_ends(chosen->list[i], ending) && acts_at_once(chosen->list[i], request, arena));
}

bool deviations_read_request(const struct chosen *chosen)
{
    return chosen && ANY(i, chosen->count, tree_member(chosen->list[i]->on, "request"));
}
