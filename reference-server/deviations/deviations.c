#include "deviations/deviation.h"
#include "deviations/frames.h"
#include "deviations/orders.h"
#include "deviations/pattern.h"

#include <errno.h>
#include <stdio.h>

struct text {
    const char *file, *json;
};

static const struct text texts[] = {
#include "base/count.h"
#include "deviations.inc"
    {NULL, NULL},
};

static struct deviation *table;
static size_t table_size;
static bool by_header;
static size_t active;

/* --- The list --- */

static struct deviation *find(struct str name)
{
    for (size_t i = 0; i < table_size; i++)
        if (str_is(name, table[i].name))
            return &table[i];
    return NULL;
}

static struct status malformed(const char *file, struct str name, const char *what, struct arena *arena)
{
    return status_error(arena, STATUS_INTERNAL, "%s: deviation '%s' %s", file, str_printable(arena, name), what);
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
    const char *dot = key.size ? memchr(key.data, '.', key.size) : NULL;
    struct deviation *deviation = &table[table_size];
    if (find(tree->name))
        return malformed(file, tree->name, "stands there twice", arena);
    if (!dot || !by)
        return malformed(file, tree->name, "lacks `breaks` (the key of a requirement) or `by`", arena);
    *deviation = (struct deviation){
        .name = arena_copy(arena, tree->name).data,
        .key = arena_copy(arena, key).data,
        .skips = by->type == TREE_STRING && str_is(by->text, "skip"),
        .alter = tree_member(by, "alter"),
        .on = tree_member(tree, "on"),
    };
    if (!deviation->name || !deviation->key)
        return status_no_memory();
    deviation->prefix = (struct str){deviation->key, (size_t)(dot - key.data)};
    if (by->type == TREE_STRING && str_is(by->text, "code"))
        deviation->code = deviation_code_named(deviation->name);
    if (!deviation->skips && !deviation->alter && !deviation->code)
        return malformed(file, tree->name, "is neither skip nor alter nor a function of code.c", arena);
    table_size++;
    return patterns_are_right(file, deviation, arena);
}

static struct status read_file(const struct text *text, struct arena *arena)
{
    struct tree *root;
    struct status status = tree_parse(str_of(text->json), arena, &root);
    if (!is_ok(status))
        return status_error(arena, STATUS_INTERNAL, "%s: %.*s", text->file, STR_ARG(status.message));
    struct deviation *more = arena_alloc_zero(arena, table_size + root->count, sizeof(*more));
    if (!more)
        return status_no_memory();
    if (table_size)
        memcpy(more, table, table_size * sizeof(*table));
    table = more;
    for (const struct tree *one = root->first; one && is_ok(status); one = one->next)
        status = read_one(text->file, one, arena);
    return status;
}

struct status deviations_load(struct arena *arena)
{
    struct status status = STATUS_IS_OK;
    for (const struct text *text = texts; text->file && is_ok(status); text++)
        status = read_file(text, arena);
    return status;
}

struct status deviations_load_file(const char *path, struct arena *arena)
{
    struct buf json = {0};
    char piece[4096];
    size_t size;
    FILE *file = fopen(path, "re");
    while (file && (size = fread(piece, 1, sizeof piece, file)) > 0)
        buf_append(&json, piece, size);
    bool whole = file && !ferror(file);
    if (file)
        fclose(file);
    if (!whole) {
        buf_free(&json);
        return status_error(arena, STATUS_INVALID_ARGUMENT, "%s cannot be read: %s", path, strerror(errno));
    }
    buf_append_byte(&json, 0);
    struct str kept = arena_take(arena, &json);
    return kept.data ? read_file(&(struct text){path, kept.data}, arena) : status_no_memory();
}

void deviations_list(struct buf *out)
{
    for (size_t i = 0; i < table_size; i++)
        buf_printf(out, "%s\t%s\t%s\n", table[i].name, table[i].key,
                   table[i].skips   ? "skip"
                   : table[i].alter ? "alter"
                                    : "code");
}

/* --- Which hold --- */

/* Takes the next name of a comma-separated list, without blanks. Returns false at the end. */
static bool next_name(struct str *names, struct str *name)
{
    if (names->size == 0)
        return false;
    const char *comma = memchr(names->data, ',', names->size);
    *name = (struct str){names->data, comma ? (size_t)(comma - names->data) : names->size};
    *names = str_from(*names, name->size + (comma != NULL));
    while (name->size > 0 && *name->data == ' ')
        *name = str_from(*name, 1);
    while (name->size > 0 && name->data[name->size - 1] == ' ')
        name->size--;
    return true;
}

