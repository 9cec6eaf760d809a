#include "suite/registry.h"

#include "base/search.h"

static const struct {
    const char *name;
    enum transport transport;
} transports[] = {{"http", TRANSPORT_HTTP}, {"grpc", TRANSPORT_GRPC}};

static const struct {
    const char *name;
    enum act act;
    enum transport transport;
} acts[] = {{"http", ACT_HTTP, TRANSPORT_HTTP}, {"grpc", ACT_GRPC, TRANSPORT_GRPC}, {"tcp", ACT_TCP, TRANSPORT_HTTP}};

#define ACT_COUNT COUNT_OF(acts)

struct registry_reading {
    struct arena *arena;
    const struct tree *file;
    struct registry *registry;
};

static struct status wrong(const struct registry_reading *reading, const char *section, const struct tree *row,
                           const char *what)
{
    return status_invalid(reading->arena, "encodings.json: /%s/%s %s", section,
                          str_printable(reading->arena, row->name), what);
}

static bool transport_named(struct str name, enum transport *transport)
{
    for (size_t i = 0; i < COUNT_OF(transports); i++)
        if (str_is(name, transports[i].name)) {
            *transport = transports[i].transport;
            return true;
        }
    return false;
}

static struct status read_endpoint(const struct registry_reading *reading, const struct tree *row)
{
    struct registry *registry = reading->registry;
    if (registry->endpoint_count == ENDPOINTS_MAX)
        return wrong(reading, "endpoints", row, "is one more than the judge can ask");
    struct endpoint *endpoint = &registry->endpoints[registry->endpoint_count];
    *endpoint = (struct endpoint){.name = row->name,
                                  .called = tree_text(row, "called"),
                                  .flag = tree_text(row, "flag"),
                                  .in_step = tree_text(row, "in_step"),
                                  .too_large = tree_member(row, "too_large"),
                                  .index = registry->endpoint_count};
    if (!transport_named(tree_text(row, "transport"), &endpoint->transport) || !endpoint->called.size ||
        !endpoint->flag.size)
        return wrong(reading, "endpoints", row, "needs a known `transport`, and `called` and `flag`");
    registry->endpoint_count++;
    return STATUS_IS_OK;
}

static struct status read_text(const struct registry_reading *reading, const struct tree *row)
{
    enum transport transport;
    return transport_named(row->text, &transport) ? STATUS_IS_OK
                                                  : wrong(reading, "texts", row, "must name a transport");
}

static void add_missing(struct tree *row, const struct tree *member, struct arena *arena)
{
    if (member && !tree_member_str(row, member->name))
        tree_add(row, member->name, tree_copy(arena, member));
}

/* Returns the row with the members that it leaves to the profile that it extends; NULL if there is no such profile. */
static const struct tree *whole_row(const struct registry_reading *reading, const struct tree *row)
{
    static const char *const shared[] = {"protocol",  "endpoint", "service", "reads", "outcome",
                                         "succeeded", "answered", "refused", "error", "too_large"};
    struct str name = tree_text(row, "extends");
    const struct tree *extended = tree_member_str(tree_member(reading->file, "profiles"), name);
    if (!name.size || !extended)
        return name.size ? NULL : row;
    struct tree *whole = tree_copy(reading->arena, row);
    for (size_t i = 0; i < COUNT_OF(shared); i++)
        add_missing(whole, tree_member(extended, shared[i]), reading->arena);
    for (const struct tree *one = tree_first(tree_member(extended, "extended")); one; one = one->next)
        add_missing(whole, one, reading->arena);
    return whole;
}

