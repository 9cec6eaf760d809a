/* Assertions: a key of `expect` becomes one if the requirement can bind in the play's encoding. */
#include "plan/planner.h"

/* Prefixes of requirements that bind one transport only; all others bind wherever they stand. */
static const struct {
    const char *prefix;
    bool rest;
} transports[] = {{"v2-rest", true},  {"http", true},  {"json", true},
                  {"v2-grpc", false}, {"grpc", false}, {"proto3", false}};

static bool binds_in(const struct requirement *requirement, enum encoding encoding)
{
    for (size_t i = 0; i < sizeof transports / sizeof *transports; i++)
        if (str_is(requirement->prefix, transports[i].prefix))
            return transports[i].rest == encoding_is_rest(encoding);
    return true;
}

struct str plan_key(struct str key, enum encoding encoding, struct arena *arena)
{
    if (memchr(key.data, '.', key.size))
        return key;
    return arena_printf(arena, "%s.%.*s", encoding_profile(encoding), STR_ARG(key));
}

static void add_assertion(struct planner *planner, struct play *play, const struct requirement *requirement,
                          const struct tree *observation, bool of_refusal)
{
    play->assertions[play->assertion_count++] = (struct assertion){
        .id = arena_printf(planner->arena, "%.*s#%.*s", STR_ARG(play->id), STR_ARG(requirement->key)),
        .requirement = requirement,
        .observation = observation,
        .of_refusal = of_refusal,
        .play = play,
    };
}

static bool asserts(const struct play *play, const struct requirement *requirement)
{
    for (size_t i = 0; i < play->assertion_count; i++)
        if (play->assertions[i].requirement == requirement)
            return true;
    return false;
}

static void add_refusal_rows(struct planner *planner, struct play *play)
{
    const struct encoding_rules *rules = &planner->suite->encodings[play->group->encoding];
    for (size_t i = 0; i < rules->row_count; i++) {
        const struct requirement *requirement = ledger_find(&planner->suite->ledger, rules->rows[i].key);
        if (requirement && !asserts(play, requirement))
            add_assertion(planner, play, requirement, rules->rows[i].expect, true);
    }
}

void plan_expect(struct planner *planner, struct play *play, const struct tree *expect, struct str file,
                 struct str pointer)
{
    enum encoding encoding = play->group->encoding;
    bool full_keys = encoding_is_act(encoding), refused = false;
    size_t most = (expect ? expect->count : 0) + planner->suite->encodings[encoding].row_count;
    play->assertions = arena_alloc_zero(planner->arena, most, sizeof *play->assertions);
    for (const struct tree *member = expect ? expect->first : NULL; member; member = member->next) {
        bool bare = !memchr(member->name.data, '.', member->name.size);
        const char *printable = str_printable(planner->arena, member->name);
        if (bare && full_keys) {
            fault_add(planner->faults, file, pointer, "key-full",
                      "'%s' needs its prefix: only infer cases may leave it out", printable);
            continue;
        }
        struct str key = plan_key(member->name, encoding, planner->arena);
        const struct requirement *requirement = ledger_find(&planner->suite->ledger, key);
        if (!requirement && !bare)
            fault_add(planner->faults, file, pointer, "key-known", "the ledger has no row '%s'", printable);
        if (!requirement || !binds_in(requirement, encoding))
            continue;
        if (asserts(play, requirement)) {
            fault_add(planner->faults, file, pointer, "key-once", "'%.*s' is expected twice", STR_ARG(key));
            continue;
        }
        add_assertion(planner, play, requirement, member, false);
        refused |= member->type == TREE_STRING && str_is(member->text, "refused");
    }
    if (refused)
        add_refusal_rows(planner, play);
}