struct status deviations_enable(const char *names, struct arena *arena)
{
    struct str left = str_of(names), name;
    while (next_name(&left, &name)) {
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

bool deviations_are_by_header(void)
{
    return by_header;
}

/* Returns the bits of all names in the list of that name of each deviation that is active. */
static uint32_t bits_of(const char *list, uint32_t (*bit_of)(struct str name))
{
    uint32_t set = 0;
    for (size_t i = 0; i < table_size; i++) {
        const struct tree *names = table[i].is_active ? tree_member(table[i].alter, list) : NULL;
        for (const struct tree *name = names ? names->first : NULL; name; name = name->next)
            set |= bit_of(name->text);
    }
    return set;
}

static uint32_t malformed_named(struct str name)
{
    static const char *const names[] = {"name", "value", "pseudo", "connection", "length"}; /* as enum malformed */
    for (size_t i = 0; i < COUNT_OF(names); i++)
        if (str_is(name, names[i]))
            return 1U << i;
    return 0;
}

void deviations_of_rpc(struct rpc_options *options)
{
    options->receive =
        frames_choose(bits_of("read_over", frames_kind), bits_of("end_at", frames_kind)) ? frames_receive : NULL;
    options->takes_malformed = bits_of("take_malformed", malformed_named);
    options->begin = deviations_rpc_begin;
    options->hear = deviations_rpc_hear;
    options->alter = deviations_rpc_alter;
    options->finish = deviations_rpc_finish;
}

bool deviations_are_possible(void)
{
    return by_header || active > 0;
}

static void choose(struct chosen *chosen, const struct deviation *deviation, const struct asked *asked,
                   struct arena *arena)
{
    if (!deviation_fits(deviation, asked, arena))
        return;
    chosen->list[chosen->count++] = deviation;
    if (deviation->skips)
        chosen->switches.off[chosen->switches.count++] = deviation->key;
}

static struct chosen *choose_all(const struct asked *asked, struct str names, struct arena *arena)
{
    struct str name;
    size_t room = table_size;
    if (active == 0 && names.size == 0)
        return NULL;
    for (size_t i = 0; i < names.size; i++)
        room += names.data[i] == ',';
    struct chosen *chosen = arena_new_of(arena, struct chosen);
    const struct deviation **list = arena_alloc_zero(arena, room + 1, sizeof(struct deviation *));
    const char **off = arena_alloc_zero(arena, room + 1, sizeof(char *));
    if (!chosen || !list || !off)
        return NULL;
    chosen->list = list;
    chosen->model = arena_copy(arena, asked->model);
    chosen->switches = (struct switches){.profile = asked->profile, .off = off};
    for (size_t i = 0; i < table_size && active > 0; i++)
        if (table[i].is_active)
            choose(chosen, &table[i], asked, arena);
    while (by_header && next_name(&names, &name)) {
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

static bool segments_fit(struct str pattern, struct str path)
{
    while (pattern.size > 0 && path.size > 0) {
        const char *a = memchr(pattern.data, '/', pattern.size), *b = memchr(path.data, '/', path.size);
        struct str wanted = {pattern.data, a ? (size_t)(a - pattern.data) : pattern.size};
        struct str given = {path.data, b ? (size_t)(b - path.data) : path.size};
        if (!str_is(wanted, "*") && !str_equal(wanted, given))
            return false;
        if (!a != !b)
            return false;
        if (!a)
            return true;
        pattern = str_from(pattern, wanted.size + 1);
        path = str_from(path, given.size + 1);
    }
    return pattern.size == path.size;
}

static bool prefix_fits(struct str prefix, const struct asked *asked)
{
    bool fits = str_is(prefix, asked->profile);
    for (const char *const *profile = asked->extensions; profile && !fits && *profile; profile++)
        fits = str_is(prefix, *profile);
    for (const char *const *text = asked->texts; !fits && *text; text++)
        fits = str_is(prefix, *text);
    return fits;
}

bool deviation_fits(const struct deviation *deviation, const struct asked *asked, struct arena *arena)
{
    struct str method = tree_text(deviation->on, "method"), path = tree_text(deviation->on, "path");
    struct str rpc = tree_text(deviation->on, "rpc"), model = tree_text(deviation->on, "model");
    struct str ordered = tree_text(deviation->on, "ordered");
    return prefix_fits(deviation->prefix, asked) && (!method.data || str_equal(method, asked->method)) &&
           (!path.data || segments_fit(path, asked->path)) && (!rpc.data || str_equal(rpc, asked->rpc)) &&
           (!model.data || str_equal(model, asked->model)) &&
           (!ordered.data || orders_fit(ordered, asked->model, arena));
}

/* `wanted` is "*", any failure; or a key, "" for a failure of which no requirement is known; or a list of keys. */
static bool refusal_fits(const struct tree *wanted, const struct exchanged *exchanged)
{
    if (wanted->type == TREE_ARRAY) {
        for (const struct tree *one = wanted->first; one; one = one->next)
            if (refusal_fits(one, exchanged))
                return true;
        return false;
    }
    return exchanged->fails && (str_is(wanted->text, "*") || str_equal(wanted->text, exchanged->refused_by));
}

bool deviation_alters(const struct deviation *deviation, const struct exchanged *exchanged, struct arena *arena)
{
    const struct tree *request = tree_member(deviation->on, "request"), *answer = tree_member(deviation->on, "answer");
    const struct tree *refused_by = tree_member(deviation->on, "refused_by");
    if (refused_by && !refusal_fits(refused_by, exchanged))
        return false;
    if (!refused_by && !answer && exchanged->fails && deviation->alter &&
        !str_is(exchanged->refused_by, deviation->key))
        return false;
    return (!answer || pattern_is_met(answer, exchanged->answer, arena)) &&
           (!request || pattern_is_met(request, exchanged->request, arena));
}

bool deviation_hangs_at_once(const struct deviation *deviation, const struct tree *request, struct arena *arena)
{
    const struct tree *asked = tree_member(deviation->on, "request");
    return deviation_hangs(deviation) && !tree_member(deviation->on, "answer") &&
           !tree_member(deviation->on, "refused_by") && (!asked || pattern_is_met(asked, request, arena));
}

bool deviation_waits(const struct deviation *deviation)
{
    return tree_member(deviation->on, "request") || tree_member(deviation->on, "answer") ||
           tree_member(deviation->on, "refused_by");
}

bool deviations_read_request(const struct chosen *chosen)
{
    bool reads = false;
    for (size_t i = 0; chosen && i < chosen->count; i++)
        reads |= tree_member(chosen->list[i]->on, "request") != NULL;
    return reads;
}