static struct status read_profile(const struct registry_reading *reading, const struct tree *given)
{
    struct registry *registry = reading->registry;
    struct profile *profile = &registry->profiles[registry->profile_count];
    const struct tree *row = whole_row(reading, given);
    if (!row)
        return wrong(reading, "profiles", given, "must `extend` a profile");
    const struct tree *rows = tree_member(row, "rows"), *blames = tree_member(row, "blames");
    *profile = (struct profile){.name = row->name,
                                .says = tree_text(row, "says"),
                                .protocol = tree_text(row, "protocol"),
                                .endpoint = registry_endpoint(registry, tree_text(row, "endpoint")),
                                .service = tree_text(row, "service"),
                                .reads = tree_member(row, "reads"),
                                .orders = tree_member(row, "orders"),
                                .proofs = tree_member(row, "proofs"),
                                .guide = tree_member(row, "guide"),
                                .claim = tree_text(row, "claim"),
                                .by_model = tree_member(row, "by_model"),
                                .shown_by = tree_member(row, "shown_by"),
                                .outcome = tree_text(row, "outcome"),
                                .error = tree_text(row, "error"),
                                .succeeded = tree_member(row, "succeeded"),
                                .refused = tree_member(row, "refused"),
                                .answered = tree_member(row, "answered"),
                                .too_large = tree_member(row, "too_large"),
                                .index = registry->profile_count};
    if (!profile->protocol.size || !profile->endpoint)
        return wrong(reading, "profiles", row, "needs a `protocol` and a known `endpoint`");
    if (!profile->outcome.size || !profile->succeeded || !profile->refused || !profile->answered)
        return wrong(reading, "profiles", row, "must say what `outcome`, `succeeded`, `refused` and `answered` are");
    if (!profile->too_large)
        profile->too_large = profile->endpoint->too_large;
    profile->rows = arena_alloc_zero(reading->arena, (rows ? rows->count : 0) + (blames ? blames->count : 0),
                                     sizeof *profile->rows);
    FOR_EACH_IN(expect, tree_first(rows))
        profile->rows[profile->row_count++] = (struct refusal_row){expect->name, expect, false};
    FOR_EACH_IN(expect, tree_first(blames))
        profile->rows[profile->row_count++] = (struct refusal_row){expect->name, expect, true};
    registry->profile_count++;
    return STATUS_IS_OK;
}

bool registry_is_order(const struct registry *registry, struct str act)
{
    return ANY(i, registry->profile_count,
               ANY_IN(order, tree_first(registry->profiles[i].orders),
                      str_starts(act, order->text) || str_equal(str_behind_last(act, '/'), order->text)));
}

static struct status read_encoding(const struct registry_reading *reading, const struct tree *row)
{
    struct registry *registry = reading->registry;
    struct encoding *encoding = &registry->encodings[registry->encoding_count];
    struct str inherits = tree_text(row, "inherits"), also = tree_text(row, "also");
    *encoding = (struct encoding){.name = row->name,
                                  .act = ACT_INFER,
                                  .profile = registry_profile(registry, tree_text(row, "profile")),
                                  .also = registry_profile(registry, also),
                                  .inherits = registry_profile(registry, inherits),
                                  .lacks = tree_member(row, "lacks"),
                                  .cases = tree_text(row, "cases"),
                                  .index = registry->encoding_count};
    if (!encoding->profile || (inherits.size && !encoding->inherits) || (also.size && !encoding->also))
        return wrong(reading, "encodings", row, "needs a known `profile`, and so must `inherits` and `also` be");
    if (encoding->inherits && !str_equal(encoding->inherits->protocol, encoding->profile->protocol))
        return wrong(reading, "encodings", row, "must `inherit` from a profile of its own protocol");
    encoding->transport = encoding->profile->endpoint->transport;
    registry->encoding_count++;
    return STATUS_IS_OK;
}

static void add_acts(struct registry *registry)
{
    for (size_t i = 0; i < ACT_COUNT; i++) {
        size_t index = registry->encoding_count++;
        registry->encodings[index] = (struct encoding){
            .name = str_of(acts[i].name), .act = acts[i].act, .transport = acts[i].transport, .index = index};
    }
}

static struct status read_section(const struct registry_reading *reading, const struct tree *file, const char *name,
                                  struct status (*read)(const struct registry_reading *reading, const struct tree *row))
{
    struct status status = STATUS_IS_OK;
    const struct tree *section = tree_member(file, name);
    if (!section || section->type != TREE_OBJECT)
        return status_invalid(reading->arena, "encodings.json: '%s' must be an object", name);
    for (const struct tree *row = section->first; row && is_ok(status); row = row->next)
        status = read(reading, row);
    return status;
}

/* Sets `beside` of each profile, once all of them are known. */
static struct status join_profiles(const struct registry_reading *reading, const struct tree *file)
{
    struct registry *registry = reading->registry;
    FOR_EACH_IN(row, tree_member(file, "profiles")->first) {
        struct profile *profile = &registry->profiles[registry_profile(registry, row->name)->index];
        struct str name = tree_text(row, "beside");
        profile->beside = registry_profile(registry, name);
        if (name.size && (!profile->beside || profile->beside->endpoint->transport == profile->endpoint->transport))
            return wrong(reading, "profiles", row, "must stand `beside` a profile of another transport");
    }
    return STATUS_IS_OK;
}

static struct status read_edition(const struct registry_reading *reading, const struct tree *row)
{
    const struct tree *documents = tree_member(row, "documents"), *questions = tree_member(row, "shown_by");
    if (!documents || documents->type != TREE_ARRAY || !documents->count || !tree_text(row, "says").size)
        return wrong(reading, "editions", row, "needs `says`, and a list of `documents`");
    if (questions && (questions->type != TREE_ARRAY || !questions->count ||
                      !registry_profile(reading->registry, tree_text(row, "profile"))))
        return wrong(reading, "editions", row,
                     "needs a list of acts in `shown_by`, and the `profile` under which they are asked");
    return STATUS_IS_OK;
}

static size_t count_of(const struct tree *file, const char *section)
{
    const struct tree *rows = tree_member(file, section);
    return rows ? rows->count : 0;
}

struct status registry_read(const struct tree *file, struct arena *arena, struct registry *registry)
{
    static const struct {
        const char *name;
        struct status (*read)(const struct registry_reading *reading, const struct tree *row);
    } sections[] = {
        {"endpoints", read_endpoint}, {"texts", read_text}, {"profiles", read_profile}, {"encodings", read_encoding}};
    const struct registry_reading reading = {arena, file, registry};
    *registry = (struct registry){
        .endpoints = arena_alloc_zero(arena, ENDPOINTS_MAX, sizeof *registry->endpoints),
        .profiles = arena_alloc_zero(arena, count_of(file, "profiles"), sizeof *registry->profiles),
        .encodings = arena_alloc_zero(arena, count_of(file, "encodings") + ACT_COUNT, sizeof *registry->encodings),
        .texts = tree_member(file, "texts"),
        .editions = tree_member(file, "editions"),
    };
    struct status status = STATUS_IS_OK;
    for (size_t i = 0; i < COUNT_OF(sections) && is_ok(status); i++)
        status = read_section(&reading, file, sections[i].name, sections[i].read);
    if (is_ok(status) && registry->editions)
        status = read_section(&reading, file, "editions", read_edition);
    if (is_ok(status))
        status = join_profiles(&reading, file);
    add_acts(registry);
    return status;
}

const struct endpoint *registry_endpoint(const struct registry *registry, struct str name)
{
    return FIND(registry->endpoints, i, registry->endpoint_count, str_equal(registry->endpoints[i].name, name));
}

const struct profile *registry_profile(const struct registry *registry, struct str name)
{
    return FIND(registry->profiles, i, registry->profile_count, str_equal(registry->profiles[i].name, name));
}

const struct encoding *registry_encoding(const struct registry *registry, struct str name)
{
    return FIND(registry->encodings, i, registry->encoding_count, str_equal(registry->encodings[i].name, name));
}

const struct encoding *registry_act(const struct registry *registry, enum act act)
{
    return FIND(registry->encodings, i, registry->encoding_count, registry->encodings[i].act == act);
}

const struct profile *registry_profile_of_case(const struct registry *registry, struct str path)
{
    return registry_profile(registry, str_before(path, '/'));
}

bool encoding_plays(const struct encoding *encoding, struct str path)
{
    struct str folder = str_before(path, '/');
    return encoding->profile && (str_equal(encoding->profile->name, folder) || str_equal(encoding->cases, folder));
}

bool encoding_lacks(const struct encoding *encoding, struct str slug)
{
    return ANY_IN(one, tree_first(encoding->lacks), one->type == TREE_STRING && str_equal(one->text, slug));
}

bool registry_binds(const struct registry *registry, struct str prefix, const struct profile *profile)
{
    enum transport transport;
    const struct profile *owner = registry_profile(registry, prefix);
    if (owner)
        return owner->endpoint->transport == profile->endpoint->transport &&
               str_equal(owner->protocol, profile->protocol);
    const struct tree *text = tree_member_str(registry->texts, prefix);
    return !text || !transport_named(text->text, &transport) || transport == profile->endpoint->transport;
}

bool registry_is_text(const struct registry *registry, struct str prefix)
{
    return registry->texts && tree_member_str(registry->texts, prefix);
}

struct str registry_newest_edition(const struct registry *registry)
{
    return registry->editions && registry->editions->last ? registry->editions->last->name : STR("");
}

bool registry_in_edition(const struct registry *registry, const struct tree *sources, struct str edition)
{
    bool is_of_another = false;
    FOR_EACH_IN(source, sources && edition.size ? sources->first : NULL)
        FOR_EACH_IN(one, registry->editions->first) {
            if (!ANY_IN(document, tree_first(tree_member(one, "documents")),
                        str_equal(document->text, tree_text(source, "text"))))
                continue;
            if (str_equal(one->name, edition))
                return true;
            is_of_another = true;
        }
    return !is_of_another;
}
